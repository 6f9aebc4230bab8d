//! `subrosa bench shuffle`: the rows of the metrics report on mix-nets, for our shuffles.

use algebra::{Embed, Group, Ristretto255 as G, Scalar};
use clap::ValueEnum;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use rayon::{ThreadPoolBuilder, prelude::*};
use serde::Serialize;
use shuffle::{
    Column, MAX_COLUMNS, MAX_ROWS, Mix, MixClaim, MixContext, PreparedMix, PublicKey, SecretKey,
    encode_columns,
    tw::{Generators, Permutation},
    verify_mixes,
};
use wire::{Decode as _, Encode as _, Progress};

use super::recorder::{Recorder, Sample};
use crate::{failure::Failure, output::Output, progress::Bars};

const CONTEXT: MixContext<'static> =
    MixContext { study: b"bench", mix: b"1", mixer: 1, position: 1 };

/// A proof of shuffle.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Scheme {
    /// Terelius-Wikström over ristretto255.
    Tw,
}

/// Options of `shuffle`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof of shuffle.
    #[arg(long, value_enum, default_value = "tw")]
    scheme: Scheme,
    /// How many ballots to mix.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_ROWS as i64))]
    voters: u32,
    /// Threads to work on [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Ciphertexts in a ballot, of 16 bytes each.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=MAX_COLUMNS as i64)
    )]
    columns: u16,
    /// How often to repeat everything; the median is reported.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    scheme: Scheme,
    group: &'static str,
    voters: u32,
    columns: u16,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
    let params = Params {
        scheme: args.scheme,
        group: G::NAME,
        voters: args.voters,
        columns: args.columns,
        threads: pool.current_num_threads(),
        repeat: args.repeat,
    };
    let bars = Bars::new();
    let recorder = pool.install(|| Bench::new(&params, &bars).run());
    bars.finish();
    recorder?.report("shuffle", params, output);
    Ok(())
}

/// The rows in the order in which they are measured.
struct Bench<'a> {
    rows: usize,
    columns: usize,
    repeat: u32,
    recorder: Recorder,
    progress: &'a Bars,
}

/// What `init` makes.
struct SetUp {
    generators: Generators<G>,
    secret: SecretKey<G>,
    key: PublicKey<G>,
}

impl<'a> Bench<'a> {
    fn new(params: &Params, progress: &'a Bars) -> Self {
        Self {
            rows: params.voters as usize,
            columns: params.columns.into(),
            repeat: params.repeat,
            recorder: Recorder::new(),
            progress,
        }
    }

    fn run(mut self) -> Result<Recorder, Failure> {
        let rows = self.rows;
        let set_up = self.measure("init", || {
            let secret = SecretKey::generate(&mut UnwrapErr(SysRng));
            let key = secret.public_key();
            SetUp { generators: Generators::derive(rows), secret, key }
        });
        let inputs = self.encrypt(&set_up.key);
        self.permute();
        let bytes = self.prove(&set_up, &inputs)?;
        let mix = self.verify(&set_up, &inputs, &bytes)?;
        self.decrypt(&set_up.secret, &mix.outputs);

        let mut outputs = Vec::new();
        encode_columns(&mix.outputs, &mut outputs);
        self.recorder.size("outputs_bytes", outputs.len());
        self.recorder.size("proof_bytes", bytes.len() - outputs.len());
        Ok(self.recorder)
    }

    fn measure<T>(&mut self, name: &'static str, work: impl FnMut() -> T) -> T {
        self.progress.begin(name, 1);
        self.recorder.measure(name, self.rows as u64, self.repeat, work)
    }

    /// A voter's work, for all voters: constant time, without tables.
    fn encrypt(&mut self, key: &PublicKey<G>) -> Vec<Column<G>> {
        let (rows, columns) = (self.rows, self.columns);
        let column = || {
            let encrypted = (0..rows).into_par_iter().filter_map(|row| {
                let randomness = Scalar::random(&mut UnwrapErr(SysRng));
                let point = G::embed(&(row as u64).to_le_bytes()).ok()?;
                Some(key.encrypt(&point, &randomness))
            });
            Column::new(&encrypted.collect::<Vec<_>>())
        };
        self.measure("encrypt", || (0..columns).map(|_| column()).collect())
    }

    /// What a mixer draws: the permutation and the re-encryption randomness.
    fn permute(&mut self) {
        let (rows, columns) = (self.rows, self.columns);
        self.measure("permute", || {
            let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
            let randomness = <G as Group>::Scalar::random_many(rows * columns, &mut rng);
            (Permutation::random(rows, &mut rng), randomness)
        });
    }

    /// A mixer's work, to the last published byte, whole and in its two parts.
    fn prove(&mut self, set_up: &SetUp, inputs: &[Column<G>]) -> Result<Vec<u8>, Failure> {
        self.progress.begin("prove", self.repeat.into());
        let SetUp { generators, key, .. } = set_up;
        let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
        let (mut bytes, mut offline, mut online) = (vec![], vec![], vec![]);
        for _ in 0..self.repeat {
            let (prepared, sample) =
                Sample::of(|| PreparedMix::prepare(self.rows, generators, &CONTEXT, &mut rng));
            offline.push(sample);
            let prepared = prepared.map_err(Failure::input)?;
            let (mixed, sample) = Sample::of(|| {
                prepared.mix(key, inputs, &CONTEXT, &mut rng).map(|mix| mix.to_bytes())
            });
            online.push(sample);
            bytes = mixed.map_err(Failure::input)?;
            self.progress.advance(1);
        }
        let both: Vec<_> = offline.iter().zip(&online).map(|(&a, &b)| a + b).collect();
        let count = self.rows as u64;
        self.recorder.row("prove", count, &both);
        self.recorder.row("prove-offline", count, &offline);
        self.recorder.row("prove-online", count, &online);
        Ok(bytes)
    }

    /// A verifier's work, from the published bytes on.
    fn verify(
        &mut self,
        set_up: &SetUp,
        inputs: &[Column<G>],
        bytes: &[u8],
    ) -> Result<Mix<G>, Failure> {
        let SetUp { generators, key, .. } = set_up;
        self.measure("verify", || {
            let mix = Mix::from_bytes(bytes).map_err(Failure::refused)?;
            let claim = MixClaim { context: CONTEXT, mix: &mix };
            verify_mixes(key, inputs, &[claim], generators).map_err(Failure::refused)?;
            Ok(mix)
        })
    }

    /// The messages, with the one key of one decryptor.
    fn decrypt(&mut self, secret: &SecretKey<G>, outputs: &[Column<G>]) {
        self.measure("decrypt", || {
            let decrypt = |column: &Column<G>| -> Vec<_> {
                let ciphertexts = column.ciphertexts();
                ciphertexts.par_iter().map(|c| secret.decrypt(c).extract()).collect()
            };
            outputs.iter().map(decrypt).collect::<Vec<_>>()
        });
    }
}
