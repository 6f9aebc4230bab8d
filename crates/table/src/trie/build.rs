//! Building a trie and showing parts of it.

use super::{
    Absence, Cover, CoverEdge, CoverNode, Divergence, Label, Member, Step, absent, bit,
    common_bits, hash_edge, hash_interior, hash_root,
};
use crate::hash::Hash;

/// A trie over sorted keys of one length.
pub struct Trie {
    key_len: usize,
    /// The keys one after the other, ascending.
    keys: Vec<u8>,
    nodes: Vec<Node>,
    sides: [Option<usize>; 2],
    root: Hash,
}

struct Node {
    /// A key below the node, whose bits `start..end` are the label of the edge to it.
    key: usize,
    start: u16,
    end: u16,
    hash: Hash,
    edge: Hash,
    children: Option<[usize; 2]>,
}

impl Trie {
    /// Builds the trie; `None` unless the keys ascend strictly, all `key_len` bytes long, with as
    /// many leaves.
    pub fn build<'a>(
        key_len: usize,
        entries: impl Iterator<Item = (&'a [u8], Hash)>,
    ) -> Option<Self> {
        let mut keys = Vec::new();
        let mut leaves = Vec::new();
        let mut last: Option<&[u8]> = None;
        for (key, leaf) in entries {
            if key.len() != key_len || last.is_some_and(|last| last >= key) {
                return None;
            }
            keys.extend_from_slice(key);
            leaves.push(leaf);
            last = Some(key);
        }
        let nodes = Vec::with_capacity(2 * leaves.len());
        let mut trie = Self { key_len, keys, nodes, sides: [None; 2], root: absent() };
        let split = trie.split(0, leaves.len(), 0);
        for (side, (low, high)) in [(0, split), (split, leaves.len())].into_iter().enumerate() {
            let node = (low < high).then(|| trie.node(&leaves, low, high, 0));
            if let Some(slot) = trie.sides.get_mut(side) {
                *slot = node;
            }
        }
        let [left, right] = trie.sides.map(|side| trie.edge(side));
        trie.root = hash_root(&left, &right);
        Some(trie)
    }

    /// The root hash; that of a trie without keys is a constant.
    pub fn root(&self) -> Hash {
        self.root
    }

    fn bits(&self) -> u16 {
        (self.key_len * 8) as u16
    }

    fn key(&self, index: usize) -> &[u8] {
        self.keys.get(index * self.key_len..(index + 1) * self.key_len).unwrap_or_default()
    }

    /// The first of the keys `low..high` whose bit `at` is set.
    fn split(&self, low: usize, high: usize, at: u16) -> usize {
        let (mut low, mut high) = (low, high);
        while low < high {
            let middle = low.midpoint(high);
            match bit(self.key(middle), at) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low
    }

    fn node(&mut self, leaves: &[Hash], low: usize, high: usize, start: u16) -> usize {
        let (end, children, hash) = if high - low == 1 {
            (self.bits(), None, leaves.get(low).copied().unwrap_or_else(absent))
        } else {
            let (first, last) = (self.key(low), self.key(high - 1));
            let common = common_bits(first, last);
            let split = self.split(low, high, common);
            let children =
                [self.node(leaves, low, split, common), self.node(leaves, split, high, common)];
            let [left, right] = children.map(|child| self.edge(Some(child)));
            (common, Some(children), hash_interior(&left, &right))
        };
        let edge = hash_edge(&Label::of(self.key(low), start, end), &hash);
        self.nodes.push(Node { key: low, start, end, hash, edge, children });
        self.nodes.len() - 1
    }

    fn edge(&self, node: Option<usize>) -> Hash {
        node.and_then(|node| self.nodes.get(node)).map_or_else(absent, |node| node.edge)
    }

    fn label(&self, node: &Node) -> Label {
        Label::of(self.key(node.key), node.start, node.end)
    }

    /// Shows that the trie holds a key; `None` if it does not.
    pub fn member(&self, key: &[u8]) -> Option<Member> {
        match self.walk(key) {
            (steps, None) => Some(Member { steps }),
            _ => None,
        }
    }

    /// Shows that the trie does not hold a key; `None` if it does.
    pub fn absence(&self, key: &[u8]) -> Option<Absence> {
        let (steps, end) = self.walk(key);
        end.map(|end| Absence { steps, end })
    }

    /// The edges along a key, and where they part from it.
    fn walk(&self, key: &[u8]) -> (Vec<Step>, Option<Divergence>) {
        let mut steps = Vec::new();
        let (mut sides, mut depth) = (self.sides, 0);
        loop {
            let own = usize::from(bit(key, depth));
            let sibling = self.edge(sides.get(1 - own).copied().flatten());
            let Some(node) = sides.get(own).copied().flatten().and_then(|own| self.nodes.get(own))
            else {
                return (steps, Some(Divergence::Missing { sibling }));
            };
            let label = self.label(node);
            if label.agreement(key, depth) < label.len() {
                return (steps, Some(Divergence::Edge { label, below: node.hash, sibling }));
            }
            depth += label.len();
            steps.push(Step { label, sibling });
            match node.children {
                None => return (steps, None),
                Some(children) => sides = children.map(Some),
            }
        }
    }

    /// Opens the trie wherever a prefix may lead into a region. `overlaps` takes a key whose first
    /// bits are the prefix, and their number.
    pub fn cover(&self, overlaps: &impl Fn(&[u8], u16) -> bool) -> Cover {
        let edge = |side: Option<usize>| side.map(|node| self.cover_edge(node, overlaps));
        Cover { sides: self.sides.map(edge) }
    }

    fn cover_edge(&self, index: usize, overlaps: &impl Fn(&[u8], u16) -> bool) -> CoverEdge {
        let Some(node) = self.nodes.get(index) else {
            return CoverEdge { label: Label::of(&[], 0, 0), below: CoverNode::Stub(absent()) };
        };
        let below = match (overlaps(self.key(node.key), node.end), node.children) {
            (false, _) => CoverNode::Stub(node.hash),
            (true, None) => CoverNode::Leaf,
            (true, Some(children)) => CoverNode::Interior(Box::new(
                children.map(|child| self.cover_edge(child, overlaps)),
            )),
        };
        CoverEdge { label: self.label(node), below }
    }
}
