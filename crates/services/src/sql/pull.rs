//! Taking an epoch's rows: checked first, stored afterwards, in one snapshot of the database.

use std::io;

use rand_core::CryptoRng;
use table::{
    Hash, Row, Schema,
    store::{Accepted, Custodian, CustodyError, EpochState, Store, Watermark},
};
use wire::Progress;

use super::{
    Source, SqlError, address::Address, catalog::Catalog, connection::Connection,
    connection::Fields, plan::Plan,
};

/// Rows that are stored in one transaction.
const BATCH: usize = 1 << 12;
/// Faults that are shown; a source with more is another source.
const SHOWN: usize = 10;

/// What is to be done.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// The epoch whose rows are taken.
    pub epoch: u32,
    /// By when rows are promised to be in the log, in seconds since 1970.
    pub deadline: u64,
    /// Begin with the first row, and not after the last one stored.
    pub replay: bool,
    /// Check every row and store none.
    pub dry_run: bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// Rows that were checked, and stored unless that was not wanted.
    pub rows: u64,
    /// Rows that had been stored before, and were passed over.
    pub before: u64,
}

/// What is done with rows as soon as they are stored, such as writing receipts.
pub type Stored<'a> = dyn FnMut(&[Row], &[Accepted]) -> io::Result<()> + 'a;

/// Takes the rows of an epoch from a database. It blocks; in a server, run it on a thread of its
/// own. Killed and started again, it goes on.
///
/// # Errors
/// [`SqlError`].
pub fn pull<S: Store>(
    custodian: &Custodian<S>,
    source: &Source,
    order: Order,
    progress: &dyn Progress,
    stored: &mut Stored<'_>,
    rng: &mut impl CryptoRng,
) -> Result<Pulled, SqlError> {
    let Order { epoch, .. } = order;
    match custodian.state(epoch)? {
        EpochState::Open => {}
        state => return Err(CustodyError::State { epoch, state }.into()),
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut pull = Pull::begin(custodian, source, order).await?;
        pull.check(progress).await?;
        if !order.dry_run {
            pull.store(progress, stored, rng).await?;
        }
        progress.finish();
        pull.connection.close().await?;
        Ok(Pulled { rows: pull.rows, before: pull.behind.map_or(0, |behind| behind.rows) })
    })
}

struct Pull<'a, S> {
    custodian: &'a Custodian<S>,
    order: Order,
    connection: Connection,
    plan: Plan,
    /// What the watermark is of.
    name: Hash,
    /// Where reading begins.
    behind: Option<Watermark>,
    /// Rows after it.
    rows: u64,
}

impl<'a, S: Store> Pull<'a, S> {
    async fn begin(
        custodian: &'a Custodian<S>,
        source: &Source,
        order: Order,
    ) -> Result<Self, SqlError> {
        let address = Address::parse(&source.url)?;
        let password = source.password()?;
        let password = password.as_ref().map(|password| password.as_str());
        let mut connection = Connection::open(&address, password).await?;
        let catalog = Catalog::read(&mut connection, source).await?;
        let ours = (custodian.table().schema(), address.dialect, order.epoch);
        let plan = Plan::new(&catalog, source, ours)?;
        let name = plan.source(&address);
        let behind = match plan.cursor().is_some() && !order.replay {
            true => custodian.watermark(order.epoch, &name)?,
            false => None,
        };
        Ok(Self { custodian, order, connection, plan, name, behind, rows: 0 })
    }

    /// Requires that what was stored is still there and nothing else, that no user has two rows, and
    /// that every row is right.
    async fn check(&mut self, progress: &dyn Progress) -> Result<(), SqlError> {
        let after = self.behind.map(|behind| behind.position);
        self.rows = self.count(after).await?;
        if let (Some(Watermark { position, rows: stored }), Some(cursor)) =
            (self.behind, self.plan.cursor().map(str::to_owned))
        {
            let found = self.count(None).await?.saturating_sub(self.rows);
            if found != stored {
                let table = self.plan.table();
                return Err(SqlError::Moved { table, cursor, position, found, stored });
            }
        }
        if let Some(statement) = self.plan.twice()
            && let Some(user) = self.connection.all(&statement).await?.first()
        {
            // For people: that somebody is there twice is known, and refused, also if the name is null.
            let user = user.first().cloned().flatten().unwrap_or_default();
            return Err(SqlError::Twice { table: self.plan.table(), user });
        }
        progress.begin("checking", self.rows);
        let (plan, schema) = (&self.plan, self.custodian.table().schema());
        let (mut walk, mut faults, mut shown) = (Walk::after(self.behind), 0, Vec::new());
        let mut take = |fields: Fields| {
            if let Err(fault) = walk.step(plan, schema, &fields) {
                faults += 1;
                if shown.len() < SHOWN {
                    shown.push(format!("{}: {fault}", walk.place(plan)));
                }
            }
            progress.advance(1);
            Ok(())
        };
        self.connection.rows(&plan.rows(after), &mut take).await?;
        match faults {
            0 => Ok(()),
            count => Err(SqlError::Rows { table: plan.table(), count, shown }),
        }
    }

