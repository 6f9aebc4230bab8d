//! Cheating with pieces: what the reference string has no point for is moved, left out, or put
//! elsewhere. Each forgery is carried out twice, once under a reference string that has the missing
//! points, where it succeeds: nothing else than these stands in its way.

use algebra::{Bn254, Group, Pairing, Scalar, ScalarOf};

use super::{
    super::{
        laurent::Laurent,
        pieces::{Pieces, R_PIECES, T_PIECES},
        prove::{Prover, blinded},
        srs::Dealer,
        *,
    },
    circuit, rng,
    soundness::is_false,
    system,
};

type E = Bn254;
type S = ScalarOf<E>;
type G1 = <E as Pairing>::G1;

/// A false statement, and the secrets of the reference string.
struct Forger {
    dealer: Dealer<E>,
    srs: Srs<E>,
    system: GateSystem<S>,
    witness: Vec<S>,
}

impl Forger {
    fn new() -> Self {
        let circuit = circuit::<S>(2, &mut rng(1));
        let system = system(&circuit);
        let shape = system.shape();
        let dealer = Dealer::new(&mut rng(2)).unwrap();
        let srs = Srs::deal(&dealer, shape, shape.degree() as u64).unwrap();
        let mut witness = circuit.witness;
        witness[1] += S::one();
        Self { dealer, srs, system, witness }
    }

    /// `[α f(x)]₁`, for anything.
    fn commit_with_secrets(&self, f: &Laurent<S>, shift: i64) -> G1 {
        G1::mul_generator(&self.dealer.alpha_times(f, shift))
    }

    fn r(&self) -> Laurent<S> {
        blinded(&self.system, &self.witness, &mut rng(3)).unwrap()
    }

    /// Whether a proof convinces.
    fn forge(
        &self,
        r: &Laurent<S>,
        commit_r: impl Fn(&Pieces<S, R_PIECES>) -> Result<[G1; R_PIECES], Error>,
        commit_t: impl Fn(&Pieces<S, T_PIECES>) -> Result<[G1; T_PIECES], Error>,
    ) -> Result<(), Error> {
        let Self { srs, system, witness, .. } = self;
        let key = VerifyingKey::new(srs, system)?;
        let inputs = &witness[1..=system.public()];
        let prover = Prover { srs, system, commit_r, commit_t };
        let constants = |y: &_| system.constants(y, inputs);
        let proof = prover.prove(r, constants, key.statement(inputs), &mut rng(4))?;
        verify(&key, system, Statement { inputs, proof: &proof }, &mut rng(5))
    }

    fn bounded(&self, r: &Pieces<S, R_PIECES>) -> Result<[G1; R_PIECES], Error> {
        self.srs.commit_bounded_pieces(r)
    }
}

/// A copy of all pieces, one of them changed.
fn with<const N: usize>(
    pieces: &Pieces<S, N>,
    index: usize,
    change: impl FnOnce(i64, &mut Laurent<S>),
) -> Pieces<S, N> {
    let mut all = Pieces(std::array::from_fn(|index| pieces.0[index].clone()));
    let (shift, piece) = &mut all.0[index];
    change(*shift, piece);
    all
}

#[test]
fn no_piece_hides_a_constant_term() {
    let forger = Forger::new();
    let r = forger.r();
    let refused = forger.forge(&r, |r| forger.bounded(r), |t| forger.srs.commit_pieces(t));
    assert!(matches!(refused, Err(Error::Unsatisfied)));

    // With [α]₁, in its own piece, and in any other: pieces are short for the honest alone.
    let home = |t: &Pieces<S, T_PIECES>| {
        t.0.iter().position(|(shift, piece)| (-1..=piece.high()).contains(&-shift)).unwrap()
    };
    let knowing = |t: &Pieces<S, T_PIECES>| {
        t.try_map(|shift, piece| Ok(forger.commit_with_secrets(piece, shift)))
    };
    forger.forge(&r, |r| forger.bounded(r), knowing).unwrap();

    for target in 0..T_PIECES {
        // Left out of where it is, put into this piece at a power that has a point: at the piece's
        // own X^0, or next to the X^0 of the whole.
        for power in [None, Some(0), Some(-1), Some(1)] {
            let hiding = |t: &Pieces<S, T_PIECES>| {
                let (constant, home) = (t.constant(), home(t));
                let without = with(t, home, |shift, piece| {
                    piece.tail_mut(-shift)[0] -= constant;
                });
                let moved = with(&without, target, |shift, piece| {
                    let power = match power {
                        None => return,
                        Some(0) if target == home => 2,
                        Some(0) => 0,
                        Some(next) if target == home => next - shift,
                        Some(next) => next,
                    };
                    piece.tail_mut(power)[0] += constant;
                });
                assert_eq!(moved.constant(), S::zero());
                forger.srs.commit_pieces(&moved)
            };
            let result = forger.forge(&r, |r| forger.bounded(r), hiding);
            assert!(is_false(result, Claim::Proof { index: 0 }), "{target} {power:?}");
        }
    }
}

