use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use wire::{Address, Channel, ChannelError, Encode as _, TlsClient};

use super::message::{MAX_FRAME, Request, Response};
use crate::{Store, StoreError};

/// Connections tried for one request before the server counts as gone.
const ATTEMPTS: u32 = 6;
/// The pause after the first failure; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// One long-poll; longer waits are made of several.
const LONG_POLL: Duration = Duration::from_secs(20);

/// A store that a [`crate::serve`] elsewhere keeps.
///
/// One connection carries one request at a time; a clone has a connection of its own. A broken
/// connection is made anew, a few times, with growing pauses.
#[derive(Debug)]
pub struct RemoteStore {
    address: Address,
    tls: Option<TlsClient>,
    timeout: Duration,
    channel: Mutex<Option<Channel>>,
}

impl RemoteStore {
    /// A time for each answer that lets the largest entry through: two minutes.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

    /// Connects to the server at `address`; `tls` holds the certificates to trust at a `tls://`
    /// address. Connecting and each answer may take `timeout`.
    ///
    /// # Errors
    /// [`StoreError::Channel`], and [`StoreError::Server`] if it is no board's server.
    pub fn connect(
        address: Address,
        tls: Option<TlsClient>,
        timeout: Duration,
    ) -> Result<Self, StoreError> {
        let store = Self { address, tls, timeout, channel: Mutex::new(None) };
        store.len()?;
        Ok(store)
    }

    /// Asks, over a new connection where the old one broke. Says also whether the server may
    /// have seen the request before.
    fn ask(&self, request: &Request<'_>, wait: Duration) -> Result<(Response, bool), StoreError> {
        let request = request.to_bytes();
        let mut channel = self.lock();
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match self.exchange(&mut channel, &request, wait) {
                Ok(response) => {
                    let response = Response::parse(&response).map_err(ChannelError::Decode)?;
                    return Ok((response, attempt > 1));
                }
                // Half an answer may still be under way: this connection is of no more use.
                Err(error) => {
                    *channel = None;
                    if attempt == ATTEMPTS || !may_pass(&error) {
                        return Err(error.into());
                    }
                }
            }
            thread::sleep(pause);
            pause *= 2;
        }
        Err(ChannelError::Closed.into())
    }

    fn exchange(
        &self,
        slot: &mut Option<Channel>,
        request: &[u8],
        wait: Duration,
    ) -> Result<Vec<u8>, ChannelError> {
        let channel = match slot {
            Some(channel) => channel,
            None => {
                let mut channel = Channel::connect(&self.address, self.tls.as_ref(), self.timeout)?;
                channel.set_limit(MAX_FRAME);
                slot.insert(channel)
            }
        };
        channel.set_write_timeout(Some(self.timeout));
        channel.set_read_timeout(Some(self.timeout.saturating_add(wait)));
        channel.send(request)?;
        channel.receive()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Channel>> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for RemoteStore {
    fn clone(&self) -> Self {
        Self {
            address: self.address.clone(),
            tls: self.tls.clone(),
            timeout: self.timeout,
            channel: Mutex::new(None),
        }
    }
}

impl Store for RemoteStore {
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match self.ask(&Request::Read { sequence }, Duration::ZERO)?.0 {
            Response::Entry(bytes) => Ok(Some(bytes)),
            Response::Absent => Ok(None),
            other => Err(unexpected(other)),
        }
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() > crate::MAX_ENTRY {
            return Err(StoreError::TooLarge { sequence });
        }
        match self.ask(&Request::Append { sequence, bytes }, Duration::ZERO)? {
            (Response::Appended, _) => Ok(()),
            // The answer to an earlier attempt may have been lost, and the entry be ours.
            (Response::Conflict, true) if self.read(sequence)?.as_deref() == Some(bytes) => Ok(()),
            (Response::Conflict, _) => Err(StoreError::Conflict { sequence }),
            (Response::Gap, _) => Err(StoreError::Gap { sequence }),
            (Response::Refused(reason), _) => Err(StoreError::Refused { sequence, reason }),
            (other, _) => Err(unexpected(other)),
        }
    }

    fn len(&self) -> Result<u64, StoreError> {
        match self.ask(&Request::Len, Duration::ZERO)?.0 {
            Response::Len(len) => Ok(len),
            other => Err(unexpected(other)),
        }
    }

    fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<bool, StoreError> {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed()).min(LONG_POLL);
            match self.ask(&Request::WaitBeyond { len, timeout: left }, left)?.0 {
                Response::Waited(true) => return Ok(true),
                Response::Waited(false) if start.elapsed() >= timeout => return Ok(false),
                // A server that answers at once must not make us spin.
                Response::Waited(false) => thread::sleep(FIRST_PAUSE.min(timeout)),
                other => return Err(unexpected(other)),
            }
        }
    }
}

/// Whether another connection may do better. After a time-out it would only take as long again.
fn may_pass(error: &ChannelError) -> bool {
    matches!(error, ChannelError::Closed | ChannelError::CutShort | ChannelError::Io(_))
}

fn unexpected(response: Response) -> StoreError {
    let reason = match response {
        Response::Failed(reason) => reason,
        _ => "its answer does not fit the question".to_owned(),
    };
    StoreError::Server { reason }
}
