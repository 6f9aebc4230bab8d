//! Commitments that are to no permutation, or to another one than the lists moved by, from provers
//! who are honest otherwise.

use algebra::{Group, Ristretto255 as G, Scalar};
use rand_chacha::ChaCha20Rng;
use shuffle::{
    Ciphertext, Column, Equation, PointList, SecretKey, ShuffleError,
    tw::{
        Direction, Generators, ListClaim, ListContext, ListProof, ListStatement,
        PermutationContext, PermutationProof, verify_chain, verify_lists, verify_permutation,
    },
};

use super::{
    common::{encrypted_columns, rng},
    equations::{ListDeviations, failing_in_permutation},
    matrix::{Matrix, MatrixMixer},
    passage::passages,
};

type S = <G as Group>::Scalar;

const N: usize = 4;
const CONTEXT: PermutationContext<'static> =
    PermutationContext { study: b"study", mix: b"mix", mixer: 7 };

fn permutation_matrix() -> Matrix<S> {
    Matrix::of_permutation(&[2, 0, 3, 1])
}

/// The identity matrix with its first two rows and columns replaced.
fn block(block: [[S; 2]; 2]) -> Matrix<S> {
    let mut matrix = Matrix::of_permutation(&[0, 1, 2, 3]);
    for (row, replaced) in matrix.0.iter_mut().zip(block) {
        row[..2].copy_from_slice(&replaced);
    }
    matrix
}

fn halving_and_doubling() -> Matrix<S> {
    let [zero, two] = [S::zero(), S::from_u64(2)];
    block([[two, zero], [zero, Scalar::invert(&two).unwrap()]])
}

/// Requires exactly the equations `failing` to fail, and the verifier to name the first.
fn assert_failing(commitment: &PointList<G>, proof: &PermutationProof<G>, failing: &[Equation]) {
    assert_eq!(failing_in_permutation(&CONTEXT, commitment, proof), failing);
    let generators = Generators::derive(N);
    let verified = verify_permutation(commitment.clone(), proof, &generators, &CONTEXT);
    let expected = failing.first().map(|&equation| ShuffleError::Equation { mixer: 7, equation });
    assert_eq!(verified.err(), expected);
}

fn assert_commitment_fails(matrix: Matrix<S>, failing: &[Equation]) {
    let mut rng = rng(1);
    let mixer = MatrixMixer::<G>::commit(CONTEXT, matrix, &mut rng);
    let proof = mixer.prove(&mut rng, |_| {});
    assert_failing(&mixer.commitment, &proof, failing);
}

/// The tests' prover is a prover: its proofs about permutations verify.
#[test]
fn permutation_matrices_are_accepted() {
    assert_commitment_fails(permutation_matrix(), &[]);
    assert_commitment_fails(Matrix::of_permutation(&[0, 1, 2, 3]), &[]);
}

#[test]
fn two_inputs_to_one_output_fail_row_sums_and_product() {
    let [zero, one] = [S::zero(), S::one()];
    let both = [Equation::RowSums, Equation::Product];
    assert_commitment_fails(block([[one, one], [zero, zero]]), &both);
}

#[test]
fn one_input_to_two_outputs_fails_the_product_only() {
    let [zero, one] = [S::zero(), S::one()];
    assert_commitment_fails(block([[one, zero], [one, zero]]), &[Equation::Product]);
}

#[test]
fn halved_and_doubled_rows_fail_row_sums_only() {
    assert_commitment_fails(halving_and_doubling(), &[Equation::RowSums]);
}

#[test]
fn a_row_that_only_sums_to_one_fails_the_product_only() {
    let [zero, one] = [S::zero(), S::one()];
    let row = [S::from_u64(3), -S::from_u64(2)];
    assert_commitment_fails(block([row, [zero, one]]), &[Equation::Product]);
}

