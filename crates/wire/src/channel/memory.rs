//! Two ends of a stream inside one process.

use std::{
    io::{self, Read, Write},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    time::Instant,
};

use super::stream::{Stream, left};

pub(super) struct MemoryStream {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    current: io::Cursor<Vec<u8>>,
    deadline: Option<Instant>,
}

impl MemoryStream {
    pub(super) fn pair() -> (Self, Self) {
        let (to_right, from_left) = mpsc::channel();
        let (to_left, from_right) = mpsc::channel();
        (Self::new(to_right, from_right), Self::new(to_left, from_left))
    }

    fn new(sender: Sender<Vec<u8>>, receiver: Receiver<Vec<u8>>) -> Self {
        Self { sender, receiver, current: io::Cursor::default(), deadline: None }
    }

    /// The next bytes that the peer wrote, or none if it is gone.
    fn next(&self) -> io::Result<Vec<u8>> {
        let received = match left(self.deadline)? {
            Some(time) => self.receiver.recv_timeout(time),
            None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(bytes) => Ok(bytes),
            Err(RecvTimeoutError::Disconnected) => Ok(Vec::new()),
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Stream for MemoryStream {
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }
}

impl Read for MemoryStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.current.read(buffer)? {
            0 if !buffer.is_empty() => {
                self.current = io::Cursor::new(self.next()?);
                self.current.read(buffer)
            }
            read => Ok(read),
        }
    }
}

impl Write for MemoryStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An empty vector would read as the end of the stream.
        if !bytes.is_empty() {
            self.sender.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
