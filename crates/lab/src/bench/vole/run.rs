//! The phases of a run, each timed and counted for itself.

use std::{
    thread,
    time::{Duration, Instant},
};

use ::vole::{
    Bits, Decomposition, Fp, Functional, Gf64, Prover, Session, Setup, Sizes, Targets, Verifier,
    VoleError, conversion_demand,
};
use cli::failure::Failure;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng, UnwrapErr};
use wire::Channel;

/// What is proven.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// Bits and values are the same numbers.
    Conversion { num: usize, width: usize },
    /// Products of fixed-point numbers, rounded down.
    FixedPoint { num: usize, integer: usize, fraction: usize },
    /// Products.
    Multiplication { num: usize },
}

/// Numbers that are committed to at once.
const CHUNK: usize = 1 << 16;
/// The names of the phases.
pub const PHASES: [&str; 4] = ["init", "voles", "commit", "check"];

/// A phase of one party.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phase {
    pub time: Duration,
    pub sent: u64,
    pub received: u64,
    /// Times that the party waited for the other.
    pub rounds: u64,
    /// Correlations used, over F_2 and over F_p.
    pub used: [u64; 2],
    /// Whether correlations were made.
    pub extended: [bool; 2],
}

/// The phases of one run.
pub type Sample = [Phase; 4];

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}

/// Both parties, as threads.
pub fn both(
    (left, right): (Channel, Channel),
    setup: Setup,
    task: Task,
) -> Result<(Sample, Sample), Failure> {
    thread::scope(|scope| {
        let prover = scope.spawn(move || prover(left, setup, task));
        let verifier = verifier(right, setup, task);
        let prover = prover.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // The verifier's word comes first.
        let verifier = verifier?;
        Ok((prover?, verifier))
    })
}

/// The prover's phases.
pub fn prover(mut channel: Channel, setup: Setup, task: Task) -> Result<Sample, Failure> {
    let mut rng = generator();
    let start = Counters::read(&channel);
    let run = |prover: &mut Prover<'_, _>| phases(prover, start, task);
    Prover::run(&mut channel, setup, b"bench", &mut rng, run).map_err(Failure::refused)
}

/// The verifier's phases.
pub fn verifier(mut channel: Channel, setup: Setup, task: Task) -> Result<Sample, Failure> {
    let mut rng = generator();
    let start = Counters::read(&channel);
    let run = |verifier: &mut Verifier<'_, _>| phases(verifier, start, task);
    Verifier::run(&mut channel, setup, b"bench", &mut rng, run).map_err(Failure::refused)
}

/// What a connection has counted.
struct Counters {
    time: Instant,
    sent: u64,
    received: u64,
    turns: u64,
}

impl Counters {
    fn read(channel: &Channel) -> Self {
        Self {
            time: Instant::now(),
            sent: channel.bytes_sent(),
            received: channel.bytes_received(),
            turns: channel.turns(),
        }
    }
}

/// A session's correlations, over F_2 and over F_p.
struct Stock {
    made: [u64; 2],
    used: [u64; 2],
}

impl Stock {
    fn read(session: &impl Session) -> Self {
        let (made, unused) = (session.made(), session.unused());
        let used = [made.0 - unused.0 as u64, made.1 - unused.1 as u64];
        Self { made: [made.0, made.1], used }
    }
}

/// By how much two counts grew.
fn more(after: [u64; 2], before: [u64; 2]) -> [u64; 2] {
    let ([bits, values], [bits_before, values_before]) = (after, before);
    [bits - bits_before, values - values_before]
}

fn phases<S: Session>(session: &mut S, start: Counters, task: Task) -> Result<Sample, VoleError> {
    let mut sample = Sample::default();
    let mut claims = None;
    let mut start = start;
    // By their places in `PHASES`. `init` is over: it was when the session began.
    for (number, phase) in sample.iter_mut().enumerate() {
        let before = Stock::read(session);
        match number {
            1 => {
                let (bits, values) = demand(session.setup(), task);
                session.reserve(bits, values)?;
            }
            2 => claims = Some(commit(session, task)?),
            3 => {
                // They were committed to in the phase before.
                for claim in claims.take().unwrap_or_default() {
                    session.decompose(claim)?;
                }
                session.check()?;
            }
            _ => {}
        }
        let (end, after) = (Counters::read(session.channel()), Stock::read(session));
        *phase = Phase {
            time: end.time - start.time,
            sent: end.sent - start.sent,
            received: end.received - start.received,
            rounds: end.turns - start.turns,
            used: more(after.used, before.used),
            extended: more(after.made, before.made).map(|made| made > 0),
        };
        // Both begin the next phase together; this is not counted.
        session.channel().send(&[0])?;
        session.channel().receive()?;
        start = Counters::read(session.channel());
    }
    Ok(sample)
}

