//! A puncturable pseudorandom function, by the tree of Goldreich, Goldwasser and Micali ("How to construct
//! random functions", 1986): one secret is a key for every leaf, and can be made to forget single leaves.
//!
//! Every node of the tree is a secret, from which the secrets of its four children are hashed. To forget a leaf, the
//! nodes from the root to it are dropped, and the siblings along the way are kept. They give the keys of all other
//! leaves. By the pseudorandomness of the hash they say nothing about the forgotten leaf.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use crate::hash::KeyedHashing;

/// The name of a leaf. Whoever knows no secret cannot make two users meet in one.
pub(crate) type LeafName = [u8; 16];

/// A secret of the tree.
pub(crate) type Node = Zeroizing<[u8; 32]>;

/// Digits of a path, each below [`CHILDREN`], from the root.
pub(crate) type Digits = Vec<u8>;

/// Two bits of a leaf's name at a time: half as many hashes as with one, for half as many siblings more.
const CHILDREN: u8 = 4;
/// Digits of a leaf.
pub(crate) const DEPTH: usize = 64;
/// `key tree`, in which children are hashed.
const DOMAIN: &[[u8; 4]; 2] = &[*b"key ", *b"tree"];

/// A secret that may have forgotten leaves: nodes of which none is above another, by their paths.
#[derive(Clone)]
pub(crate) struct Puncturable(BTreeMap<Digits, Node>);

/// What puncturing changes.
pub(crate) struct Punctured {
    /// The path of the node that is dropped.
    pub(crate) dropped: Digits,
    /// The siblings that stand for it from now on.
    pub(crate) siblings: Vec<(Digits, Node)>,
}

impl Puncturable {
    /// From the nodes that are left; those of a secret that forgot nothing are its root, under the empty path.
    pub(crate) fn new(nodes: impl IntoIterator<Item = (Digits, Node)>) -> Self {
        Self(nodes.into_iter().collect())
    }

    /// The key of a leaf; `None` if it was forgotten.
    pub(crate) fn key(&self, leaf: &LeafName) -> Option<Node> {
        let path = digits(leaf);
        let (above, node) = self.above(&path)?;
        let below = path.get(above.len()..)?;
        Some(below.iter().fold(node.clone(), |node, digit| child(&node, *digit)))
    }

    /// What forgets a leaf; `None` if it is forgotten already.
    pub(crate) fn puncture(&self, leaf: &LeafName) -> Option<Punctured> {
        let path = digits(leaf);
        let (above, node) = self.above(&path)?;
        let (mut at, mut node) = (above.clone(), node.clone());
        let mut siblings = Vec::new();
        for digit in path.get(above.len()..)? {
            for other in (0..CHILDREN).filter(|other| other != digit) {
                siblings.push(([&at[..], &[other]].concat(), child(&node, other)));
            }
            node = child(&node, *digit);
            at.push(*digit);
        }
        Some(Punctured { dropped: above.clone(), siblings })
    }

    /// Forgets what was punctured.
    pub(crate) fn apply(&mut self, punctured: Punctured) {
        self.0.remove(&punctured.dropped);
        self.0.extend(punctured.siblings);
    }

    /// The node that a leaf is below. No node is above another, so that it is the last one up to the leaf.
    fn above(&self, path: &Digits) -> Option<(&Digits, &Node)> {
        let last = self.0.range(..=path.clone()).next_back();
        last.filter(|(above, _)| path.starts_with(above))
    }
}

fn digits(leaf: &LeafName) -> Digits {
    leaf.iter().flat_map(|byte| [6, 4, 2, 0].map(|shift| (byte >> shift) % CHILDREN)).collect()
}

fn child(node: &Node, digit: u8) -> Node {
    Zeroizing::new(KeyedHashing::of_number(node, DOMAIN, digit.into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use std::collections::BTreeSet;

    use super::*;

    fn leaf(number: u8) -> LeafName {
        *blake3::hash(&[number]).as_bytes().first_chunk().unwrap()
    }

    #[test]
    fn a_number_is_hashed_in_one_call_as_by_a_hasher() {
        for number in [0, 3, u32::MAX] {
            let whole = KeyedHashing::new(&[7; 32], "key tree").number(number.into()).finish();
            assert_eq!(KeyedHashing::of_number(&[7; 32], DOMAIN, number), whole);
        }
    }

    /// What is forgotten is gone, whatever else is forgotten later; all other leaves keep their keys.
    #[test]
    fn a_punctured_leaf_is_gone_and_no_other() {
        let root = || [(Digits::new(), Zeroizing::new([9; 32]))];
        let whole = Puncturable::new(root());
        let mut secret = Puncturable::new(root());
        let mut forgotten = BTreeSet::new();
        // A neighbour, too: it differs in the last digit.
        let mut near = leaf(3);
        near[15] ^= 1;
        let leaves: Vec<LeafName> = (0..9).map(leaf).chain([near]).collect();
        for gone in [leaf(3), leaf(7), near, leaf(0)] {
            let punctured = secret.puncture(&gone).unwrap();
            secret.apply(punctured);
            forgotten.insert(gone);
            assert!(secret.puncture(&gone).is_none());
            for one in &leaves {
                let expected = (!forgotten.contains(one)).then(|| whole.key(one).unwrap());
                assert_eq!(secret.key(one), expected);
            }
        }
        // Every level keeps three siblings, and a second leaf shares the first ones.
        let mut once = Puncturable::new(root());
        once.apply(whole.puncture(&leaf(1)).unwrap());
        assert_eq!(once.0.len(), 3 * DEPTH);
    }

    /// No node that is left is above a forgotten leaf, and none is a key that leads to it.
    #[test]
    fn what_is_left_does_not_lead_to_what_is_gone() {
        let mut secret = Puncturable::new([(Digits::new(), Zeroizing::new([5; 32]))]);
        let gone = leaf(1);
        let key = secret.key(&gone).unwrap();
        let path = digits(&gone);
        let on_path: Vec<Node> = (0..=DEPTH)
            .map(|length| {
                let start = secret.0.get(&Digits::new()).unwrap().clone();
                path.iter().take(length).fold(start, |node, digit| child(&node, *digit))
            })
            .collect();
        assert_eq!(on_path.last(), Some(&key));
        let punctured = secret.puncture(&gone).unwrap();
        secret.apply(punctured);
        assert!(secret.0.values().all(|node| !on_path.contains(node)));
        assert!(secret.0.keys().all(|above| !path.starts_with(above)));
    }
}
