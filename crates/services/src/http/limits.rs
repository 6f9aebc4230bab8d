//! How often a client may ask: a bucket of tokens for each, refilled at a constant rate.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Clients that are remembered at once; one that has not asked for a while need not be.
const MAX_CLIENTS: usize = 1 << 17;

/// The buckets of all clients.
pub struct Buckets(Mutex<Inner>);

struct Inner {
    rate: f64,
    burst: f64,
    clients: HashMap<[u8; 32], Bucket>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Buckets {
    /// So many requests in a second on average, and so many at once.
    pub fn new(rate: u32, burst: u32) -> Self {
        let (rate, burst) = (rate.into(), burst.into());
        Self(Mutex::new(Inner { rate, burst, clients: HashMap::new() }))
    }

    /// Another rate, from now on.
    pub fn change(&self, rate: u32, burst: u32) {
        let mut inner = self.lock();
        (inner.rate, inner.burst) = (rate.into(), burst.into());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing under the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a client's token.
    ///
    /// # Errors
    /// The seconds after which there is one again.
    pub fn take(&self, client: &[u8], now: Instant) -> Result<(), u64> {
        // Of a fixed size, whatever a client is called.
        let key = *blake3::hash(client).as_bytes();
        let inner = &mut *self.lock();
        let (rate, burst) = (inner.rate, inner.burst);
        let refilled = |bucket: &Bucket| {
            let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
            (bucket.tokens + passed * rate).min(burst)
        };
        let clients = &mut inner.clients;
        if clients.len() >= MAX_CLIENTS && !clients.contains_key(&key) {
            // A bucket that is full again is as good as none.
            clients.retain(|_, bucket| refilled(bucket) < burst);
            if clients.len() >= MAX_CLIENTS {
                return Err(1);
            }
        }
        let bucket = clients.entry(key).or_insert(Bucket { tokens: burst, at: now });
        bucket.tokens = refilled(bucket);
        bucket.at = now;
        if bucket.tokens < 1.0 {
            let seconds = (1.0 - bucket.tokens) / rate;
            return Err(seconds.ceil().max(1.0) as u64);
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_client_gets_its_burst_and_then_its_rate() {
        let buckets = Buckets::new(2, 3);
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let taken = |client: &str, millis| buckets.take(client.as_bytes(), at(millis));
        assert!((0..3).all(|_| taken("a", 0).is_ok()));
        assert_eq!(taken("a", 0), Err(1));
        assert_eq!(taken("b", 0), Ok(()), "another client");
        assert_eq!(taken("a", 499), Err(1));
        assert_eq!(taken("a", 500), Ok(()));
        assert_eq!(taken("a", 500), Err(1));
        // A long pause gives the burst and no more.
        assert!((0..3).all(|_| taken("a", 60_000).is_ok()));
        assert_eq!(taken("a", 60_000), Err(1));
    }
}
