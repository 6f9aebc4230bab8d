//! The way from the asynchronous runtime to threads that compute: so many at once, so many waiting,
//! and whoever comes after that is told to come back.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Semaphore;

use super::Problem;

/// A bounded queue in front of threads.
pub struct Gate {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    limit: usize,
}

/// Counts one that waits; dropped when it gets its turn, or gives up.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    /// Lets so many run at once, and so many wait.
    pub fn new(running: usize, waiting: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(running)),
            waiting: AtomicUsize::new(0),
            limit: waiting,
        }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs work on a thread. Who gives up waiting for the result does not end the work, which keeps
    /// its place until it is done.
    ///
    /// # Errors
    /// 503 if too many wait; 500 if the work panics; and the work's own.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = {
            if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.limit {
                drop(Waiting(&self.waiting));
                return Err(Problem::overloaded("too many requests wait for their turn", 1));
            }
            let _waiting = Waiting(&self.waiting);
            let permit = Arc::clone(&self.running).acquire_owned().await;
            permit.map_err(Problem::internal)?
        };
        let work = move || {
            let _permit = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
    }
}
