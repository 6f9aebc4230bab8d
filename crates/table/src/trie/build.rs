//! Building a trie and showing parts of it.

use super::{
    Absence, Cover, CoverEdge, CoverNode, Divergence, Label, Member, Step, absent, bit,
    common_bits, hash_edge, hash_interior, hash_root,
};
use crate::hash::Hash;

/// A trie over sorted keys of one length, or what of it is below a node.
pub struct Trie {
    key_len: usize,
    /// Bits that all keys share: those above the node.
    depth: u16,
    /// The keys one after the other, ascending.
    keys: Vec<u8>,
    nodes: Vec<Node>,
    sides: [Option<usize>; 2],
    root: Hash,
}

/// What stands at the end of an edge that leads no further: a leaf, or a node whose insides are elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Tip {
    /// Bits from the root to it.
    pub(super) end: u16,
    pub(super) hash: Hash,
}

/// Where a key leads: the edges along it, and the number of its tip, or where they part from it.
pub(super) type Walked = (Vec<Step>, Result<usize, Divergence>);

struct Node {
    /// The first key below the node, whose bits `start..end` are the label of the edge to it.
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
        let end = u16::try_from(key_len * 8).ok()?;
        Self::grow(key_len, 0, entries.map(|(key, hash)| (key, Tip { end, hash })))
    }

    /// Builds what is below a node at a depth; 0 is the root.
    pub(super) fn grow<'a>(
        key_len: usize,
        depth: u16,
        entries: impl Iterator<Item = (&'a [u8], Tip)>,
    ) -> Option<Self> {
        let mut keys = Vec::new();
        let mut tips = Vec::new();
        let mut last: Option<&[u8]> = None;
        for (key, tip) in entries {
            if key.len() != key_len || last.is_some_and(|last| last >= key) {
                return None;
            }
            keys.extend_from_slice(key);
            tips.push(tip);
            last = Some(key);
        }
        let nodes = Vec::with_capacity(2 * tips.len());
        let mut trie = Self { key_len, depth, keys, nodes, sides: [None; 2], root: absent() };
        let split = trie.split(0, tips.len(), depth);
        for (side, (low, high)) in [(0, split), (split, tips.len())].into_iter().enumerate() {
            let node = (low < high).then(|| trie.node(&tips, low, high, depth));
            if let Some(slot) = trie.sides.get_mut(side) {
                *slot = node;
            }
        }
        let [left, right] = trie.sides.map(|side| trie.edge(side));
        trie.root = match depth {
            0 => hash_root(&left, &right),
            _ => hash_interior(&left, &right),
        };
        Some(trie)
    }

    /// The root hash; that of a trie without keys is a constant.
    pub fn root(&self) -> Hash {
        self.root
    }

    fn key(&self, index: usize) -> &[u8] {
        // There are as many keys as tips, and every index is one of theirs.
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

    fn node(&mut self, tips: &[Tip], low: usize, high: usize, start: u16) -> usize {
        let (end, children, hash) = if high - low == 1 {
            // There is a tip for every key.
            let tip = tips.get(low).copied().unwrap_or(Tip { end: start, hash: absent() });
            (tip.end, None, tip.hash)
        } else {
            let (first, last) = (self.key(low), self.key(high - 1));
            let common = common_bits(first, last);
            let split = self.split(low, high, common);
            let children =
                [self.node(tips, low, split, common), self.node(tips, split, high, common)];
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
            (steps, Ok(_)) => Some(Member { steps }),
            _ => None,
        }
    }

    /// Shows that the trie does not hold a key; `None` if it does.
    pub fn absence(&self, key: &[u8]) -> Option<Absence> {
        let (steps, end) = self.walk(key);
        end.err().map(|end| Absence { steps, end })
    }

    /// Follows a key as far as the trie does.
    pub(super) fn walk(&self, key: &[u8]) -> Walked {
        let mut steps = Vec::new();
        let (mut sides, mut depth) = (self.sides, self.depth);
        loop {
            let own = usize::from(bit(key, depth));
            let sibling = self.edge(sides.get(1 - own).copied().flatten());
            let Some(node) = sides.get(own).copied().flatten().and_then(|own| self.nodes.get(own))
            else {
                return (steps, Err(Divergence::Missing { sibling }));
            };
            let label = self.label(node);
            if label.agreement(key, depth) < label.len() {
                return (steps, Err(Divergence::Edge { label, below: node.hash, sibling }));
            }
            depth = depth.saturating_add(label.len());
            steps.push(Step { label, sibling });
            match node.children {
                None => return (steps, Ok(node.key)),
                Some(children) => sides = children.map(Some),
            }
        }
    }

    /// The nodes with at most so many tips whose parents have more, from left to right: the number of the
    /// first tip below and that behind the last, and what an edge to the node leads to.
    #[cfg(feature = "store")]
    pub(super) fn cut(&self, most: usize) -> Vec<(std::ops::Range<usize>, Tip)> {
        let mut cut = Vec::new();
        let [left, right] = self.sides;
        let count = self.keys.len() / self.key_len.max(1);
        let middle = right.and_then(|right| self.nodes.get(right)).map_or(count, |node| node.key);
        for (side, end) in [(left, middle), (right, count)] {
            side.into_iter().for_each(|node| self.cut_below(node, end, most, &mut cut));
        }
        cut
    }

    #[cfg(feature = "store")]
    fn cut_below(
        &self,
        node: usize,
        behind: usize,
        most: usize,
        cut: &mut Vec<(std::ops::Range<usize>, Tip)>,
    ) {
        let Some(node) = self.nodes.get(node) else { return };
        match node.children {
            Some([left, right]) if behind - node.key > most => {
                let middle = self.nodes.get(right).map_or(behind, |right| right.key);
                self.cut_below(left, middle, most, cut);
                self.cut_below(right, behind, most, cut);
            }
            _ => cut.push((node.key..behind, Tip { end: node.end, hash: node.hash })),
        }
    }

    /// Keys and their leaves, ascending.
    #[cfg(feature = "store")]
    pub(super) fn leaves(&self) -> impl Iterator<Item = (&[u8], Hash)> {
        let leaves = self.nodes.iter().filter(|node| node.children.is_none());
        leaves.map(|node| (self.key(node.key), node.hash))
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
