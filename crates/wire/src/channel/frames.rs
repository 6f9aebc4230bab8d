//! A channel: frames over a stream.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{
    fmt,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use super::{
    error::ChannelError,
    memory::MemoryStream,
    stream::{Stream, Timed, deadline_of},
};
use crate::{Decode, Encode};

/// Bytes of a frame's length.
const HEADER: usize = 4;
/// So many bytes of a frame, at most, are written in one call with its length.
const SHORT: usize = 16 << 10;

/// A blocking duplex for frames, byte-counted, with a cap on frames and time-outs.
///
/// A frame is a 32-bit little-endian length and as many bytes. The length is checked before
/// anything is allocated, and then the buffer grows only as bytes arrive. A time-out is for a
/// whole frame, waiting included: a peer cannot hold the reader by a byte now and then.
///
/// Sockets hold little: if both sides send much before either receives, both time out.
///
/// ```
/// let (mut alice, mut bob) = wire::Channel::pair();
/// alice.send(b"hello").unwrap();
/// assert_eq!(bob.receive().unwrap(), b"hello");
/// assert_eq!((alice.bytes_sent(), bob.bytes_received()), (9, 9));
/// ```
pub struct Channel {
    stream: BufReader<Box<dyn Stream>>,
    limit: u32,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
    deadline: Option<Instant>,
    sent: u64,
    received: u64,
    /// Whether a frame was sent since the last one was received.
    spoke: bool,
    /// See [`Channel::turns`].
    turns: u64,
    broken: bool,
}

