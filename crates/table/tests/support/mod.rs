//! Tables to test with.

#![allow(missing_docs, reason = "helpers of tests")]

use board::Identity;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng};
use table::*;

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub fn column(name: &str, min: i64, max: i64, moments: u8, ordered: bool) -> ValueColumn {
    let (name, unit) = (name.to_owned(), String::new());
    ValueColumn { name, unit, scale: 0, min, max, moments, ordered, cuts: Vec::new() }
}

/// Two type columns (4 districts, a flag), an ordered value with three moments, and another
/// without order.
pub fn schema() -> Schema {
    let district = TypeColumn { name: "district".to_owned(), kind: TypeKind::U32 };
    let industrial = TypeColumn { name: "industrial".to_owned(), kind: TypeKind::Bool };
    let mut power = column("power", -100, 900, 3, true);
    power.cuts = vec![-50, 0, 100, 500];
    Schema {
        table: "energy".to_owned(),
        types: vec![district, industrial],
        values: vec![power, column("bill", 0, 5000, 1, false)],
        policy: Policy {
            min_count: 2,
            extremes: true,
            quantiles: vec![Fraction { part: 1, whole: 2 }, Fraction { part: 1, whole: 20 }],
            allow: Some(vec![Kind::Moments, Kind::Order, Kind::Top, Kind::Histogram]),
            ..Policy::default()
        },
        order_proof: OrderProof::Bp,
        key_period: 100,
        seal_deadline: 3600,
    }
}

pub struct Setup {
    pub table: Table,
    pub secrets: TableKeys,
    pub operator: Identity,
    pub witnesses: Vec<Identity>,
    pub auditor: Identity,
}

pub fn setup(schema: Schema) -> Setup {
    let rng = &mut rng(7);
    let [operator, auditor] = [(); 2].map(|()| Identity::generate(rng));
    let witnesses: Vec<_> = (0..3).map(|_| Identity::generate(rng)).collect();
    let genesis = Genesis {
        schema,
        first_epoch: 10,
        operator: PublicKey::of(&operator),
        witnesses: witnesses.iter().map(PublicKey::of).collect(),
        quorum: 3,
        dishonest: 1,
        auditors: vec![PublicKey::of(&auditor)],
        nonce: Genesis::draw_nonce(rng),
        continues: None,
    };
    let secrets = TableKeys::generate(rng);
    Setup { table: Table::new(genesis).unwrap(), secrets, operator, witnesses, auditor }
}

/// Random rows; small ranges, so that values tie.
pub fn entries(schema: &Schema, count: usize, distinct: u64, seed: u64) -> Vec<Entry> {
    let rng = &mut rng(seed);
    let entry = |index: usize| {
        let (district, flag) = (rng.next_u64() % 4, rng.next_u64() % 2);
        let codes: Vec<u64> = [district, flag].into_iter().take(schema.types.len()).collect();
        let value = |column: &ValueColumn| rng_value(index as u64 ^ seed, column, distinct);
        let row = Row {
            user: format!("meter {index}").into_bytes(),
            key: schema.encode_key(&codes).unwrap(),
            values: schema.values.iter().map(value).collect(),
        };
        Entry { row, keys: UserKeys::generate(rng) }
    };
    (0..count).map(entry).collect()
}

/// So many rows of every key, by its codes.
pub fn entries_of<const N: usize>(
    schema: &Schema,
    counts: &[([u64; N], u64)],
    seed: u64,
) -> Vec<Entry> {
    let rng = &mut rng(seed);
    let mut entries = Vec::new();
    for (codes, count) in counts {
        let key = schema.encode_key(codes).unwrap();
        for _ in 0..*count {
            let user = format!("user {}", entries.len()).into();
            let value = |column: &ValueColumn| rng.next_u64() % (column.span() + 1);
            let values = schema.values.iter().map(value).collect();
            let row = Row { user, key: key.clone(), values };
            entries.push(Entry { row, keys: UserKeys::generate(rng) });
        }
    }
    entries
}

/// Whether a linear combination of sums over boxes weighs rows, but fewer than `min_count`. A box says
/// of every key whether it is in it, and `rows` how many rows the key has. For every set of so few rows
/// it looks for a combination that vanishes on all other keys: then they have a lower rank.
pub fn isolates(boxes: &[Vec<bool>], rows: &[u64], min_count: u64) -> bool {
    let all = vec![true; rows.len()];
    let full = rank(boxes, &all);
    few(rows, min_count, 0, &mut all.clone(), &mut |others| rank(boxes, others) < full)
}

/// Whether a test holds for a choice of keys with fewer rows than `left`, whatever the keys before
/// `from` are.
fn few(
    rows: &[u64],
    left: u64,
    from: usize,
    others: &mut Vec<bool>,
    holds: &mut dyn FnMut(&[bool]) -> bool,
) -> bool {
    for at in from..rows.len() {
        if rows[at] < left {
            others[at] = false;
            if holds(others) || few(rows, left - rows[at], at + 1, others, holds) {
                return true;
            }
            others[at] = true;
        }
    }
    false
}

