//! One replay of a board for all claims of a bundle that rest on it.

use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use board::{Board, MemoryStore};
use claim::{Claim, Objects, Refusal};
use wire::{Digest, Progress};

use super::{
    Election, Scheme,
    bundle::{BOARD, open, replay},
};

/// The board that was verified last, named by its entries' digests, which the bundle checks whenever
/// it reads them. Clones share it; a claim about any other list of entries is verified anew.
#[derive(Clone, Default)]
pub struct Replays(Arc<Mutex<Option<Known>>>);

/// A board whose chain of signatures holds, and the election on it once that was replayed.
struct Known {
    entries: Vec<Digest>,
    board: Arc<Board<MemoryStore>>,
    election: Option<Arc<dyn Any + Send + Sync>>,
}

impl Replays {
    /// The board of a claim, its chain verified.
    pub(crate) fn board(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
    ) -> Result<Arc<Board<MemoryStore>>, Refusal> {
        let entries: Vec<Digest> = claim.objects(BOARD).collect();
        let known = self.lock().as_ref().filter(|known| known.entries == entries).map(Known::board);
        if let Some(board) = known {
            return Ok(board);
        }
        let board = Arc::new(open(objects)?);
        *self.lock() = Some(Known { entries, board: board.clone(), election: None });
        Ok(board)
    }

    /// The election on a board that [`Replays::board`] gave.
    pub(crate) fn election<S: Scheme>(
        &self,
        board: &Arc<Board<MemoryStore>>,
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

    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn board(&self) -> Arc<Board<MemoryStore>> {
        self.board.clone()
    }
}
