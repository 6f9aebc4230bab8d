//! The way from the asynchronous runtime to threads that compute. A limited number of requests runs at once, and a
//! limited number waits. Requests beyond that are told to come back later.
//!
//! Askers take turns. An asker with a thousand questions waits behind its own questions. The only question of another
//! asker waits behind at most one of them. When all places are taken, the asker with most questions loses the place of
//! its last one.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use super::Problem;

/// A bounded queue in front of threads.
pub struct Gate(Arc<Line>);

struct Line {
    inner: Mutex<Inner>,
    /// How many may wait.
    limit: usize,
}

struct Inner {
    /// Places at work that are free; none is, while anybody waits.
    free: usize,
    waiting: usize,
    /// Those who wait, by asker, first come first.
    queues: HashMap<Vec<u8>, VecDeque<oneshot::Sender<Turn>>>,
    /// Whose turn it is next.
    round: VecDeque<Vec<u8>>,
}

/// A place at work; the next one's when it is dropped.
struct Turn(Option<Arc<Line>>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(line) = self.0.take() {
            line.pass();
        }
    }
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing under the lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place that has become free to whoever is next and still waits.
    fn pass(self: Arc<Self>) {
        loop {
            let next = {
                let mut inner = self.lock();
                let next = inner.next();
                inner.free += usize::from(next.is_none());
                next
            };
            let Some(next) = next else { return };
            match next.send(Turn(Some(Arc::clone(&self)))) {
                Ok(()) => return,
                // It gave up; its turn is not to pass by itself.
                Err(mut turn) => drop(turn.0.take()),
            }
        }
    }

    /// A turn at once, or a place among those who wait.
    fn enter(self: &Arc<Self>, asker: &[u8]) -> Result<Entered, Problem> {
        let mut inner = self.lock();
        if inner.free > 0 {
            inner.free -= 1;
            return Ok(Entered::Now(Turn(Some(Arc::clone(self)))));
        }
        if inner.waiting >= self.limit && !inner.make_room(asker) {
            return Err(overloaded());
        }
        let (sender, receiver) = oneshot::channel();
        inner.append(asker, sender);
        Ok(Entered::Later(receiver))
    }
}

enum Entered {
    Now(Turn),
    Later(oneshot::Receiver<Turn>),
}

impl Inner {
    /// The next to have a turn: each asker has one before any has another.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let asker = self.round.pop_front()?;
        let queue = self.queues.get_mut(&asker)?;
        let next = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&asker);
        } else {
            self.round.push_back(asker);
        }
        self.waiting = self.waiting.saturating_sub(usize::from(next.is_some()));
        next
    }

    fn append(&mut self, asker: &[u8], sender: oneshot::Sender<Turn>) {
        let queue = self.queues.entry(asker.to_vec()).or_insert_with(|| {
            self.round.push_back(asker.to_vec());
            VecDeque::new()
        });
        queue.push_back(sender);
        self.waiting += 1;
    }

    /// Takes the last place of whoever has most, if it has more than this asker would; whether there is one.
    fn make_room(&mut self, asker: &[u8]) -> bool {
        self.forget();
        let own = self.queues.get(asker).map_or(0, VecDeque::len);
        let longest = self.queues.iter_mut().max_by_key(|(_, queue)| queue.len());
        if let Some((_, queue)) = longest
            && queue.len() > own + 1
        {
            // Its receiver sees that it will have no turn.
            self.waiting = self.waiting.saturating_sub(usize::from(queue.pop_back().is_some()));
            return true;
        }
        false
    }

    /// Removes those who gave up, so that they take no places.
    fn forget(&mut self) {
        for queue in self.queues.values_mut() {
            queue.retain(|waiting| !waiting.is_closed());
        }
        self.queues.retain(|_, queue| !queue.is_empty());
        self.round.retain(|asker| self.queues.contains_key(asker));
        self.waiting = self.queues.values().map(VecDeque::len).sum();
    }
}

fn overloaded() -> Problem {
    Problem::overloaded("too many requests wait for their turn", 1)
}

impl Gate {
    /// Lets so many run at once, and so many wait.
    pub fn new(running: usize, waiting: usize) -> Self {
        let inner =
            Inner { free: running, waiting: 0, queues: HashMap::new(), round: VecDeque::new() };
        Self(Arc::new(Line { inner: Mutex::new(inner), limit: waiting }))
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        let mut inner = self.0.lock();
        inner.forget();
        inner.waiting
    }

