//! Step 4: opening `B̃(z*)` from the commitments to rows, an inner-product argument.

use algebra::{Group as _, Scalar as _};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{Dialogue, masks::Masks};
use crate::{
    Fault,
    commitment::{Encoded, Point, Scalar, encode, mask},
};

/// The vectors of the argument, folded round by round.
pub(super) struct InnerProduct {
    /// The secret vector.
    pub(super) v: Zeroizing<Vec<Scalar>>,
    /// The public one.
    pub(super) w: Vec<Scalar>,
    /// The bases, all of them times `scale`.
    pub(super) bases: Vec<Point>,
    /// `G'`.
    pub(super) product: Point,
    /// The blinding of `U`.
    pub(super) blinding: Scalar,
}

impl InnerProduct {
    /// Runs all rounds and the last step; the messages in order.
    pub(super) fn prove(
        mut self,
        dialogue: &mut Dialogue,
        masks: &Masks,
    ) -> Result<(Vec<Encoded>, [Scalar; 2]), Fault> {
        let mut messages = Vec::new();
        // P ← u⁻¹P_lo + uP_hi = u⁻¹(P_lo + u²P_hi): the factor waits in `scale`.
        let mut scale = Scalar::ONE;
        while self.v.len() > 1 {
            let half = self.v.len() / 2;
            let (v_low, v_high) = self.v.split_at(half);
            let (w_low, w_high) = self.w.split_at(half);
            let (p_low, p_high) = self.bases.split_at(half);
            let [l, r] = masks.draw(dialogue);
            let cross = |v: &[Scalar], w: &[Scalar], bases: &[Point], blinding: &Scalar| {
                let scaled: Vec<_> = v.iter().map(|v| v * scale).collect();
                let product = self.product.mul(&algebra::inner_product(v, w));
                encode(&(Point::msm(&scaled, bases) + product + mask(blinding)))
            };
            let (left, right) = (cross(v_low, w_high, p_high, &l), cross(v_high, w_low, p_low, &r));
            dialogue.points(b"L", &[left]);
            dialogue.points(b"R", &[right]);
            messages.extend([left, right]);
            let (u, inverse) = dialogue.invertible(b"u")?;
            let square = u * u;
            let bases = p_low.par_iter().zip(p_high);
            self.bases = bases.map(|(low, high)| low + high.mul(&square)).collect();
            scale *= inverse;
            let fold = |low: &[Scalar], high: &[Scalar], a: Scalar, b: Scalar| -> Vec<Scalar> {
                low.iter().zip(high).map(|(low, high)| a * low + b * high).collect()
            };
            let (v, w) = (fold(v_low, v_high, u, inverse), fold(w_low, w_high, inverse, u));
            (self.v, self.w) = (Zeroizing::new(v), w);
            self.blinding += square * l + inverse * inverse * r;
        }
        // The vectors are of one length, a power of two: one element of each is left.
        let base = self.bases.first().copied().unwrap_or_default().mul(&scale);
        let weight = self.w.first().copied().unwrap_or_default();
        let last = base + self.product.mul(&weight);
        let [a, a1] = masks.draw(dialogue);
        let k = encode(&(last.mul(&a) + mask(&a1)));
        dialogue.points(b"K", &[k]);
        messages.push(k);
        let d = dialogue.challenge(b"d");
        let value = self.v.first().copied().unwrap_or_default();
        let responses = [a + d * value, a1 + d * self.blinding];
        dialogue.scalars(b"f", &responses);
        Ok((messages, responses))
    }
}

/// The coefficient of every base in the last one: `Π_t u_t^{±1}`, and the folded public vector.
pub(super) fn folded_bases(rounds: &[(Scalar, Scalar)], point: &[Scalar]) -> (Vec<Scalar>, Scalar) {
    let mut coefficients = vec![Scalar::ONE];
    // The first round splits on the highest bit.
    for (u, inverse) in rounds.iter().rev() {
        let high: Vec<_> = coefficients.iter().map(|coefficient| coefficient * u).collect();
        coefficients.iter_mut().for_each(|coefficient| *coefficient *= inverse);
        coefficients.extend(high);
    }
    let variables = rounds.iter().rev().zip(point);
    let factor =
        |((u, inverse), z): (&(Scalar, Scalar), &Scalar)| inverse * (Scalar::one() - z) + u * z;
    (coefficients, variables.map(factor).product())
}
