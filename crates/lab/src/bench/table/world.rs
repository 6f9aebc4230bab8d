//! The tables of the experiments: electricity meters by district and customer class.

use ::table::{
    BuiltEpoch, Entry, EpochHeader, Fraction, Genesis, Lookup, OrderProof, Policy, PublicKey, Row,
    Schema, Table, TableKeys, TypeColumn, TypeKind, UserKeys, ValueColumn, audit,
    log::{Checkpoint, LoggedEpoch, SignedCheckpoint, merkle},
    query::{self, Answer, KeyBox, Query, Region, Source, Statistic},
};
use board::Identity;
use cli::failure::Failure;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _, UnwrapErr};

/// The artifact's largest consumption of a household; an industrial user has ten times as much.
const MAX_POWER: u64 = 2000;

/// How districts are numbered, which shapes the trie of keys (experiment 2).
#[derive(Clone, Copy)]
pub enum Numbering {
    /// 0, 1, 2, ...
    DenseLow,
    /// ..., 2^31 − 2, 2^31 − 1.
    DenseHigh,
    /// Evenly over 31 bits.
    Spread,
    /// At random over 31 bits.
    Random,
}

impl Numbering {
    fn numbers(self, districts: u32, rng: &mut ChaCha20Rng) -> Vec<u64> {
        let span = 1_u64 << 31;
        let number = |index: u64| match self {
            Self::DenseLow => index,
            Self::DenseHigh => span - 1 - index,
            Self::Spread => index * (span / u64::from(districts)),
            Self::Random => rng.next_u64() % span,
        };
        (0..u64::from(districts)).map(number).collect()
    }
}

/// A table, its secrets, and its epochs.
pub struct World {
    pub table: Table,
    pub secrets: TableKeys,
    operator: Identity,
    districts: Vec<u64>,
    pub rng: ChaCha20Rng,
    pub built: Vec<BuiltEpoch>,
    pub headers: Vec<EpochHeader>,
    digests: Vec<::table::Hash>,
}

impl World {
    /// A table without epochs.
    pub fn new(districts: u32, numbering: Numbering) -> Result<Self, Failure> {
        let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
        let operator = Identity::generate(&mut rng);
        let genesis = Genesis {
            schema: schema(),
            first_epoch: 0,
            operator: PublicKey::of(&operator),
            witnesses: Vec::new(),
            quorum: 0,
            dishonest: 0,
            auditors: Vec::new(),
            nonce: Genesis::draw_nonce(&mut rng),
            continues: None,
        };
        let secrets = TableKeys::generate(&mut rng);
        let districts = numbering.numbers(districts, &mut rng);
        let table = Table::new(genesis).map_err(Failure::input)?;
        let (built, headers, digests) = Default::default();
        Ok(Self { table, secrets, operator, districts, rng, built, headers, digests })
    }

