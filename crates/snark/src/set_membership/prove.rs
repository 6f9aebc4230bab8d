//! Proving.
//!
//! The arguments of a proof, all under one challenge c:
//!
//! | argument | what the verifier checks, modulo N up to the sign, or in G1 |
//! |---|---|
//! | integer commitment | `T_1 · C_e^c = G^(s_e) H^(s_r)` |
//! | root | `T_2 · C_r^c = G^(s_2) H^(s_3)`, `T_3 · Acc^c · H^(s_β) = C_W^(s_e)`, `T_4 · G^(s_β) H^(s_δ) = C_r^(s_e)` |
//! | coprime, in place of the second of these | `T_3 · G_0^c · H^(s_β) = C_W^(s_e) · Acc^(s_b)` |
//! | modEq and link | `T_D + c·D = Σ z_k·IC_k + …`, `T_c + c·commitment = s_u·g + s_t·h` |
//!
//! with `s_e = Σ z_k·2^(84k)` everywhere. The first and the third equation of root say that `β = e·r_2`,
//! so that the second is `Acc = W^e` for `W = C_W / H^(r_2)`. If e were a member, Acc would be an e-th power, and
//! coprime would give an e-th root of `G_0`, which strong RSA forbids. `T_D` and `T_c` are the proof's links, `IC_k`
//! the bases of D, and z_k, s_u, s_t the responses for the limbs, the value and its randomness.

use algebra::{Bls12381, Scalar as _};
use circuit::synthesis::Circuit as _;
use integer::{Integer, Order, SecretInteger, random_below};
use rand_core::CryptoRng;
use rayon::prelude::*;
use transcript::Transcript;
use zeroize::Zeroizing;

use super::{
    AbsenceWitness, Accumulator, ElementKind, Error, MembershipWitness, Opening, Parameters,
    Relation, SetKey, SetProof,
    circuit::ElementCircuit,
    exponents::{Exponents, SecretExponents, split},
    group::Element,
    params::Value,
    statement::{Commitments, Statement},
};
use crate::groth16::{CommittedProof, ProvingKey};

/// What proofs about elements of one kind take: the key of the kind's circuit.
pub struct Prover {
    parameters: Parameters,
    key: SetKey,
    pub(super) circuit_key: ProvingKey<Bls12381>,
}