/// Correlations that the whole run takes.
fn demand(setup: Setup, task: Task) -> (usize, usize) {
    match task {
        Task::Conversion { num, width } => {
            let (bits, values) = conversion_demand(setup.converter, num, width);
            (bits + num * width, values + num)
        }
        Task::FixedPoint { num, integer, fraction } => {
            let width = integer + 2 * fraction;
            let mut sizes = Sizes::default();
            sizes.add(num, width, false, &[(0..width, false), (fraction..width, true)]);
            let (bits, values) = sizes.demand(setup.converter);
            (bits, values + 3 * num)
        }
        // Two factors and a product each, and one mask for the proof of degree 2.
        Task::Multiplication { num } => (0, 3 * num + 1),
    }
}

/// Commits to a statement, part by part.
fn commit<S: Session>(session: &mut S, task: Task) -> Result<Vec<Decomposition<S>>, VoleError> {
    let (Task::Conversion { num, .. }
    | Task::FixedPoint { num, .. }
    | Task::Multiplication { num }) = task;
    let mut claims = Vec::new();
    let mut rng = generator();
    for start in (0..num).step_by(CHUNK) {
        let count = CHUNK.min(num - start);
        match task {
            Task::Conversion { width, .. } => claims.push(commit_bits(session, count, width)?),
            Task::FixedPoint { integer, fraction, .. } => {
                claims.push(commit_products(session, count, integer, fraction, &mut rng)?);
            }
            Task::Multiplication { .. } => commit_field(session, count, &mut rng)?,
        }
    }
    Ok(claims)
}

fn commit_bits<S: Session>(
    session: &mut S,
    count: usize,
    width: usize,
) -> Result<Decomposition<S>, VoleError> {
    let bits = session.random::<Gf64>(count * width)?;
    let values = session.commit::<Fp>(count, || {
        let number = |bits: &[S::Linear<Gf64>]| {
            let bits = bits.iter().rev().map(|bit| u64::from(S::peek::<Gf64>(bit)));
            Fp::from(bits.fold(0, |number, bit| number << 1 | bit))
        };
        bits.chunks_exact(width).map(number).collect()
    })?;
    Ok(Decomposition::conversion(width, values, bits))
}

fn commit_products<S: Session>(
    session: &mut S,
    count: usize,
    integer: usize,
    fraction: usize,
    rng: &mut impl Rng,
) -> Result<Decomposition<S>, VoleError> {
    // Two factors below 2^(integer/2 + fraction) have a product below 2^width.
    let limit = 1u64 << (integer / 2 + fraction);
    let mut factors = || -> Vec<_> { (0..count).map(|_| rng.next_u64() % limit).collect() };
    let (x, y) = (factors(), factors());
    let products: Vec<_> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
    let field = |numbers: &[u64]| numbers.iter().map(|&x| Fp::from(x)).collect();
    let x = session.commit::<Fp>(count, || field(&x))?;
    let y = session.commit::<Fp>(count, || field(&y))?;
    let high = session
        .commit::<Fp>(count, || products.iter().map(|z| Fp::from(z >> fraction)).collect())?;
    let terms = x.iter().zip(&y).map(|(x, y)| [x, y].map(|factor| session.term::<Fp>(factor)));
    let whole = terms.map(|[x, y]| session.mul::<Fp>(&x, &y)).collect();
    let width = integer + 2 * fraction;
    Ok(Decomposition {
        count,
        width,
        bits: Bits::Numbers(S::numbers(&products)),
        functionals: vec![
            Functional::whole(width, Targets::Computed(whole)),
            Functional::truncated(width, fraction, Targets::Linear(high)),
        ],
    })
}

fn commit_field<S: Session>(
    session: &mut S,
    count: usize,
    rng: &mut impl Rng,
) -> Result<(), VoleError> {
    let mut factors = || -> Vec<_> { (0..count).map(|_| Fp::from(rng.next_u64())).collect() };
    let (x, y) = (factors(), factors());
    let products: Vec<_> = x.iter().zip(&y).map(|(x, y)| *x * *y).collect();
    let x = session.commit::<Fp>(count, || x)?;
    let y = session.commit::<Fp>(count, || y)?;
    let z = session.commit::<Fp>(count, || products)?;
    for ((x, y), z) in x.into_iter().zip(y).zip(z) {
        session.assert_product::<Fp>([x, y], z)?;
    }
    Ok(())
}
