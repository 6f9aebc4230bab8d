//! A second prover of the bit matrix, over a matrix of any numbers, directly by the formulas. A dishonest operator
//! whose entries are not bits would run it. On bits it gives the same bytes as the fast prover.

use algebra::Group as _;
use zeroize::Zeroizing;

use super::{layout::generators, masks::Masks, opening::InnerProduct, prove::round_factors, *};
use crate::{
    commitment::{BASES, Point, commit, encode, mask},
    range::ValueOpening,
};

/// The bits of values, and zeros where there is no value.
pub(super) fn bits_of(layout: &Layout, openings: &[ValueOpening]) -> Vec<Scalar> {
    let bit = |z: usize| {
        let value = openings.get(z / layout.bits()).map_or(0, |(value, _)| *value);
        Scalar::from(value >> (z % layout.bits()) & 1)
    };
    (0..1 << layout.vars()).map(bit).collect()
}

/// [`speak_at`] the point where it must.
pub(super) fn speak(
    context: &Context<'_>,
    layout: Layout,
    matrix: &[Scalar],
    openings: &[ValueOpening],
    seed: &[u8; 32],
) -> Vec<u8> {
    speak_at(context, layout, matrix, openings, seed, &|_| ())
}

/// What the prover says about `matrix`, entry `i·b + k` for bit `k` of `d_i`. Of the openings only
/// the blindings matter: the values are what the entries sum to.
/// `elsewhere` changes the point at which the rows are opened.
pub(super) fn speak_at(
    context: &Context<'_>,
    layout: Layout,
    matrix: &[Scalar],
    openings: &[ValueOpening],
    seed: &[u8; 32],
    elsewhere: &dyn Fn(&mut [Scalar]),
) -> Vec<u8> {
    let masks = Masks::new(seed, openings);
    let mut dialogue = Dialogue::new(context, &layout);
    // 1. T_j.
    let columns = generators(layout.columns());
    let w = Scalar::random_many(layout.rows(), &mut masks.rng(&dialogue));
    let rows = matrix.chunks(layout.columns()).zip(&w);
    let rows: Vec<Encoded> =
        rows.map(|(row, w)| encode(&(Point::msm(row, &columns) + mask(w)))).collect();
    dialogue.points(b"T", &rows);
    let mut out = rows.concat();

    // 2. Σ_z eq(τ,z)B(z)(B(z) − 1) + gW(z)B(z); the verifier starts from g·y.
    let tau = dialogue.challenges(b"tau", layout.vars());
    let rho = dialogue.challenges(b"rho", layout.index_vars);
    let g = dialogue.challenge(b"g");
    let weights = equality::table(&rho);
    let of = |z: usize| weights[z / layout.bits()] * Scalar::from(1_u64 << (z % layout.bits()));
    let mut equal = equality::table(&tau);
    let mut linear: Vec<Scalar> = (0..1 << layout.vars()).map(of).collect();
    let mut entries = matrix.to_vec();
    let mut blinding: Scalar = openings.iter().zip(&weights).map(|((_, r), w)| g * w * r).sum();
    let mut point = Vec::new();
    for _ in 0..layout.vars() {
        let half = entries.len() / 2;
        let [mut c0, mut c2, mut c3] = [Scalar::ZERO; 3];
        for low in 0..half {
            let step = |table: &[Scalar]| (table[low], table[low + half] - table[low]);
            let ((e0, e1), (w0, w1), (b0, b1)) = (step(&equal), step(&linear), step(&entries));
            let (a0, a1, a2) = (b0 * b0 - b0, b0 * b1 + b0 * b1 - b1, b1 * b1);
            c0 += e0 * a0 + g * w0 * b0;
            c2 += e0 * a2 + e1 * a1 + g * w1 * b1;
            c3 += e1 * a2;
        }
        let [b0, b2, b3] = masks.draw(&dialogue);
        let sent = [(c0, b0), (c2, b2), (c3, b3)].map(|(value, r)| encode(&commit(&value, &r)));
        for (label, message) in [&b"c0"[..], b"c2", b"c3"].into_iter().zip(sent) {
            dialogue.points(label, &[message]);
        }
        out.extend(sent.concat());
        let r = dialogue.challenge(b"r");
        let [f0, f2, f3] = round_factors(&r);
        blinding = r * blinding + f0 * b0 + f2 * b2 + f3 * b3;
        for table in [&mut equal, &mut linear, &mut entries] {
            let high = table.split_off(half);
            table.iter_mut().zip(high).for_each(|(low, high)| *low += r * (high - *low));
        }
        point.insert(0, r);
    }

    // 3. The last claim, against β.
    let (beta, e, weight) = (entries[0], equal[0], g * linear[0]);
    let [x, k, k1, k2] = masks.draw(&dialogue);
    let opened = commit(&beta, &x);
    let sent = [opened, commit(&k, &k1), opened.mul(&(k * e)) + mask(&k2)];
    let sent = sent.map(|point| encode(&point));
    for (label, message) in [&b"X"[..], b"R1", b"R2"].into_iter().zip(sent) {
        dialogue.points(label, &[message]);
    }
    out.extend(sent.concat());
    let c = dialogue.challenge(b"c");
    let rest = blinding + (e - weight) * x - beta * e * x;
    let responses = [k + c * beta, k1 + c * x, k2 + c * rest];
    dialogue.scalars(b"s", &responses);
    out.extend(Scalar::encode_all(&responses));

    // 4. β, from the rows.
    elsewhere(&mut point);
    let (column_point, row_point) = point.split_at(layout.column_vars as usize);
    let row_weights = equality::table(row_point);
    let column = |c: usize| -> Scalar {
        let rows = matrix.chunks(layout.columns()).zip(&row_weights);
        rows.map(|(row, weight)| weight * row[c]).sum()
    };
    let (h, _) = dialogue.invertible(b"h").unwrap();
    let argument = InnerProduct {
        v: Zeroizing::new((0..layout.columns()).map(column).collect()),
        w: equality::table(column_point),
        bases: columns,
        product: BASES.value.mul(&h),
        blinding: algebra::inner_product(&row_weights[..layout.rows()], &w) + h * x,
    };
    let (messages, responses) = argument.prove(&mut dialogue, &masks).unwrap();
    out.extend(messages.concat());
    out.extend(Scalar::encode_all(&responses));
    out
}
