//! Answering queries: the server's side.

use algebra::Scalar as _;
use rand_core::CryptoRng;
use transcript::Transcript;
use zeroize::Zeroizing;

use super::{
    Answer, Cut, EpochCover, Moments, Openings, OrderPart, Outcome, Proof, Query, Statistic,
    Withheld,
    answer::transcript,
    cover::{self, CoveredKey},
    cut::Bounds,
    rows::Rows,
    verify::{Edge, chunk_transcript, cuts, edge, range_bits},
};
use crate::{
    BuiltEpoch, Fault, KeyTree, Table, ValueColumn,
    commitment::{Point, Scalar},
    log::{Attestation, Checkpoint, LoggedEpoch},
    range::{self, QUERY_CHUNK, ValueOpening},
    rank::rank_below_top,
    rollup::{Predicate, RolledUp},
};

/// An epoch that an answer draws on.
pub struct Source<'a> {
    /// Its place in the log.
    pub logged: LoggedEpoch,
    /// Its trees and rows.
    pub built: &'a BuiltEpoch,
}

/// Answers a query; the epochs of its region come in order, with the attestations known of them.
///
/// # Errors
/// [`Fault::Query`], and [`Fault::Policy`] for what schema and policy do not allow, fewer rows than
/// the policy's `min_count` among it.
pub fn answer(
    table: &Table,
    checkpoint: &Checkpoint,
    query: Query,
    sources: &[Source<'_>],
    attestations: Vec<Attestation>,
    rng: &mut impl CryptoRng,
) -> Result<Answer, Fault> {
    query.check(table, checkpoint.size)?;
    let prover = Prover::gather(table, &query, sources)?;
    prover.answer(checkpoint, query, attestations, rng)
}

/// Answers a query from the roll-up of its region. The epochs reach from the first of the region to
/// the one that holds the roll-up, which `holder` is.
///
/// # Errors
/// As [`answer`]; [`Fault::Query`] if there is no such roll-up.
pub fn answer_rolled_up(
    table: &Table,
    checkpoint: &Checkpoint,
    query: Query,
    (epochs, holder): (Vec<LoggedEpoch>, &BuiltEpoch),
    attestations: Vec<Attestation>,
    rng: &mut impl CryptoRng,
) -> Result<Answer, Fault> {
    query.check(table, checkpoint.size)?;
    let prover = Prover::gather_rolled_up(table, &query, epochs, holder)?;
    prover.answer(checkpoint, query, attestations, rng)
}

struct Prover<'a> {
    table: &'a Table,
    column: &'a ValueColumn,
    tree: u16,
    slots: std::ops::Range<usize>,
    covers: Vec<EpochCover>,
    rolled_up: Option<RolledUp>,
    covered: Vec<CoveredKey>,
    /// The rows of the keys of the covers, in order, or of the roll-up.
    keys: Vec<Rows<'a>>,
    count: u64,
    withheld: Option<Withheld>,
    /// What the range proofs show, with openings.
    statements: Vec<Point>,
    openings: Zeroizing<Vec<ValueOpening>>,
    /// Twice the blindings of the sums to open.
    multiples: Zeroizing<Vec<Scalar>>,
}

impl<'a> Prover<'a> {
    fn new(table: &'a Table, query: &Query) -> Result<Self, Fault> {
        let schema = table.schema();
        let column = schema.value(query.column).ok_or(Fault::Bounds { what: "the column" })?;
        let (tree, slots) = query.slots(schema);
        Ok(Self {
            table,
            column,
            tree,
            slots,
            covers: Vec::new(),
            rolled_up: None,
            covered: Vec::new(),
            keys: Vec::new(),
            count: 0,
            withheld: None,
            statements: Vec::new(),
            openings: Zeroizing::default(),
            multiples: Zeroizing::default(),
        })
    }

