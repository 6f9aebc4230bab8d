//! Figures, each with the claim that bears it out.

use rand_core::CryptoRng;
use serde::Serialize;
use table::{
    BuiltEpoch, Fault, Fraction, Table,
    claims::{ClaimError, TableWriter},
    is_of_policy,
    log::{Attestation, LoggedEpoch, SignedCheckpoint},
    query::{self, Exact, Outcome, Query, Rank, Source, Statistic, Summary, value_to_decimal},
};
use thiserror::Error;

use super::{
    SurveyDescription,
    description::{Group, HALF},
};

/// Decimals of a share in percent.
const SHARE_DECIMALS: u32 = 1;

/// Why figures cannot be published.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError {
    /// A query is not answered.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A claim cannot be added.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

/// A number and the name of the claim that proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Number {
    /// The number as it is shown.
    pub text: String,
    /// The claim, without `.json`.
    pub claim: String,
}

/// The share of the sum that the best paid have, in percent: the quotient of the sums of two
/// claims, that of the top and that of the group's mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Such as 1/10 for the top tenth.
    pub fraction: Fraction,
    /// The percentage and the claim of the sum above the cut; none where the policy does not answer.
    pub share: Option<Number>,
}

/// The figures of a group in a year.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The year.
    pub year: u32,
    /// The group, by its position in [`SurveyDescription::groups`].
    pub group: usize,
    /// How many people; they are few where figures are withheld.
    pub count: Option<Number>,
    /// The median.
    pub median: Option<Number>,
    /// The mean.
    pub mean: Option<Number>,
    /// Top shares, in the order of the description.
    pub shares: Vec<Share>,
}

/// Answers all queries of a survey and adds their claims to a bundle.
pub struct Publisher<'a> {
    /// What to publish.
    pub description: &'a SurveyDescription,
    /// The table.
    pub table: &'a Table,
    /// The checkpoint that answers are about.
    pub signed: &'a SignedCheckpoint,
}

/// A year that is answered from.
struct Year<'a> {
    year: u32,
    sources: [Source<'a>; 1],
    attestations: Vec<Attestation>,
}

impl Publisher<'_> {
    /// Publishes a year's figures; none for a year without rows.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn publish(
        &self,
        claims: &mut TableWriter<'_>,
        (logged, built): (LoggedEpoch, &BuiltEpoch),
        attestations: Vec<Attestation>,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<Cell>, PublishError> {
        let year = built.core.epoch;
        let year = Year { year, sources: [Source { logged, built }], attestations };
        let groups = self.description.groups();
        let populated = groups.iter().take(if built.core.rows > 0 { groups.len() } else { 0 });
        populated
            .enumerate()
            .map(|(index, group)| self.cell(claims, &year, (index, group), rng))
            .collect()
    }

    fn cell(
        &self,
        claims: &mut TableWriter<'_>,
        year: &Year<'_>,
        (index, group): (usize, &Group),
        rng: &mut impl CryptoRng,
    ) -> Result<Cell, PublishError> {
        let rows = self.count(year, group);
        let mut cell = Cell {
            year: year.year,
            group: index,
            count: None,
            median: None,
            mean: None,
            shares: self.withheld_shares(),
        };
        if !self.allowed(rows) {
            return Ok(cell);
        }
        let mut ask = |statistic, kind: &str| self.ask(claims, year, group, statistic, kind, rng);
        let Some(column) = self.description.column().and_then(|at| self.table.schema().value(at))
        else {
            return Err(Fault::Bounds { what: "the value column" }.into());
        };
        let scale = u32::from(column.scale);

        let median = ask(Statistic::Order(Rank::Quantile(HALF)), "median")?;
        if let Some((claim, Outcome::Order { value, .. })) = median {
            cell.median = Some(Number { text: value_to_decimal(column, value), claim });
        }
        let mean = ask(Statistic::Moments, "mean")?;
        let Some((claim, Outcome::Moments(moments))) = mean else { return Ok(cell) };
        let all = Summary::of(column, &moments);
        cell.count = Some(Number { text: all.count.to_string(), claim: claim.clone() });
        cell.mean = all.mean.map(|mean| Number { text: mean.to_decimal(scale), claim });

        for share in &mut cell.shares {
            let Fraction { part, whole } = share.fraction;
            if !self.allowed(top_count(share.fraction, rows)) {
                continue;
            }
            let top = ask(Statistic::Top(share.fraction), &format!("top-{part}-{whole}"))?;
            if let Some((claim, Outcome::Top { top, .. })) = top {
                let above = Summary::of(column, &top).sum;
                let text = percentage(above, &all.sum);
                share.share = Some(Number { text, claim });
            }
        }
        Ok(cell)
    }

    fn withheld_shares(&self) -> Vec<Share> {
        let withheld = |fraction: &Fraction| Share { fraction: *fraction, share: None };
        self.description.top.iter().map(withheld).collect()
    }

    /// Answers a query and adds its claim, which verifies it: the claim's name and the outcome. None
    /// for what the policy declines to say about these people.
    fn ask(
        &self,
        claims: &mut TableWriter<'_>,
        year: &Year<'_>,
        group: &Group,
        statistic: Statistic,
        kind: &str,
        rng: &mut impl CryptoRng,
    ) -> Result<Option<(String, Outcome)>, PublishError> {
        let region = self.description.region(group, year.year);
        let column = self.description.column().ok_or(Fault::Bounds { what: "the value column" })?;
        let query = Query { column, region, statistic };
        let checkpoint = &self.signed.checkpoint;
        let attestations = year.attestations.clone();
        let answered =
            query::answer(self.table, checkpoint, query, &year.sources, attestations, rng);
        let answer = match answered {
            Ok(answer) => answer,
            Err(Fault::Policy { code, .. }) if is_of_policy(code) => return Ok(None),
            Err(fault) => return Err(fault.into()),
        };
        let name = format!("{}-{}-{kind}", year.year, group.name);
        claims.answer(&name, &answer)?;
        Ok(Some((name, answer.outcome)))
    }

    fn allowed(&self, count: u64) -> bool {
        count > 0 && count >= self.table.schema().policy.min_count
    }

    fn count(&self, year: &Year<'_>, group: &Group) -> u64 {
        let schema = self.table.schema();
        let belongs = |key: &[u8]| match group.restriction {
            None => true,
            Some((position, code)) => schema
                .decode_key(key)
                .is_some_and(|codes| codes.get(position).is_some_and(|found| *found == code)),
        };
        let rows = year.sources.iter().flat_map(|source| &source.built.entries);
        rows.filter(|entry| belongs(&entry.row.key)).count() as u64
    }
}

/// The people in a top fraction: those above the rank that the rest ends at.
fn top_count(fraction: Fraction, count: u64) -> u64 {
    let rest = Fraction { part: fraction.whole.saturating_sub(fraction.part), ..fraction };
    count.saturating_sub(Rank::Quantile(rest).among(count))
}

/// Both sums have one scale and are no fractions; the whole is positive, as every value is.
fn percentage(part: Exact, whole: &Exact) -> String {
    let share =
        Exact { numerator: part.numerator * 100, denominator: whole.numerator.clone(), scale: 0 };
    share.to_decimal(SHARE_DECIMALS)
}
