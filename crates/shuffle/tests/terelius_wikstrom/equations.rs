//! The equations TW-7 to TW-12 of `docs/spec/shuffle.md` one by one, with its transcripts,
//! written from that text and apart from the crate's own verifier.

use algebra::{Group, Scalar};
use shuffle::{
    Column, Equation, PointList,
    tw::{Direction, ListProof, ListStatement, PermutationContext, PermutationProof},
};
use transcript::Transcript;

pub(crate) fn h<G: Group>() -> G {
    G::hash_to_group(b"subrosa/tw/H")
}

/// `H_1..H_n`.
pub(crate) fn h_list<G: Group>(n: usize) -> Vec<G> {
    let label = |i: u64| [b"subrosa/tw/H_i".as_slice(), &i.to_le_bytes()].concat();
    (1..=n as u64).map(|i| G::hash_to_group(&label(i))).collect()
}

/// `sum_i scalars_i·points_i`, point by point.
pub(crate) fn combine<G: Group>(scalars: &[G::Scalar], points: &[G]) -> G {
    assert_eq!(scalars.len(), points.len());
    scalars.iter().zip(points).map(|(scalar, point)| point.mul(scalar)).sum()
}

pub(crate) fn absorb_points<G: Group>(
    transcript: &mut Transcript,
    label: &'static [u8],
    points: &[G],
) {
    let bytes: Vec<u8> = points.iter().flat_map(Group::encode).collect();
    transcript.append_message(label, &bytes);
}

pub(crate) fn wide_challenges<S: Scalar>(
    transcript: &mut Transcript,
    label: &'static [u8],
    n: usize,
) -> Vec<S> {
    let mut bytes = vec![0; 64 * n];
    transcript.challenge_bytes(label, &mut bytes);
    bytes.chunks_exact(64).map(|wide| S::from_wide(wide.try_into().unwrap())).collect()
}

pub(crate) fn permutation_transcript<G: Group>(
    context: &PermutationContext<'_>,
    commitment: &[G],
) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/shuffle/tw/perm/v1");
    transcript.append_message(b"group", G::NAME.as_bytes());
    transcript.append_message(b"generators", b"subrosa/tw/H");
    transcript.append_message(b"study", context.study);
    transcript.append_message(b"mix", context.mix);
    transcript.append_u64(b"mixer", context.mixer.into());
    transcript.append_u64(b"n", commitment.len() as u64);
    absorb_points(&mut transcript, b"a", commitment);
    transcript
}

/// Absorbs the announcements of a permutation proof and draws c.
pub(crate) fn announce_permutation<G: Group>(
    transcript: &mut Transcript,
    proof: &PermutationProof<G>,
) -> G::Scalar {
    let announced = &proof.announcements;
    absorb_points(transcript, b"B", proof.bridging.points());
    absorb_points(transcript, b"T_t", &[announced.row_sums]);
    absorb_points(transcript, b"T_k", &[announced.opening]);
    absorb_points(transcript, b"T_B", announced.bridging.points());
    absorb_points(transcript, b"T_w", &[announced.product]);
    wide_challenges(transcript, b"c", 1)[0]
}

/// (P1) to (P4), those that fail, in this order.
pub(crate) fn failing_in_permutation<G: Group>(
    context: &PermutationContext<'_>,
    commitment: &PointList<G>,
    proof: &PermutationProof<G>,
) -> Vec<Equation> {
    let (a, n) = (commitment.points(), commitment.len());
    let mut transcript = permutation_transcript(context, a);
    let e: Vec<G::Scalar> = wide_challenges(&mut transcript, b"e", n);
    let c = announce_permutation(&mut transcript, proof);
    let (h, h_list) = (h::<G>(), h_list::<G>(n));
    let (announced, z, b) = (&proof.announcements, &proof.responses, proof.bridging.points());

    let row_sums = a.iter().copied().sum::<G>() - h_list.iter().copied().sum();
    let row_sums = row_sums.mul(&c) + h.mul(&z.row_sums);
    let opening = combine(&e, a).mul(&c) + h.mul(&z.opening) + combine(&z.challenges, &h_list);
    let product = b[n - 1] - e.iter().fold(G::generator(), |product, e| product.mul(e));
    let product = product.mul(&c) + h.mul(&z.product);
    let bridging = (0..n).filter_map(|index| {
        let previous = if index == 0 { G::generator() } else { b[index - 1] };
        let expected =
            b[index].mul(&c) + h.mul(&z.bridging[index]) + previous.mul(&z.challenges[index]);
        (announced.bridging.points()[index] != expected).then_some(Equation::Bridging { index })
    });

    let first = (announced.row_sums != row_sums).then_some(Equation::RowSums);
    let second = (announced.opening != opening).then_some(Equation::Opening);
    let last = (announced.product != product).then_some(Equation::Product);
    first.into_iter().chain(second).chain(bridging).chain(last).collect()
}

