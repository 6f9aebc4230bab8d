//! What the benches of all shuffles share.

use cli::{failure::Failure, progress::Bars};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use shuffle::ShuffleError;
use wire::Progress as _;

use crate::bench::recorder::{Recorder, Sample};

/// A bench on its way: sizes, and what was measured.
pub struct Run<'a> {
    /// Ballots.
    pub rows: usize,
    /// Ciphertexts in a ballot.
    pub columns: usize,
    /// What was measured.
    pub recorder: Recorder,
    repeat: u32,
    progress: &'a Bars,
}

impl<'a> Run<'a> {
    /// Nothing is measured yet.
    pub fn new(rows: usize, columns: usize, repeat: u32, progress: &'a Bars) -> Self {
        Self { rows, columns, repeat, recorder: Recorder::new(), progress }
    }

    /// Measures a step that works on all ballots.
    pub fn measure<T>(&mut self, name: &'static str, work: impl FnMut() -> T) -> T {
        self.progress.begin(name, 1);
        self.recorder.measure(name, self.rows as u64, self.repeat, work)
    }

    /// Measures a mixer's work, to the last published byte, whole and in its two parts.
    pub fn prove<P>(
        &mut self,
        mut prepare: impl FnMut(&mut ChaCha20Rng) -> Result<P, ShuffleError>,
        mut mix: impl FnMut(P, &mut ChaCha20Rng) -> Result<Vec<u8>, ShuffleError>,
    ) -> Result<Vec<u8>, Failure> {
        self.progress.begin("prove", self.repeat.into());
        let mut rng = fresh_rng();
        let (mut bytes, mut offline, mut online) = (vec![], vec![], vec![]);
        for _ in 0..self.repeat {
            let (prepared, sample) = Sample::of(|| prepare(&mut rng));
            offline.push(sample);
            let prepared = prepared.map_err(Failure::input)?;
            let (mixed, sample) = Sample::of(|| mix(prepared, &mut rng));
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

    /// Adds the sizes of what a mixer published.
    pub fn sizes(&mut self, outputs: usize, all: usize) {
        self.recorder.size("outputs_bytes", outputs);
        self.recorder.size("proof_bytes", all - outputs);
    }
}

/// A generator seeded by the operating system.
pub fn fresh_rng() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}