    /// Runs work on a thread, for nobody in particular: as [`Gate::run_for`].
    ///
    /// # Errors
    /// As [`Gate::run_for`].
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_for(&[], work).await
    }

    /// Runs work for somebody on a thread, when it is its turn. Who gives up waiting for the result does not end the
    /// work, which keeps its place until it is done.
    ///
    /// # Errors
    /// 503 if too many wait, of whom the asker has most; 500 if the work panics; and the work's own.
    pub async fn run_for<T: Send + 'static>(
        &self,
        asker: &[u8],
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = match self.0.enter(asker)? {
            Entered::Now(turn) => turn,
            Entered::Later(turn) => turn.await.map_err(|_| overloaded())?,
        };
        let work = move || {
            let _turn = turn;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a fault here is a failed test")]
    use std::{
        sync::mpsc::{Receiver, channel},
        time::Duration,
    };

    use tokio::{task::JoinHandle, time::sleep};

    use super::*;

    const STEP: Duration = Duration::from_millis(5);

    /// One thread behind a gate, busy until the sender is dropped; and who had turns, in order.
    struct Busy {
        gate: Arc<Gate>,
        release: std::sync::mpsc::Sender<()>,
        turns: Arc<Mutex<Vec<String>>>,
    }

    async fn busy(waiting: usize) -> Busy {
        let (release, held): (_, Receiver<()>) = channel();
        let gate = Arc::new(Gate::new(1, waiting));
        let first = Arc::clone(&gate);
        tokio::spawn(async move { first.run(move || Ok(held.recv().is_ok())).await });
        while gate.0.lock().free > 0 {
            sleep(STEP).await;
        }
        Busy { gate, release, turns: Arc::default() }
    }

    impl Busy {
        /// Waits for a turn, and is seen to wait before this returns.
        async fn ask(&self, asker: &'static str) -> JoinHandle<Result<(), Problem>> {
            let (gate, turns) = (Arc::clone(&self.gate), Arc::clone(&self.turns));
            let before = self.gate.waiting();
            let waits = tokio::spawn(async move {
                let work = move || {
                    turns.lock().unwrap().push(asker.to_owned());
                    Ok(())
                };
                gate.run_for(asker.as_bytes(), work).await
            });
            for _ in 0..20 {
                if self.gate.waiting() > before || waits.is_finished() {
                    break;
                }
                sleep(STEP).await;
            }
            waits
        }

        fn turns(&self) -> String {
            self.turns.lock().unwrap().concat()
        }
    }

    #[tokio::test]
    async fn turns_go_round_by_asker() {
        let busy = busy(100).await;
        let mut asked = Vec::new();
        for asker in ["a", "a", "a", "a", "b", "c", "c", "a"] {
            asked.push(busy.ask(asker).await);
        }
        assert_eq!(busy.gate.waiting(), 8);
        busy.release.send(()).unwrap();
        for waits in asked {
            assert!(waits.await.unwrap().is_ok());
        }
        assert_eq!(busy.turns(), "abcacaaa");
        assert_eq!((busy.gate.waiting(), busy.gate.0.lock().free), (0, 1));
    }

    #[tokio::test]
    async fn whoever_takes_all_places_makes_room_for_others() {
        let busy = busy(4).await;
        let mut many = Vec::new();
        for _ in 0..4 {
            many.push(busy.ask("a").await);
        }
        // Its own next finds no place, and another's takes its last.
        assert!(busy.ask("a").await.await.unwrap().is_err());
        let other = busy.ask("b").await;
        assert!(many.pop().unwrap().await.unwrap().is_err());
        let third = busy.ask("c").await;
        assert!(many.pop().unwrap().await.unwrap().is_err());
        let fourth = busy.ask("d").await;
        assert!(many.pop().unwrap().await.unwrap().is_err());
        // Nobody has more than a newcomer would: it is told to come back.
        assert!(busy.ask("e").await.await.unwrap().is_err());
        busy.release.send(()).unwrap();
        for waits in many.into_iter().chain([other, third, fourth]) {
            assert!(waits.await.unwrap().is_ok());
        }
        assert_eq!(busy.turns(), "abcd");
    }

    #[tokio::test]
    async fn who_gives_up_takes_no_turn_and_no_place() {
        let busy = busy(2).await;
        let (first, second) = (busy.ask("a").await, busy.ask("b").await);
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        let third = busy.ask("c").await;
        busy.release.send(()).unwrap();
        assert!(second.await.unwrap().is_ok() && third.await.unwrap().is_ok());
        assert_eq!(busy.turns(), "bc");
        assert_eq!(busy.gate.0.lock().free, 1);
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_place_back() {
        let gate = Gate::new(1, 1);
        let failed: Result<(), Problem> = gate.run(|| panic!("work that fails")).await;
        assert!(failed.is_err());
        assert!(gate.run(|| Ok(())).await.is_ok());
    }
}
