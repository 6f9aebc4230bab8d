//! Byte streams whose operations end by a deadline.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

/// What a channel runs over.
pub(super) trait Stream: Read + Write + Send {
    /// From now on reads and writes fail with [`io::ErrorKind::TimedOut`] after `deadline`.
    fn set_deadline(&mut self, deadline: Option<Instant>);

    /// What only the two ends of this connection know, if it has such a thing.
    fn binding(&mut self) -> io::Result<Option<[u8; 32]>> {
        Ok(None)
    }
}

/// A socket of the operating system.
pub(super) trait Socket: Read + Write + Send {
    fn limit_read(&self, timeout: Option<Duration>) -> io::Result<()>;
    fn limit_write(&self, timeout: Option<Duration>) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn limit_read(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(timeout)
    }

    fn limit_write(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.set_write_timeout(timeout)
    }
}

#[cfg(unix)]
impl Socket for std::os::unix::net::UnixStream {
    fn limit_read(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(timeout)
    }

    fn limit_write(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.set_write_timeout(timeout)
    }
}

/// A socket with a deadline. The operating system's time-outs are per call: a peer that sends a
/// byte now and then would hold a reader for ever. So each call gets what is left.
pub(super) struct Timed<S> {
    socket: S,
    deadline: Option<Instant>,
}

impl<S: Socket> Timed<S> {
    pub(super) fn new(socket: S) -> Self {
        Self { socket, deadline: None }
    }

    fn run<T>(
        &mut self,
        limit: impl Fn(&S, Option<Duration>) -> io::Result<()>,
        mut call: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            limit(&self.socket, left(self.deadline)?)?;
            match call(&mut self.socket) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                outcome => return outcome,
            }
        }
    }
}

/// A deadline beyond what the clock can hold is none.
pub(super) fn deadline_of(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

/// The time until `deadline`: never zero, which sockets take for no limit at all.
pub(super) fn left(deadline: Option<Instant>) -> io::Result<Option<Duration>> {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    match left {
        Some(Duration::ZERO) => Err(io::ErrorKind::TimedOut.into()),
        left => Ok(left),
    }
}

impl<S: Socket> Stream for Timed<S> {
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }
}

impl<S: Socket> Read for Timed<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.run(S::limit_read, |socket| socket.read(buffer))
    }
}

impl<S: Socket> Write for Timed<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.run(S::limit_write, |socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}
