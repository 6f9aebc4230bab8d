//! The verifier of the bit-matrix argument: three checks in one multi-scalar multiplication.

use algebra::{Group as _, Scalar as _};
use rayon::prelude::*;
use transcript::TranscriptExt as _;
use wire::Reader;

use super::{
    Context, Dialogue, Layout, bit_weight, equality, layout::generators, opening::folded_bases,
    prove::round_factors,
};
use crate::{
    Fault,
    commitment::{BASES, Encoded, Point, Scalar},
    query::scalars,
    sum_tree::encodings,
};

/// Scalars and points of the one equation.
#[derive(Default)]
struct Equation {
    scalars: Vec<Scalar>,
    points: Vec<Point>,
}

impl Equation {
    fn add(&mut self, scalar: Scalar, point: Point) {
        self.scalars.push(scalar);
        self.points.push(point);
    }
}

/// Verifies that every `D_i` holds a value below `2^bits`. `proof` has exactly
/// [`Layout::proof_len`] bytes.
///
/// # Errors
/// [`Fault`].
pub(crate) fn verify(
    context: &Context<'_>,
    bits: u32,
    statements: &[Point],
    proof: &[u8],
) -> Result<(), Fault> {
    let bounds = Fault::Bounds { what: "the statements of a bit matrix" };
    let layout = Layout::new(statements.len(), bits).ok_or(bounds)?;
    let (got, expected) = (proof.len() as u64, layout.proof_len() as u64);
    if got != expected {
        return Err(Fault::Number { what: "bytes of a bit-matrix proof", got, expected });
    }
    let mut reader = Reader::new(proof);
    let mut dialogue = Dialogue::new(context, &layout);

    let rows = encodings(&mut reader, layout.rows())?;
    dialogue.points(b"T", &rows);
    let tau = dialogue.challenges(b"tau", layout.vars());
    let rho = dialogue.challenges(b"rho", layout.index_vars);
    let g = dialogue.challenge(b"g");

    let mut rounds: Vec<(Scalar, [Encoded; 3])> = Vec::new();
    for _ in 0..layout.vars() {
        let messages = [reader.array()?, reader.array()?, reader.array()?];
        for (label, message) in [&b"c0"[..], b"c2", b"c3"].into_iter().zip(messages) {
            dialogue.points(label, &[message]);
        }
        rounds.push((dialogue.challenge(b"r"), messages));
    }
    let opened: [Encoded; 3] = [reader.array()?, reader.array()?, reader.array()?];
    for (label, point) in [&b"X"[..], b"R1", b"R2"].into_iter().zip(opened) {
        dialogue.points(label, &[point]);
    }
    let c = dialogue.challenge(b"c");
    let responses = scalars(&mut reader, 3)?;
    dialogue.scalars(b"s", &responses);
    let (h, _) = dialogue.invertible(b"h")?;
    let mut crosses: Vec<([Encoded; 2], (Scalar, Scalar))> = Vec::new();
    for _ in 0..layout.column_vars {
        let pair = [reader.array()?, reader.array()?];
        dialogue.points(b"L", &pair[..1]);
        dialogue.points(b"R", &pair[1..]);
        crosses.push((pair, dialogue.invertible(b"u")?));
    }
    let last: Encoded = reader.array()?;
    dialogue.points(b"K", &[last]);
    let d = dialogue.challenge(b"d");
    let ends = scalars(&mut reader, 2)?;
    dialogue.scalars(b"f", &ends);
    reader.finish()?;
    let ([s, s1, s2], [f, f1]) = (responses.as_slice(), ends.as_slice()) else {
        return Err(Fault::PathShape);
    };

    // Weights come after everything that the prover says.
    let weights = dialogue.0.challenge_shorts(b"weights", 3);
    let weights: Vec<Scalar> = weights.iter().map(|w| Scalar::from_u128((*w).max(1))).collect();
    let [one, two, three] = weights.as_slice() else { return Err(Fault::PathShape) };

    let point: Vec<Scalar> = rounds.iter().rev().map(|(r, _)| *r).collect();
    let e = equality::at(&tau, &point);
    let (bit_point, index_point) = point.split_at(layout.bit_vars as usize);
    let bit_factor = |(var, z): (u32, &Scalar)| Scalar::ONE - z + z * bit_weight(var);
    let weight = g
        * equality::at(&rho, index_point)
        * (0..).zip(bit_point).map(bit_factor).product::<Scalar>();
    let (column_point, row_point) = point.split_at(layout.column_vars as usize);
    let challenges: Vec<_> = crosses.iter().map(|(_, u)| *u).collect();
    let (bases, folded) = folded_bases(&challenges, column_point);

    let mut equation = Equation::default();
    // G and H.
    equation.add(one * s + three * f * folded * h, BASES.value);
    equation.add(one * s1 + two * s2 + three * f1, BASES.blinding);
    // X, R1, R2, K.
    let of_x = two * s * e - one * c - two * c * (e - weight) - three * d * h;
    let singles = [of_x, -*one, -*two, -*three].into_iter();
    let encoded = opened.into_iter().chain([last]);
    let mut pending: Vec<(Scalar, Encoded)> = singles.zip(encoded).collect();
    // Q: the rounds, from the last, and the D_i.
    let mut scale = -(two * c);
    for (r, messages) in rounds.iter().rev() {
        pending.extend(round_factors(r).map(|factor| scale * factor).into_iter().zip(*messages));
        scale *= r;
    }
    scale *= g;
    // U: the rows and the cross terms.
    let opening = -(three * d);
    let row_weights = equality::table(row_point);
    pending.extend(row_weights.iter().map(|weight| opening * weight).zip(rows));
    for ([left, right], (u, inverse)) in crosses {
        pending.push((opening * u * u, left));
        pending.push((opening * inverse * inverse, right));
    }
    let encoded: Vec<Encoded> = pending.iter().map(|(_, point)| *point).collect();
    let decoded = Point::decode_all(encoded.as_flattened());
    equation.points.extend(decoded.map_err(|_| Fault::Encoding { what: "bit matrix" })?);
    equation.scalars.extend(pending.into_iter().map(|(scalar, _)| scalar));
    // The columns, and the statements.
    equation.points.extend(generators(layout.columns()));
    equation.scalars.extend(bases.iter().map(|base| three * f * base));
    equation.points.extend_from_slice(statements);
    equation.scalars.par_extend(
        equality::table(&rho).par_iter().take(statements.len()).map(|weight| scale * weight),
    );
    match Point::msm(&equation.scalars, &equation.points).is_identity() {
        true => Ok(()),
        false => Err(Fault::Equation { what: "bit matrix" }),
    }
}
