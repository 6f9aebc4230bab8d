//! Verifying answers: the checks of `docs/spec/table-answers.md`, by their names there. Its symbols: N rows, `MAX`
//! the column's span, `V_j` the sum of j-th powers.
//!
//! Roots commit to twice a sum, as `enc(2C)`; what is called *doubles* here still has that factor.

use algebra::{Group as _, Scalar as _};
use num_bigint::BigUint;
use transcript::{Transcript, TranscriptExt as _};
use wire::CheckName;

use super::{
    Answer, Cut, Moments, OrderPart, Outcome, Proof, Statistic, Withheld,
    answer::transcript,
    cover::{self, CoveredKey},
    cut::Bounds,
};
use crate::{
    Fault, Hash, Policy, PublicKey, Refused, Schema, Table, ValueColumn,
    checks::{
        TA_2, TA_3, TA_6, TA_7, TA_8, TA_9, TA_10, TA_11, TA_12, TA_13, TA_14, TA_15, TA_16, TA_17,
        TA_19, TA_20, TA_21, Under as _,
    },
    commitment::{BASES, Point, Scalar, decode},
    log::{Attestation, Checkpoint, Scope, SignedCheckpoint},
    range::{self, QUERY_CHUNK},
    rank::rank_below_top,
};

/// The most rows a query may be about. A schema has `j·bits(MAX) + 40 ≤ 250`, so that no sum over them wraps
/// modulo the group order.
const MAX_COUNT: u64 = 1 << 40;

/// On whose word an answer's premises rest: that committed values are integers in their bounds,
/// sorted, with true powers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assurance {
    /// Every wanted auditor vouches for every epoch.
    Audited,
    /// Every part of every epoch has one of the wanted auditors to vouch for it: all of them must
    /// be honest.
    AuditedInParts,
    /// The table is bound to its data, but nobody that the verifier named has audited all of it.
    CommittedOnly,
}

/// What an accepted answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The outcome.
    pub outcome: Outcome,
    /// The number of keys it is about; one for a roll-up.
    pub keys: usize,
    /// The digests of the epochs it is about; last that of the epoch which holds the roll-up, where
    /// there is one.
    pub epochs: Vec<Hash>,
    /// The time for which a quorum of witnesses vouches.
    pub witnessed: Option<u64>,
    /// Who vouches for the premises.
    pub assurance: Assurance,
}

/// Verifies an answer against a pinned table and a checkpoint. `auditors` are those whose
/// attestation the verifier wants; without any, no answer is audited.
///
/// # Errors
/// [`Fault`] naming what does not hold.
pub fn verify(
    table: &Table,
    signed: &SignedCheckpoint,
    answer: &Answer,
    auditors: &[PublicKey],
) -> Result<Verified, Fault> {
    Ok(check(table, signed, answer, auditors)?)
}

/// [`verify`], naming the check that fails.
pub(crate) fn check(
    table: &Table,
    signed: &SignedCheckpoint,
    answer: &Answer,
    auditors: &[PublicKey],
) -> Result<Verified, Refused> {
    let witnessed = signed.check(table)?;
    let checkpoint = &signed.checkpoint;
    let query = &answer.query;
    query.explain(table, checkpoint.size)?;
    let (epochs, keys) = match &answer.rolled_up {
        None => covered(table, checkpoint, answer)?,
        Some(rolled_up) if answer.covers.is_empty() => {
            let (epochs, key) = rolled_up.verify(table, checkpoint, query)?;
            (epochs, vec![key])
        }
        Some(_) => return Err(Fault::Query { reason: "both keys and a roll-up" }).under(TA_20),
    };
    let count = keys.iter().try_fold(0_u64, |sum, key| sum.checked_add(key.root.count));
    let count = count.filter(|count| *count <= MAX_COUNT);
    let count = count.ok_or(Fault::Bounds { what: "the number of rows" }).under(TA_6)?;
    let column = table.schema().value(query.column);
    let column = column.ok_or(Fault::Bounds { what: "the column" }).under(TA_2)?;
    let (_, slots) = query.slots(table.schema());
    let cuts = cuts(&answer.proof);
    let transcript = transcript(table, checkpoint, query, &keys, &answer.outcome, &cuts);
    let bits = range_bits(table.schema(), column, query.statistic);
    let (policy, statements) = (&table.schema().policy, Vec::new());
    let withheld = cover::withheld(&answer.covers, table.schema(), query).under(TA_19)?;
    let mut check =
        Check { transcript, policy, column, keys: &keys, count, withheld, slots, bits, statements };
    check.outcome(query.statistic, &answer.outcome, &answer.proof)?;
    answer.outcome.allowed_by(&table.schema().policy, &keys).under(TA_17)?;
    let assurance = assurance(table, &epochs, answer, auditors).under(TA_21)?;
    Ok(Verified {
        outcome: answer.outcome.clone(),
        keys: keys.len(),
        epochs: epochs.into_iter().map(|(_, digest)| digest).collect(),
        witnessed,
        assurance,
    })
}

