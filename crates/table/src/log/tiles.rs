//! The log as tiles, files that never change once they are full (C2SP `tlog-tiles`): a tile holds
//! 256 hashes of one height, an entry bundle 256 entries.

use super::merkle;
use crate::Hash;

/// Hashes of a full tile.
pub const TILE_WIDTH: usize = 256;
/// No log is higher.
const MAX_LEVEL: u8 = 5;

/// The tile of a level and number with its first `width` hashes, `1 ≤ width ≤ 256`, each of 32 bytes;
/// `None` if the log of these digests has no such tile.
pub fn tile(digests: &[Hash], level: u8, number: u64, width: usize) -> Option<Vec<u8>> {
    if level > MAX_LEVEL || !(1..=TILE_WIDTH).contains(&width) {
        return None;
    }
    let below = TILE_WIDTH.checked_pow(level.into())?;
    let first = usize::try_from(number).ok()?.checked_mul(TILE_WIDTH)?.checked_mul(below)?;
    let end = first.checked_add(width.checked_mul(below)?)?;
    let leaves: Vec<_> = digests.get(first..end)?.iter().map(Hash::as_bytes).collect();
    let roots = leaves.chunks(below).map(merkle::root);
    Some(roots.flat_map(|root| *root.as_bytes()).collect())
}

/// The entries of a bundle, `1 ≤ width ≤ 256` of them, each after its length in two bytes; `None` if
/// the log has no such bundle.
pub fn entries(digests: &[Hash], number: u64, width: usize) -> Option<Vec<u8>> {
    if !(1..=TILE_WIDTH).contains(&width) {
        return None;
    }
    let first = usize::try_from(number).ok()?.checked_mul(TILE_WIDTH)?;
    let digests = digests.get(first..first.checked_add(width)?)?;
    let entry = |digest: &Hash| {
        let length = (digest.as_bytes().len() as u16).to_be_bytes();
        [&length[..], digest.as_bytes()].concat()
    };
    Some(digests.iter().flat_map(entry).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn tiles_lead_to_the_root_of_the_log() {
        let digests: Vec<Hash> =
            (0..600_u32).map(|index| Hash::of("tile", &index.to_be_bytes())).collect();
        let leaf = |digest: &Hash| merkle::root(&[digest.as_bytes()]);
        let first = tile(&digests, 0, 0, TILE_WIDTH).unwrap();
        assert_eq!(first[32..64], *leaf(&digests[1]).as_bytes());
        let partial = tile(&digests, 0, 2, 600 - 512).unwrap();
        assert_eq!(partial[..32], *leaf(&digests[512]).as_bytes());
        // Level 1: the roots of full tiles only.
        let upper = tile(&digests, 1, 0, 2).unwrap();
        let bytes: Vec<_> = digests[256..512].iter().map(Hash::as_bytes).collect();
        assert_eq!(upper[32..], *merkle::root(&bytes).as_bytes());
        let bundle = entries(&digests, 1, TILE_WIDTH).unwrap();
        assert_eq!(bundle[..2], [0, 32]);
        assert_eq!(bundle[2..34], *digests[256].as_bytes());
        assert_eq!(bundle.len(), 34 * TILE_WIDTH);
    }

    #[test]
    fn tiles_beyond_the_log_are_not_there() {
        let digests = vec![Hash::of("tile", b""); 300];
        for (level, number, width) in [
            (0, 1, 45),
            (0, 2, 1),
            (0, 0, 257),
            (0, 0, 0),
            (1, 0, 2),
            (6, 0, 1),
            (255, 0, 1),
            (5, u64::MAX, 256),
            (0, u64::MAX, 1),
        ] {
            assert_eq!(tile(&digests, level, number, width), None, "{level} {number} {width}");
        }
        assert_eq!(entries(&digests, u64::MAX, 1), None);
        assert_eq!(entries(&digests, 1, 45), None);
    }
}
