use std::{
    cmp::Ordering,
    sync::{
        Mutex, PoisonError,
        atomic::{self, AtomicBool, AtomicUsize},
    },
    thread,
    time::{Duration, Instant},
};

use wire::{Channel, ChannelError, Decode as _, Listener};

use super::message::{MAX_FRAME, Request, Response};
use crate::{BoardError, Entry, MAX_PAYLOAD, Store, StoreError, chain::Chain, entry::OVERHEAD};

/// How often a thread that waits for its peer looks whether the server stops.
const LOOK_UP: Duration = Duration::from_millis(200);

/// What a server spends on its peers. At worst it holds `connections` payloads in memory.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Peers at a time; more are turned away, and their stores try again.
    pub connections: usize,
    /// Bytes of a payload.
    pub payload: usize,
    /// How long a peer may be silent between requests.
    pub idle: Duration,
    /// How long one request may take to arrive, and one answer to leave.
    pub frame: Duration,
    /// How long one long-poll waits.
    pub wait: Duration,
}

/// 64 connections, payloads of [`MAX_PAYLOAD`], two minutes for a frame or in silence, and half a
/// minute for a long-poll.
impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 64,
            payload: MAX_PAYLOAD,
            idle: Duration::from_secs(120),
            frame: Duration::from_secs(120),
            wait: Duration::from_secs(30),
        }
    }
}

/// Keeps `store` for whoever connects, until the listener is stopped. Every entry is verified,
/// and shown to `policy` (who may write what, and when), before it is stored; a policy's refusal
/// is its reason. An entry 0 that passes creates the board in an empty store.
///
/// Each connection has its thread, and one entry at a time is verified and stored: a policy
/// should be quick, and must not panic.
///
/// # Errors
/// [`BoardError`] if the store holds no valid board at the start.
pub fn serve<S, P>(listener: &Listener, store: S, policy: P) -> Result<(), BoardError>
where
    S: Store + Sync,
    P: Fn(&Entry) -> Result<(), String> + Sync,
{
    serve_with(listener, store, policy, &Limits::default())
}

/// [`serve`] with other limits.
///
/// # Errors
/// Those of [`serve`].
pub fn serve_with<S, P>(
    listener: &Listener,
    store: S,
    policy: P,
    limits: &Limits,
) -> Result<(), BoardError>
where
    S: Store + Sync,
    P: Fn(&Entry) -> Result<(), String> + Sync,
{
    let mut chain = Chain::new();
    chain.catch_up(&store, drop)?;
    let server = Server {
        store,
        policy,
        limits,
        chain: Mutex::new(chain),
        peers: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        loop {
            let channel = match listener.accept() {
                Ok(channel) => channel,
                Err(ChannelError::Closed) => break,
                // One peer's failure, or no file descriptors: that may pass.
                Err(_) => {
                    thread::sleep(LOOK_UP);
                    continue;
                }
            };
            let Some(seat) = Seat::take(&server.peers, limits.connections) else { continue };
            let server = &server;
            // If no thread can be had, the peer is turned away with its channel.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                let _seat = seat;
                // The peer's failures are the peer's; it knows them better.
                let _ = server.talk(channel);
            });
        }
        server.stopped.store(true, atomic::Ordering::SeqCst);
    });
    Ok(())
}

struct Server<'a, S, P> {
    store: S,
    policy: P,
    limits: &'a Limits,
    chain: Mutex<Chain>,
    peers: AtomicUsize,
    stopped: AtomicBool,
}

impl<S, P> Server<'_, S, P>
where
    S: Store + Sync,
    P: Fn(&Entry) -> Result<(), String> + Sync,
{
    fn talk(&self, mut channel: Channel) -> Result<(), ChannelError> {
        channel.set_read_timeout(Some(self.limits.frame));
        channel.set_write_timeout(Some(self.limits.frame));
        while self.has_request(&mut channel)? {
            channel.set_limit(self.limits.payload.saturating_add(OVERHEAD + 14).min(MAX_FRAME));
            let frame = channel.receive()?;
            let response = match Request::parse(&frame) {
                Ok(request) => self.answer(&request, &mut channel)?,
                Err(error) => Response::Failed(error.to_string()),
            };
            drop(frame);
            channel.set_limit(MAX_FRAME);
            channel.send_message(&response)?;
        }
        Ok(())
    }

    /// Waits for the peer's next request, as long as it may be silent and the server runs.
    fn has_request(&self, channel: &mut Channel) -> Result<bool, ChannelError> {
        let start = Instant::now();
        while !self.is_stopped() && start.elapsed() < self.limits.idle {
            if channel.wait(LOOK_UP)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn answer(
        &self,
        request: &Request<'_>,
        channel: &mut Channel,
    ) -> Result<Response, ChannelError> {
        let answered = match *request {
            Request::Len => self.store.len().map(Response::Len),
            Request::Read { sequence } => {
                let read = self.store.read(sequence);
                read.map(|bytes| bytes.map_or(Response::Absent, Response::Entry))
            }
            Request::Append { sequence, bytes } => Ok(self.append(sequence, bytes)),
            Request::WaitBeyond { len, timeout } => {
                return self.wait_beyond(len, timeout, channel);
            }
        };
        Ok(answered.unwrap_or_else(|error| Response::Failed(error.to_string())))
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Response {
        let entry = match Entry::from_bytes(bytes) {
            Ok(entry) => entry,
            Err(error) => return Response::Refused(error.to_string()),
        };
        if entry.sequence() != sequence {
            return Response::Refused(format!("it says that it is entry {}", entry.sequence()));
        }
        // A policy that panics leaves the chain as it was.
        let mut chain = self.chain.lock().unwrap_or_else(PoisonError::into_inner);
        // Other processes may write to the store, too.
        if let Err(error) = chain.catch_up(&self.store, drop) {
            return Response::Failed(error.to_string());
        }
        match sequence.cmp(&chain.len()) {
            Ordering::Less => return Response::Conflict,
            Ordering::Greater => return Response::Gap,
            Ordering::Equal => {}
        }
        let checked = chain.check(&entry).map_err(|error| error.to_string());
        if let Err(reason) = checked.and_then(|()| (self.policy)(&entry)) {
            return Response::Refused(reason);
        }
        match self.store.append(sequence, bytes) {
            Ok(()) => {
                chain.advance(&entry);
                Response::Appended
            }
            Err(StoreError::Conflict { .. }) => Response::Conflict,
            Err(error) => Response::Failed(error.to_string()),
        }
    }

    fn wait_beyond(
        &self,
        len: u64,
        timeout: Duration,
        channel: &mut Channel,
    ) -> Result<Response, ChannelError> {
        let (start, timeout) = (Instant::now(), timeout.min(self.limits.wait));
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match self.store.wait_beyond(len, left.min(LOOK_UP)) {
                Ok(more) if more || left.is_zero() || self.is_stopped() => {
                    return Ok(Response::Waited(more));
                }
                // A peer that left must not keep its seat; one that speaks is heard afterwards.
                Ok(_) => channel.wait(Duration::from_millis(1))?,
                Err(error) => return Ok(Response::Failed(error.to_string())),
            };
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(atomic::Ordering::SeqCst)
    }
}

/// One of a server's connections; dropping it makes room for another.
struct Seat<'a>(&'a AtomicUsize);

impl<'a> Seat<'a> {
    fn take(taken: &'a AtomicUsize, seats: usize) -> Option<Self> {
        let seat = Self(taken);
        // Without a seat, this drop gives back what was added.
        (taken.fetch_add(1, atomic::Ordering::SeqCst) < seats).then_some(seat)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, atomic::Ordering::SeqCst);
    }
}
