//! Two parties, and what may happen to the messages between them.

use std::{thread, time::Duration};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wire::Channel;

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Who sent the message that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Prover,
    Verifier,
}

/// What becomes of a message.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The lowest bit of each of these bytes changes; beyond the end, it is that of the last byte.
    Flip(Vec<usize>),
    Shorten,
    Lengthen,
    /// The connection ends before it.
    Cut,
}

/// Changes message number `frame` of one sender.
#[derive(Clone, Debug)]
pub(crate) struct Tamper {
    pub(crate) sender: Sender,
    pub(crate) frame: usize,
    pub(crate) change: Change,
}

impl Change {
    /// The changed message, or none if nothing follows.
    fn apply(&self, mut message: Vec<u8>) -> Option<Vec<u8>> {
        match self {
            Self::Flip(places) => places.iter().for_each(|&i| {
                let last = message.len().saturating_sub(1);
                if let Some(byte) = message.get_mut(i.min(last)) {
                    *byte ^= 1;
                }
            }),
            Self::Shorten => drop(message.pop()),
            Self::Lengthen => message.push(0),
            Self::Cut => return None,
        }
        Some(message)
    }
}

/// Runs both parties over memory, in the presence of somebody who changes messages.
pub(crate) fn run<P: Send, V: Send>(
    tamper: Option<Tamper>,
    prover: impl FnOnce(&mut Channel) -> P + Send,
    verifier: impl FnOnce(&mut Channel) -> V + Send,
) -> (P, V) {
    let (mut at_prover, left) = Channel::pair();
    let (mut at_verifier, right) = Channel::pair();
    thread::scope(|scope| {
        let prover = scope.spawn(move || prover(&mut at_prover));
        let verifier = scope.spawn(move || verifier(&mut at_verifier));
        relay(left, right, tamper);
        (prover.join().unwrap(), verifier.join().unwrap())
    })
}

/// Forwards until one end closes; dropping both channels closes the other.
pub(crate) fn relay(mut left: Channel, mut right: Channel, tamper: Option<Tamper>) {
    let mut counts = [0, 0];
    loop {
        for (sender, count) in [Sender::Prover, Sender::Verifier].into_iter().zip(&mut counts) {
            let (from, to) = match sender {
                Sender::Prover => (&mut left, &mut right),
                Sender::Verifier => (&mut right, &mut left),
            };
            match from.wait(Duration::from_millis(1)) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(_) => return,
            }
            let Ok(mut message) = from.receive() else { return };
            match &tamper {
                Some(tamper) if tamper.sender == sender && tamper.frame == *count => {
                    let Some(changed) = tamper.change.apply(message) else { return };
                    message = changed;
                }
                _ => {}
            }
            *count += 1;
            // An end that is gone is noticed when it is waited for.
            let _ = to.send(&message);
        }
    }
}