/// What is known of the element and the accumulator.
enum Known<'a> {
    Member(&'a MembershipWitness),
    Absent(&'a AbsenceWitness),
}

impl Prover {
    /// For elements of a kind.
    ///
    /// # Errors
    /// [`Error::KeyPublic`]; those of [`CommittingKey::prepare`](crate::groth16::CommittingKey::prepare).
    pub fn new(
        parameters: Parameters,
        kind: ElementKind,
        circuit_key: ProvingKey<Bls12381>,
    ) -> Result<Self, Error> {
        let key = SetKey { kind, key: circuit_key.committing_key() };
        key.prepare()?;
        Ok(Self { parameters, key, circuit_key })
    }

    /// The key that verifiers take.
    pub fn key(&self) -> &SetKey {
        &self.key
    }

    /// A proof that the committed value is in the accumulator.
    ///
    /// # Errors
    /// [`Error::Kind`], [`Error::Witness`]; those of [`ElementKind::prime`] and [`ProvingKey::prove`].
    pub fn prove_membership(
        &self,
        accumulator: &Accumulator,
        opening: &Opening,
        witness: &MembershipWitness,
        rng: &mut impl CryptoRng,
    ) -> Result<SetProof, Error> {
        self.prove(accumulator, opening, &Known::Member(witness), rng)
    }

    /// A proof that the committed value is prime to everything in an accumulator of primes.
    ///
    /// # Errors
    /// Those of [`Prover::prove_membership`]; [`Error::HashedAbsence`].
    pub fn prove_absence(
        &self,
        accumulator: &Accumulator,
        opening: &Opening,
        witness: &AbsenceWitness,
        rng: &mut impl CryptoRng,
    ) -> Result<SetProof, Error> {
        match self.key.kind {
            ElementKind::Hashed => Err(Error::HashedAbsence),
            ElementKind::Prime => self.prove(accumulator, opening, &Known::Absent(witness), rng),
        }
    }

    fn prove(
        &self,
        accumulator: &Accumulator,
        opening: &Opening,
        known: &Known<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<SetProof, Error> {
        let (parameters, key) = (&self.parameters, &self.key);
        if key.kind != accumulator.kind {
            return Err(Error::Kind { key: key.kind, accumulator: accumulator.kind });
        }
        let (element, prime) = ElementCircuit::of(key.kind, opening.value)?;
        let prime = SecretInteger::new(prime);
        let relation = known.relation();
        let commitment = &opening.commitment(parameters);
        let statement = Statement { parameters, key, relation, accumulator, commitment };
        known.check(&statement, &prime)?;

        // The circuit: D holds the limbs, and what hashes to them.
        let (circuit, blinding) = self.circuit_key.prove_committed(&element.witness(), rng)?;
        // Commitments to the prime and to the witness.
        let modulus = parameters.group.modulus().value();
        let randomness = [(); 3].map(|()| random_below(modulus, rng));
        let commitments = commit(parameters, &prime, known.element(), &randomness);
        let secrets = known.secrets(key.kind, opening, &prime, *blinding, &randomness);
        let in_range = |responses: &Exponents| responses.check_ranges().is_ok();
        Ok(argue(&statement, circuit, commitments, &secrets, in_range, rng))
    }
}

/// The sigma protocol: announcements, challenge, responses. Responses out of range would tell something of a limb:
/// then all is done again with new masks.
pub(super) fn argue(
    statement: &Statement<'_>,
    circuit: CommittedProof<Bls12381>,
    commitments: Commitments,
    secrets: &SecretExponents,
    in_range: impl Fn(&Exponents) -> bool,
    rng: &mut impl CryptoRng,
) -> SetProof {
    let transcript = statement.transcript(&circuit, &commitments);
    let mut mask_rng = mask_rng(&transcript, secrets, rng);
    loop {
        let masks = secrets.masks(&mut mask_rng);
        let announcements = announce(statement, &commitments, &masks.0);
        let links = statement.value_points(&masks.0);
        let challenge = statement.challenge(&mut transcript.clone(), &announcements, &links);
        let responses = SecretExponents(Exponents::respond(&masks.0, challenge, &secrets.0));
        if in_range(&responses.0) {
            let (relation, responses) = (statement.relation, responses.0.clone());
            return SetProof { relation, circuit, commitments, announcements, links, responses };
        }
    }
}

impl Known<'_> {
    fn relation(&self) -> Relation {
        match self {
            Self::Member(_) => Relation::Member,
            Self::Absent(_) => Relation::Absent,
        }
    }

    /// W, or V.
    fn element(&self) -> &Element {
        match self {
            Self::Member(witness) => &witness.0,
            Self::Absent(witness) => &witness.power,
        }
    }

    /// `W^e = Acc`, or `V^e · Acc^b = G_0`.
    fn check(&self, statement: &Statement<'_>, prime: &SecretInteger) -> Result<(), Error> {
        let group = &statement.parameters.group;
        let mut power = group.secure_pow(self.element(), prime);
        if let Self::Absent(AbsenceWitness { cofactor, .. }) = self {
            let cofactor = SecretInteger::new(cofactor.clone());
            let value = group.secure_pow(&statement.accumulator.value, &cofactor);
            power = group.mul(&power, &value);
        }
        if power == *statement.target() { Ok(()) } else { Err(Error::Witness) }
    }

    fn secrets(
        &self,
        kind: ElementKind,
        opening: &Opening,
        prime: &SecretInteger,
        blinding: Value,
        randomness: &[SecretInteger; 3],
    ) -> SecretExponents {
        let [_, r2, r3] = randomness;
        let product = |r: &SecretInteger| Integer::from(prime.expose() * r.expose());
        SecretExponents(Exponents {
            limbs: split(prime.expose()),
            randomness: randomness.each_ref().map(|r| r.expose().clone()),
            products: [product(r2), product(r3)],
            cofactor: match self {
                Self::Member(_) => None,
                Self::Absent(witness) => Some(witness.cofactor.clone()),
            },
            value: (kind == ElementKind::Hashed).then_some(opening.value),
            blinding,
            value_randomness: opening.randomness,
        })
    }
}

/// `C_e = G^e H^r`, `C_W = W H^(r_2)`, `C_r = G^(r_2) H^(r_3)`.
pub(super) fn commit(
    parameters: &Parameters,
    prime: &SecretInteger,
    witness: &Element,
    [r, r2, r3]: &[SecretInteger; 3],
) -> Commitments {
    let (group, [g, h]) = (&parameters.group, &parameters.integer_bases);
    let terms = [(g, prime), (h, r), (h, r2), (g, r2), (h, r3)];
    let [g_e, h_r, h_r2, g_r2, h_r3] = powers(parameters, terms);
    [group.mul(&g_e, &h_r), group.mul(witness, &h_r2), group.mul(&g_r2, &h_r3)]
}

/// `T_1`, …, `T_4` for masks.
fn announce(
    statement: &Statement<'_>,
    [_, c_w, c_r]: &Commitments,
    masks: &Exponents,
) -> [Element; 4] {
    let parameters = statement.parameters;
    let (group, [g, h]) = (&parameters.group, &parameters.integer_bases);
    let secret = |integer: &Integer| SecretInteger::new(integer.clone());
    let [r, r2, r3] = masks.randomness.each_ref().map(secret);
    let [beta, delta] = masks.products.each_ref().map(secret);
    // Membership has no cofactor: the accumulator stands in its equation to the power of 0.
    let (e, b) = (SecretInteger::new(masks.prime()), masks.cofactor.clone().unwrap_or_default());
    let b = SecretInteger::new(b);
    let terms = [
        (g, &e),
        (h, &r),
        (g, &r2),
        (h, &r3),
        (c_w, &e),
        (&statement.accumulator.value, &b),
        (h, &beta),
        (c_r, &e),
        (g, &beta),
        (h, &delta),
    ];
    let [g_e, h_r, g_r2, h_r3, w_e, acc_b, h_beta, r_e, g_beta, h_delta] =
        powers(parameters, terms);
    [
        group.mul(&g_e, &h_r),
        group.mul(&g_r2, &h_r3),
        group.div(&group.mul(&w_e, &acc_b), &h_beta),
        group.div(&r_e, &group.mul(&g_beta, &h_delta)),
    ]
}

/// Powers with secret exponents, on all threads.
fn powers<const N: usize>(
    parameters: &Parameters,
    terms: [(&Element, &SecretInteger); N],
) -> [Element; N] {
    let power =
        |(base, exponent): &(&Element, &SecretInteger)| parameters.group.secure_pow(base, exponent);
    let powers: Vec<Element> = terms.par_iter().map(power).collect();
    let mut powers = powers.into_iter();
    // There is one power for each term.
    terms.map(|(base, _)| powers.next().unwrap_or_else(|| base.clone()))
}

/// A generator of masks, keyed by the transcript, the secrets and the caller's randomness: a seed
/// that is used again never gives the same mask under two challenges.
fn mask_rng<R: CryptoRng>(
    transcript: &Transcript,
    secrets: &SecretExponents,
    rng: &mut R,
) -> impl CryptoRng + use<R> {
    let keyed = secrets.0.integers().fold(transcript.build_rng(), |builder, secret| {
        let bytes = Zeroizing::new(secret.to_digits::<u8>(Order::Lsf));
        builder.rekey_with_witness_bytes(b"secret", &bytes)
    });
    let scalars = [secrets.0.blinding, secrets.0.value_randomness];
    let bytes = Zeroizing::new(Value::encode_all(&scalars));
    keyed.rekey_with_witness_bytes(b"scalars", &bytes).finalize(rng)
}
