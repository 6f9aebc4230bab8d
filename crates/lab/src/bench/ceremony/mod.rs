//! `subrosa-lab bench ceremony`: the steps of a ceremony.

mod circuit;

use std::{
    fs::File,
    io::{self, Seek as _},
};

use ::ceremony::{
    Snapshot, Trust,
    phase1::{self, Settings},
    phase2::{self, Against, Reference},
};
use ::circuit::Curve;
use algebra::{Bls12381, Bn254, Engine};
use cli::{CurveName, failure::Failure, output::Output, progress::Bars};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use serde::Serialize;
use tempfile::tempfile;
use wire::Progress as _;

use self::circuit::write_chain;
use super::{
    recorder::{Recorder, Sample},
    repetitions::repetitions,
    threads::ThreadsArgs,
};

/// Options of `ceremony`.
#[derive(clap::Args)]
pub struct Args {
    /// The binary logarithm of the number of powers.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=24))]
    power: u32,
    /// The curve.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    #[command(flatten)]
    threads: ThreadsArgs,
    /// How often to repeat everything; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = repetitions())]
    repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    curve: &'static str,
    power: u32,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let pool = args.threads.pool()?;
    let curve = args.curve.curve();
    let params = Params {
        curve: curve.snarkjs_name(),
        power: args.power,
        threads: pool.current_num_threads(),
        repeat: args.repeat,
    };
    let bars = Bars::new();
    let recorder = pool.install(|| match curve {
        Curve::Bn254 => measure::<Bn254>(&params, &bars),
        Curve::Bls12381 => measure::<Bls12381>(&params, &bars),
    });
    bars.finish();
    recorder?.report("ceremony", params, output);
    Ok(())
}

/// The rows in the order in which they are measured; counts are numbers of points.
fn measure<E: Engine>(params: &Params, bars: &Bars) -> Result<Recorder, Failure> {
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let mut phase1 = Phase1::new::<E>(params.power, bars)?;
    let mut phase2 = Phase2::new::<E>(params.power)?;
    for _ in 0..params.repeat {
        phase1.run::<E>(&mut rng, bars)?;
        phase2.run::<E>(&mut phase1.prepared, &mut rng, bars)?;
    }
    let mut recorder = Recorder::new();
    phase1.report(params.power, &mut recorder)?;
    phase2.report(&mut recorder)?;
    Ok(recorder)
}

/// A turn of Powers of Tau, and the preparation for circuits.
struct Phase1 {
    start: File,
    contributed: File,
    prepared: File,
    contribute: Vec<Sample>,
    verify: Vec<Sample>,
    prepare: Vec<Sample>,
}

impl Phase1 {
    fn new<E: Engine>(power: u32, bars: &Bars) -> Result<Self, Failure> {
        let mut start = tempfile()?;
        phase1::new::<E>(&mut start, power, bars).map_err(Failure::input)?;
        Ok(Self {
            start,
            contributed: tempfile()?,
            prepared: tempfile()?,
            contribute: vec![],
            verify: vec![],
            prepare: vec![],
        })
    }

    fn run<E: Engine>(&mut self, rng: &mut ChaCha20Rng, bars: &Bars) -> Result<(), Failure> {
        let Self { start, contributed, prepared, .. } = self;
        empty(contributed)?;
        let (done, sample) = Sample::of(|| {
            let old = &mut Snapshot::take(start, bars)?;
            phase1::contribute::<E>(old, contributed, None, Trust::Skip, rng, bars)
        });
        done.map_err(Failure::input)?;
        self.contribute.push(sample);

        let settings = Settings::default();
        let (done, sample) = Sample::of(|| phase1::verify::<E>(contributed, &settings, rng, bars));
        done.map_err(Failure::refused)?;
        self.verify.push(sample);

        empty(prepared)?;
        let (done, sample) = Sample::of(|| phase1::prepare::<E>(contributed, prepared, bars));
        done.map_err(Failure::input)?;
        self.prepare.push(sample);
        Ok(())
    }

    fn report(&self, power: u32, recorder: &mut Recorder) -> Result<(), Failure> {
        let points = 5 << power;
        recorder.row("contribute", points, &self.contribute);
        recorder.row("verify", points, &self.verify);
        recorder.row("prepare", points, &self.prepare);
        size("file_bytes", &self.contributed, recorder)?;
        size("prepared_bytes", &self.prepared, recorder)
    }
}

/// A turn of the ceremony of a circuit's key.
struct Phase2 {
    circuit: File,
    start: File,
    contributed: File,
    second: File,
    /// The points that a contribution multiplies.
    points: u64,
    contribute: Vec<Sample>,
    turn: Vec<Sample>,
    verify: Vec<Sample>,
}

impl Phase2 {
    fn new<E: Engine>(power: u32) -> Result<Self, Failure> {
        let circuit = tempfile()?;
        write_chain::<E>(&circuit, power).map_err(Failure::input)?;
        Ok(Self {
            circuit,
            start: tempfile()?,
            contributed: tempfile()?,
            second: tempfile()?,
            points: 0,
            contribute: vec![],
            turn: vec![],
            verify: vec![],
        })
    }

    fn run<E: Engine>(
        &mut self,
        ptau: &mut File,
        rng: &mut ChaCha20Rng,
        bars: &Bars,
    ) -> Result<(), Failure> {
        let Self { circuit, start, contributed, second, .. } = self;
        empty(start)?;
        let created = phase2::new::<E>(circuit, ptau, start, &Settings::default(), bars)
            .map_err(Failure::input)?;
        let private = created.variables - 1 - created.public;
        self.points = u64::from(private) + u64::from(created.domain_size);

        empty(contributed)?;
        let (done, sample) = Sample::of(|| {
            let old = &mut Snapshot::take(&mut *start, bars)?;
            phase2::contribute::<E>(old, contributed, None, Trust::Skip, rng, bars)
        });
        done.map_err(Failure::input)?;
        self.contribute.push(sample);

        // A turn as it should be, the second: the input is verified against the first key.
        empty(second)?;
        let (mut verifier, settings) = (ChaCha20Rng::from_rng(rng), Settings::default());
        let (done, sample) = Sample::of(|| {
            let old = &mut Snapshot::take(&mut *contributed, bars)?;
            let (reference, settings) = (Reference::First(start), &settings);
            let trust = Trust::verify(Against { reference, settings }, &mut verifier);
            phase2::contribute::<E>(old, second, None, trust, rng, bars)
        });
        done.map_err(Failure::input)?;
        self.turn.push(sample);

        let settings = Settings::default();
        let (done, sample) =
            Sample::of(|| phase2::verify::<E>(circuit, ptau, contributed, &settings, rng, bars));
        done.map_err(Failure::refused)?;
        self.verify.push(sample);
        Ok(())
    }

    fn report(&self, recorder: &mut Recorder) -> Result<(), Failure> {
        recorder.row("phase2-contribute", self.points, &self.contribute);
        recorder.row("phase2-verify-first-contribute", self.points, &self.turn);
        recorder.row("phase2-verify", self.points, &self.verify);
        size("key_bytes", &self.contributed, recorder)
    }
}

/// Makes room for the next repetition.
fn empty(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()
}

fn size(name: &'static str, file: &File, recorder: &mut Recorder) -> Result<(), Failure> {
    // Where sizes are shorter than 64 bits, no such file fits.
    recorder.size(name, usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX));
    Ok(())
}