impl Channel {
    /// The largest frame, in bytes, unless [`Channel::set_limit`] says otherwise: 16 MiB.
    pub const DEFAULT_LIMIT: usize = 16 << 20;
    /// The time for a frame, either way, unless it is set otherwise.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self {
            stream: BufReader::new(stream),
            limit: Self::DEFAULT_LIMIT as u32,
            read_timeout: Some(Self::DEFAULT_TIMEOUT),
            write_timeout: Some(Self::DEFAULT_TIMEOUT),
            deadline: None,
            sent: 0,
            received: 0,
            spoke: false,
            turns: 0,
            broken: false,
        }
    }

    /// Two connected ends in memory. Sending never blocks.
    pub fn pair() -> (Self, Self) {
        let (left, right) = MemoryStream::pair();
        (Self::new(Box::new(left)), Self::new(Box::new(right)))
    }

    /// Over a connected UNIX socket.
    #[cfg(unix)]
    pub fn unix(socket: UnixStream) -> Self {
        Self::new(Box::new(Timed::new(socket)))
    }

    /// Over a connected TCP socket, in the clear.
    ///
    /// # Errors
    /// [`ChannelError::Io`] if the socket cannot be set up.
    pub fn tcp(socket: TcpStream) -> Result<Self, ChannelError> {
        socket.set_nodelay(true).map_err(ChannelError::Io)?;
        Ok(Self::new(Box::new(Timed::new(socket))))
    }

    /// Sets the largest frame, in bytes, that is sent and received; 4 GiB - 1 at most.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit = u32::try_from(bytes).unwrap_or(u32::MAX);
    }

    /// Sets the time that a frame may take to arrive, from the call of [`Channel::receive`].
    pub fn set_read_timeout(&mut self, timeout: Option<Duration>) {
        self.read_timeout = timeout;
    }

    /// Sets the time that a frame may take to leave.
    pub fn set_write_timeout(&mut self, timeout: Option<Duration>) {
        self.write_timeout = timeout;
    }

    /// Sets the time at which everything ends, whatever the times for frames: nothing is sent or
    /// received after it.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// A value that only the two ends of this connection know: with a relay in between, the ends have different
    /// ones. Over TLS it is the exported keying material of RFC 9266; over other transports there is none. A server that has not shaken hands does so now.
    ///
    /// # Errors
    /// [`ChannelError::Tls`], [`ChannelError::TimedOut`], and those of the socket.
    pub fn binding(&mut self) -> Result<Option<[u8; 32]>, ChannelError> {
        self.begin(self.read_timeout)?;
        let binding = self.stream.get_mut().binding();
        binding.map_err(|error| self.fail(error.into()))
    }

    /// Bytes of frames sent, lengths included and TLS not.
    pub fn bytes_sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of frames received, lengths included and TLS not.
    pub fn bytes_received(&self) -> u64 {
        self.received
    }

    /// How often this end waited for a frame after it had sent one: round trips, on a slow link.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// [`ChannelError::TooLarge`] before anything is sent, and those of the transport.
    pub fn send(&mut self, frame: &[u8]) -> Result<(), ChannelError> {
        let len = match u32::try_from(frame.len()) {
            Ok(len) if len <= self.limit => len,
            _ => return Err(self.too_large(frame.len() as u64)),
        };
        self.begin(self.write_timeout)?;
        let (first, rest) = frame.split_at(frame.len().min(SHORT));
        let mut head = Vec::with_capacity(HEADER + first.len());
        len.encode(&mut head);
        head.extend_from_slice(first);
        let stream = self.stream.get_mut();
        let sent = stream
            .write_all(&head)
            .and_then(|()| stream.write_all(rest))
            .and_then(|()| stream.flush());
        match sent {
            Ok(()) => {
                self.sent += (HEADER + frame.len()) as u64;
                self.spoke = true;
                Ok(())
            }
            Err(error) => Err(self.fail(error.into())),
        }
    }

    /// Receives one frame.
    ///
    /// # Errors
    /// [`ChannelError::TimedOut`], after which another `receive` may do better if no byte of the
    /// frame had come; [`ChannelError::TooLarge`], [`ChannelError::Closed`],
    /// [`ChannelError::CutShort`], and those of the transport.
    pub fn receive(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.begin(self.read_timeout)?;
        self.first_byte()?;
        let mut header = [0; HEADER];
        if let Err(error) = self.stream.read_exact(&mut header) {
            return Err(self.fail(ChannelError::from(error).inside_frame()));
        }
        self.received += HEADER as u64;
        let len = u32::from_le_bytes(header);
        if len > self.limit {
            let error = self.too_large(len.into());
            return Err(self.fail(error));
        }
        let mut frame = Vec::new();
        let outcome = self.stream.by_ref().take(len.into()).read_to_end(&mut frame);
        self.received += frame.len() as u64;
        match outcome {
            Ok(read) if read as u64 == u64::from(len) => {
                self.turns += u64::from(std::mem::take(&mut self.spoke));
                Ok(frame)
            }
            Ok(_) => Err(self.fail(ChannelError::CutShort)),
            Err(error) => Err(self.fail(ChannelError::from(error).inside_frame())),
        }
    }

    /// Waits until a frame begins to arrive, and says whether one does: for servers that give an
    /// idle peer more time than a frame.
    ///
    /// # Errors
    /// Those of [`Channel::receive`] but for the time-out.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, ChannelError> {
        self.begin(Some(timeout))?;
        match self.first_byte() {
            Ok(()) => Ok(true),
            Err(ChannelError::TimedOut) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sends one message as a frame.
    ///
    /// # Errors
    /// Those of [`Channel::send`].
    pub fn send_message(&mut self, message: &impl Encode) -> Result<(), ChannelError> {
        self.send(&message.to_bytes())
    }

    /// Receives one frame that holds one message and nothing else.
    ///
    /// # Errors
    /// Those of [`Channel::receive`], and [`ChannelError::Decode`].
    pub fn receive_message<T: Decode>(&mut self) -> Result<T, ChannelError> {
        Ok(T::from_bytes(&self.receive()?)?)
    }

    /// Refuses a broken channel, and sets the deadline: the earlier of the time-out's and the channel's.
    fn begin(&mut self, timeout: Option<Duration>) -> Result<(), ChannelError> {
        if self.broken {
            return Err(ChannelError::Closed);
        }
        let deadline = deadline_of(timeout).into_iter().chain(self.deadline).min();
        self.stream.get_mut().set_deadline(deadline);
        Ok(())
    }

    /// Waits for a byte of the next frame, and leaves it in the buffer: a time-out loses nothing.
    fn first_byte(&mut self) -> Result<(), ChannelError> {
        let error = match self.stream.fill_buf() {
            Ok([]) => ChannelError::Closed,
            Ok(_) => return Ok(()),
            Err(error) => error.into(),
        };
        match error {
            ChannelError::TimedOut => Err(error),
            _ => Err(self.fail(error)),
        }
    }

    /// Breaks the channel: where the next frame begins is not known.
    fn fail(&mut self, error: ChannelError) -> ChannelError {
        self.broken = true;
        error
    }

    fn too_large(&self, got: u64) -> ChannelError {
        ChannelError::TooLarge { got, limit: self.limit.into() }
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("limit", &self.limit)
            .field("sent", &self.sent)
            .field("received", &self.received)
            .field("broken", &self.broken)
            .finish_non_exhaustive()
    }
}