/// The epochs of a region with their digests, and all its keys.
type Covered = (Vec<(u32, Hash)>, Vec<CoveredKey>);

/// Checks that the covers show all keys of the region.
fn covered(table: &Table, checkpoint: &Checkpoint, answer: &Answer) -> Result<Covered, Refused> {
    let query = &answer.query;
    let expected = u64::from(query.region.to - query.region.from) + 1;
    let got = answer.covers.len() as u64;
    if got != expected {
        return Err(Fault::Number { what: "epochs", got, expected }).under(TA_3);
    }
    let (mut epochs, mut keys) = (Vec::new(), Vec::new());
    for (epoch, cover) in (query.region.from..=query.region.to).zip(&answer.covers) {
        if cover.epoch.header.core.epoch != epoch {
            return Err(Fault::Query { reason: "an epoch is missing or out of order" }).under(TA_3);
        }
        let (digest, covered) = cover.verify(table, checkpoint, query)?;
        epochs.push((epoch, digest));
        keys.extend(covered);
    }
    Ok((epochs, keys))
}

/// The cuts whose ranks the transcript absorbs.
pub(super) fn cuts(proof: &Proof) -> Vec<&Cut> {
    match proof {
        Proof::Empty | Proof::Moments(_) | Proof::Rounded { .. } => Vec::new(),
        Proof::Order { order, .. } => vec![&order.below, &order.above],
        Proof::Top { order, cut, .. } => vec![&order.below, &order.above, cut],
        Proof::Histogram { cuts, .. } => cuts.iter().collect(),
    }
}

fn assurance(
    table: &Table,
    epochs: &[(u32, Hash)],
    answer: &Answer,
    auditors: &[PublicKey],
) -> Result<Assurance, Fault> {
    for attestation in &answer.attestations {
        attestation.verify(table)?;
        if !epochs.contains(&(attestation.epoch, attestation.digest)) {
            return Err(Fault::Mismatch { what: "an attestation" });
        }
    }
    let words = |epoch: u32| answer.attestations.iter().filter(move |word| word.epoch == epoch);
    let vouched = |auditor: &PublicKey, epoch: u32| {
        Attestation::vouch_for_all(words(epoch).filter(|word| word.auditor == *auditor))
    };
    let each = |vouched: &dyn Fn(u32) -> bool| epochs.iter().all(|(epoch, _)| vouched(*epoch));
    let by_all = |epoch| auditors.iter().all(|auditor| vouched(auditor, epoch));
    Ok(match auditors.is_empty() {
        false if each(&by_all) => Assurance::Audited,
        false if each(&|epoch| by_all(epoch) || shared_in_parts(words(epoch), auditors)) => {
            Assurance::AuditedInParts
        }
        _ => Assurance::CommittedOnly,
    })
}

/// Whether the wanted auditors' words about parts together make up an epoch. Words about a whole epoch are left
/// out: one auditor's would be enough by itself, in place of the others that the verifier wants.
fn shared_in_parts<'a>(
    words: impl Iterator<Item = &'a Attestation> + Clone,
    auditors: &[PublicKey],
) -> bool {
    let of_parts =
        |word: &&Attestation| word.scope != Scope::Whole && auditors.contains(&word.auditor);
    Attestation::vouch_for_all(words.filter(of_parts))
}

