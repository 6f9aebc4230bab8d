//! A prover that follows `docs/spec/shuffle.md` literally for *any* matrix, honest
//! in everything else: what a cheating mixer can run. Written apart from the crate's own prover.

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use shuffle::{
    PointList,
    tw::{
        Announcements, ListProof, ListResponses, ListStatement, PermutationContext,
        PermutationProof, Responses,
    },
};

use super::equations::{
    announce_lists, announce_permutation, combine, h, h_list, list_challenges, list_transcript,
    permutation_digest, permutation_transcript, roles, wide_challenges,
};

/// Rows of a square matrix M; `e' = M·e`.
#[derive(Clone)]
pub(crate) struct Matrix<S>(pub(crate) Vec<Vec<S>>);

impl<S: Scalar> Matrix<S> {
    /// The matrix with `out[i] = in[images[i]]`.
    pub(crate) fn of_permutation(images: &[usize]) -> Self {
        let row = |&image| (0..images.len()).map(|j| S::from_u64(u64::from(j == image))).collect();
        Self(images.iter().map(row).collect())
    }

    pub(crate) fn apply(&self, vector: &[S]) -> Vec<S> {
        let product = |row: &Vec<S>| row.iter().zip(vector).map(|(&m, &x)| m * x).sum();
        self.0.iter().map(product).collect()
    }

    fn columns(&self) -> impl Iterator<Item = Vec<S>> {
        (0..self.0.len()).map(|j| self.0.iter().map(|row| row[j]).collect())
    }
}

/// A mixer committed to a matrix.
pub(crate) struct MatrixMixer<G: Group> {
    pub(crate) context: PermutationContext<'static>,
    pub(crate) commitment: PointList<G>,
    matrix: Matrix<G::Scalar>,
    blindings: Vec<G::Scalar>,
}

impl<G: Group> MatrixMixer<G> {
    /// `a_j = s_j·H + sum_i M_ij·H_i`.
    pub(crate) fn commit(
        context: PermutationContext<'static>,
        matrix: Matrix<G::Scalar>,
        rng: &mut impl CryptoRng,
    ) -> Self {
        let n = matrix.0.len();
        let (blindings, h_list) = (G::Scalar::random_many(n, rng), h_list::<G>(n));
        let columns = matrix.columns().zip(&blindings);
        let points = columns.map(|(column, s)| h::<G>().mul(s) + combine(&column, &h_list));
        Self { context, commitment: PointList::new(points.collect()), matrix, blindings }
    }

    pub(crate) fn digest(&self) -> [u8; 64] {
        permutation_digest(&self.context, self.commitment.points())
    }

    /// The proof of the commitment. `tamper` changes the bridging list and announcements before c.
    pub(crate) fn prove(
        &self,
        rng: &mut impl CryptoRng,
        tamper: impl FnOnce(&mut PermutationProof<G>),
    ) -> PermutationProof<G> {
        let (n, h) = (self.matrix.0.len(), h::<G>());
        let mut transcript = permutation_transcript(&self.context, self.commitment.points());
        let e: Vec<G::Scalar> = wide_challenges(&mut transcript, b"e", n);
        let permuted = self.matrix.apply(&e);
        let [s, om_e, om_s] = [(); 3].map(|()| G::Scalar::random_many(n, rng));
        let [om_t, om_k, om_w] = [(); 3].map(|()| G::Scalar::random(rng));

        let (mut b, mut t_b) = (vec![G::generator()], Vec::new());
        let mut w = G::Scalar::zero();
        for i in 0..n {
            t_b.push(h.mul(&om_s[i]) + b[i].mul(&om_e[i]));
            b.push(h.mul(&s[i]) + b[i].mul(&permuted[i]));
            w = s[i] + permuted[i] * w;
        }
        let announcements = Announcements {
            row_sums: h.mul(&om_t),
            opening: h.mul(&om_k) + combine(&om_e, &h_list(n)),
            bridging: PointList::new(t_b),
            product: h.mul(&om_w),
        };
        let responses = Responses {
            row_sums: om_t,
            opening: om_k,
            challenges: om_e,
            bridging: om_s,
            product: om_w,
        };
        let bridging = PointList::new(b.split_off(1));
        let mut proof = PermutationProof { bridging, announcements, responses };
        tamper(&mut proof);

        let c = announce_permutation(&mut transcript, &proof);
        let z = &mut proof.responses;
        z.row_sums -= c * self.blindings.iter().copied().sum();
        z.opening -= c * algebra::inner_product(&self.blindings, &e);
        subtract(&mut z.challenges, c, &permuted);
        subtract(&mut z.bridging, c, &s);
        z.product -= c * w;
        proof
    }

    /// The proof that lists moved by `moved_by`, about this commitment; `randomness[l]` is
    /// `r_l`, by the input's index. `tamper` changes the announcements before c is drawn.
    pub(crate) fn prove_lists(
        &self,
        statement: &ListStatement<'_, G>,
        moved_by: &Matrix<G::Scalar>,
        randomness: &[Vec<G::Scalar>],
        rng: &mut impl CryptoRng,
        tamper: impl FnOnce(&mut ListProof<G>),
    ) -> ListProof<G> {
        let n = self.matrix.0.len();
        let mut transcript = list_transcript(statement, &self.digest());
        let e: Vec<G::Scalar> = list_challenges(&mut transcript, n);
        let om_k = G::Scalar::random(rng);
        let om = G::Scalar::random_many(n, rng);
        let om_u = G::Scalar::random_many(statement.passages.len(), rng);
        let announce = |column: usize| {
            let [c1, c2] = roles(statement, column).1.components();
            let key = statement.passages[column].key.point();
            [
                combine(&om, c1.points()) - G::generator().mul(&om_u[column]),
                combine(&om, c2.points()) - key.mul(&om_u[column]),
            ]
        };
        let mut proof = ListProof {
            opening: h::<G>().mul(&om_k) + combine(&om, &h_list(n)),
            columns: (0..statement.passages.len()).map(announce).collect(),
            responses: ListResponses { challenges: om, opening: om_k, columns: om_u },
        };
        tamper(&mut proof);

        let c = announce_lists(&mut transcript, &proof);
        let z = &mut proof.responses;
        z.opening -= c * algebra::inner_product(&self.blindings, &e);
        subtract(&mut z.challenges, c, &moved_by.apply(&e));
        for (z_u, r) in z.columns.iter_mut().zip(randomness) {
            *z_u -= c * algebra::inner_product(r, &e);
        }
        proof
    }
}

/// `masks − c·secrets`.
fn subtract<S: Scalar>(masks: &mut [S], c: S, secrets: &[S]) {
    masks.iter_mut().zip(secrets).for_each(|(mask, &secret)| *mask -= c * secret);
}