/// `r(X, 1)` with a term at `X^{n+1}` is bound by nothing that the circuit says.
#[test]
fn no_piece_exceeds_the_bound() {
    let forger = Forger::new();
    let bound = forger.srs.verifier().base.degree as i64 - forger.system.shape().gates as i64;
    let beyond = forger.system.shape().gates as i64 + 1;
    let mut r = forger.r().extended(beyond);
    r.tail_mut(beyond)[0] = S::random(&mut rng(6));
    let knowing_t = |t: &Pieces<S, T_PIECES>| {
        t.try_map(|shift, piece| Ok(forger.commit_with_secrets(piece, shift)))
    };
    let refused = forger.forge(&r, |r| forger.bounded(r), knowing_t);
    assert!(matches!(refused, Err(Error::Polynomial)));
    let knowing_r = |r: &Pieces<S, R_PIECES>| {
        r.try_map(|shift, piece| Ok(forger.commit_with_secrets(piece, shift + bound)))
    };
    forger.forge(&r, knowing_r, knowing_t).unwrap();

    for target in 0..R_PIECES {
        for power in [None, Some(-1), Some(0), Some(1)] {
            let hiding = |r: &Pieces<S, R_PIECES>| {
                let mut taken = S::zero();
                let within = with(r, R_PIECES - 1, |shift, piece| {
                    let coefficients = piece.coefficients();
                    let kept = (beyond - shift + 1) as usize;
                    taken = coefficients[kept];
                    *piece = Laurent::new(-1, coefficients[..kept].to_vec());
                });
                let moved = with(&within, target, |_, piece| {
                    power.into_iter().for_each(|power| piece.tail_mut(power)[0] += taken);
                });
                forger.bounded(&moved)
            };
            let result = forger.forge(&r, hiding, knowing_t);
            assert!(is_false(result, Claim::Proof { index: 0 }), "{target} {power:?}");
        }
    }
}

/// Whoever swaps the pieces before the challenges are drawn: the shifts do not fit.
#[test]
fn pieces_have_an_order() {
    let setup = super::Setup::<E>::new(circuit(2, &mut rng(1)), 2);
    let super::Setup { srs, system, key, circuit } = &setup;
    let inputs = circuit.inputs();
    let r = blinded(system, &circuit.witness, &mut rng(3)).unwrap();
    let convinces = |swap_r: [usize; R_PIECES], swap_t: [usize; T_PIECES]| {
        let commit_r =
            |r: &Pieces<_, _>| srs.commit_bounded_pieces(r).map(|r| swap_r.map(|k| r[k]));
        let commit_t = |t: &Pieces<_, _>| srs.commit_pieces(t).map(|t| swap_t.map(|k| t[k]));
        let prover = Prover { srs, system, commit_r, commit_t };
        let constants = |y: &_| system.constants(y, inputs);
        let proof = prover.prove(&r, constants, key.statement(inputs), &mut rng(4)).unwrap();
        setup.verify(inputs, &proof)
    };
    convinces([0, 1], [0, 1, 2, 3]).unwrap();
    let orders = [
        ([1, 0], [0, 1, 2, 3]),
        ([0, 1], [1, 0, 2, 3]),
        ([0, 1], [0, 2, 1, 3]),
        ([0, 1], [0, 1, 3, 2]),
        ([0, 1], [3, 1, 2, 0]),
    ];
    for (r, t) in orders {
        assert!(is_false(convinces(r, t), Claim::Proof { index: 0 }), "{r:?} {t:?}");
    }
}