pub(crate) fn permutation_digest<G: Group>(
    context: &PermutationContext<'_>,
    commitment: &[G],
) -> [u8; 64] {
    let mut digest = [0; 64];
    let mut transcript = permutation_transcript(context, commitment);
    transcript.challenge_bytes(b"statement digest", &mut digest);
    digest
}

/// `(in, out)` of a column that moves against the permutation.
pub(crate) fn roles<'a, G: Group>(
    statement: &ListStatement<'a, G>,
    column: usize,
) -> (&'a Column<G>, &'a Column<G>) {
    let passage = &statement.passages[column];
    match statement.direction {
        Direction::Forward => (passage.before, passage.after),
        Direction::Backward => (passage.after, passage.before),
    }
}

pub(crate) fn list_transcript<G: Group>(
    statement: &ListStatement<'_, G>,
    permutation_digest: &[u8; 64],
) -> Transcript {
    let context = statement.context;
    let mut transcript = Transcript::new(b"subrosa/shuffle/tw/lists/v1");
    transcript.append_message(b"group", G::NAME.as_bytes());
    transcript.append_message(b"generators", b"subrosa/tw/H");
    transcript.append_message(b"study", context.study);
    transcript.append_message(b"mix", context.mix);
    transcript.append_message(b"purpose", context.purpose);
    transcript.append_u64(b"mixer", context.mixer.into());
    transcript.append_u64(b"position", context.position.into());
    let forward = statement.direction == Direction::Forward;
    transcript.append_message(b"direction", if forward { b"F" } else { b"B" });
    transcript.append_u64(b"n", statement.passages[0].before.len() as u64);
    transcript.append_u64(b"columns", statement.passages.len() as u64);
    for passage in statement.passages {
        absorb_points(&mut transcript, b"pk", &[passage.key.point()]);
    }
    transcript.append_message(b"permutation", permutation_digest);
    for column in 0..statement.passages.len() {
        let (input, output) = roles(statement, column);
        for component in input.components().into_iter().chain(output.components()) {
            absorb_points(&mut transcript, b"list", component.points());
        }
    }
    transcript
}

/// `e_1..e_n` of a list proof, 128 bits each.
pub(crate) fn list_challenges<S: Scalar>(transcript: &mut Transcript, n: usize) -> Vec<S> {
    let mut bytes = vec![0; 16 * n];
    transcript.challenge_bytes(b"e", &mut bytes);
    let short = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().unwrap());
    bytes.chunks_exact(16).map(|bytes| S::from_u128(short(bytes))).collect()
}

/// Absorbs the announcements of a list proof and draws c.
pub(crate) fn announce_lists<G: Group>(
    transcript: &mut Transcript,
    proof: &ListProof<G>,
) -> G::Scalar {
    absorb_points(transcript, b"T_k", &[proof.opening]);
    absorb_points(transcript, b"T_l", proof.columns.as_flattened());
    wide_challenges(transcript, b"c", 1)[0]
}

/// Left minus right side of (L0) and of both components of (L1) for every column.
pub(crate) struct ListDeviations<G> {
    pub(crate) opening: G,
    pub(crate) columns: Vec<[G; 2]>,
}

impl<G: Group> ListDeviations<G> {
    /// `digest` and `a` are those of the permutation that the lists are said to have passed.
    pub(crate) fn new(
        statement: &ListStatement<'_, G>,
        digest: &[u8; 64],
        a: &[G],
        proof: &ListProof<G>,
    ) -> Self {
        let mut transcript = list_transcript(statement, digest);
        let e: Vec<G::Scalar> = list_challenges(&mut transcript, a.len());
        let c = announce_lists(&mut transcript, proof);
        let z = &proof.responses;
        let opening = combine(&e, a).mul(&c)
            + h::<G>().mul(&z.opening)
            + combine(&z.challenges, &h_list(a.len()));
        let deviation = |column: usize, component: usize| {
            let (input, output) = roles(statement, column);
            let base = [G::generator(), statement.passages[column].key.point()][component];
            let expected = combine(&e, input.components()[component].points()).mul(&c)
                - base.mul(&z.columns[column])
                + combine(&z.challenges, output.components()[component].points());
            proof.columns[column][component] - expected
        };
        let columns = 0..statement.passages.len();
        Self {
            opening: proof.opening - opening,
            columns: columns.map(|column| [deviation(column, 0), deviation(column, 1)]).collect(),
        }
    }

    /// The equations that fail, (L0) first.
    pub(crate) fn failing(&self) -> Vec<Equation> {
        let opening = (!self.opening.is_identity()).then_some(Equation::ListOpening);
        let components = self.columns.iter().enumerate().flat_map(|(column, deviations)| {
            let failing =
                deviations.iter().zip(1..).filter(|(deviation, _)| !deviation.is_identity());
            failing.map(move |(_, component)| Equation::ListColumn { column, component })
        });
        opening.into_iter().chain(components).collect()
    }
}
