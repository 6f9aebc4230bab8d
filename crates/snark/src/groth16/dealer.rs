//! Keys from one hand, for tests and measurements.

use algebra::{
    Affine, CurveGroup, Engine, FixedBaseTable, Group, Scalar, ScalarOf, scale_by_powers,
};
use circuit::{
    json::VerifyingKey,
    r1cs::LinearCombination,
    synthesis::ConstraintSystem,
    zkey::{Coefficient, Matrix},
};
use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::{
    Error, ProvingKey,
    key::{Query, RowDomain},
};

/// Makes the key of a circuit from secrets of its own, and forgets them.
///
/// Whoever runs this could have kept them, and forge: for tests and measurements only. The rows and
/// points are those of a ceremony's key with these secrets.
///
/// # Errors
/// [`Error::TooManyRows`].
pub fn insecure_dealer<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    rng: &mut impl CryptoRng,
) -> Result<ProvingKey<E>, Error> {
    let (constraints, public) = (system.constraints().len(), system.header().public() as usize);
    let rows = RowDomain::<E>::new((constraints + public + 1).next_power_of_two().max(2))?;
    let [tau, alpha, beta, delta] = [(); 4].map(|()| Zeroizing::new(ScalarOf::<E>::random(rng)));
    let unlucky = || Error::Forgeable { reason: "the generator drew zero" };
    let delta_inverse = Zeroizing::new(delta.invert().ok_or_else(unlucky)?);

    let (lagrange, odd_lagrange) = lagrange_at(&rows, *tau);
    let mut columns = Columns::new(system, &lagrange);
    let private = columns.w.split_off(public + 1);
    // γ is one, as in ceremonies.
    let mix = |first: usize, w: &[ScalarOf<E>], over: ScalarOf<E>| -> Vec<_> {
        let columns = columns.u.iter().zip(&columns.v).skip(first);
        columns.zip(w).map(|((&u, &v), &w)| (*beta * u + *alpha * v + w) * over).collect()
    };
    let ic = mix(0, &columns.w, Scalar::one());
    let k = mix(public + 1, &private, *delta_inverse);
    let h: Vec<_> = odd_lagrange.iter().map(|&value| value * *delta_inverse).collect();

    let g1 = FixedBaseTable::new(&E::G1::generator());
    let g2 = FixedBaseTable::new(&E::G2::generator());
    let [alpha_g1, beta_g1, delta_g1] = points(&g1, &[*alpha, *beta, *delta])[..] else {
        return Err(unlucky());
    };
    let [beta_g2, delta_g2] = points(&g2, &[*beta, *delta])[..] else { return Err(unlucky()) };
    let verifying_key = VerifyingKey {
        alpha_g1,
        beta_g2,
        gamma_g2: E::G2::affine_generator(),
        delta_g2,
        ic: points(&g1, &ic),
    };
    Ok(ProvingKey {
        verifying_key,
        beta_g1,
        delta_g1,
        wires: columns.u.len(),
        coefficients: std::mem::take(&mut columns.coefficients),
        rows,
        a: Query::of(0, &points(&g1, &columns.u)),
        b_g1: Query::of(0, &points(&g1, &columns.v)),
        b_g2: Query::of(0, &points(&g2, &columns.v)),
        k: Query::of(public as u32 + 1, &points(&g1, &k)),
        h: points(&g1, &h),
    })
}

fn points<G: CurveGroup>(table: &FixedBaseTable<G>, scalars: &[G::Scalar]) -> Vec<Affine<G>> {
    G::to_affine_all(&table.mul_all(scalars))
}

/// `L_i(τ) = Z(τ) ω^i / (n (τ − ω^i))` for the rows, and the odd ones of the domain of twice the
/// size.
#[expect(clippy::type_complexity, reason = "two vectors")]
fn lagrange_at<E: Engine>(
    rows: &RowDomain<E>,
    tau: ScalarOf<E>,
) -> (Zeroizing<Vec<ScalarOf<E>>>, Zeroizing<Vec<ScalarOf<E>>>) {
    let (one, size) = (ScalarOf::<E>::one(), rows.domain.len());
    let power = (0..size.ilog2()).fold(tau, |power, _| power * power);
    let at = |start: ScalarOf<E>, factor: ScalarOf<E>| {
        let mut roots = vec![one; size];
        scale_by_powers(&mut roots, start, rows.domain.root());
        let mut values: Vec<_> = roots.iter().map(|&root| tau - root).collect();
        Scalar::batch_invert(&mut values);
        values.iter_mut().zip(&roots).for_each(|(value, &root)| *value *= root * factor);
        Zeroizing::new(values)
    };
    let inverse = rows.domain.size_inverse();
    let half = ScalarOf::<E>::from_u64(2).invert().unwrap_or_default();
    let own = at(one, (power - one) * inverse);
    let odd = at(rows.shift, (power * power - one) * inverse * half);
    (own, odd)
}

/// The circuit's polynomials at `τ`, by wire, and the entries of its first two matrices.
struct Columns<S: Scalar> {
    u: Vec<S>,
    v: Vec<S>,
    w: Vec<S>,
    coefficients: Vec<Coefficient<S>>,
}

impl<S: Scalar> Columns<S> {
    /// Below the constraints is a row for the constant and each public wire, which makes public
    /// inputs independent of each other.
    fn new(system: &ConstraintSystem<S>, lagrange: &[S]) -> Self {
        let header = system.header();
        let zeros = || vec![S::zero(); header.wires as usize];
        let (u, v, w) = (zeros(), zeros(), zeros());
        let mut columns = Self { u, v, w, coefficients: Vec::new() };
        let mut lagrange = (0_u32..).zip(lagrange);
        for (constraint, (row, &value)) in system.constraints().iter().zip(&mut lagrange) {
            columns.add(Some(Matrix::A), row, &constraint.a, value);
            columns.add(Some(Matrix::B), row, &constraint.b, value);
            columns.add(None, row, &constraint.c, value);
        }
        for (wire, (row, &value)) in (0..=header.public()).zip(lagrange) {
            columns.add(Some(Matrix::A), row, &vec![(wire, S::one())], value);
        }
        columns
    }

    fn add(&mut self, matrix: Option<Matrix>, row: u32, terms: &LinearCombination<S>, at: S) {
        let column = match matrix {
            Some(Matrix::A) => &mut self.u,
            Some(Matrix::B) => &mut self.v,
            None => &mut self.w,
        };
        for &(wire, value) in terms {
            if let Some(sum) = column.get_mut(wire as usize) {
                *sum += value * at;
            }
            let coefficient = |matrix| Coefficient { matrix, constraint: row, wire, value };
            self.coefficients.extend(matrix.map(coefficient));
        }
    }
}

impl<S: Scalar> Drop for Columns<S> {
    fn drop(&mut self) {
        self.u.zeroize();
        self.v.zeroize();
        self.w.zeroize();
    }
}
