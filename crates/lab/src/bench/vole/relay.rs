//! A link with a rate and a delay, between two sockets of this process.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

/// What a link is like, in each direction.
#[derive(Clone, Copy)]
pub struct Link {
    pub bits_per_second: f64,
    pub delay: Duration,
}

/// Pieces that are on their way at most; a piece is at most [`PIECE`] bytes.
const PIECES: usize = 256;
const PIECE: usize = 16 << 10;

/// A socket of either kind.
pub trait Socket: Read + Write + Send + Sized + 'static {
    /// Another handle to it.
    fn handle(&self) -> io::Result<Self>;

    /// No more will be written.
    fn end(&self);
}

impl Socket for UnixStream {
    fn handle(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self) {
        // Whoever is gone needs no word.
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Socket for TcpStream {
    fn handle(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self) {
        // As above.
        let _ = self.shutdown(Shutdown::Write);
    }
}

/// Carries bytes both ways, until either end closes, on threads of its own.
pub fn start(left: impl Socket, right: impl Socket, link: Link) -> io::Result<()> {
    one_way(left.handle()?, right.handle()?, link);
    one_way(right, left, link);
    Ok(())
}

fn one_way(from: impl Socket, to: impl Socket, link: Link) {
    let (sender, receiver) = sync_channel(PIECES);
    thread::spawn(move || enter(from, &sender, link));
    thread::spawn(move || leave(to, &receiver));
}

/// When a piece arrives, and what it is.
type Piece = (Instant, Vec<u8>);

/// Pieces enter the link one after the other, each for as long as the rate says.
fn enter(mut from: impl Socket, link: &SyncSender<Piece>, Link { bits_per_second, delay }: Link) {
    let mut free = Instant::now();
    let mut buffer = vec![0; PIECE];
    while let Ok(len @ 1..) = from.read(&mut buffer) {
        // `read` gives no more than the buffer holds.
        let piece = buffer.get(..len).unwrap_or_default().to_vec();
        let seconds = 8.0 * len as f64 / bits_per_second;
        free = free.max(Instant::now()) + Duration::from_secs_f64(seconds);
        if link.send((free + delay, piece)).is_err() {
            return;
        }
    }
}

fn leave(mut to: impl Socket, link: &Receiver<Piece>) {
    for (arrival, piece) in link {
        thread::sleep(arrival.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            break;
        }
    }
    to.end();
}