/// The rank of the boxes on some of the keys. Minors of so few zeros and ones are below the prime.
fn rank(boxes: &[Vec<bool>], kept: &[bool]) -> usize {
    const PRIME: u64 = (1 << 31) - 1;
    let inverse = |value: u64| {
        let bits = (0..31).rev().map(|bit| (PRIME - 2) >> bit & 1 == 1);
        bits.fold(1, |power: u64, bit| {
            let square = power * power % PRIME;
            if bit { square * value % PRIME } else { square }
        })
    };
    let row = |one: &Vec<bool>| -> Vec<u64> {
        one.iter()
            .zip(kept)
            .filter(|(_, kept)| **kept)
            .map(|(inside, _)| (*inside).into())
            .collect()
    };
    let mut matrix: Vec<Vec<u64>> = boxes.iter().map(row).collect();
    let mut rank = 0;
    for column in 0..kept.iter().filter(|kept| **kept).count() {
        let Some(pivot) = (rank..matrix.len()).find(|at| matrix[*at][column] != 0) else {
            continue;
        };
        matrix.swap(rank, pivot);
        let pivot = matrix[rank].clone();
        let scale = inverse(pivot[column]);
        for row in &mut matrix[rank + 1..] {
            let factor = PRIME - row[column] * scale % PRIME;
            row.iter_mut().zip(&pivot).for_each(|(one, two)| *one = (*one + factor * two) % PRIME);
        }
        rank += 1;
    }
    rank
}

fn rng_value(seed: u64, column: &ValueColumn, distinct: u64) -> u64 {
    let choices = distinct.min(column.span()) + 1;
    // The extremes occur, too.
    match rng(seed.wrapping_mul(0x9e37_79b9)).next_u64() % choices {
        0 => 0,
        1 => column.span(),
        other => other * (column.span() / choices),
    }
}

pub fn build(setup: &Setup, epoch: u32, entries: Vec<Entry>, previous: Hash) -> BuiltEpoch {
    BuiltEpoch::build(&setup.table, &setup.secrets, epoch, entries, &[], previous).unwrap()
}

use table::{
    log::{Checkpoint, LoggedEpoch, SignedCheckpoint, merkle},
    query::{Answer, Query, Source},
};

pub const TIME: u64 = 1_790_000_000;

/// A table with sealed epochs.
pub struct World {
    pub setup: Setup,
    pub epochs: Vec<BuiltEpoch>,
    pub headers: Vec<EpochHeader>,
    pub digests: Vec<Hash>,
    /// Of an audited world.
    pub bundles: Vec<Vec<u8>>,
}

impl World {
    /// Epochs whose audit bundles nobody has made.
    pub fn new(schema: Schema, rows: &[Vec<Entry>]) -> Self {
        Self::seal(schema, rows, |_, _| Vec::new())
    }

    /// Epochs with their audit bundles.
    pub fn audited(schema: Schema, rows: &[Vec<Entry>]) -> Self {
        Self::seal(schema, rows, |setup, built| {
            table::audit::prove(&setup.table, &setup.secrets, built, &()).unwrap()
        })
    }

    fn seal(
        schema: Schema,
        rows: &[Vec<Entry>],
        audit: impl Fn(&Setup, &BuiltEpoch) -> Vec<u8>,
    ) -> Self {
        let setup = setup(schema);
        let (epochs, headers, digests, bundles) = Default::default();
        let mut world = Self { setup, epochs, headers, digests, bundles };
        for entries in rows {
            let built = world.next(entries.clone());
            let bundle = audit(&world.setup, &built);
            world.log(built.core.clone(), &bundle);
            world.bundles.push(bundle);
            world.epochs.push(built);
        }
        world
    }

    /// The next epoch, not in the log yet.
    pub fn next(&self, entries: Vec<Entry>) -> BuiltEpoch {
        let previous = *self.digests.last().unwrap_or(self.setup.table.id());
        build(&self.setup, 10 + self.digests.len() as u32, entries, previous)
    }

    /// Puts an epoch into the log.
    pub fn log(&mut self, core: EpochCore, bundle: &[u8]) {
        let header = EpochHeader { core, audit: table::audit::hash(bundle) };
        self.digests.push(header.digest(self.setup.table.id()));
        self.headers.push(header);
    }

    pub fn checkpoint(&self, size: usize) -> SignedCheckpoint {
        let checkpoint = Checkpoint::of(&self.setup.table, &self.digests[..size]);
        let mut signed = checkpoint.clone().sign(&self.setup.operator);
        let cosign = |(i, witness): (usize, _)| checkpoint.cosign(witness, TIME + i as u64);
        signed.cosignatures = self.setup.witnesses.iter().enumerate().map(cosign).collect();
        signed
    }

    pub fn newest(&self) -> SignedCheckpoint {
        self.checkpoint(self.digests.len())
    }

    pub fn logged(&self, index: usize, size: usize) -> LoggedEpoch {
        let leaves: Vec<_> = self.digests[..size].iter().map(Hash::as_bytes).collect();
        let inclusion = merkle::inclusion(index, &leaves);
        LoggedEpoch { header: self.headers[index].clone(), inclusion }
    }

    pub fn ask(&self, query: Query) -> Result<Answer, Fault> {
        let size = self.digests.len();
        let (from, to) = (query.region.from as usize, query.region.to as usize);
        let epochs = (from.saturating_sub(10)..(to + 1).saturating_sub(10)).filter(|i| *i < size);
        let source =
            |index| Source { logged: self.logged(index, size), built: &self.epochs[index] };
        let sources: Vec<_> = epochs.map(source).collect();
        let checkpoint = self.newest().checkpoint;
        table::query::answer(&self.setup.table, &checkpoint, query, &sources, vec![], &mut rng(5))
    }

    pub fn check(&self, answer: &Answer) -> Result<table::query::Verified, Fault> {
        table::query::verify(&self.setup.table, &self.newest(), answer, &[])
    }
}
