//! The prover of the bit-matrix argument.

use algebra::{Group as _, Scalar as _};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    Context, Dialogue, Layout, bit_weight, bits, equality, layout::generators, masks::Masks,
    opening::InnerProduct, sumcheck::Folded,
};
use crate::{
    Fault,
    commitment::{BASES, Encoded, Scalar, commit_half, encode, mask},
    range::ValueOpening,
};

/// Proves that every value is below `2^bits`, where they are. Openings are those of the `D_i`.
///
/// # Errors
/// [`Fault::Bounds`] for values that are not, or more than a shard holds.
pub(crate) fn prove(
    context: &Context<'_>,
    bits: u32,
    openings: &[ValueOpening],
    seed: &[u8; 32],
) -> Result<Vec<u8>, Fault> {
    let bounds = Fault::Bounds { what: "the statements of a bit matrix" };
    let layout = Layout::new(openings.len(), bits).ok_or(bounds.clone())?;
    let values: Zeroizing<Vec<u64>> =
        Zeroizing::new(openings.iter().map(|(value, _)| *value).collect());
    if bits < u64::BITS && values.iter().any(|value| value >> bits != 0) {
        return Err(bounds);
    }
    speak(context, layout, &values, openings, seed)
}

/// What the prover says; tests let it lie about the values.
pub(super) fn speak(
    context: &Context<'_>,
    layout: Layout,
    values: &[u64],
    openings: &[ValueOpening],
    seed: &[u8; 32],
) -> Result<Vec<u8>, Fault> {
    let masks = Masks::new(seed, openings);
    let mut dialogue = Dialogue::new(context, &layout);
    let mut out = Vec::with_capacity(layout.proof_len());

    // 1. The rows.
    let columns = generators(layout.columns());
    let row_blindings =
        Zeroizing::new(Scalar::random_many(layout.rows(), &mut masks.rng(&dialogue)));
    let sums = bits::commit_rows(&layout, values, &columns);
    let blinded = sums.par_iter().zip(row_blindings.par_iter());
    let rows: Vec<Encoded> = blinded.map(|(sum, w)| encode(&(sum + mask(w)))).collect();
    dialogue.points(b"T", &rows);
    out.extend_from_slice(rows.as_flattened());

    // 2. The sumcheck.
    let tau = dialogue.challenges(b"tau", layout.vars());
    let rho = dialogue.challenges(b"rho", layout.index_vars);
    let g = dialogue.challenge(b"g");
    let weights = equality::table(&rho);
    let weighted = openings.par_iter().zip(&weights);
    let (y, blinding) = weighted
        .map(|((value, blinding), weight)| (weight * Scalar::from(*value), weight * blinding))
        .reduce(|| (Scalar::ZERO, Scalar::ZERO), |(a, b), (c, d)| (a + c, b + d));
    let mut rounds = Rounds {
        layout,
        tau,
        rho,
        g,
        claim: g * y,
        blinding: g * blinding,
        equal: Scalar::ONE,
        weight: Scalar::ONE,
        folded: Folded::new(layout, values),
        point: Vec::new(),
    };
    rounds.folded.start();
    for t in (0..layout.vars()).rev() {
        out.extend(rounds.round(t, &mut dialogue, &masks)?.concat());
    }

    // 3. The last claim, against β.
    let beta = rounds.folded.last();
    let (e, weight) = (rounds.equal, rounds.g * rounds.weight);
    let [x, k, k1, k2] = masks.draw(&dialogue);
    let opened = BASES.value.mul(&beta) + mask(&x);
    let r1 = commit_half(&k, &k1).double();
    let r2 = opened.mul(&(k * e)) + mask(&k2);
    let points = [opened, r1, r2].map(|point| encode(&point));
    for (label, point) in [&b"X"[..], b"R1", b"R2"].into_iter().zip(points) {
        dialogue.points(label, &[point]);
    }
    out.extend(points.concat());
    let c = dialogue.challenge(b"c");
    // Y = Q + (e − gW*)X = β(eX) + y'H.
    let rest = rounds.blinding + (e - weight) * x - beta * e * x;
    let responses = [k + c * beta, k1 + c * x, k2 + c * rest];
    dialogue.scalars(b"s", &responses);
    out.extend(Scalar::encode_all(&responses));

    // 4. β, from the rows.
    let point: Vec<Scalar> = rounds.point.iter().rev().copied().collect();
    let (column_point, row_point) = point.split_at(layout.column_vars as usize);
    let row_weights = equality::table(row_point);
    let (h, _) = dialogue.invertible(b"h")?;
    let argument = InnerProduct {
        v: Zeroizing::new(bits::combine_rows(&layout, values, &row_weights)),
        w: equality::table(column_point),
        bases: columns,
        product: BASES.value.mul(&h),
        blinding: algebra::inner_product(&row_weights, &row_blindings) + h * x,
    };
    let (messages, responses) = argument.prove(&mut dialogue, &masks)?;
    out.extend(messages.concat());
    out.extend(Scalar::encode_all(&responses));
    Ok(out)
}

