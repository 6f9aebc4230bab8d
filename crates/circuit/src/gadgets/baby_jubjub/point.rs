//! Points, as values and on wires.

use algebra::Scalar;

use super::field::{Fr, field};
use crate::synthesis::{Linear, Synthesizer};

const A: u64 = 168_700;
const D: u64 = 168_696;

/// A point in projective coordinates, `x = X/Z` and `y = Y/Z`.
#[derive(Clone, Copy, Debug)]
pub struct JubjubPoint {
    x: Fr,
    y: Fr,
    z: Fr,
}

impl JubjubPoint {
    /// The neutral element, `(0, 1)`.
    pub fn identity() -> Self {
        Self { x: Fr::zero(), y: Fr::one(), z: Fr::one() }
    }

    /// circomlib's `Base8`, a generator of the large subgroup.
    pub fn base() -> Self {
        Self::constant(
            [0x2893f3f6bb957051, 0x2ab8d8010534e0b6, 0x4eacb2e09d6277c1, 0x0bb77a6ad63e739b],
            [0x4b3c257a872d7d8b, 0xfce0051fb9e13377, 0x25572e1cd16bf9ed, 0x25797203f7a0b249],
        )
    }

    /// Another generator, of which nobody knows a multiple that is [`JubjubPoint::base`]: the first
    /// of circomlib's Pedersen hash, which was hashed from a label.
    pub fn second_base() -> Self {
        Self::constant(
            [0x0114f28a3b6f6dd7, 0x0e080879c2205ef1, 0x925e0bf0e87884e7, 0x171e826ad4a870fd],
            [0x7162e259172f1a1d, 0x9de8c1564eb4d3d2, 0xf88adfd2d15252e6, 0x2bd407d897fbbca9],
        )
    }

    fn constant(x: [u64; 4], y: [u64; 4]) -> Self {
        Self { x: field(x), y: field(y), z: Fr::one() }
    }

    /// The sum. Without exceptions (Bernstein, Birkner, Joye, Lange, Peters, ePrint 2008/013).
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let z = self.z * other.z;
        let (c, d) = (self.x * other.x, self.y * other.y);
        let (e, square) = (Fr::from_u64(D) * c * d, z * z);
        let (f, g) = (square - e, square + e);
        let cross = (self.x + self.y) * (other.x + other.y) - c - d;
        Self { x: z * f * cross, y: z * g * (d - Fr::from_u64(A) * c), z: f * g }
    }

    /// Affine coordinates of many points, with one inversion.
    pub fn coordinates(points: &[Self]) -> Vec<[Fr; 2]> {
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        Fr::batch_invert(&mut inverses);
        let affine = |(point, inverse): (&Self, Fr)| [point.x * inverse, point.y * inverse];
        points.iter().zip(inverses).map(affine).collect()
    }
}

/// A point on wires.
#[derive(Clone)]
pub struct JubjubWires {
    /// The coordinate `x`.
    pub x: Linear<Fr>,
    /// The coordinate `y`.
    pub y: Linear<Fr>,
}

impl JubjubWires {
    /// The neutral element.
    pub fn identity() -> Self {
        Self { x: Linear::zero(), y: Linear::one() }
    }

    /// The sum of two points of the curve. Six constraints, with `β = x₁y₂` and `γ = y₁x₂`:
    /// `x₃ (1 + dβγ) = β + γ` and `y₃ (1 − dβγ) = (y₁ − ax₁)(x₂ + y₂) + aβ − γ`. Neither factor is
    /// ever zero.
    #[must_use]
    pub fn add(&self, cs: &mut Synthesizer<Fr>, other: &Self) -> Self {
        let (a, d) = (Fr::from_u64(A), Fr::from_u64(D));
        let beta = cs.product(&self.x, &other.y);
        let gamma = cs.product(&self.y, &other.x);
        let delta = cs.product(&(&self.y - &(&self.x * a)), &(&other.x + &other.y));
        let tau = &cs.product(&beta, &gamma) * d;
        let one = Linear::one();
        let x = quotient(cs, &(&beta + &gamma), &(&one + &tau));
        let y = quotient(cs, &(&(&delta + &(&beta * a)) - &gamma), &(&one - &tau));
        Self { x, y }
    }
}

/// The wire whose product with `denominator`, which is not zero, is `numerator`. One constraint.
fn quotient(
    cs: &mut Synthesizer<Fr>,
    numerator: &Linear<Fr>,
    denominator: &Linear<Fr>,
) -> Linear<Fr> {
    let inverse = denominator.value().invert().unwrap_or_default();
    let quotient = cs.private(numerator.value() * inverse);
    cs.enforce(&quotient, denominator, numerator);
    quotient
}
