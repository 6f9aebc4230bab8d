//! The prover: everything that does not need the ballots, then what does.

use algebra::{AffineGroup, FixedBaseTable, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Ciphertext, Column, Crs, Encryptor, Mix, Proof, ValidColumn};
use crate::{
    PointList, ShuffleError,
    pairing::{
        affine::{points, scale_each},
        prepare::sum_to_zero,
    },
    tw::Permutation,
};

/// A proof but for what depends on the ballots, and the masks that the rest needs. They serve one
/// shuffle: [`Prepared::mix`] consumes and erases them.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Prepared<E: Pairing> {
    permutation: Permutation,
    /// `r_i`, which sum to zero.
    r: Vec<ScalarOf<E>>,
    /// `Enc(0; s_j)` for every output j.
    re_encryptions: Vec<Ciphertext<E>>,
    /// `Enc(0; r_s)`, which hides `C_2`.
    blind: Ciphertext<E>,
    #[zeroize(skip)]
    a1: PointList<E::G1>,
    #[zeroize(skip)]
    a2: PointList<E::G2>,
    #[zeroize(skip)]
    pi: PointList<E::G1>,
    #[zeroize(skip)]
    c1: [E::G2; 2],
}

impl<E: Pairing> Prepared<E> {
    /// Draws a permutation of n rows and computes all that does not depend on the ballots.
    ///
    /// # Errors
    /// [`ShuffleError::Empty`] without rows, [`ShuffleError::ReferenceString`] if the reference
    /// string is too short.
    pub fn new(
        crs: &Crs<E>,
        encryptor: &Encryptor<E>,
        n: usize,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        crs.require(n)?;
        if n == 0 {
            return Err(ShuffleError::Empty);
        }
        let permutation = Permutation::random(n, rng);
        let images = permutation.inverse();
        let mut r = ScalarOf::<E>::random_many(n, rng);
        sum_to_zero(&mut r);

        // 1. A_i = P_{σ⁻¹(i)} + r_i ρ in both groups.
        let (rho1, rho2) = (FixedBaseTable::new(&crs.rho1), FixedBaseTable::new(&crs.rho2));
        let p = points::<E::G1>(&images.apply(&crs.p1));
        let mut a1 = p.clone();
        rho1.add_mul_all(&mut a1, &r);
        let mut a2 = points::<E::G2>(&images.apply(&crs.p2));
        rho2.add_mul_all(&mut a2, &r);
        // 2. π_i = r_i·(2(A_i + P_0) − r_i ρ) + Q/ρ, in which A_i − r_i ρ = P.
        let double_p0 = crs.p0.double();
        let bases: Vec<E::G1> = a1.iter().zip(&p).map(|(&a, &p)| a + p + double_p0).collect();
        let q_over_rho = points::<E::G1>(&images.apply(&crs.q_over_rho));
        let pi = scale_each(&bases, &r).into_iter().zip(q_over_rho).map(|(c, q)| c + q).collect();

        // 3. and 4. Encryptions of zero, and commitments to their randomness.
        let zero = ScalarOf::<E>::zero();
        let s = [(); 2].map(|()| Zeroizing::new(ScalarOf::<E>::random_many(n, rng)));
        let [s1, s2] = &s;
        let rows = s1.par_iter().zip(s2.par_iter());
        let re_encryptions =
            rows.map(|(&s1, &s2)| encryptor.encrypt_with(zero, &[s1, s2])).collect();
        let blind = Zeroizing::new([(); 2].map(|()| ScalarOf::<E>::random(rng)));
        let [b1, b2] = &*blind;
        let commit = |s: &[_], blind| rho2.add_mul(E::G2::msm_affine(s, &crs.p2), blind);
        let c1 = [commit(s1, b1), commit(s2, b2)];
        let blind = encryptor.encrypt_with(zero, &blind);
        Ok(Self {
            permutation,
            r,
            re_encryptions,
            blind,
            a1: sent(a1),
            a2: sent(a2),
            pi: PointList::new(pi),
            c1,
        })
    }

    /// Moves and re-encrypts the ciphertexts and completes the proof.
    ///
    /// # Errors
    /// [`ShuffleError::Length`] unless there are as many rows as prepared for.
    pub fn mix(self, inputs: &ValidColumn<E>) -> Result<Mix<E>, ShuffleError> {
        let (inputs, n) = (inputs.column(), self.permutation.len());
        if inputs.len() != n {
            return Err(ShuffleError::Length { what: "list", expected: n, got: inputs.len() });
        }
        let moved = self.permutation.apply(&inputs.ciphertexts());
        let rows = moved.iter().zip(&self.re_encryptions);
        let outputs = Column::new(&rows.map(|(v, zero)| v.add(zero)).collect::<Vec<_>>());
        // 5. C_2 = Σ r_i v_i + Enc(0; r_s), over the inputs as they came.
        let weighted = Ciphertext {
            g1: inputs.g1.each_ref().map(|list| E::G1::msm(&self.r, list.points())),
            g2: inputs.g2.each_ref().map(|list| E::G2::msm(&self.r, list.points())),
        };
        let proof = Proof {
            a1: self.a1.clone(),
            a2: self.a2.clone(),
            pi: self.pi.clone(),
            c1: self.c1,
            c2: weighted.add(&self.blind),
        };
        Ok(Mix { outputs, proof })
    }
}

/// All but the last, which follows from the others.
fn sent<G: Group>(mut rows: Vec<G>) -> PointList<G> {
    rows.pop();
    PointList::new(rows)
}