/// An outcome being checked.
struct Check<'a> {
    transcript: Transcript,
    policy: &'a Policy,
    column: &'a ValueColumn,
    keys: &'a [CoveredKey],
    count: u64,
    /// What the policy's hierarchy requires.
    withheld: Option<Withheld>,
    slots: std::ops::Range<usize>,
    /// The width of range proofs.
    bits: u32,
    /// What range proofs must show.
    statements: Vec<Point>,
}

impl Check<'_> {
    fn outcome(
        &mut self,
        statistic: Statistic,
        outcome: &Outcome,
        proof: &Proof,
    ) -> Result<(), Refused> {
        match (statistic, outcome, proof) {
            (_, Outcome::Withheld(why), Proof::Empty) if self.withheld == Some(*why) => Ok(()),
            (_, Outcome::Withheld(_), _) => {
                let reason = "the policy does not withhold this, or for another reason";
                Err(Fault::Policy { code: "withheld", reason }).under(TA_19)
            }
            _ if self.withheld.is_some() => {
                let reason = "the policy's hierarchy withholds this";
                Err(Fault::Policy { code: "withheld", reason }).under(TA_19)
            }
            (_, Outcome::Empty, Proof::Empty) if self.count == 0 => Ok(()),
            _ if self.count == 0 => {
                Err(Fault::Bounds { what: "an outcome about no rows" }).under(TA_11)
            }
            (Statistic::Moments, Outcome::Rounded { count, sum }, Proof::Rounded { ranges }) => {
                self.require_count(*count, self.count).under(TA_13)?;
                self.rounded(*sum).under(TA_13)?;
                self.ranges(ranges).under(TA_10)
            }
            (Statistic::Moments, Outcome::Moments(moments), Proof::Moments(openings)) => {
                if self.policy.rounding.is_some() {
                    let reason = "the policy rounds sums";
                    return Err(Fault::Policy { code: "rounding", reason }).under(TA_12);
                }
                self.require_count(moments.count, self.count).under(TA_12)?;
                self.moments(moments).under(TA_8)?;
                let doubles = self.totals().under(TA_7)?;
                openings.verify(&mut self.transcript, &doubles, &moments.sums).under(TA_7)
            }
            (
                Statistic::Order(rank),
                Outcome::Order { count, value },
                Proof::Order { order, ranges },
            ) => {
                self.require_count(*count, self.count).under(TA_14)?;
                self.order(order, *value, rank.among(self.count), TA_14)?;
                self.ranges(ranges).under(TA_10)
            }
            (
                Statistic::Top(fraction),
                Outcome::Top { count, threshold, top },
                Proof::Top { order, cut, openings, ranges },
            ) => {
                self.require_count(*count, self.count).under(TA_15)?;
                let rank = rank_below_top(fraction, self.count);
                self.order(order, *threshold, rank, TA_15)?;
                let bounds = Bounds { below: Some(*threshold), above: Some(*threshold) };
                let above = cut.verify_above(self.keys, bounds, &mut self.statements);
                let above = above.under(TA_9)?;
                self.require_count(above.count, self.count - rank).under(TA_15)?;
                self.require_count(top.count, above.count).under(TA_15)?;
                self.moments(top).under(TA_8)?;
                // Were slots missing, the opening would be refused: it wants a double for each sum.
                let doubles = above.doubles.get(self.slots.clone()).unwrap_or_default();
                openings.verify(&mut self.transcript, doubles, &top.sums).under(TA_7)?;
                self.ranges(ranges).under(TA_10)
            }
            (
                Statistic::Histogram,
                Outcome::Histogram(parts),
                Proof::Histogram { cuts, openings, ranges },
            ) => {
                let doubles = self.parts(parts, cuts)?;
                let sums: Vec<_> = parts.iter().flat_map(|part| part.sums.clone()).collect();
                openings.verify(&mut self.transcript, &doubles, &sums).under(TA_7)?;
                self.ranges(ranges).under(TA_10)
            }
            _ => {
                let reason = "the answer is to another question";
                Err(Fault::Query { reason }).under(check_of(outcome))
            }
        }
    }

    fn require_count(&self, got: u64, expected: u64) -> Result<(), Fault> {
        match got == expected {
            true => Ok(()),
            false => Err(Fault::Number { what: "rows", got, expected }),
        }
    }

    /// `0 ≤ V_j ≤ N·MAX^j`: a claimed sum is the sum, not only congruent to it modulo the group order.
    fn moments(&self, moments: &Moments) -> Result<(), Fault> {
        if moments.sums.len() != self.slots.len() {
            return Err(Fault::Bounds { what: "the number of sums" });
        }
        let mut bound = BigUint::from(moments.count);
        for sum in moments.sums() {
            bound *= self.column.span();
            if sum > bound {
                return Err(Fault::Bounds { what: "a sum" });
            }
        }
        Ok(())
    }

    /// A rounded sum S is a multiple of `2^β`, and the true sum less S lies in `[0, 2^β)`: only one S is both.
    /// Were S not a multiple, the operator could choose among `2^β` of them.
    fn rounded(&mut self, sum: u128) -> Result<(), Fault> {
        let Some(bits) = self.policy.rounding else {
            return Err(Fault::Query { reason: "the policy does not round sums" });
        };
        let most = u128::from(self.count) * u128::from(self.column.span());
        if sum > most || sum >> bits << bits != sum {
            return Err(Fault::Bounds { what: "the rounded sum" });
        }
        let missing = Fault::Bounds { what: "the number of sums" };
        let double = self.totals()?.into_iter().next().ok_or(missing)?;
        let total = double.mul(&Scalar::from_u64(2).invert());
        self.statements.push(total - BASES.value.mul(&Scalar::from_u128(sum)));
        Ok(())
    }

    /// Twice the sums over all keys, of the queried slots.
    fn totals(&self) -> Result<Vec<Point>, Fault> {
        let total = |slot: usize| {
            let of_key = |key: &CoveredKey| {
                let double = key.root.doubles.get(slot).ok_or(Fault::PathShape)?;
                decode("root", double)
            };
            self.keys.iter().map(of_key).sum::<Result<Point, Fault>>()
        };
        self.slots.clone().map(total).collect()
    }

    /// The value has the rank if at least `rank` rows are ≤ it and at least `N − rank + 1` rows are ≥ it: were the
    /// row of that rank greater, the first would fail, were it less, the second. Each cut shows a lower bound of
    /// its number of rows, which is enough.
    fn order(
        &mut self,
        order: &OrderPart,
        value: u64,
        rank: u64,
        check: CheckName,
    ) -> Result<(), Refused> {
        if value > self.column.span() {
            return Err(Fault::Bounds { what: "the value" }).under(check);
        }
        let below = Bounds { below: Some(value), above: None };
        order.below.verify(self.keys, below, &mut self.statements).under(TA_9)?;
        let above = Bounds { below: None, above: Some(value) };
        order.above.verify(self.keys, above, &mut self.statements).under(TA_9)?;
        // Ranks are at most the keys' counts, whose sum has been checked.
        let at_most: u64 = order.below.ranks.iter().sum();
        let not_counted: u64 = order.above.ranks.iter().sum();
        let at_least = self.count - not_counted;
        match at_most >= rank && at_least > self.count - rank {
            true => Ok(()),
            false => Err(Fault::Bounds { what: "the rank of the value" }).under(check),
        }
    }

    /// Twice the sums of the parts between cuts: for each, what is above its lower edge less what is above its
    /// upper one.
    fn parts(&mut self, parts: &[Moments], cuts: &[Cut]) -> Result<Vec<Point>, Refused> {
        let (got, expected) = (parts.len() as u64, self.column.cuts.len() as u64 + 1);
        if got != expected {
            return Err(Fault::Number { what: "parts", got, expected }).under(TA_16);
        }
        let mut shown = cuts.iter();
        let mut doubles = Vec::new();
        let (mut count, mut above) = (self.count, self.totals().under(TA_7)?);
        for (index, part) in parts.iter().enumerate() {
            let (next_count, next) = match edge(self.column, index) {
                Edge::Bottom => (self.count, self.totals().under(TA_7)?),
                Edge::Top => (0, vec![Point::default(); self.slots.len()]),
                Edge::Inside(at) => {
                    let got = cuts.len() as u64;
                    let missing = Fault::Number { what: "cuts", got, expected };
                    let cut = shown.next().ok_or(missing).under(TA_16)?;
                    // With bounds on both sides exactly the rows below `at` are before the cut; with one, the
                    // operator could choose where it is.
                    let bounds = Bounds { below: Some(at - 1), above: Some(at) };
                    let above = cut.verify_above(self.keys, bounds, &mut self.statements);
                    let above = above.under(TA_9)?;
                    // Were slots missing, there would be too few doubles for the opening, which refuses.
                    let slots = above.doubles.get(self.slots.clone()).unwrap_or_default();
                    (above.count, slots.to_vec())
                }
            };
            let rows = count.checked_sub(next_count);
            let rows = rows.ok_or(Fault::Bounds { what: "a part" }).under(TA_16)?;
            self.require_count(part.count, rows).under(TA_16)?;
            self.moments(part).under(TA_8)?;
            doubles.extend(above.iter().zip(&next).map(|(above, next)| above - next));
            (count, above) = (next_count, next);
        }
        match shown.len() {
            0 => Ok(doubles),
            surplus => {
                let got = surplus as u64;
                Err(Fault::Number { what: "surplus cuts", got, expected: 0 }).under(TA_16)
            }
        }
    }

    /// Checks the range proofs of all statements gathered.
    fn ranges(&mut self, proofs: &[Vec<u8>]) -> Result<(), Fault> {
        let (got, expected) =
            (proofs.len() as u64, self.statements.len().div_ceil(QUERY_CHUNK) as u64);
        if got != expected {
            return Err(Fault::Number { what: "range proofs", got, expected });
        }
        let bits = self.bits;
        let chunk = |(number, (points, proof)): (usize, (&[Point], &Vec<u8>))| range::Chunk {
            transcript: chunk_transcript(&self.transcript, bits, number),
            points: points.to_vec(),
            proof: proof.clone(),
        };
        let chunks = self.statements.chunks(QUERY_CHUNK).zip(proofs).enumerate().map(chunk);
        range::verify(bits, chunks.collect())
    }
}

