//! Tries as they are stored: a crown over blocks of leaves, so that a key is found by reading the crown and
//! one block.

use wire::{Decode as _, DecodeError, Encode as _, Reader};

use super::{Absence, Divergence, MAX_KEY_BITS, Member, Step, Trie, build::Tip};
use crate::hash::Hash;

/// Leaves of a block: as many as a large epoch has blocks.
const BLOCK: usize = 1 << 10;
/// The version of crowns and blocks: their first byte.
const VERSION: u8 = 1;
/// Blocks of a crown.
const MAX_BLOCKS: usize = 1 << 26;

/// The top of a trie, whose tips are its blocks.
pub(crate) struct Crown {
    key_len: usize,
    trie: Trie,
    tips: Vec<(Vec<u8>, Tip)>,
}

/// A key, its leaf, and a number that is kept with it.
pub(crate) type Kept = (Vec<u8>, Hash, u64);

/// What a stored trie says of a key.
pub(crate) enum Found {
    /// It is there, with its number.
    Present(Member, u64),
    /// It is not there.
    Absent(Absence),
}

impl Trie {
    /// What is stored of the trie: its crown, and its blocks, in order. Every leaf has a number.
    pub(crate) fn store(&self, numbers: impl Iterator<Item = u64>) -> (Vec<u8>, Vec<Vec<u8>>) {
        let mut leaves = self.leaves().zip(numbers);
        let (mut crown, mut blocks) = (vec![VERSION], Vec::new());
        let cut = self.cut(BLOCK);
        (cut.len() as u32).encode(&mut crown);
        for (range, tip) in cut {
            let mut block = vec![VERSION];
            for (index, ((key, leaf), number)) in leaves.by_ref().take(range.len()).enumerate() {
                if index == 0 {
                    crown.extend_from_slice(key);
                }
                block.extend_from_slice(key);
                leaf.encode(&mut block);
                number.encode(&mut block);
            }
            tip.end.encode(&mut crown);
            tip.hash.encode(&mut crown);
            blocks.push(block);
        }
        (crown, blocks)
    }
}

fn require_version(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    match reader.u8()? {
        VERSION => Ok(()),
        _ => Err(DecodeError::invalid("stored trie", "of another version")),
    }
}

fn grow<'a>(
    key_len: usize,
    depth: u16,
    tips: impl Iterator<Item = (&'a [u8], Tip)>,
) -> Result<Trie, DecodeError> {
    let disorder = || DecodeError::invalid("stored trie", "its keys do not ascend");
    Trie::grow(key_len, depth, tips).ok_or_else(disorder)
}

impl Crown {
    /// Reads the crown of a trie over keys of a length.
    pub(crate) fn decode(bytes: &[u8], key_len: usize) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        require_version(&mut reader)?;
        let mut tips = Vec::new();
        for _ in 0..reader.count("blocks", MAX_BLOCKS)? {
            let key = reader.take(key_len)?.to_vec();
            let end = reader.u16()?;
            if end > MAX_KEY_BITS || usize::from(end) > key_len * 8 {
                return Err(DecodeError::invalid("stored trie", "a block is below its keys"));
            }
            tips.push((key, Tip { end, hash: Hash::decode(&mut reader)? }));
        }
        reader.finish()?;
        let trie = grow(key_len, 0, tips.iter().map(|(key, tip)| (key.as_slice(), *tip)))?;
        Ok(Self { key_len, trie, tips })
    }

    /// The trie's root.
    #[cfg(test)]
    pub(crate) fn root(&self) -> Hash {
        self.trie.root()
    }

    /// Finds a key; `block` reads the block with a number.
    pub(crate) fn find<E: From<DecodeError>>(
        &self,
        key: &[u8],
        block: impl FnOnce(u32) -> Result<Vec<u8>, E>,
    ) -> Result<Found, E> {
        let (steps, end) = self.trie.walk(key);
        let number = match end {
            Ok(number) => number,
            Err(end) => return Ok(Found::Absent(Absence { steps, end })),
        };
        let bytes = block(number as u32)?;
        let tip = self.tips.get(number).map(|(_, tip)| *tip);
        let tip = tip.ok_or_else(|| DecodeError::invalid("stored trie", "a block is missing"))?;
        Ok(below(&decode_block(&bytes, self.key_len)?, (key, tip), steps)?)
    }
}

/// Goes on in a block.
fn below(
    kept: &[Kept],
    (key, tip): (&[u8], Tip),
    mut steps: Vec<Step>,
) -> Result<Found, DecodeError> {
    let changed = || DecodeError::invalid("stored trie", "a block is not that of its crown");
    if let [(alone, leaf, number)] = kept {
        // The crown leads to the leaf itself.
        return match alone == key && *leaf == tip.hash {
            true => Ok(Found::Present(Member { steps }, *number)),
            false => Err(changed()),
        };
    }
    let end = (key.len() * 8) as u16;
    let tips = kept.iter().map(|(key, hash, _)| (key.as_slice(), Tip { end, hash: *hash }));
    let trie = grow(key.len(), tip.end, tips)?;
    if trie.root() != tip.hash {
        return Err(changed());
    }
    let (more, end): (Vec<Step>, Result<usize, Divergence>) = trie.walk(key);
    steps.extend(more);
    match end {
        Ok(index) => {
            let (_, _, number) = kept.get(index).ok_or_else(changed)?;
            Ok(Found::Present(Member { steps }, *number))
        }
        Err(end) => Ok(Found::Absent(Absence { steps, end })),
    }
}