/// Errors put into messages before the challenge is drawn reach exactly the equations they are in.
#[test]
fn announcements_tampered_by_the_prover() {
    use Equation::{Bridging, Opening, Product, RowSums};
    fn add_at(list: &mut PointList<G>, index: usize, error: G) {
        let mut points = list.points().to_vec();
        points[index] += error;
        *list = PointList::new(points);
    }
    fn add(list: &mut PointList<G>, index: usize) {
        add_at(list, index, G::generator());
    }
    let bridging = |index| Bridging { index };
    type Tamper = fn(&mut PermutationProof<G>);
    let attacks: [(Tamper, Vec<Equation>); 9] = [
        (|proof| proof.announcements.row_sums += G::generator(), vec![RowSums]),
        (|proof| proof.announcements.opening += G::generator(), vec![Opening]),
        (|proof| proof.announcements.product += G::generator(), vec![Product]),
        (|proof| add(&mut proof.announcements.bridging, 0), vec![bridging(0)]),
        (|proof| add(&mut proof.announcements.bridging, N - 1), vec![bridging(N - 1)]),
        (|proof| add(&mut proof.bridging, 1), vec![bridging(1), bridging(2)]),
        (|proof| add(&mut proof.bridging, N - 1), vec![bridging(N - 1), Product]),
        // Errors that would cancel if the equations had equal weights.
        (
            |proof| {
                proof.announcements.row_sums += G::generator();
                proof.announcements.opening -= G::generator();
            },
            vec![RowSums, Opening],
        ),
        (
            |proof| {
                add_at(&mut proof.announcements.bridging, 1, G::generator());
                add_at(&mut proof.announcements.bridging, 2, -G::generator());
            },
            vec![bridging(1), bridging(2)],
        ),
    ];
    let mut rng = rng(2);
    let mixer = MatrixMixer::<G>::commit(CONTEXT, permutation_matrix(), &mut rng);
    for (tamper, failing) in attacks {
        let proof = mixer.prove(&mut rng, tamper);
        assert_failing(&mixer.commitment, &proof, &failing);
    }
}

/// Two columns under one key, the published ones, and the randomness by the input's index.
struct Lists {
    secret: SecretKey<G>,
    before: Vec<Column<G>>,
    after: Vec<Column<G>>,
    randomness: Vec<Vec<S>>,
}

impl Lists {
    /// `out_i = factor_i·(in + E(0; r))_{images[i]}`.
    fn moved(images: &[usize], factors: &[S], rng: &mut ChaCha20Rng) -> Self {
        let secret = SecretKey::generate(rng);
        let key = secret.public_key();
        let before = encrypted_columns(&key, N as u64, 2, rng);
        let randomness: Vec<_> = before.iter().map(|_| S::random_many(N, rng)).collect();
        let moved = |(column, randomness): (&Column<G>, &Vec<S>)| {
            let rows = column.ciphertexts();
            let out = images.iter().zip(factors).map(|(&j, factor)| {
                let re_encrypted = rows[j] + key.encrypt(&G::identity(), &randomness[j]);
                let Ciphertext { c1, c2 } = re_encrypted;
                Ciphertext { c1: c1.mul(factor), c2: c2.mul(factor) }
            });
            Column::new(&out.collect::<Vec<_>>())
        };
        let after = before.iter().zip(&randomness).map(moved).collect();
        Self { secret, before, after, randomness }
    }

