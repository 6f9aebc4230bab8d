//! Look-ups of many users at once, as a load on a server: what `subrosa-lab bench serve` and the server's
//! own tests measure with. Answers are not verified here, so that only the server is measured.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{ClientError, Options, connection::Connection};

/// A client does little else than wait.
const STACK: usize = 1 << 18;

/// What users ask, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The sealed epoch in which each looks its own row up.
    pub epoch: u32,
    /// How long they ask.
    pub time: Duration,
    /// Between a user's answer and its next request.
    pub pause: Duration,
}

/// How a server bore a load.
#[derive(Debug)]
pub struct Borne {
    /// From request to answer, ascending.
    times: Vec<Duration>,
    /// Requests without an answer.
    pub errors: u64,
    /// The first of their reasons that is known.
    pub reason: Option<String>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

impl Borne {
    /// Requests that were answered.
    pub fn answers(&self) -> usize {
        self.times.len()
    }

    /// The time in which so many of a hundred requests were answered; zero if none was.
    pub fn percentile(&self, percent: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        let at = (self.times.len() * percent / 100).min(last);
        self.times.get(at).copied().unwrap_or_default()
    }
}

impl Load {
    /// Has the users of these tokens ask, each over a connection of its own. They start one after the
    /// other within the first pause.
    ///
    /// # Errors
    /// [`ClientError::Options`], before anything is asked.
    pub fn run(&self, options: &Options, tokens: &[String]) -> Result<Borne, ClientError> {
        let open = |token: &String| Connection::open(&options.clone().with_token(token));
        let connections: Vec<Connection> = tokens.iter().map(open).collect::<Result<_, _>>()?;
        let start = Instant::now();
        let count = connections.len().max(1) as u32;
        let users = thread::scope(|scope| {
            let spawn = |(index, connection)| {
                let delay = self.pause * index / count;
                let work = move || self.user(connection, start, delay);
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
            };
            let threads: Vec<_> = (0..).zip(&connections).map(spawn).collect();
            let join = |thread: std::io::Result<thread::ScopedJoinHandle<'_, User>>| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|_| User::failed("a thread ended")),
                Err(error) => User::failed(error),
            };
            threads.into_iter().map(join).collect::<Vec<User>>()
        });
        let elapsed = start.elapsed();
        let errors = users.iter().map(|user| user.errors).sum();
        let reason = users.iter().find_map(|user| user.reason.clone());
        let mut times: Vec<Duration> = users.into_iter().flat_map(|user| user.times).collect();
        times.sort_unstable();
        Ok(Borne { times, errors, reason, elapsed })
    }

    fn user(&self, connection: &Connection, start: Instant, delay: Duration) -> User {
        let path = format!("/lookup?epoch={}", self.epoch);
        let mut user = User::default();
        thread::sleep(delay);
        while start.elapsed() < self.time {
            let asked = Instant::now();
            match connection.get_bytes(&path) {
                Ok(_) => user.times.push(asked.elapsed()),
                Err(error) => user.fail(error),
            }
            thread::sleep(self.pause);
        }
        user
    }
}

/// What came of one user's requests.
#[derive(Default)]
struct User {
    times: Vec<Duration>,
    errors: u64,
    reason: Option<String>,
}

impl User {
    fn failed(reason: impl std::fmt::Display) -> Self {
        let mut user = Self::default();
        user.fail(reason);
        user
    }

    fn fail(&mut self, reason: impl std::fmt::Display) {
        self.errors += 1;
        self.reason.get_or_insert_with(|| reason.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_was_answered() {
        let borne = |count: u64| Borne {
            times: (0..count).map(Duration::from_millis).collect(),
            errors: 0,
            reason: None,
            elapsed: Duration::ZERO,
        };
        let ms = Duration::from_millis;
        let all = |count| [50, 99, 100].map(|percent| borne(count).percentile(percent));
        assert_eq!(all(200), [ms(100), ms(198), ms(199)]);
        assert_eq!(all(1), [ms(0); 3]);
        assert_eq!(all(0), [Duration::ZERO; 3]);
    }
}
