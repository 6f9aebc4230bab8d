//! What a verifier learns from the proof of a false claim.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wire::Channel;

use super::{Challenge, Degrees, Exchange, Session, sealed::Holder, state::Claims, verdict};
use crate::{Field, Fp, ParameterSet, Prover, Verifier, VoleError, field::coefficients, message};

const SET: ParameterSet = ParameterSet::NoLpn;

/// Claims that a number is 30,000.
fn claim<S: Session>(session: &mut S, number: u64) -> Result<(), VoleError> {
    let x = Field::commit(session, 1, || vec![Fp::from(number)])?;
    x[0].shift(session, -Fp::from(30_000)).assert_zero(session)
}

/// What the number is, by a verifier that keeps to the protocol and looks at the proof.
fn learn(channel: &mut Channel) -> Result<u64, VoleError> {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    Verifier::run(channel, SET, b"", &mut rng, |verifier| {
        claim(verifier, 0)?;
        let mut claims = Claims::prepare(verifier)?;
        let seed = verifier.challenge(&mut claims)?;
        let challenge = Challenge { sid: verifier.sid(), phase: 0, seed };
        let chi = coefficients::<Fp>(&challenge.generator::<Fp>("computed"), 0, 1)[0];
        let (delta, Degrees { values, .. }) = (verifier.delta(), claims.degrees);
        let stock = &mut verifier.state_mut().stocks.values;
        let expected = verdict::claims(stock, &challenge, delta, values);
        let proof = message::receive_array::<8>(verifier.channel(), "proof")?;
        let found = Fp::from(u64::from_le_bytes(proof));
        Ok(((expected - found) * (chi * delta).inverse() + Fp::from(30_000)).to_u64())
    })
}

/// The proof of a false claim says by how much it is false; so none is given.
#[test]
fn a_false_claim_would_show_its_value() {
    for goes_on in [true, false] {
        let (mut left, mut right) = Channel::pair();
        let (prover, learnt) = std::thread::scope(|scope| {
            let prover = scope.spawn(move || {
                let mut rng = ChaCha20Rng::seed_from_u64(1);
                Prover::run(&mut left, SET, b"", &mut rng, |prover| {
                    if goes_on {
                        prover.even_if_false();
                    }
                    claim(prover, 41_250)?;
                    prover.check().map(|_| ())
                })
            });
            let learnt = learn(&mut right);
            drop(right);
            (prover.join().unwrap(), learnt)
        });
        match goes_on {
            true => assert_eq!(learnt.unwrap(), 41_250),
            false => {
                assert!(matches!(prover, Err(VoleError::False { .. })), "{prover:?}");
                assert!(matches!(learnt, Err(VoleError::Channel(_))), "{learnt:?}");
            }
        }
    }
}
