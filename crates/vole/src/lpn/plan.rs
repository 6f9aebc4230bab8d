//! Which correlations are made directly, and which by compression. Both parties compute the same
//! plan from the same numbers.

use crate::{
    digits,
    params::{LpnParameters, ParameterSet},
};

/// The trees of one compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// t: blocks of the noise.
    pub(crate) trees: usize,
    /// Levels of each tree.
    pub(crate) depth: u32,
}

impl Shape {
    /// n: correlations after the compression.
    pub(crate) fn size(self) -> usize {
        self.trees << self.depth >> 1
    }

    /// Oblivious transfers.
    pub(crate) fn levels(self) -> usize {
        self.trees * self.depth as usize
    }
}

/// How correlations of one field are made: some directly, the others by compressions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) direct: usize,
    pub(crate) shapes: Vec<Shape>,
}

/// What making correlations costs, in bytes: those that are sent, and time at 20 bytes for each
/// microsecond, which is what a link of 160 Mbit/s carries.
struct Costs {
    /// Of a direct correlation.
    direct: usize,
    /// Of one that is compressed.
    compressed: usize,
    /// For each tree of a compression: what its noise takes.
    tree: usize,
}

/// 15/8 bytes and 40 ns; 80 ns.
const BITS: Costs = Costs { direct: 3, compressed: 2, tree: 16 };
/// 56 bytes and 4 us; 150 ns; a direct correlation for each tree.
const VALUES: Costs = Costs { direct: 136, compressed: 3, tree: 16 + 136 };
/// Of a level of a tree: two sums, and a direct correlation over F_2.
const LEVEL: usize = 32 + BITS.direct;

impl Costs {
    fn shape(&self, shape: Shape) -> usize {
        shape.trees * (shape.depth as usize * LEVEL + self.tree) + self.compressed * shape.size()
    }

    /// The cheapest way to at least `count` correlations with shapes from a list of ascending size.
    fn plan(&self, count: usize, shapes: &[Shape]) -> (usize, Plan) {
        let direct = (self.direct * count, Plan { direct: count, shapes: Vec::new() });
        let Some((&largest, smaller)) = shapes.split_last() else { return direct };
        let whole = count / largest.size();
        let rest = count - whole * largest.size();
        let with = |extra: usize, (cost, mut plan): (usize, Plan)| {
            let used = whole + extra;
            plan.shapes.splice(0..0, std::iter::repeat_n(largest, used));
            (cost + used * self.shape(largest), plan)
        };
        let options = [with(0, self.plan(rest, smaller)), with(1, (0, Plan::default())), direct];
        let [first, second, third] = options;
        let better = |a: (usize, Plan), b: (usize, Plan)| if b.0 < a.0 { b } else { a };
        better(better(first, second), third)
    }
}

/// The plans for bits and for values. Compressions of values take direct correlations of their own,
/// which [`Demand`] counts.
pub(crate) fn plan(set: ParameterSet, bits: usize, values: usize) -> [Plan; 2] {
    let shapes = |field: usize| -> Vec<Shape> {
        let Some(lpn) = set.lpn() else { return Vec::new() };
        // The field is 0 or 1.
        let sizes = lpn.log_sizes().into_iter().nth(field).unwrap_or_default();
        sizes.iter().map(|&log_size| shape(lpn, log_size)).collect()
    };
    [(BITS, bits, shapes(0)), (VALUES, values, shapes(1))]
        .map(|(costs, count, shapes)| costs.plan(count, &shapes).1)
}

/// 2n places in t trees.
fn shape(lpn: &LpnParameters, log_size: u32) -> Shape {
    Shape { trees: lpn.weight, depth: log_size + 1 - lpn.weight.ilog2() }
}

/// What an extension takes from the base: direct correlations of its own, those that the trees of
/// compressions use up, and those that mask their checks.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    pub(crate) plans: [Plan; 2],
    /// Oblivious transfers: one for each level of each tree, and the masks of the check.
    pub(crate) transfers: usize,
    /// Base correlations over F_p: one for each tree, and the mask of the check.
    pub(crate) base_values: usize,
}

/// Bits of the mask of a check over F_{2^128}.
pub(crate) const CHECK_BITS: usize = 128;

impl Demand {
    pub(crate) fn new(set: ParameterSet, bits: usize, values: usize) -> Self {
        let plans = plan(set, bits, values);
        let [for_bits, for_values] = &plans;
        let levels = |plan: &Plan| plan.shapes.iter().map(|shape| shape.levels()).sum::<usize>();
        let compresses = plans.iter().any(|plan| !plan.shapes.is_empty());
        let masks = if compresses { CHECK_BITS } else { 0 };
        let trees: usize = for_values.shapes.iter().map(|shape| shape.trees).sum();
        Self {
            transfers: levels(for_bits) + levels(for_values) + masks,
            base_values: trees + usize::from(compresses),
            plans,
        }
    }

    pub(crate) fn compresses(&self) -> bool {
        self.plans.iter().any(|plan| !plan.shapes.is_empty())
    }

    /// Blocks of the streams of the trees of each field.
    pub(crate) fn blocks(&self) -> [usize; 2] {
        let [bits, values] = &self.plans;
        [
            crate::softspoken::blocks(self.transfers + bits.direct),
            digits::blocks(self.base_values + values.direct),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(plan: &Plan) -> usize {
        plan.direct + plan.shapes.iter().map(|shape| shape.size()).sum::<usize>()
    }

    #[test]
    fn enough_is_made_and_not_much_more() {
        for count in [0, 1, 600, 5_000, 70_000, 132_000, 500_000, 1_573_000, 8_400_000, 63_000_000]
        {
            let [bits, values] = plan(ParameterSet::default(), count, count);
            for plan in [&bits, &values] {
                assert!(
                    (count..=2 * count.max(1 << 13)).contains(&made(plan)),
                    "{count}: {plan:?}"
                );
            }
            let [bits, values] = plan(ParameterSet::NoLpn, count, count);
            assert_eq!((bits.direct, values.direct), (count, count));
        }
    }

    /// Small numbers are made directly, large ones are not.
    #[test]
    fn small_jobs_take_no_code() {
        let [bits, values] = plan(ParameterSet::default(), 66_000, 500);
        assert!(bits.shapes.is_empty() && values.shapes.is_empty());
        let [bits, values] = plan(ParameterSet::default(), 1 << 22, 1 << 13);
        assert_eq!((bits.direct, values.direct), (0, 0));
        assert_eq!((bits.shapes.len(), values.shapes.len()), (1, 1));
    }
}
