//! Who proves to whom: the other party's key, and the connection's very ends.

use std::{thread, time::Duration};

use crate::common::{rng, run};
use board::Identity;
use vole::{Field, Fp, Meeting, ParameterSet, Prover, Session, Verifier, VoleError};
use wire::{Channel, Digest, Listener, TlsClient, TlsServer};

const SET: ParameterSet = ParameterSet::NoLpn;

/// The session's name, after a statement that is true.
fn statement<S: Session>(session: &mut S) -> Result<Digest, VoleError> {
    Field::commit(session, 1, || vec![Fp::from(0)])?[0].assert_zero(session)?;
    session.check()?;
    Ok(session.name())
}

fn prove(channel: &mut Channel, meeting: Meeting<'_>) -> Result<Digest, VoleError> {
    Prover::run(channel, SET, meeting, &mut rng(1), |prover| statement(prover))
}

fn verify(channel: &mut Channel, meeting: Meeting<'_>) -> Result<Digest, VoleError> {
    Verifier::run(channel, SET, meeting, &mut rng(2), |verifier| statement(verifier))
}

fn identity(seed: u64) -> Identity {
    Identity::generate(&mut rng(seed))
}

fn about() -> Meeting<'static> {
    Meeting::about(b"statement")
}

/// A TLS connection with a certificate of its own.
fn leg() -> (Channel, Channel) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (chain, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let server = TlsServer::from_pem(chain.as_bytes(), key.as_bytes()).unwrap();
    let client = TlsClient::from_pem(chain.as_bytes()).unwrap();
    let listener = Listener::bind(&"tls://localhost:0".parse().unwrap(), Some(&server)).unwrap();
    thread::scope(|scope| {
        let accepted = scope.spawn(|| {
            let mut channel = listener.accept().unwrap();
            channel.binding().unwrap();
            channel
        });
        let timeout = Duration::from_secs(10);
        let connected = Channel::connect(listener.address(), Some(&client), timeout).unwrap();
        (connected, accepted.join().unwrap())
    })
}

/// Somebody whom each party takes for the other forwards every frame: neither party goes on, with
/// keys or without.
#[test]
fn a_relay_between_two_connections_is_refused() {
    let keys = [identity(3), identity(4)];
    for is_signed in [false, true] {
        let ((mut at_prover, near), (mut at_verifier, far)) = (leg(), leg());
        let meetings = match is_signed {
            false => [about(); 2],
            true => {
                let [prover, verifier] = &keys;
                let of = |own, peer: &Identity| about().signed_by(own).with(peer.id());
                [of(prover, verifier), of(verifier, prover)]
            }
        };
        let (prover, verifier) = thread::scope(|scope| {
            let [of_prover, of_verifier] = meetings;
            let prover = scope.spawn(move || prove(&mut at_prover, of_prover));
            let verifier = scope.spawn(move || verify(&mut at_verifier, of_verifier));
            crate::common::relay(near, far, None);
            (prover.join().unwrap(), verifier.join().unwrap())
        });
        assert!(matches!(prover, Err(VoleError::Relayed)), "{prover:?}");
        assert!(verifier.is_err(), "{verifier:?}");
    }
    // The same over one connection.
    let (mut left, mut right) = leg();
    thread::scope(|scope| {
        let verifier = scope.spawn(move || verify(&mut right, about()));
        assert_eq!(prove(&mut left, about()).unwrap(), verifier.join().unwrap().unwrap());
    });
}

/// Each party hears the other's key, and takes part with nobody but whom it expects.
#[test]
fn each_party_knows_the_other() {
    let [prover, verifier, stranger] = [3, 4, 5].map(identity);
    let meet = |of_prover: Meeting<'_>, of_verifier: Meeting<'_>| {
        run(None, |channel| prove(channel, of_prover), |channel| verify(channel, of_verifier))
    };
    let of_prover = about().signed_by(&prover).with(verifier.id());
    let of_verifier = about().signed_by(&verifier).with(prover.id());
    let (at_prover, at_verifier) = meet(of_prover, of_verifier);
    assert_eq!(at_prover.unwrap(), at_verifier.unwrap());
    // One of the two need not say who it is.
    let (_, at_verifier) = meet(about().signed_by(&prover), about().with(prover.id()));
    at_verifier.unwrap();

    for other in [about(), about().signed_by(&stranger)] {
        let (at_prover, _) = meet(of_prover, other);
        assert!(matches!(at_prover, Err(VoleError::Stranger { .. })), "{at_prover:?}");
        let (_, at_verifier) = meet(other, of_verifier);
        assert!(matches!(at_verifier, Err(VoleError::Stranger { .. })), "{at_verifier:?}");
    }
}

/// Somebody who proves to one verifier in the name of another: the prover meant him, and the other
/// verifier does not take its messages.
#[test]
fn a_proof_for_one_verifier_is_none_for_another() {
    let [prover, between, verifier] = [3, 4, 5].map(identity);
    let (at_prover, at_verifier) = run(
        None,
        |channel| prove(channel, about().signed_by(&prover).with(between.id())),
        |channel| verify(channel, about().signed_by(&verifier).with(prover.id())),
    );
    assert!(matches!(at_prover, Err(VoleError::Stranger { .. })), "{at_prover:?}");
    assert!(at_verifier.is_err());
}

/// Any bit of what a party shows of itself.
#[test]
fn changed_keys_and_signatures_are_refused() {
    use crate::common::{Change, Sender, Tamper};
    let [prover, verifier] = [3, 4].map(identity);
    let tampered = |sender, frame, place| {
        let change = Change::Flip(vec![place]);
        run(
            Some(Tamper { sender, frame, change }),
            |channel| prove(channel, about().signed_by(&prover)),
            |channel| verify(channel, about().signed_by(&verifier)),
        )
    };
    for sender in [Sender::Prover, Sender::Verifier] {
        // In the greeting: whether there is a key, and the key. Then: the name of the session, and
        // both halves of the signature.
        for (frame, place) in [(0, 129), (0, 130), (0, 161), (1, 0), (1, 31), (1, 32), (1, 95)] {
            let (at_prover, at_verifier) = tampered(sender, frame, place);
            assert!(at_prover.is_err() && at_verifier.is_err(), "{sender:?} {frame} {place}");
        }
    }
}

/// Two sessions about the same, between the same parties.
#[test]
fn sessions_have_names_of_their_own() {
    let meet = |seed: u64| {
        let (_, name) = run(
            None,
            |channel| {
                Prover::run(channel, SET, about(), &mut rng(seed), |prover| statement(prover))
            },
            |channel| verify(channel, about()),
        );
        name.unwrap()
    };
    // A fresh nonce of one party is enough.
    assert_ne!(meet(6), meet(7));
}
