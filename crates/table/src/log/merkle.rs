//! RFC 6962, section 2.1: the Merkle tree of the log, with SHA-256 as in every log of C2SP.

use sha2::{Digest as _, Sha256};
use wire::{DecodeError, Encode, Reader};

use crate::{Fault, Hash};

/// A log has less than `2^63` leaves.
const MAX_PROOF: usize = 64;

fn leaf(data: &[u8]) -> Hash {
    let digest: [u8; 32] = Sha256::new().chain_update([0]).chain_update(data).finalize().into();
    digest.into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    let start = Sha256::new().chain_update([1]).chain_update(left.as_bytes());
    let digest: [u8; 32] = start.chain_update(right.as_bytes()).finalize().into();
    digest.into()
}

/// The largest power of two below `count`, for `count ≥ 2`.
fn split(count: usize) -> usize {
    1 << (usize::BITS - 1 - (count - 1).leading_zeros())
}

/// The root over leaves in order; of no leaves, the hash of nothing.
pub fn root<T: AsRef<[u8]>>(leaves: &[T]) -> Hash {
    match leaves {
        [] => <[u8; 32]>::from(Sha256::digest([])).into(),
        [only] => leaf(only.as_ref()),
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(&root(left), &root(right))
        }
    }
}

/// The siblings of a leaf, from the bottom; none if there is no such leaf.
pub fn inclusion<T: AsRef<[u8]>>(index: usize, leaves: &[T]) -> Vec<Hash> {
    if leaves.len() < 2 || index >= leaves.len() {
        return Vec::new();
    }
    let at = split(leaves.len());
    let (left, right) = leaves.split_at(at);
    let (mut below, beside) = match index < at {
        true => (inclusion(index, left), root(right)),
        false => (inclusion(index - at, right), root(left)),
    };
    below.push(beside);
    below
}

/// Shows that the first `old` leaves are the log of that size; empty for sizes 0 and all.
pub fn consistency<T: AsRef<[u8]>>(old: usize, leaves: &[T]) -> Vec<Hash> {
    fn below<T: AsRef<[u8]>>(old: usize, leaves: &[T], whole: bool) -> Vec<Hash> {
        if old >= leaves.len() {
            return if whole { Vec::new() } else { vec![root(leaves)] };
        }
        let at = split(leaves.len());
        let (left, right) = leaves.split_at(at);
        let (mut proof, beside) = match old <= at {
            true => (below(old, left, whole), root(right)),
            false => (below(old - at, right, false), root(left)),
        };
        proof.push(beside);
        proof
    }
    if old == 0 { Vec::new() } else { below(old, leaves, true) }
}

/// The root to which a leaf and its siblings lead in a log of `size` leaves.
///
/// # Errors
/// [`Fault::Bounds`] for an index beyond the log, [`Fault::Number`] for another number of siblings
/// than the shape has.
pub fn root_from_inclusion(
    index: u64,
    size: u64,
    data: &Hash,
    proof: &[Hash],
) -> Result<Hash, Fault> {
    if index >= size {
        return Err(Fault::Bounds { what: "the epoch's place in the log" });
    }
    let mut hash = leaf(data.as_bytes());
    let (mut at, mut last) = (index, size - 1);
    let mut siblings = proof.iter();
    let mut used = 0;
    while last > 0 {
        // A lone last node moves up unchanged.
        if at % 2 == 1 || at < last {
            used += 1;
            let Some(sibling) = siblings.next() else { break };
            hash = if at % 2 == 1 { node(sibling, &hash) } else { node(&hash, sibling) };
        }
        (at, last) = (at / 2, last / 2);
    }
    match siblings.next().is_none() && used == proof.len() {
        true => Ok(hash),
        false => {
            let got = proof.len() as u64;
            Err(Fault::Number { what: "siblings in the log", got, expected: used as u64 })
        }
    }
}

