//! What may be asked of a table, and how much a group must have for it (`docs/spec/table.md`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    Fault,
    rank::{Fraction, Rank, rank_below_top},
};

/// What one proof shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// COUNT, SUM, AVG and, with more powers, VAR and SKEW: one proof shows all of them.
    Moments,
    /// MEDIAN and quantiles; MIN and MAX, where `extremes` allows them.
    Order,
    /// Sums of the largest values.
    Top,
    /// Counts and sums between cuts.
    Histogram,
}

/// What may be asked. It is bound by the table's name and checked by every verifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Answers about fewer rows are refused.
    pub min_count: u64,
    /// Whether MIN and MAX, which are somebody's values, may be asked for.
    #[serde(default)]
    pub extremes: bool,
    /// The quantiles that may be asked for.
    #[serde(default = "default_quantiles")]
    pub quantiles: Vec<Fraction>,
    /// The kinds of answers that are given; [`Policy::allows`] says which, if they are not named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<Kind>>,
    /// Sums are shown as intervals of `2^rounding` steps, and nothing that would show an exact one:
    /// no variances, top shares and histograms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<u8>,
    /// Whether there may be roll-ups, from which auditors learn in which order rows of different
    /// keys and epochs stand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rollups: bool,
    /// Quantiles and top shares are answered where those of the policy, and the ends, are at least
    /// so many ranks apart: of fewer rows, the grid would show the sorted column value by value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank_gap: u64,
    /// How many answers are given in 24 hours, one for every proof, so that a question about twelve groups
    /// has twelve or more; the operator keeps count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_queries_per_day: Option<u32>,
    /// The same for each who asks, by the name that the operator knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_queries_per_asker: Option<u32>,
    /// Orders of type columns, each from the outermost. Where they are given, a question is about all
    /// rows or fixes one value each of the first columns of an order, and nothing else; boxes that
    /// would show fewer than `min_count` rows by subtraction are withheld
    /// ([`Withheld`](crate::query::Withheld)), those of later orders first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Vec<Vec<String>>>,
}

impl Default for Policy {
    /// Sums and quantiles, of any group.
    fn default() -> Self {
        Self {
            min_count: 0,
            extremes: false,
            quantiles: default_quantiles(),
            allow: None,
            rounding: None,
            rollups: false,
            rank_gap: 0,
            max_queries_per_day: None,
            max_queries_per_asker: None,
            hierarchy: None,
        }
    }
}

impl Policy {
    /// Whether answers of a kind are given. Without a word about it, those that show sums over the rows
    /// of a part of a group, which can be subtracted, are not.
    pub fn allows(&self, kind: Kind) -> bool {
        match &self.allow {
            Some(kinds) => kinds.contains(&kind),
            None => matches!(kind, Kind::Moments | Kind::Order),
        }
    }

    /// Whether an answer of a kind may be about a key with `count` rows: all but sums show where its rows
    /// stand in their order, and of fewer than `min_count` they would put single ones above or below a value.
    pub(crate) fn covers(&self, kind: Kind, count: u64) -> bool {
        kind == Kind::Moments || count >= self.min_count
    }

    /// Requires that an answer is about enough rows: those that it speaks of, first all of them and then
    /// its parts, and those of each of its keys.
    ///
    /// # Errors
    /// [`Fault::Policy`].
    pub(crate) fn permits(
        &self,
        kind: Kind,
        shown: &[u64],
        mut keys: impl Iterator<Item = u64>,
    ) -> Result<(), Fault> {
        let refused = |code, reason| Err(Fault::Policy { code, reason });
        if shown.iter().any(|count| (1..self.min_count).contains(count)) {
            return refused("min-count", "fewer rows than the policy's min_count");
        }
        if keys.any(|count| !self.covers(kind, count)) {
            let reason = "a key asked about has fewer rows than the policy's min_count, and this would \
                          show where they stand";
            return refused("small-key", reason);
        }
        match (kind, shown.first()) {
            (Kind::Order | Kind::Top, Some(count)) if !self.spaced(*count) => {
                let reason = "too few rows for quantiles so close: less than rank_gap apart";
                refused("rank-gap", reason)
            }
            _ => Ok(()),
        }
    }

    /// Whether the ranks that may be asked for among `count ≥ 1` rows are far enough apart. An end
    /// that may not be asked for itself counts as the neighbour that a rank must keep away from.
    pub(crate) fn spaced(&self, count: u64) -> bool {
        let rank = |p: &Fraction| Rank::Quantile(*p).among(count);
        let orders = self.allows(Kind::Order).then(|| self.quantiles.iter().map(rank));
        let top = |p: &Fraction| rank_below_top(*p, count);
        let tops = self.allows(Kind::Top).then(|| self.quantiles.iter().map(top));
        let mut ranks: BTreeSet<u64> = orders.into_iter().flatten().collect();
        ranks.extend(tops.into_iter().flatten());
        ranks.extend(match self.extremes {
            true => [1, count],
            false => [0, count.saturating_add(1)],
        });
        let ranks: Vec<u64> = ranks.into_iter().collect();
        ranks.windows(2).all(|pair| matches!(pair, [low, high] if high - low >= self.rank_gap))
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Deciles and quartiles.
fn default_quantiles() -> Vec<Fraction> {
    let deciles = (1..10).map(|part| Fraction { part, whole: 10 });
    deciles.chain([1, 3].map(|part| Fraction { part, whole: 4 })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEDIAN: Fraction = Fraction { part: 1, whole: 2 };
    const TWENTIETH: Fraction = Fraction { part: 1, whole: 20 };

    /// The widest gap that the ranks of a policy have among 30 rows.
    fn widest(policy: &Policy) -> u64 {
        let wide = |gap: &u64| Policy { rank_gap: *gap, ..policy.clone() }.spaced(30);
        (0..40).take_while(wide).last().unwrap()
    }

    #[test]
    fn parts_of_groups_are_shown_where_the_policy_says_so() {
        let kinds = [Kind::Moments, Kind::Order, Kind::Top, Kind::Histogram];
        let silent = Policy::default();
        assert_eq!(kinds.map(|kind| silent.allows(kind)), [true, true, false, false]);
        let named = Policy { allow: Some(vec![Kind::Top]), ..silent };
        assert_eq!(kinds.map(|kind| named.allows(kind)), [false, false, true, false]);
    }

    #[test]
    fn gaps_are_between_all_ranks_that_may_be_asked_for() {
        let median = Policy { quantiles: vec![MEDIAN], ..Policy::default() };
        assert_eq!(widest(&median), 15, "between 15 and the ends");
        // 0, 2, 15, 29 above which the top twentieth begins, 31.
        let allow = Some(vec![Kind::Order, Kind::Top]);
        let both = Policy { quantiles: vec![MEDIAN, TWENTIETH], allow, ..Policy::default() };
        assert_eq!(widest(&both), 2);
        let order = Policy { allow: Some(vec![Kind::Order]), ..both.clone() };
        assert_eq!(widest(&order), 2);
        let top = Policy { allow: Some(vec![Kind::Top]), ..both.clone() };
        assert_eq!(widest(&top), 2);
        assert_eq!(widest(&Policy { extremes: true, ..both }), 1, "1 and 2");
        // Fractions of one rank are one question.
        let twice = Policy { quantiles: vec![MEDIAN, Fraction { part: 2, whole: 4 }], ..median };
        assert_eq!(widest(&twice), 15);
        assert!(Policy { rank_gap: 1, ..twice.clone() }.spaced(1));
        assert!(!Policy { rank_gap: 2, ..twice }.spaced(1));
    }
}