    fn gather(table: &'a Table, query: &Query, sources: &'a [Source<'a>]) -> Result<Self, Fault> {
        let mut prover = Self::new(table, query)?;
        let (schema, tree) = (table.schema(), prover.tree);
        let shown = query.shown(schema);
        let overlaps = |key: &[u8], bits: u16| shown.overlaps(schema, key, bits);
        let bits = (8 * schema.key_len()) as u16;
        for source in sources {
            let built = source.built.column(tree).ok_or(Fault::Bounds { what: "the column" })?;
            let all = built.keys.iter().filter(|key| overlaps(&key.key, bits));
            let (inside, beside): (Vec<&KeyTree>, Vec<&KeyTree>) =
                all.partition(|key| query.region.overlaps(schema, &key.key, bits));
            if inside.iter().any(|key| key.erased > 0) {
                return Err(Fault::ERASED);
            }
            let roots = |keys: &[&KeyTree]| {
                keys.iter().map(|key| (key.key.clone(), key.tree.root())).collect()
            };
            prover.covers.push(EpochCover {
                epoch: source.logged.clone(),
                cover: built.types.cover(&overlaps),
                keys: roots(&inside),
                beside: roots(&beside),
            });
            let epoch = source.built.core.epoch;
            for key in inside {
                let root = key.tree.root();
                let record = root.record(&table.place(epoch, &key.key, tree));
                let covered = CoveredKey { epoch, key: key.key.clone(), root, record };
                prover.add(covered, Rows::Key(source.built, key));
            }
        }
        prover.withheld = cover::withheld(&prover.covers, schema, query)?;
        Ok(prover)
    }

    fn gather_rolled_up(
        table: &'a Table,
        query: &Query,
        epochs: Vec<LoggedEpoch>,
        holder: &'a BuiltEpoch,
    ) -> Result<Self, Fault> {
        let mut prover = Self::new(table, query)?;
        let predicate = Predicate::of(table.schema(), query);
        let missing = || Fault::Query { reason: "the epoch holds no roll-up of this region" };
        let rollup = holder.rollups.get(&predicate).ok_or_else(missing)?;
        prover.rolled_up = RolledUp::show(&holder.rollups, &predicate, epochs);
        let root = prover.rolled_up.as_ref().ok_or_else(missing)?.root.clone();
        let key = predicate.hash().as_bytes().to_vec();
        let (epoch, record) = (holder.core.epoch, rollup.record);
        prover.add(CoveredKey { epoch, key, root, record }, Rows::Rollup(rollup));
        Ok(prover)
    }

    fn add(&mut self, covered: CoveredKey, rows: Rows<'a>) {
        self.count += covered.root.count;
        self.covered.push(covered);
        self.keys.push(rows);
    }

    fn answer(
        mut self,
        checkpoint: &Checkpoint,
        query: Query,
        attestations: Vec<Attestation>,
        rng: &mut impl CryptoRng,
    ) -> Result<Answer, Fault> {
        let outcome = self.outcome(query.statistic)?;
        let mut proof = self.shape(query.statistic, &outcome);
        let cuts = cuts(&proof);
        let transcript = transcript(self.table, checkpoint, &query, &self.covered, &outcome, &cuts);
        self.fill(transcript, query.statistic, &mut proof, rng)?;
        let Self { covers, rolled_up, .. } = self;
        Ok(Answer { query, covers, rolled_up, outcome, proof, attestations })
    }

    /// Computes what is claimed, and holds it to the policy.
    fn outcome(&self, statistic: Statistic) -> Result<Outcome, Fault> {
        if let Some(why) = self.withheld {
            return Ok(Outcome::Withheld(why));
        }
        if self.count == 0 {
            return Ok(Outcome::Empty);
        }
        let outcome = match statistic {
            Statistic::Moments => {
                let moments = self.moments_between(&self.starts(), None);
                match self.table.schema().policy.rounding {
                    None => Outcome::Moments(moments),
                    Some(bits) => {
                        let sum = low_bits(moments.sums.first());
                        Outcome::Rounded { count: moments.count, sum: sum >> bits << bits }
                    }
                }
            }
            Statistic::Order(rank) => {
                let value = self.value_of(rank.among(self.count));
                Outcome::Order { count: self.count, value }
            }
            Statistic::Top(fraction) => {
                let rank = rank_below_top(fraction, self.count);
                let threshold = self.value_of(rank);
                let top = self.moments_between(&self.ranks_summing_to(rank, threshold), None);
                Outcome::Top { count: self.count, threshold, top }
            }
            Statistic::Histogram => {
                let mut from = self.starts();
                let mut parts = Vec::new();
                for part in 0..=self.column.cuts.len() {
                    let to = self.edge_ranks(part);
                    parts.push(self.moments_between(&from, Some(&to)));
                    from = to;
                }
                Outcome::Histogram(parts)
            }
        };
        outcome.allowed_by(&self.table.schema().policy, &self.covered)?;
        Ok(outcome)
    }

    /// Rows of each key with a value below `bound`.
    fn ranks_below(&self, bound: u64) -> Vec<u64> {
        self.keys.iter().map(|rows| rows.below(bound)).collect()
    }

    fn ranks_up_to(&self, bound: u64) -> Vec<u64> {
        bound.checked_add(1).map_or_else(|| self.ends(), |next| self.ranks_below(next))
    }

    fn starts(&self) -> Vec<u64> {
        vec![0; self.keys.len()]
    }

    fn ends(&self) -> Vec<u64> {
        self.keys.iter().map(|rows| rows.tree().count()).collect()
    }

    fn edge_ranks(&self, part: usize) -> Vec<u64> {
        match edge(self.column, part) {
            Edge::Bottom => self.starts(),
            Edge::Inside(at) => self.ranks_below(at),
            Edge::Top => self.ends(),
        }
    }

    /// The value of a rank from 1: the least that so many rows do not exceed.
    fn value_of(&self, rank: u64) -> u64 {
        let (mut low, mut high) = (0, self.column.span());
        while low < high {
            let middle = low.midpoint(high);
            match self.ranks_up_to(middle).iter().sum::<u64>() >= rank {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low
    }

    /// A cut with `rank` rows before it, among rows of the value at the cut wherever they tie.
    fn ranks_summing_to(&self, rank: u64, value: u64) -> Vec<u64> {
        let mut ranks = self.ranks_below(value);
        let mut missing = rank.saturating_sub(ranks.iter().sum());
        for (cut, most) in ranks.iter_mut().zip(self.ranks_up_to(value)) {
            let more = missing.min(most - *cut);
            *cut += more;
            missing -= more;
        }
        ranks
    }

    /// The openings of the rows of a key between two ranks: values' powers and blindings summed.
    fn sum_between(&self, index: usize, from: u64, to: u64) -> (Vec<Scalar>, Vec<Scalar>) {
        let Some(rows) = self.keys.get(index) else { return Default::default() };
        // The slots are those of the column in this tree, and openings have all of the tree's.
        let wanted =
            |scalars: &[Scalar]| scalars.get(self.slots.clone()).unwrap_or_default().to_vec();
        if (from, to) == (0, rows.tree().count()) {
            return (wanted(&rows.total().values), wanted(&rows.total().blindings));
        }
        let mut sums = vec![Scalar::ZERO; self.slots.len()];
        let mut blindings = sums.clone();
        for rank in from..to {
            if let Some(opening) = rows.opening(self.table, self.tree, rank) {
                let add = |sums: &mut [Scalar], more: Vec<Scalar>| {
                    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                };
                add(&mut sums, wanted(&opening.values));
                add(&mut blindings, wanted(&opening.blindings));
            }
        }
        (sums, blindings)
    }

    fn moments_between(&self, from: &[u64], to: Option<&[u64]>) -> Moments {
        let ends = to.map_or_else(|| self.ends(), <[u64]>::to_vec);
        let mut moments = Moments { count: 0, sums: vec![Scalar::ZERO; self.slots.len()] };
        for (index, (from, to)) in from.iter().zip(&ends).enumerate() {
            let (values, _) = self.sum_between(index, *from, *to);
            moments.sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            moments.count += to - from;
        }
        moments
    }

    /// Twice the blindings of the sums between two cuts.
    fn open_between(&mut self, from: &[u64], to: &[u64]) {
        let mut multiples = vec![Scalar::ZERO; self.slots.len()];
        for (index, (from, to)) in from.iter().zip(to).enumerate() {
            let (_, blindings) = self.sum_between(index, *from, *to);
            multiples.iter_mut().zip(blindings).for_each(|(sum, r)| *sum += r + r);
        }
        self.multiples.extend(multiples);
    }

    /// What a range proof must show of a rounded sum: what was taken off it.
    fn show_rest(&mut self, rounded: u128) {
        let (mut sum, mut blinding) = (Scalar::ZERO, Scalar::ZERO);
        for index in 0..self.keys.len() {
            let count = self.keys.get(index).map_or(0, |rows| rows.tree().count());
            let (values, blindings) = self.sum_between(index, 0, count);
            // Every column has a slot, the first of which is that of its sum.
            sum += values.first().copied().unwrap_or(Scalar::ZERO);
            blinding += blindings.first().copied().unwrap_or(Scalar::ZERO);
        }
        let rest = low_bits(Some(&sum)).saturating_sub(rounded) as u64;
        self.statements.push(crate::commitment::commit(&Scalar::from_u64(rest), &blinding));
        self.openings.push((rest, blinding));
    }

    /// All of a proof that the transcript absorbs: cuts, with the leaves beside them.
    fn shape(&mut self, statistic: Statistic, outcome: &Outcome) -> Proof {
        let openings = Openings { commitments: Vec::new(), responses: Vec::new() };
        match (statistic, outcome) {
            (Statistic::Moments, Outcome::Moments(_)) => {
                self.open_between(&self.starts(), &self.ends());
                Proof::Moments(openings)
            }
            (Statistic::Moments, Outcome::Rounded { sum, .. }) => {
                self.show_rest(*sum);
                Proof::Rounded { ranges: Vec::new() }
            }
            (Statistic::Order(rank), Outcome::Order { value, .. }) => {
                let order = self.order_part(*value, rank.among(self.count));
                Proof::Order { order, ranges: Vec::new() }
            }
            (Statistic::Top(_), Outcome::Top { count, threshold, top }) => {
                let rank = count - top.count;
                let order = self.order_part(*threshold, rank);
                let ranks = self.ranks_summing_to(rank, *threshold);
                let bounds = Bounds { below: Some(*threshold), above: Some(*threshold) };
                let cut = self.cut(ranks.clone(), bounds);
                self.open_between(&ranks, &self.ends());
                Proof::Top { order, cut, openings, ranges: Vec::new() }
            }
            (_, Outcome::Histogram(parts)) => {
                let (mut cuts, mut from) = (Vec::new(), self.starts());
                for part in 0..parts.len() {
                    let to = self.edge_ranks(part);
                    if let Edge::Inside(at) = edge(self.column, part) {
                        let bounds = Bounds { below: Some(at - 1), above: Some(at) };
                        cuts.push(self.cut(to.clone(), bounds));
                    }
                    self.open_between(&from, &to);
                    from = to;
                }
                Proof::Histogram { cuts, openings, ranges: Vec::new() }
            }
            _ => Proof::Empty,
        }
    }

    /// Two cuts around a value. Keys that are not needed to reach the rank say nothing.
    fn order_part(&mut self, value: u64, rank: u64) -> OrderPart {
        let ends = self.ends();
        let below = enough(&self.ranks_up_to(value), rank);
        let after = ends.iter().zip(self.ranks_below(value)).map(|(end, rank)| end - rank);
        let after = enough(&after.collect::<Vec<_>>(), self.count + 1 - rank);
        let above = ends.iter().zip(after).map(|(end, after)| end - after).collect();
        let below = self.cut(below, Bounds { below: Some(value), above: None });
        let above = self.cut(above, Bounds { below: None, above: Some(value) });
        OrderPart { below, above }
    }

    /// Shows the leaves beside a cut, and gathers what range proofs must show.
    fn cut(&mut self, ranks: Vec<u64>, bounds: Bounds) -> Cut {
        let mut cut = Cut { ranks, below: Vec::new(), above: Vec::new() };
        for index in 0..self.keys.len() {
            // A cut has a rank for every key.
            let rank = cut.ranks.get(index).copied().unwrap_or_default();
            if let (Some(bound), Some(last)) = (bounds.below, rank.checked_sub(1)) {
                cut.below.extend(self.beside(index, last, bound, false));
            }
            if let Some(bound) = bounds.above {
                cut.above.extend(self.beside(index, rank, bound, true));
            }
        }
        cut
    }

    /// A leaf beside a cut; the difference of its value and the bound goes to the range proofs.
    fn beside(
        &mut self,
        index: usize,
        rank: u64,
        bound: u64,
        above: bool,
    ) -> Option<(crate::Leaf, crate::sum_tree::Path)> {
        let rows = *self.keys.get(index)?;
        let (leaf, path) = (rows.tree().leaf(rank)?, rows.tree().path(rank)?);
        let value = rows.value(rank)?;
        let opening = rows.opening(self.table, self.tree, rank)?;
        let blinding = *opening.blindings.first()?;
        let (difference, blinding) = match above {
            true => (value.checked_sub(bound)?, blinding),
            false => (bound.checked_sub(value)?, -blinding),
        };
        let statement = crate::commitment::commit(&Scalar::from_u64(difference), &blinding);
        self.statements.push(statement);
        self.openings.push((difference, blinding));
        Some((leaf, path))
    }

    /// Makes the proofs that come after the transcript's start.
    fn fill(
        &self,
        mut transcript: Transcript,
        statistic: Statistic,
        proof: &mut Proof,
        rng: &mut impl CryptoRng,
    ) -> Result<(), Fault> {
        if let Proof::Moments(openings)
        | Proof::Top { openings, .. }
        | Proof::Histogram { openings, .. } = proof
        {
            *openings = Openings::prove(&mut transcript, &self.multiples, rng);
        }
        if let Proof::Order { ranges, .. }
        | Proof::Top { ranges, .. }
        | Proof::Histogram { ranges, .. }
        | Proof::Rounded { ranges } = proof
        {
            let bits = range_bits(self.table.schema(), self.column, statistic);
            let chunks = self.statements.chunks(QUERY_CHUNK).zip(self.openings.chunks(QUERY_CHUNK));
            for (number, (points, openings)) in chunks.enumerate() {
                let mut transcript = chunk_transcript(&transcript, bits, number);
                let proved = range::prove(&mut transcript, bits, points, openings, rng);
                ranges.push(proved.ok_or(Fault::Equation { what: "a row of the table" })?);
            }
        }
        Ok(())
    }
}

/// The largest of the counts that together reach `needed`; the others become 0.
fn enough(counts: &[u64], needed: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(counts.get(index)));
    let mut kept = vec![0; counts.len()];
    let mut missing = needed;
    for index in order {
        let Some((kept, count)) = kept.get_mut(index).zip(counts.get(index)) else { continue };
        if missing > 0 {
            *kept = *count;
            missing = missing.saturating_sub(*count);
        }
    }
    kept
}

/// The sum of rows as an integer; it is below `2^104`.
fn low_bits(sum: Option<&Scalar>) -> u128 {
    let bytes = sum.and_then(|sum| sum.as_bytes().first_chunk().copied());
    bytes.map_or(0, u128::from_le_bytes)
}
