//! One replay of a board for all claims of a bundle that rest on it.

use std::{
    any::Any,
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use board::Entry;
use claim::{Claim, Objects, Refusal};
use wire::{Digest, Progress};

use super::{Election, Message, NotAnElection, Outcome, Phase, Scheme, Setup};
use crate::{
    bundled::{BOARD, BundledBoard, LOG, Versions},
    checks::EL_14,
    description::Shuffle,
};

/// The board that was verified last, named by the digests of its objects, which the bundle checks whenever
/// it reads them. Clones share it; a claim about any other objects is verified anew.
#[derive(Clone, Default)]
pub struct Replays(Arc<Mutex<Option<Known>>>);

/// A board whose signatures hold, and the election on it once that was replayed.
struct Known {
    /// Those of the entries, and that of the log's record.
    objects: Named,
    board: Arc<BundledBoard>,
    election: Option<Arc<dyn Any + Send + Sync>>,
}

type Named = (Vec<Digest>, Vec<Digest>);

impl Replays {
    /// The board of a claim, its signatures verified.
    pub(crate) fn board(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        versions: Versions,
    ) -> Result<Arc<BundledBoard>, Refusal> {
        BundledBoard::require_version(claim, versions)?;
        let named: Named = (claim.objects(BOARD).collect(), claim.objects(LOG).collect());
        let known = self.lock().as_ref().filter(|known| known.objects == named).map(Known::board);
        if let Some(board) = known {
            return Ok(board);
        }
        let board = Arc::new(BundledBoard::open(claim, objects, versions)?);
        *self.lock() = Some(Known { objects: named, board: board.clone(), election: None });
        Ok(board)
    }

    /// The election on a board that [`Replays::board`] gave.
    pub(crate) fn election<S: Scheme>(
        &self,
        board: &Arc<BundledBoard>,
        progress: &dyn Progress,
    ) -> Result<Arc<Election<S>>, Refusal> {
        let of_board = |known: &&mut Known| Arc::ptr_eq(&known.board, board);
        let known = self.lock().as_mut().filter(of_board).and_then(|known| known.election.clone());
        if let Some(Ok(election)) = known.map(Arc::downcast::<Election<S>>) {
            return Ok(election);
        }
        let election = Arc::new(replay::<S>(board, progress)?);
        if let Some(known) = self.lock().as_mut().filter(of_board) {
            known.election = Some(election.clone());
        }
        Ok(election)
    }

    /// The election that was verified last, with the entries of its board; `None` under another shuffle, and if
    /// none was.
    pub fn verified<S: Scheme>(&self) -> Option<(Arc<Election<S>>, Vec<Entry>)> {
        let known = self.lock();
        let known = known.as_ref()?;
        let election = Arc::downcast::<Election<S>>(known.election.clone()?).ok()?;
        Some((election, known.board.entries().to_vec()))
    }

    /// The name of the board that was verified last.
    pub fn board_name(&self) -> Option<Digest> {
        // A board without a first entry has no name.
        Some(self.lock().as_ref()?.board.genesis().ok()?.digest())
    }

    /// How the election on it is mixed.
    pub fn shuffle(&self) -> Option<Shuffle> {
        // A board without a first entry, or with one that begins no election, has no shuffle.
        let setup = Setup::from_genesis(self.lock().as_ref()?.board.genesis().ok()?);
        Some(setup.ok()?.description.shuffle)
    }

    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn board(&self) -> Arc<BundledBoard> {
        self.board.clone()
    }
}

/// Verifies the election entry by entry, stopping at the first fault that the parties did not
/// publish themselves.
fn replay<S: Scheme>(
    board: &BundledBoard,
    progress: &dyn Progress,
) -> Result<Election<S>, Refusal> {
    let entries = board.entries();
    let published = published_faults::<S>(entries);
    let refused =
        |error: NotAnElection| Refusal::new(BOARD, error.to_string()).under(error.check());
    let mut election = Election::new(board.genesis()?).map_err(refused)?;

    progress.begin("entries", entries.len() as u64);
    let mut known = 0;
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            election.apply(entry);
        }
        let fresh = election.faults().iter().skip(known);
        if let Some(fault) = fresh.into_iter().find(|f| !published.contains(&f.sequence)) {
            return Err(fault.clone().into());
        }
        known = election.faults().len();
        progress.advance(1);
    }
    progress.finish();
    let last = entries.last().map(Entry::sequence);
    match election.phase() {
        Phase::Finished if election.end() != last => {
            Err(Refusal::new(BOARD, "there are entries behind the outcome").under(EL_14))
        }
        Phase::Finished => Ok(election),
        Phase::Failed(reason) => Err(Refusal::new("failure", reason).under(EL_14)),
        phase => {
            let reason = "the board ends before the outcome";
            Err(Refusal::new(phase.name(), reason).under(EL_14))
        }
    }
}

/// The entries that the outcome says were refused on the way.
fn published_faults<S: Scheme>(entries: &[Entry]) -> BTreeSet<u64> {
    let last = entries.last().map(|entry| Message::<S>::from_entry(entry.kind(), entry.payload()));
    match last {
        Some(Ok(Message::Outcome(Outcome { faults, .. }))) => faults.into_iter().collect(),
        _ => BTreeSet::new(),
    }
}