    /// Stores the rows batch by batch, each with the watermark after it.
    async fn store(
        &mut self,
        progress: &dyn Progress,
        stored: &mut Stored<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<(), SqlError> {
        progress.begin("storing", self.rows);
        let (custodian, plan, name) = (self.custodian, &self.plan, &self.name);
        let Order { epoch, deadline, .. } = self.order;
        let mut walk = Walk::after(self.behind);
        let (mut rows, mut places) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        let mut flush = |walk: &Walk, rows: &mut Vec<Row>, places: &mut Vec<String>| {
            let mark = walk.position.map(|position| Watermark { position, rows: walk.number });
            let mark = mark.map(|watermark| (name, watermark));
            let taken = custodian.accept_from((epoch, deadline), rows, mark, rng);
            stored(rows, &taken.map_err(|error| explain(plan, places, error))?)?;
            progress.advance(rows.len() as u64);
            rows.clear();
            places.clear();
            Ok::<_, SqlError>(())
        };
        let schema = custodian.table().schema();
        let mut take = |fields: Fields| {
            let row = walk.step(plan, schema, &fields);
            let refused = |fault| SqlError::Rows {
                table: plan.table(),
                count: 1,
                shown: vec![format!("{}: {fault}", walk.place(plan))],
            };
            rows.push(row.map_err(refused)?);
            places.push(walk.place(plan));
            match rows.len() < BATCH {
                true => Ok(()),
                false => flush(&walk, &mut rows, &mut places),
            }
        };
        let after = self.behind.map(|behind| behind.position);
        self.connection.rows(&plan.rows(after), &mut take).await?;
        if !rows.is_empty() {
            flush(&walk, &mut rows, &mut places)?;
        }
        let stored = walk.number - self.behind.map_or(0, |behind| behind.rows);
        match stored == self.rows {
            true => Ok(()),
            false => Err(SqlError::Unsteady { table: plan.table(), checked: self.rows, stored }),
        }
    }

    async fn count(&mut self, after: Option<i128>) -> Result<u64, SqlError> {
        let rows = self.connection.all(&self.plan.count(after)).await?;
        let text = rows.into_iter().flatten().next().flatten();
        // Why it is no number does not matter: it is an error.
        let count = text.and_then(|text| text.parse().ok());
        count.ok_or_else(|| io::Error::other("the database's count of rows is no number").into())
    }
}

/// How far a source has been read.
struct Walk {
    /// Rows so far, those behind the watermark included.
    number: u64,
    /// The cursor's position of the last one.
    position: Option<i128>,
}

impl Walk {
    fn after(behind: Option<Watermark>) -> Self {
        Self {
            number: behind.map_or(0, |behind| behind.rows),
            position: behind.map(|behind| behind.position),
        }
    }

    /// Reads the next row.
    fn step(&mut self, plan: &Plan, schema: &Schema, fields: &Fields) -> Result<Row, String> {
        self.number += 1;
        let next = plan.position(fields)?;
        let ascends = self.position.is_none() || next > self.position;
        self.position = next;
        match (ascends, plan.cursor()) {
            (false, Some(cursor)) => Err(format!("column `{cursor}` does not ascend")),
            _ => plan.row(schema, fields),
        }
    }

    /// The row, for people.
    fn place(&self, plan: &Plan) -> String {
        match (plan.cursor(), self.position) {
            (Some(cursor), Some(position)) => {
                format!("row {} (`{cursor}` {position})", self.number)
            }
            _ => format!("row {}", self.number),
        }
    }
}

fn explain(plan: &Plan, places: &[String], error: CustodyError) -> SqlError {
    // For people: which row it is. It is refused in any case.
    let row = |index: usize| places.get(index).cloned().unwrap_or_default();
    match error {
        CustodyError::Duplicate { index, epoch } => {
            SqlError::Changed { table: plan.table(), row: row(index), epoch }
        }
        other => other.into(),
    }
}
