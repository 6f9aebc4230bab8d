//! Peers that send anything, or nothing; and the transports.

use std::{net::TcpListener, os::unix::net::UnixStream, thread, time::Duration};

use crate::common::{Change, Sender, Tamper, rng, run};
use rand_core::Rng;
use vole::{
    Converter, Decomposition, Fp, Gf64, ParameterSet, Prover, Session, Setup, Verifier, VoleError,
};
use wire::{Channel, ChannelError, TlsClient, TlsServer};

/// A conversion of numbers that are large enough for all kinds of messages.
fn statement<S: Session>(session: &mut S, count: usize) -> Result<(), VoleError> {
    let numbers: Vec<_> = (0..count as u64).map(|i| i * 37 % 1_024).collect();
    let bits = session.commit::<Gf64>(10 * count, || {
        numbers.iter().flat_map(|x| (0..10).map(move |i| x >> i & 1 == 1)).collect()
    })?;
    let values = session.commit::<Fp>(count, || numbers.iter().map(|&x| Fp::from(x)).collect())?;
    session.decompose(Decomposition::conversion(10, values, bits))?;
    session.check().map(|_| ())
}

fn prove(channel: &mut Channel, setup: Setup) -> Result<(), VoleError> {
    Prover::run(channel, setup, b"", &mut rng(1), |session| statement(session, 50))
}

fn verify(channel: &mut Channel, setup: Setup) -> Result<(), VoleError> {
    Verifier::run(channel, setup, b"", &mut rng(2), |session| statement(session, 50))
}

/// Random places of random messages: whatever happens, both end with an answer, and the verifier
/// accepts only if the prover's messages arrived as they were.
#[test]
fn random_changes_never_panic_and_never_hang() {
    let mut random = rng(3);
    for _ in 0..40 {
        let word = random.next_u64();
        let sender = if word & 1 == 0 { Sender::Prover } else { Sender::Verifier };
        let places = (0..3).map(|_| random.next_u64() as usize % 2_000).collect();
        let change = match word >> 1 & 3 {
            0 | 1 => Change::Flip(places),
            2 => Change::Shorten,
            _ => Change::Lengthen,
        };
        let tamper = Tamper { sender, frame: (word >> 8) as usize % 12, change };
        let setup = Setup::default();
        let (prover, verifier) = run(
            Some(tamper.clone()),
            |channel| prove(channel, setup),
            |channel| verify(channel, setup),
        );
        // A level sum that is not read may change; so may the verifier's last word.
        let harmless = matches!(tamper, Tamper { sender: Sender::Prover, frame: 2, .. });
        if sender == Sender::Prover && !harmless {
            assert!(verifier.is_err(), "{tamper:?}");
        }
        assert!(prover.is_err() || verifier.is_ok() || harmless, "{tamper:?}");
    }
}

/// A peer that sends frames of random length and content.
#[test]
fn garbage_is_refused() {
    for seed in 0..20 {
        for first_is_verifier in [false, true] {
            let (mut honest, mut peer) = Channel::pair();
            let mut random = rng(seed);
            for _ in 0..20 {
                let mut frame = vec![0; random.next_u64() as usize % 20_000];
                random.fill_bytes(&mut frame);
                peer.send(&frame).unwrap();
            }
            let error = match first_is_verifier {
                true => verify(&mut honest, Setup::default()),
                false => prove(&mut honest, Setup::default()),
            };
            assert!(matches!(error, Err(VoleError::Length { .. } | VoleError::Mismatch { .. })));
        }
    }
}

#[test]
fn a_silent_peer_times_out() {
    for first_is_verifier in [false, true] {
        let (mut honest, _peer) = Channel::pair();
        honest.set_read_timeout(Some(Duration::from_millis(50)));
        let error = match first_is_verifier {
            true => verify(&mut honest, Setup::default()),
            false => prove(&mut honest, Setup::default()),
        };
        assert!(matches!(error, Err(VoleError::Channel(ChannelError::TimedOut))));
    }
}

#[test]
fn both_must_have_the_same_setup() {
    let other = Converter::GENERATOR;
    let (prover, verifier) = run(
        None,
        |channel| prove(channel, Setup::default()),
        |channel| verify(channel, other.into()),
    );
    assert!(matches!(prover, Err(VoleError::Mismatch { .. })));
    assert!(matches!(verifier, Err(VoleError::Mismatch { .. })));
    let (prover, _) = run(
        None,
        |channel| prove(channel, Setup::default()),
        |channel| verify(channel, ParameterSet::NoLpn.into()),
    );
    assert!(matches!(prover, Err(VoleError::Mismatch { what: "parameter set" })));
}

/// Over sockets of each kind.
#[test]
fn over_sockets() {
    let over = |mut left: Channel, right: Box<dyn FnOnce() -> Channel + Send>| {
        thread::scope(|scope| {
            let verifier = scope.spawn(|| verify(&mut right(), Setup::default()));
            prove(&mut left, Setup::default()).unwrap();
            verifier.join().unwrap().unwrap();
        });
    };
    let (left, right) = UnixStream::pair().unwrap();
    over(Channel::unix(left), Box::new(|| Channel::unix(right)));

    let listener = TcpListener::bind("localhost:0").unwrap();
    let place = listener.local_addr().unwrap();
    let accept = thread::spawn(move || listener.accept().unwrap().0);
    let socket = std::net::TcpStream::connect(place).unwrap();
    let accepted = accept.join().unwrap();
    over(Channel::tcp(socket).unwrap(), Box::new(|| Channel::tcp(accepted).unwrap()));

    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = certified.cert.pem();
    let key = certified.signing_key.serialize_pem();
    let server = TlsServer::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let client = TlsClient::from_pem(certificate.as_bytes()).unwrap();
    let listener = TcpListener::bind("localhost:0").unwrap();
    let place = listener.local_addr().unwrap();
    thread::scope(|scope| {
        let verifier = scope.spawn(|| {
            let socket = listener.accept().unwrap().0;
            verify(&mut Channel::tls_server(socket, &server).unwrap(), Setup::default())
        });
        let socket = std::net::TcpStream::connect(place).unwrap();
        let timeout = Duration::from_secs(10);
        let mut channel = Channel::tls_client(socket, "localhost", &client, timeout).unwrap();
        prove(&mut channel, Setup::default()).unwrap();
        verifier.join().unwrap().unwrap();
    });
}
