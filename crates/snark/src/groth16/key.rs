//! Proving keys in memory.

use algebra::{Affine, AffineGroup, CurveGroup, Domain, Engine, Group, Scalar, ScalarOf};
use circuit::{
    json::VerifyingKey,
    synthesis::ConstraintSystem,
    zkey::{Coefficient, Matrix},
};
use zeroize::Zeroizing;

use super::Error;

/// What proving takes for one circuit: about 500 bytes a wire or row on BN254.
#[derive(Clone, Debug)]
pub struct ProvingKey<E: Engine> {
    pub(super) verifying_key: VerifyingKey<E>,
    /// `[β]₁` and `[δ]₁`.
    pub(super) beta_g1: Affine<E::G1>,
    pub(super) delta_g1: Affine<E::G1>,
    /// Wires, the constant one included.
    pub(super) wires: usize,
    /// Entries of the matrices `a` and `b`.
    pub(super) coefficients: Vec<Coefficient<ScalarOf<E>>>,
    pub(super) rows: RowDomain<E>,
    /// `[u_i(τ)]₁`, `[v_i(τ)]₁`, `[v_i(τ)]₂`.
    pub(super) a: Query<E::G1>,
    pub(super) b_g1: Query<E::G1>,
    pub(super) b_g2: Query<E::G2>,
    /// `[(βu_i + αv_i + w_i)(τ)/δ]₁` of the private wires.
    pub(super) k: Query<E::G1>,
    pub(super) h: Quotient<E::G1>,
}

impl<E: Engine> ProvingKey<E> {
    /// The verification key inside.
    pub fn verifying_key(&self) -> &VerifyingKey<E> {
        &self.verifying_key
    }

    /// The verification key's points in their canonical encodings, for transcripts.
    pub(crate) fn verifying_key_bytes(&self) -> Vec<u8> {
        let key = &self.verifying_key;
        let mut out = E::G1::from_affine(&key.alpha_g1).encode();
        for point in [&key.beta_g2, &key.gamma_g2, &key.delta_g2] {
            out.extend(E::G2::from_affine(point).encode());
        }
        key.ic.iter().for_each(|point| out.extend(E::G1::from_affine(point).encode()));
        out
    }

    /// Wires of the circuit, the constant one included.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// Public wires, the constant one not included.
    pub fn public(&self) -> usize {
        self.verifying_key.ic.len().saturating_sub(1)
    }

    /// Rows of the domain.
    pub fn domain_size(&self) -> usize {
        self.rows.domain.len()
    }
}

#[cfg(test)]
impl<E: Engine> ProvingKey<E> {
    /// The long lists in G1: A, B, K and the quotient's.
    pub(crate) fn g1_lists_mut(&mut self) -> [&mut [Affine<E::G1>]; 4] {
        let (Quotient::OddLagrange(h) | Quotient::Powers(h)) = &mut self.h;
        [&mut self.a.points, &mut self.b_g1.points, &mut self.k.points, h]
    }

    /// That in G2: B.
    pub(crate) fn g2_list_mut(&mut self) -> &mut [Affine<E::G2>] {
        &mut self.b_g2.points
    }
}

/// The points of which the quotient's is a combination.
#[derive(Clone, Debug)]
pub(super) enum Quotient<G: CurveGroup> {
    /// `[L_{2i+1}(τ)/δ]₁` over the domain of twice the size, as snarkjs has them.
    OddLagrange(Vec<Affine<G>>),
    /// `[τ^i Z(τ)/δ]₁`, as bellman has them.
    Powers(Vec<Affine<G>>),
}

/// The rows' domain, and the root that shifts it to the odd powers of the domain of twice the size.
#[derive(Clone, Debug)]
pub(super) struct RowDomain<E: Engine> {
    pub domain: Domain<ScalarOf<E>>,
    pub shift: ScalarOf<E>,
}

impl<E: Engine> RowDomain<E> {
    /// The domain of a circuit's rows: its constraints, and one for each public wire and the constant.
    pub fn of_system(system: &ConstraintSystem<ScalarOf<E>>) -> Result<Self, Error> {
        let rows = system.constraints().len() + system.header().public() as usize + 1;
        Self::new(rows.next_power_of_two().max(2))
    }

    /// With the roots of unity of snarkjs.
    pub fn new(size: usize) -> Result<Self, Error> {
        let log_size = size.next_power_of_two().trailing_zeros();
        let too_many = || Error::TooManyRows { log_size };
        let root = E::root_of_unity(log_size).ok_or_else(too_many)?;
        let shift = E::root_of_unity(log_size + 1).ok_or_else(too_many)?;
        let domain = Domain::with_root(size, root, log_size).map_err(|_| too_many())?;
        Ok(Self { domain, shift })
    }
}

/// Points that belong to wires, without the neutral ones: many wires are in one matrix only.
#[derive(Clone, Debug)]
pub(super) struct Query<G: CurveGroup> {
    wires: Vec<u32>,
    points: Vec<Affine<G>>,
}

impl<G: CurveGroup> Query<G> {
    pub fn new() -> Self {
        Self { wires: Vec::new(), points: Vec::new() }
    }

    /// Adds the points of the wires from `first` on.
    pub fn extend(&mut self, first: u32, points: &[Affine<G>]) {
        for (wire, point) in (first..).zip(points) {
            if !G::is_affine_identity(point) {
                self.wires.push(wire);
                self.points.push(*point);
            }
        }
    }

    /// All points, of the wires from `first` on.
    pub fn of(first: u32, points: &[Affine<G>]) -> Self {
        let mut query = Self::new();
        query.extend(first, points);
        query
    }

    /// The points.
    pub fn points(&self) -> &[Affine<G>] {
        &self.points
    }

    /// Whether the points of another query belong to the same wires.
    pub fn has_wires_of<H: CurveGroup>(&self, other: &Query<H>) -> bool {
        self.wires == other.wires
    }

    /// `Σ z_i · point_i`.
    pub fn sum(&self, z: &[G::Scalar]) -> G {
        // A witness has a value for every wire of the key: whoever calls has compared their numbers.
        let scalar = |&wire: &u32| z.get(wire as usize).copied().unwrap_or(G::Scalar::zero());
        let scalars: Zeroizing<Vec<_>> = Zeroizing::new(self.wires.iter().map(scalar).collect());
        G::msm_affine(&scalars, &self.points)
    }
}

/// The entries of a circuit's first two matrices. Below the constraints is a row for the constant and
/// each public wire, with nothing but that wire on the left: without these, public inputs could depend
/// on each other, and a proof for some would do for others.
pub(super) fn coefficients<S: Scalar>(system: &ConstraintSystem<S>) -> Vec<Coefficient<S>> {
    let mut coefficients = Vec::new();
    let mut add = |matrix, constraint, terms: &[(u32, S)]| {
        let entry = |&(wire, value)| Coefficient { matrix, constraint, wire, value };
        coefficients.extend(terms.iter().map(entry));
    };
    for (row, constraint) in (0..).zip(system.constraints()) {
        add(Matrix::A, row, &constraint.a);
        add(Matrix::B, row, &constraint.b);
    }
    let header = system.header();
    for wire in 0..=header.public() {
        add(Matrix::A, header.constraints + wire, &[(wire, S::one())]);
    }
    coefficients
}