/// The check of an outcome by itself.
fn check_of(outcome: &Outcome) -> CheckName {
    match outcome {
        Outcome::Withheld(_) => TA_19,
        Outcome::Empty => TA_11,
        Outcome::Moments(_) => TA_12,
        Outcome::Rounded { .. } => TA_13,
        Outcome::Order { .. } => TA_14,
        Outcome::Top { .. } => TA_15,
        Outcome::Histogram(_) => TA_16,
    }
}

/// Continues a query's transcript for one chunk of range statements.
pub(super) fn chunk_transcript(before: &Transcript, bits: u32, number: usize) -> Transcript {
    let mut transcript = before.clone();
    transcript.absorb_u64(b"b", bits.into());
    transcript.absorb_u64(b"chunk", number as u64);
    transcript
}

/// The width of an answer's range proofs.
pub(super) fn range_bits(schema: &Schema, column: &ValueColumn, statistic: Statistic) -> u32 {
    match (statistic, schema.policy.rounding) {
        (Statistic::Moments, Some(bits)) => bits.into(),
        _ => column.bits(),
    }
}

/// Where a part of a histogram ends.
pub(crate) enum Edge {
    /// At or below every value.
    Bottom,
    /// Above the values below this offset.
    Inside(u64),
    /// Above every value.
    Top,
}

/// The upper edge of a part.
pub(crate) fn edge(column: &ValueColumn, part: usize) -> Edge {
    let Some(cut) = column.cuts.get(part) else { return Edge::Top };
    match i128::from(*cut) - i128::from(column.min) {
        ..=0 => Edge::Bottom,
        at => match u64::try_from(at) {
            Ok(at) if at <= column.span() => Edge::Inside(at),
            _ => Edge::Top,
        },
    }
}
