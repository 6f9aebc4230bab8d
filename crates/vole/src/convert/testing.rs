//! Both parties of a test that is written once.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wire::Channel;

use crate::{ParameterSet, Prover, Setup, Verifier, VoleError, session::Exchange};

/// What a test makes of a session.
pub(crate) trait Script: Sync {
    fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError>;
}

/// How it ended for the prover, and for the verifier.
pub(crate) type Outcome = (Result<(), VoleError>, Result<(), VoleError>);

/// Without a code.
pub(crate) fn both(script: &impl Script) -> Outcome {
    both_with(ParameterSet::NoLpn, script)
}

/// Each party closes its end of the channel when it is done.
pub(crate) fn both_with(setup: impl Into<Setup>, script: &impl Script) -> Outcome {
    let (mut left, mut right) = Channel::pair();
    let set = setup.into();
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut rng = ChaCha20Rng::seed_from_u64(1);
            Prover::run(&mut left, set, b"", &mut rng, |prover| {
                // A cheating one.
                prover.even_if_false();
                script.run(prover)
            })
        });
        let verifier = scope.spawn(move || {
            let mut rng = ChaCha20Rng::seed_from_u64(2);
            Verifier::run(&mut right, set, b"", &mut rng, |verifier| script.run(verifier))
        });
        (prover.join().unwrap(), verifier.join().unwrap())
    })
}