/// The roots of the old and of the new log to which a consistency proof leads, `0 < old < new`.
///
/// # Errors
/// [`Fault::Bounds`] for sizes, [`Fault::Number`] for a proof of another length.
pub fn roots_from_consistency(
    old: u64,
    new: u64,
    old_root: &Hash,
    proof: &[Hash],
) -> Result<(Hash, Hash), Fault> {
    if old == 0 || old >= new {
        return Err(Fault::Bounds { what: "the sizes of the logs" });
    }
    let got = proof.len() as u64;
    let wrong = || Fault::Number { what: "nodes of the consistency proof", got, expected: 0 };
    let mut nodes = proof.iter();
    // A complete old log is a node of the new one, and is not sent.
    let start = if old.is_power_of_two() { old_root } else { nodes.next().ok_or_else(wrong)? };
    let (mut at, mut last) = (old - 1, new - 1);
    while at % 2 == 1 {
        (at, last) = (at / 2, last / 2);
    }
    let (mut old_hash, mut new_hash) = (*start, *start);
    for sibling in nodes {
        if last == 0 {
            return Err(wrong());
        }
        if at % 2 == 1 || at == last {
            old_hash = node(sibling, &old_hash);
            new_hash = node(sibling, &new_hash);
            while at % 2 == 0 && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            new_hash = node(&new_hash, sibling);
        }
        (at, last) = (at / 2, last / 2);
    }
    if last == 0 { Ok((old_hash, new_hash)) } else { Err(wrong()) }
}

/// Checks that a log only grew.
///
/// # Errors
/// [`Fault`].
pub fn verify_consistency(
    (old, old_root): (u64, &Hash),
    (new, new_root): (u64, &Hash),
    proof: &[Hash],
) -> Result<(), Fault> {
    let roots = match old {
        0 if proof.is_empty() => return Ok(()),
        _ if old == new && proof.is_empty() => (*new_root, *old_root),
        _ => roots_from_consistency(old, new, old_root, proof)?,
    };
    match roots == (*old_root, *new_root) {
        true => Ok(()),
        false => Err(Fault::Mismatch { what: "the consistency of the log" }),
    }
}

pub(crate) fn encode_proof(proof: &[Hash], out: &mut Vec<u8>) {
    out.push(proof.len() as u8);
    proof.iter().for_each(|hash| hash.encode(out));
}

pub(crate) fn decode_proof(reader: &mut Reader<'_>) -> Result<Vec<Hash>, DecodeError> {
    let len = usize::from(reader.u8()?);
    if len > MAX_PROOF {
        return Err(DecodeError::invalid("log proof", "longer than any log is deep"));
    }
    (0..len).map(|_| Ok(reader.array()?.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leaves and roots that the implementations of Certificate Transparency test with.
    #[test]
    fn known_roots() {
        let inputs = [
            "",
            "00",
            "10",
            "2021",
            "3031",
            "40414243",
            "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ];
        let decode = |hex: &&str| data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap();
        let leaves: Vec<Vec<u8>> = inputs.iter().map(decode).collect();
        for (size, expected) in [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ] {
            assert_eq!(root(&leaves[..size]).to_string(), expected);
        }
    }

    #[test]
    fn proofs_fit_their_sizes_and_nothing_else() {
        let leaves: Vec<Hash> = (0..20_u8).map(|i| [i; 32].into()).collect();
        let bytes: Vec<[u8; 32]> = leaves.iter().map(|leaf| *leaf.as_bytes()).collect();
        for new in 1..=20 {
            let new_root = root(&bytes[..new]);
            for (index, leaf) in leaves.iter().enumerate().take(new) {
                let proof = inclusion(index, &bytes[..new]);
                let check = |size: usize, data: &Hash, proof: &[Hash]| {
                    root_from_inclusion(index as u64, size as u64, data, proof) == Ok(new_root)
                };
                assert!(check(new, leaf, &proof));
                assert!(!check(new, &[99; 32].into(), &proof));
                assert!(!check(index, leaf, &proof));
                let mut longer = proof.clone();
                longer.push([0; 32].into());
                assert!(!check(new, leaf, &longer));
                assert!(proof.is_empty() || !check(new, leaf, &proof[1..]));
            }
            for old in 0..=new {
                let old_root = root(&bytes[..old]);
                let proof = consistency(old, &bytes[..new]);
                let check = |old_root: &Hash, new_root: &Hash, proof: &[Hash]| {
                    verify_consistency((old as u64, old_root), (new as u64, new_root), proof)
                };
                assert_eq!(check(&old_root, &new_root, &proof), Ok(()), "{old} to {new}");
                let other = [99; 32].into();
                assert!(old == 0 || check(&other, &new_root, &proof).is_err());
                assert!(old == 0 || check(&old_root, &other, &proof).is_err());
                for at in 0..proof.len() {
                    let mut changed = proof.clone();
                    changed[at] = other;
                    assert!(check(&old_root, &new_root, &changed).is_err());
                    changed.remove(at);
                    assert!(check(&old_root, &new_root, &changed).is_err());
                }
            }
        }
    }
}
