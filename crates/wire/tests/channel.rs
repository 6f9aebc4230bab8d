//! Channels over every transport: framing, counting, limits, time-outs, vanishing peers.

use std::{
    io::Write,
    net::{Shutdown, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use crate::common::{TIME, transports, within};
use proptest::prelude::*;
use wire::{Address, Channel, ChannelError, Digest, Listener};

const SOON: Duration = Duration::from_millis(50);

/// A channel, and the bare socket at its other end.
fn bare() -> (Channel, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (Channel::tcp(listener.accept().unwrap().0).unwrap(), socket)
}

#[test]
fn frames_arrive_whole_and_counted() {
    for (name, mut left, mut right) in transports() {
        let frames: Vec<Vec<u8>> =
            [0, 1, 5, 16_383, 16_384, 16_385, 3_000_000].map(|len| vec![len as u8; len]).into();
        let total: usize = frames.iter().map(|frame| 4 + frame.len()).sum();
        thread::scope(|scope| {
            scope.spawn(|| {
                for frame in &frames {
                    left.send(frame).unwrap();
                    assert_eq!(&left.receive().unwrap(), frame, "{name}");
                }
            });
            for frame in &frames {
                assert_eq!(&right.receive().unwrap(), frame, "{name}");
                right.send(frame).unwrap();
            }
        });
        for channel in [&left, &right] {
            let counted = (channel.bytes_sent(), channel.bytes_received());
            assert_eq!(counted, (total as u64, total as u64), "{name}");
        }
    }
}

#[test]
fn messages_are_checked() {
    for (name, mut left, mut right) in transports() {
        let digest = Digest::of("d", b"x");
        left.send_message(&digest).unwrap();
        assert_eq!(right.receive_message::<Digest>().unwrap(), digest);
        left.send(&[0; 33]).unwrap();
        let error = right.receive_message::<Digest>().unwrap_err();
        assert!(matches!(error, ChannelError::Decode(_)), "{name}: {error:?}");
        // The frames are still in step.
        left.send_message(&digest).unwrap();
        assert_eq!(right.receive_message::<Digest>().unwrap(), digest);
    }
}

#[test]
fn large_frames_are_refused_at_both_ends() {
    for (name, mut left, mut right) in transports() {
        left.set_limit(10);
        let error = left.send(&[0; 11]).unwrap_err();
        assert!(matches!(error, ChannelError::TooLarge { got: 11, limit: 10 }), "{name}");
        left.send(&[0; 10]).unwrap();
        assert_eq!(right.receive().unwrap(), [0; 10]);
        right.set_limit(9);
        left.send(&[0; 10]).unwrap();
        let error = right.receive().unwrap_err();
        assert!(matches!(error, ChannelError::TooLarge { got: 10, limit: 9 }), "{name}");
        assert!(matches!(right.receive(), Err(ChannelError::Closed)), "{name}");
        assert!(matches!(right.send(b""), Err(ChannelError::Closed)), "{name}");
    }
}

#[test]
fn a_silent_peer_times_out_and_may_come_back() {
    for (name, mut left, mut right) in transports() {
        right.set_read_timeout(Some(SOON));
        let error = within(TIME, || right.receive()).unwrap_err();
        assert!(matches!(error, ChannelError::TimedOut), "{name}: {error:?}");
        assert!(!right.wait(SOON).unwrap(), "{name}");
        left.send(b"late").unwrap();
        assert!(right.wait(TIME).unwrap(), "{name}");
        assert_eq!(right.receive().unwrap(), b"late", "{name}");
    }
}

#[test]
fn a_peer_that_leaves_closes_the_channel() {
    for (name, left, mut right) in transports() {
        drop(left);
        let error = right.receive().unwrap_err();
        assert!(matches!(error, ChannelError::Closed), "{name}: {error:?}");
        assert!(matches!(right.wait(SOON), Err(ChannelError::Closed)), "{name}");
    }
}

#[test]
fn what_was_sent_before_leaving_arrives() {
    for (name, mut left, mut right) in transports() {
        left.send(b"last words").unwrap();
        drop(left);
        assert_eq!(right.receive().unwrap(), b"last words", "{name}");
        assert!(matches!(right.receive(), Err(ChannelError::Closed)), "{name}");
    }
}

#[test]
fn vanishing_inside_a_frame() {
    let frame = [&8_u32.to_le_bytes()[..], &[7; 8]].concat();
    for len in 1..frame.len() {
        let (mut channel, mut socket) = bare();
        socket.write_all(&frame[..len]).unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        let error = channel.receive().unwrap_err();
        assert!(matches!(error, ChannelError::CutShort), "{len}: {error:?}");
        assert!(matches!(channel.receive(), Err(ChannelError::Closed)), "{len}");
    }
}

#[test]
fn a_trickle_is_not_progress() {
    let (mut channel, mut socket) = bare();
    channel.set_read_timeout(Some(Duration::from_millis(300)));
    let trickle = thread::spawn(move || {
        socket.write_all(&1000_u32.to_le_bytes()).unwrap();
        while socket.write_all(&[0]).is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let error = within(Duration::from_secs(5), || channel.receive()).unwrap_err();
    assert!(matches!(error, ChannelError::TimedOut), "{error:?}");
    // The rest of the frame must not be taken for the next one.
    assert!(matches!(channel.receive(), Err(ChannelError::Closed)));
    drop(channel);
    trickle.join().unwrap();
}

#[test]
fn a_peer_that_does_not_read_times_out_the_sender() {
    let (mut channel, _socket) = bare();
    channel.set_limit(1 << 30);
    channel.set_write_timeout(Some(Duration::from_millis(200)));
    let error = within(TIME, || channel.send(&vec![0; 100 << 20])).unwrap_err();
    assert!(matches!(error, ChannelError::TimedOut), "{error:?}");
    assert!(matches!(channel.send(b""), Err(ChannelError::Closed)));
}

#[test]
fn no_memory_for_an_announced_frame() {
    let (mut channel, mut socket) = bare();
    channel.set_limit(usize::MAX);
    socket.write_all(&u32::MAX.to_le_bytes()).unwrap();
    socket.write_all(b"not 4 GiB").unwrap();
    drop(socket);
    assert!(matches!(channel.receive(), Err(ChannelError::CutShort)));
    assert_eq!(channel.bytes_received(), 4 + 9);
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let address = Address::Tcp { host: "127.0.0.1".to_owned(), port };
    let error = Channel::connect(&address, None, TIME).unwrap_err();
    assert!(matches!(error, ChannelError::Io(_)), "{error:?}");
}

#[test]
fn a_listener_stops() {
    let mut addresses = vec!["tcp://127.0.0.1:0".to_owned(), "tcp://0.0.0.0:0".to_owned()];
    let directory = tempfile::tempdir().unwrap();
    if cfg!(unix) {
        addresses.push(format!("unix://{}", directory.path().join("socket").display()));
    }
    for address in addresses {
        let listener = Listener::bind(&address.parse().unwrap(), None).unwrap();
        let stopper = listener.stopper().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| listener.accept());
            thread::sleep(SOON);
            stopper.stop();
            assert!(matches!(waiting.join().unwrap(), Err(ChannelError::Closed)), "{address}");
        });
        assert!(matches!(listener.accept(), Err(ChannelError::Closed)), "{address}");
    }
}

#[cfg(unix)]
#[test]
fn unix_socket_files() {
    use std::{fs, os::unix::net::UnixListener};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("socket");
    let address = Address::Unix(path.clone());
    // What a crashed listener left is replaced, ...
    drop(UnixListener::bind(&path).unwrap());
    let listener = Listener::bind(&address, None).unwrap();
    // ... a living listener is not, ...
    assert!(matches!(Listener::bind(&address, None), Err(ChannelError::Io(_))));
    drop(listener);
    assert!(!path.exists());
    // ... and no other file is.
    fs::write(&path, "precious").unwrap();
    assert!(Listener::bind(&address, None).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

proptest! {
    #[test]
    fn any_frames_in_any_pieces(
        frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 0..8),
        piece in 1..50_usize,
    ) {
        let (mut channel, mut socket) = bare();
        let sender = {
            let frames = frames.clone();
            thread::spawn(move || {
                let bytes: Vec<u8> = frames.iter().flat_map(|frame| {
                    [&(frame.len() as u32).to_le_bytes()[..], frame].concat()
                }).collect();
                bytes.chunks(piece).for_each(|piece| socket.write_all(piece).unwrap());
            })
        };
        for frame in &frames {
            prop_assert_eq!(&channel.receive().unwrap(), frame);
        }
        prop_assert!(matches!(channel.receive(), Err(ChannelError::Closed)));
        sender.join().unwrap();
    }

    #[test]
    fn any_bytes_end_in_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (mut channel, mut socket) = bare();
        socket.write_all(&bytes).unwrap();
        drop(socket);
        let mut frames = 0;
        while channel.receive().is_ok() {
            frames += 1;
        }
        prop_assert!(frames <= bytes.len() / 4);
        prop_assert!(channel.bytes_received() <= bytes.len() as u64);
    }
}

/// A peer that sends something before each time-out does not put off the deadline.
#[test]
fn nothing_arrives_after_the_deadline() {
    for (name, mut left, mut right) in crate::common::transports() {
        right.set_deadline(Some(std::time::Instant::now() + Duration::from_millis(300)));
        let talker = thread::spawn(move || {
            while left.send(b"still here").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let error = crate::common::within(crate::common::TIME, || {
            loop {
                if let Err(error) = right.receive() {
                    break error;
                }
            }
        });
        assert!(matches!(error, ChannelError::TimedOut), "{name}: {error:?}");
        drop(right);
        talker.join().unwrap();
    }
}