    /// Rows of an epoch: every district in turn, every fifth user industrial.
    pub fn rows(&mut self, users: u32) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::with_capacity(users as usize);
        for index in 0..users {
            let place = (index / 5) as usize % self.districts.len().max(1);
            // The place is that of a district.
            let district = self.districts.get(place).copied().unwrap_or_default();
            let industrial = u64::from(index.is_multiple_of(5));
            let power = (1 + self.rng.next_u64() % MAX_POWER) * (1 + 9 * industrial);
            let key = self.table.schema().encode_key(&[district, industrial]);
            let key = key.map_err(Failure::input)?;
            rows.push(Row { user: index.to_be_bytes().to_vec(), key, values: vec![power] });
        }
        Ok(rows)
    }

    /// Rows with their users' keys.
    pub fn entries(&mut self, users: u32) -> Result<Vec<Entry>, Failure> {
        let rows = self.rows(users)?;
        let keyed = |row| Entry { row, keys: UserKeys::generate(&mut self.rng) };
        Ok(rows.into_iter().map(keyed).collect())
    }

    /// Builds the next epoch.
    pub fn build(&self, entries: Vec<Entry>) -> Result<BuiltEpoch, Failure> {
        // The first epoch follows the table itself.
        let previous = *self.digests.last().unwrap_or(self.table.id());
        let epoch = self.digests.len() as u32;
        BuiltEpoch::build(&self.table, &self.secrets, epoch, entries, &[], previous)
            .map_err(Failure::input)
    }

    /// Puts a built epoch with its audit bundle into the log.
    pub fn append(&mut self, built: BuiltEpoch, bundle: &[u8]) {
        let header = EpochHeader { core: built.core.clone(), audit: audit::hash(bundle) };
        self.digests.push(header.digest(self.table.id()));
        self.headers.push(header);
        self.built.push(built);
    }

    /// The signed checkpoint of the whole log.
    pub fn checkpoint(&self) -> SignedCheckpoint {
        Checkpoint::of(&self.table, &self.digests).sign(&self.operator)
    }

    /// The newest epoch.
    pub fn newest(&self) -> u32 {
        (self.built.len() as u32).saturating_sub(1)
    }

    /// A query about some epochs; households only, or everybody.
    pub fn query(&self, statistic: Statistic, (from, to): (u32, u32), households: bool) -> Query {
        let mut all = KeyBox::all(self.table.schema());
        if households && let Some(industrial) = all.ranges.last_mut() {
            *industrial = (0, 0);
        }
        Query { column: 0, region: Region { from, to, boxes: vec![all] }, statistic }
    }

    /// Limits a query to the lowest districts.
    pub fn limit(&self, mut query: Query, districts: usize) -> Query {
        let mut sorted = self.districts.clone();
        sorted.sort_unstable();
        let last = sorted.get(districts.min(sorted.len()).saturating_sub(1)).copied();
        if let (Some(range), Some(last)) =
            (query.region.boxes.first_mut().and_then(|one| one.ranges.first_mut()), last)
        {
            *range = (0, last);
        }
        query
    }

    /// Answers a query, as the server does.
    pub fn answer(&mut self, signed: &SignedCheckpoint, query: &Query) -> Result<Answer, Failure> {
        let mut sources = Vec::new();
        for epoch in query.region.from..=query.region.to {
            if let (Some(logged), Some(built)) =
                (self.logged(epoch), self.built.get(epoch as usize))
            {
                sources.push(Source { logged, built });
            }
        }
        let query = query.clone();
        query::answer(&self.table, &signed.checkpoint, query, &sources, vec![], &mut self.rng)
            .map_err(Failure::input)
    }

    /// Looks up a user of an epoch, as the server does, with the row that the user compares.
    pub fn lookup(&self, epoch: u32) -> Option<(Lookup, &Entry)> {
        let built = self.built.get(epoch as usize)?;
        let key = built.columns.first()?.keys.first()?;
        let row = key.rows.get(key.rows.len() / 2)?;
        let entry = built.entries.get(row.entry as usize)?;
        let lookup = Lookup::find(built, self.logged(epoch)?, 0, &row.pseudonym)?;
        Some((lookup, entry))
    }

    fn logged(&self, epoch: u32) -> Option<LoggedEpoch> {
        let leaves: Vec<_> = self.digests.iter().map(::table::Hash::as_bytes).collect();
        let header = self.headers.get(epoch as usize)?.clone();
        Some(LoggedEpoch { header, inclusion: merkle::inclusion(epoch as usize, &leaves) })
    }

    /// Keys of the newest epoch.
    pub fn keys(&self) -> u64 {
        let columns = self.built.last().and_then(|built| built.columns.first());
        columns.map_or(0, |column| column.keys.len() as u64)
    }
}

fn schema() -> Schema {
    let column = |name: &str, kind| TypeColumn { name: name.to_owned(), kind };
    let half = Fraction { part: 1, whole: 2 };
    Schema {
        table: "tap".to_owned(),
        types: vec![column("district", TypeKind::U32), column("is_industrial", TypeKind::Bool)],
        values: vec![ValueColumn {
            name: "power".to_owned(),
            unit: "kWh".to_owned(),
            scale: 0,
            min: 0,
            max: u32::MAX.into(),
            moments: 1,
            ordered: true,
            cuts: Vec::new(),
        }],
        policy: Policy {
            min_count: 1,
            extremes: true,
            quantiles: vec![half, Fraction { part: 5, whole: 100 }],
            ..Policy::default()
        },
        order_proof: OrderProof::Matrix,
        key_period: u32::MAX,
        seal_deadline: 3600,
    }
}
