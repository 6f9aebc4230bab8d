//! Keys from one hand, for tests and measurements.

use algebra::{
    Affine, CurveGroup, Engine, FixedBaseTable, Group, Scalar, ScalarOf, scale_by_powers,
};
use circuit::{
    json::VerifyingKey,
    synthesis::ConstraintSystem,
    zkey::{Coefficient, Matrix},
};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{
    Error, ProvingKey,
    key::{Query, Quotient, RowDomain, coefficients},
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
    let public = system.header().public() as usize;
    let rows = RowDomain::<E>::of_system(system)?;
    let [tau, alpha, beta, delta] = [(); 4].map(|()| Zeroizing::new(ScalarOf::<E>::random(rng)));
    let unlucky = || Error::Forgeable { reason: "the generator drew zero" };
    let delta_inverse = Zeroizing::new(delta.invert().ok_or_else(unlucky)?);

    let (lagrange, odd_lagrange) = lagrange_at(&rows, *tau);
    let coefficients = coefficients(system);
    let [u, v, w] = columns_at(system, &coefficients, &lagrange);
    // γ is one, as in ceremonies.
    let mixed = u.iter().zip(v.iter()).zip(w.iter());
    let mixed = mixed.map(|((&u, &v), &w)| *beta * u + *alpha * v + w);
    let mut ic = Zeroizing::new(mixed.collect::<Vec<_>>());
    let mut k = Zeroizing::new(ic.split_off(public + 1));
    k.iter_mut().for_each(|value| *value *= *delta_inverse);
    let h = odd_lagrange.iter().map(|&value| value * *delta_inverse);
    let h = Zeroizing::new(h.collect::<Vec<_>>());

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
        wires: u.len(),
        coefficients,
        rows,
        a: Query::of(0, &points(&g1, &u)),
        b_g1: Query::of(0, &points(&g1, &v)),
        b_g2: Query::of(0, &points(&g2, &v)),
        k: Query::of(public as u32 + 1, &points(&g1, &k)),
        h: Quotient::OddLagrange(points(&g1, &h)),
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
    // 2 is not zero in a scalar field.
    let half = ScalarOf::<E>::from_u64(2).invert().unwrap_or_default();
    let own = at(one, (power - one) * inverse);
    let odd = at(rows.shift, (power * power - one) * inverse * half);
    (own, odd)
}

/// The circuit's polynomials `u_i`, `v_i` and `w_i` at `τ`, by wire.
fn columns_at<S: Scalar>(
    system: &ConstraintSystem<S>,
    coefficients: &[Coefficient<S>],
    lagrange: &[S],
) -> [Zeroizing<Vec<S>>; 3] {
    let zeros = || Zeroizing::new(vec![S::zero(); system.header().wires as usize]);
    let (mut u, mut v, mut w) = (zeros(), zeros(), zeros());
    let add = |column: &mut Vec<S>, wire: u32, value: S, row: usize| {
        if let (Some(sum), Some(&at)) = (column.get_mut(wire as usize), lagrange.get(row)) {
            *sum += value * at;
        }
    };
    for entry in coefficients {
        let column = match entry.matrix {
            Matrix::A => &mut u,
            Matrix::B => &mut v,
        };
        add(column, entry.wire, entry.value, entry.constraint as usize);
    }
    for (row, constraint) in system.constraints().iter().enumerate() {
        for &(wire, value) in &constraint.c {
            add(&mut w, wire, value, row);
        }
    }
    [u, v, w]
}