/// The rounds of the sumcheck.
struct Rounds<'a> {
    layout: Layout,
    tau: Vec<Scalar>,
    rho: Vec<Scalar>,
    g: Scalar,
    /// What the partial sum is, and the blinding of its commitment.
    claim: Scalar,
    blinding: Scalar,
    /// `eq(τ, ·)` and `W` at the bound variables.
    equal: Scalar,
    weight: Scalar,
    folded: Folded<'a>,
    /// The challenges, the top variable's first.
    point: Vec<Scalar>,
}

impl Rounds<'_> {
    fn round(
        &mut self,
        t: u32,
        dialogue: &mut Dialogue,
        masks: &Masks,
    ) -> Result<[Encoded; 3], Fault> {
        let sums = self.folded.sums(t, &self.tau, &self.rho);
        // `tau` has an element for every variable, and `rho` for every index variable.
        let at =
            |list: &[Scalar], index: u32| list.get(index as usize).copied().unwrap_or_default();
        let tau = at(&self.tau, t);
        // W's factor of this variable is `w0 + w1·X`.
        let (w0, w1) = match t.checked_sub(self.layout.bit_vars) {
            Some(index) => {
                let rho = at(&self.rho, index);
                (Scalar::ONE - rho, rho + rho - Scalar::ONE)
            }
            None => (Scalar::ONE, bit_weight(t) - Scalar::ONE),
        };
        let [linear, end] = sums.linear;
        let (linear, step) = (linear * self.g * self.weight, (end - linear) * self.g * self.weight);
        // eq's factor is `e0 + e1·X`; with the quadratic a_0 + a_1·X + a_2·X².
        let (e0, e1) = (Scalar::ONE - tau, tau + tau - Scalar::ONE);
        let (e0, e1) = (e0 * self.equal, e1 * self.equal);
        let (a0, a2) = (sums.zero_check_0, sums.zero_check_2);
        // p(0) + p(1) = 2e0·a0 + e1·a0 + (e0 + e1)(a1 + a2) + 2w0·l + w1·l + (w0 + w1)·step.
        let known =
            (e0 + e0 + e1) * a0 + (e0 + e1) * a2 + (w0 + w0 + w1) * linear + (w0 + w1) * step;
        let divisor = e0 + e1;
        if divisor == Scalar::ZERO {
            return Err(Fault::Equation { what: "bit matrix" });
        }
        let a1 = (self.claim - known) * divisor.invert();
        let c0 = e0 * a0 + w0 * linear;
        let c2 = e0 * a2 + e1 * a1 + w1 * step;
        let c3 = e1 * a2;
        let blindings: [Scalar; 3] = masks.draw(dialogue);
        let [b0, b2, b3] = blindings;
        let commit =
            |(value, blinding): (Scalar, Scalar)| encode(&commit_half(&value, &blinding).double());
        let messages = [(c0, b0), (c2, b2), (c3, b3)].map(commit);
        for (label, message) in [&b"c0"[..], b"c2", b"c3"].into_iter().zip(messages) {
            dialogue.points(label, &[message]);
        }
        let r = dialogue.challenge(b"r");
        let [f0, f2, f3] = round_factors(&r);
        self.claim = r * self.claim + f0 * c0 + f2 * c2 + f3 * c3;
        self.blinding = r * self.blinding + f0 * b0 + f2 * b2 + f3 * b3;
        self.equal = e0 + e1 * r;
        self.weight *= w0 + w1 * r;
        self.folded.bind(r);
        self.point.push(r);
        Ok(messages)
    }
}

/// `p(r) = r·claim + (1 − 2r)c_0 + (r² − r)c_2 + (r³ − r)c_3`: the coefficient `c_1` is not sent.
pub(super) fn round_factors(r: &Scalar) -> [Scalar; 3] {
    let square = r * r;
    [Scalar::ONE - r - r, square - r, square * r - r]
}