    fn with_statement<T>(&self, check: impl FnOnce(&ListStatement<'_, G>) -> T) -> T {
        let keys = [self.secret.public_key(); 2];
        let passages = passages(&keys, &self.before, &self.after);
        let PermutationContext { study, mix, mixer } = CONTEXT;
        let context = ListContext { study, mix, purpose: b"mix", mixer, position: 1 };
        check(&ListStatement { context, direction: Direction::Forward, passages: &passages })
    }
}

/// Both columns move by another permutation than the committed one: (L1) holds for every column,
/// only (L0) ties the lists to the commitment.
#[test]
fn both_columns_moved_by_another_permutation_than_committed() {
    let mut rng = rng(3);
    let generators = Generators::<G>::derive(N);
    let committed = MatrixMixer::commit(CONTEXT, permutation_matrix(), &mut rng);
    let proof = committed.prove(&mut rng, |_| {});
    let commitment = committed.commitment.clone();
    let verified = verify_permutation(commitment, &proof, &generators, &CONTEXT).unwrap();
    for (images, failing) in [([2, 0, 3, 1], vec![]), ([0, 2, 3, 1], vec![Equation::ListOpening])] {
        let lists = Lists::moved(&images, &[S::one(); N], &mut rng);
        lists.with_statement(|statement| {
            let moved_by = Matrix::of_permutation(&images);
            let randomness = &lists.randomness;
            let proof = committed.prove_lists(statement, &moved_by, randomness, &mut rng, |_| {});
            let a = committed.commitment.points();
            let digest = committed.digest();
            assert_eq!(ListDeviations::new(statement, &digest, a, &proof).failing(), failing);
            let claim = ListClaim { permutation: &verified, statement: *statement, proof: &proof };
            let named = failing.first().map(|&e| ShuffleError::Equation { mixer: 7, equation: e });
            assert_eq!(verify_lists(&claim, &generators).err(), named);
        });
    }
}

/// Errors of one proof that would cancel if its equations had equal weights in the merged check.
#[test]
fn announcements_of_lists_tampered_by_the_prover() {
    let at = |column, component| Equation::ListColumn { column, component };
    type Tamper = fn(&mut ListProof<G>);
    let attacks: [(Tamper, Vec<Equation>); 4] = [
        (|_| {}, vec![]),
        (|proof| proof.columns[1][1] += G::generator(), vec![at(1, 2)]),
        (
            |proof| {
                proof.columns[0][0] += G::generator();
                proof.columns[0][1] -= G::generator();
            },
            vec![at(0, 1), at(0, 2)],
        ),
        (
            |proof| {
                proof.opening += G::generator();
                proof.columns[1][0] -= G::generator();
            },
            vec![Equation::ListOpening, at(1, 1)],
        ),
    ];
    let mut rng = rng(5);
    let generators = Generators::<G>::derive(N);
    let matrix = permutation_matrix();
    let mixer = MatrixMixer::commit(CONTEXT, matrix.clone(), &mut rng);
    let proof = mixer.prove(&mut rng, |_| {});
    let commitment = mixer.commitment.clone();
    let verified = verify_permutation(commitment, &proof, &generators, &CONTEXT).unwrap();
    let lists = Lists::moved(&[2, 0, 3, 1], &[S::one(); N], &mut rng);
    for (tamper, failing) in attacks {
        lists.with_statement(|statement| {
            let proof = mixer.prove_lists(statement, &matrix, &lists.randomness, &mut rng, tamper);
            let (digest, a) = (mixer.digest(), mixer.commitment.points());
            assert_eq!(ListDeviations::new(statement, &digest, a, &proof).failing(), failing);
            let claim = ListClaim { permutation: &verified, statement: *statement, proof: &proof };
            let named = failing.first().map(|&e| ShuffleError::Equation { mixer: 7, equation: e });
            assert_eq!(verify_chain(&[claim], &generators).err(), named);
        });
    }
}

/// About a commitment to diag(2, 1/2, 1, 1), every equation of the list proof holds although
/// one message was halved and one doubled. That is why [`verify_lists`] takes a permutation that
/// only [`verify_permutation`] hands out, which refuses this one; the public interface has no way
/// to ask whether the lists' equations hold without it, so the tests' own evaluation does.
#[test]
fn list_equations_hold_for_halved_and_doubled_messages() {
    let mut rng = rng(4);
    let matrix = halving_and_doubling();
    let mixer = MatrixMixer::<G>::commit(CONTEXT, matrix.clone(), &mut rng);
    let permutation_proof = mixer.prove(&mut rng, |_| {});
    let (half, one) = (Scalar::invert(&S::from_u64(2)).unwrap(), S::one());
    let factors = [half, S::from_u64(2), one, one];
    let lists = Lists::moved(&[0, 1, 2, 3], &factors, &mut rng);
    lists.with_statement(|statement| {
        let proof = mixer.prove_lists(statement, &matrix, &lists.randomness, &mut rng, |_| {});
        let a = mixer.commitment.points();
        assert_eq!(ListDeviations::new(statement, &mixer.digest(), a, &proof).failing(), []);
    });
    let out = lists.after[0].ciphertexts();
    let messages: Vec<_> = out.iter().map(|ciphertext| lists.secret.decrypt(ciphertext)).collect();
    let expected = [1001, 1002, 1003, 1004].map(S::from_u64);
    let expected = expected.iter().zip(&factors).map(|(&m, f)| G::mul_generator(&(m * *f)));
    assert_eq!(messages, expected.collect::<Vec<_>>());
    assert_failing(&mixer.commitment, &permutation_proof, &[Equation::RowSums]);
}
