//! Which nodes a tree of so many leaves has.

/// Nodes of a layer: layer 0 are the leaves.
pub(super) fn width(count: u64, layer: u32) -> u64 {
    // `div_ceil` by a power of two, without overflow for layers beyond the last.
    (count >> layer) + u64::from(count & !(u64::MAX << layer) != 0)
}

/// Layers, with leaves and root.
pub(super) fn layers(count: u64) -> u32 {
    match count {
        0 => 0,
        _ => u64::BITS - (count - 1).leading_zeros() + 1,
    }
}

/// Rows below a node.
pub(super) fn rows_below(count: u64, layer: u32, index: u64) -> u64 {
    let (start, end) = (index << layer, (index + 1) << layer);
    end.min(count).saturating_sub(start)
}

/// Whether the last node of a layer moved up from the one below: 1, or 0.
pub(super) fn lone(count: u64, layer: u32) -> u64 {
    let below = layer.checked_sub(1).map(|below| width(count, below));
    below.map_or(0, |width| width % 2)
}

/// A node beside a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beside {
    pub(super) layer: u32,
    pub(super) index: u64,
    /// Rows below it.
    pub(super) rows: u64,
    /// Whether it stands left of the path.
    pub(super) left: bool,
}

/// The siblings of a leaf's path, from the bottom; none if the index is not below the count.
pub(super) fn beside(index: u64, count: u64) -> impl Iterator<Item = Beside> {
    let layers = if index < count { layers(count) } else { 0 };
    (0..layers.saturating_sub(1)).filter_map(move |layer| {
        let sibling = (index >> layer) ^ 1;
        let exists = sibling < width(count, layer);
        let rows = rows_below(count, layer, sibling);
        exists.then_some(Beside { layer, index: sibling, rows, left: sibling & 1 == 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_cover_every_other_row_once() {
        for count in 0..70 {
            for index in 0..count {
                let siblings: Vec<_> = beside(index, count).collect();
                let rows: u64 = siblings.iter().map(|sibling| sibling.rows).sum();
                assert_eq!(rows, count - 1, "{index} of {count}");
                let left: u64 = siblings.iter().filter(|s| s.left).map(|s| s.rows).sum();
                assert_eq!(left, index, "{index} of {count}");
            }
            assert_eq!(beside(count, count).count(), 0);
        }
    }

    #[test]
    fn the_last_layer_is_the_root() {
        for count in 1..200 {
            let layers = layers(count);
            assert_eq!(width(count, layers - 1), 1);
            assert!(layers == 1 || width(count, layers - 2) > 1);
        }
    }
}