/// Reads a block over keys of a length.
pub(crate) fn decode_block(bytes: &[u8], key_len: usize) -> Result<Vec<Kept>, DecodeError> {
    let mut reader = Reader::new(bytes);
    require_version(&mut reader)?;
    let mut kept = Vec::new();
    while reader.remaining() > 0 {
        let key = reader.take(key_len)?.to_vec();
        kept.push((key, Hash::decode(&mut reader)?, reader.u64()?));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many random keys, or clustered ones, with their leaves.
    fn keys(count: u64, clustered: bool) -> Vec<(Vec<u8>, Hash)> {
        let key = |index: u64| match clustered {
            false => blake3::hash(&index.to_le_bytes()).as_bytes()[..8].to_vec(),
            // Many with long common prefixes, and some alone.
            true if index.is_multiple_of(7) => {
                (1_u64 << (index % 64) ^ index).to_be_bytes().to_vec()
            }
            true => index.to_be_bytes().to_vec(),
        };
        let mut keys: Vec<Vec<u8>> = (0..count).map(key).collect();
        keys.sort();
        keys.dedup();
        let leaf = |key: Vec<u8>| (key.clone(), Hash::from(*blake3::hash(&key).as_bytes()));
        keys.into_iter().map(leaf).collect()
    }

    fn trie(keys: &[(Vec<u8>, Hash)]) -> Trie {
        Trie::build(8, keys.iter().map(|(key, leaf)| (key.as_slice(), *leaf))).unwrap()
    }

    fn find(crown: &[u8], blocks: &[Vec<u8>], key: &[u8]) -> Result<Found, DecodeError> {
        Crown::decode(crown, 8)?.find(key, |number| Ok(blocks[number as usize].clone()))
    }

    #[test]
    fn stored_tries_show_what_whole_ones_show() {
        for clustered in [false, true] {
            for count in [0, 1, 2, 3, 1024, 1025, 1026, 20_000] {
                let keys = keys(count, clustered);
                let trie = trie(&keys);
                let (crown, blocks) = trie.store(5..);
                assert!(count < 2000 || blocks.len() > 10);
                assert_eq!(Crown::decode(&crown, 8).unwrap().root(), trie.root());
                for (number, (key, _)) in keys.iter().enumerate().step_by(1 + keys.len() / 20) {
                    let Found::Present(member, kept) = find(&crown, &blocks, key).unwrap() else {
                        panic!("a key of {count} is missing");
                    };
                    assert_eq!(Some(member), trie.member(key));
                    assert_eq!(kept, 5 + number as u64);
                    let mut other = key.clone();
                    for bit in 0..64 {
                        other[bit / 8] ^= 1 << (bit % 8);
                        if let Found::Absent(absence) = find(&crown, &blocks, &other).unwrap() {
                            assert_eq!(Some(absence), trie.absence(&other));
                        } else {
                            assert!(trie.member(&other).is_some());
                        }
                        other[bit / 8] ^= 1 << (bit % 8);
                        if bit % 5 > 0 && count > 1024 {
                            break;
                        }
                    }
                }
                if count == 0 {
                    let Ok(Found::Absent(absence)) = find(&crown, &blocks, &[7; 8]) else {
                        panic!("a trie without keys has none");
                    };
                    assert_eq!(Some(absence), trie.absence(&[7; 8]));
                }
            }
        }
    }

    /// Whatever is changed is refused, or shows in the root.
    #[test]
    fn no_byte_of_a_stored_trie_can_change() {
        let keys = keys(1500, false);
        let trie = trie(&keys);
        let (crown, blocks) = trie.store(0..);
        let (key, leaf) = &keys[700];
        let holds = |crown: &[u8], blocks: &[Vec<u8>]| match find(crown, blocks, key) {
            Ok(Found::Present(member, 700)) => member.verify(&trie.root(), key, leaf).is_ok(),
            Ok(Found::Absent(absence)) => absence.verify(&trie.root(), key).is_ok(),
            _ => false,
        };
        assert!(holds(&crown, &blocks));
        for place in 0..crown.len() {
            let mut changed = crown.clone();
            changed[place] ^= 0x10;
            let same = Crown::decode(&changed, 8).is_ok_and(|read| read.root() == trie.root());
            assert!(!same || holds(&changed, &blocks), "byte {place} of the crown");
        }
        let read = Crown::decode(&crown, 8).unwrap();
        let (steps, _) = read.trie.walk(key);
        assert!(!steps.is_empty());
        let own =
            blocks.iter().position(|block| block.windows(8).any(|eight| eight == key)).unwrap();
        for place in (0..blocks[own].len()).step_by(37) {
            let mut changed = blocks.to_vec();
            changed[own][place] ^= 0x10;
            let numbers_only = place > 0 && (place - 1) % 48 >= 40;
            assert!(numbers_only || !holds(&crown, &changed), "byte {place} of a block");
        }
        let mut changed = blocks.to_vec();
        changed[own].truncate(blocks[own].len() - 48);
        assert!(!holds(&crown, &changed));
        changed.swap(0, own.max(1));
        assert!(!holds(&crown, &changed));
    }
}
