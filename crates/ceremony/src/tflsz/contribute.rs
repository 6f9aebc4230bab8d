//! A contribution to either round.

use std::io::{Read, Seek, Write};

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::native::TflszPoints;
use rand_core::CryptoRng;
use wire::{Digest, Progress};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{
    file::{File, First, FirstSteps, PROTOCOL, Record, Round, Second},
    verify::check_input,
};
use crate::{
    Error, Snapshot, Trust, kernels,
    phase1::secret,
    powers::Powers,
    series::{self, Receipt, check_name},
    step::Step,
    trust::ReadSeek,
};

/// Contributes secrets from `rng` to `old` and writes `new`. The same generator makes the same file.
///
/// `old` is verified first, against its phase 1, which should have been
/// [verified](crate::phase1::verify) ([`trust`](crate::trust) says why); it may have no contributions yet.
/// The proofs bind its digest. Takes memory for the whole file.
///
/// # Errors
/// [`Error::RoundOver`]; [`Error::RoundEmpty`] for round 2 if nobody contributed to round 1;
/// [`Error::File`] for a broken file, and for a name that does not fit; those of
/// [`verify`](super::verify()).
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut impl Write,
    round: Round,
    name: Option<String>,
    trust: Trust<'_, &mut dyn ReadSeek>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    check_name(&name)?;
    let mut file = File::<E>::read(old)?;
    super::key::check_lengths(&file.points)?;
    match round {
        Round::First if !file.record.second.is_empty() => return Err(Error::RoundOver),
        Round::Second if file.record.first.is_empty() => {
            return Err(Error::RoundEmpty { round: 1 });
        }
        _ => {}
    }
    if let Trust::Verify { against: mut phase1, rng } = trust {
        check_input(&file, &mut phase1, rng, progress)?;
    }
    let place = Place { before: file.hash(), name, input: old.digest() };
    let record = &mut file.record;
    match round {
        Round::First => {
            let secrets = FirstSecrets::<ScalarOf<E>>::random(rng);
            record.first.push(secrets.prove::<E>(&file.points, place, rng));
            secrets.multiply(&mut file.points, progress)?;
        }
        Round::Second => {
            let secrets = SecondSecret { gamma: secret::<ScalarOf<E>>(rng) };
            record.second.push(secrets.prove::<E>(&file.points, place, rng));
            secrets.multiply(&mut file.points, progress);
        }
    }
    file.write(new)?;
    progress.finish();
    let Record { first, second, .. } = &file.record;
    Ok(Receipt { hash: file.hash(), index: first.len() + second.len() - 1 })
}

/// What a contribution's proofs are bound to.
struct Place {
    before: [u8; 64],
    name: Option<String>,
    input: Digest,
}

/// One contributor's shares of round 1, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct FirstSecrets<S: Scalar> {
    theta: S,
    beta: S,
    beta_hat: S,
    rho: S,
}

impl<S: Scalar> FirstSecrets<S> {
    fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let [theta, beta, beta_hat, rho] = [(); 4].map(|()| secret(rng));
        Self { theta, beta, beta_hat, rho }
    }
}

impl<S: Scalar> FirstSecrets<S> {
    fn prove<E>(
        &self,
        points: &TflszPoints<E>,
        Place { before, name, input }: Place,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> First<E>
    where
        E: Engine<G1: Group<Scalar = S>>,
    {
        let mut transcript = series::proofs(PROTOCOL, 1, &before, &name, &input);
        let generator = E::G1::affine_generator();
        // Lists of the file have 2n points, or n + 1, and n is at least 3.
        let theta = points.theta.first().unwrap_or(&generator);
        let beta = points.beta_chi.first().unwrap_or(&generator);
        let mut step = |point, secret| Step::prove(&mut transcript, point, secret, rng);
        let steps = FirstSteps {
            theta: step(theta, &self.theta),
            beta: step(beta, &self.beta),
            beta_hat: step(&points.single.beta_hat, &self.beta_hat),
            rho: step(&points.single.rho, &self.rho),
        };
        First { name, input, steps }
    }

    /// Multiplies all points that contain `θ`, `β`, `β̂` or `ρ`: `6n` of G1.
    fn multiply<E>(
        &self,
        points: &mut TflszPoints<E>,
        progress: &impl Progress,
    ) -> Result<(), Error>
    where
        E: Engine<G1: Group<Scalar = S>, G2: Group<Scalar = S>>,
    {
        progress.begin("contributing", 5);
        let Self { theta, beta, beta_hat, rho } = self;
        let (n, theta2) = (points.p.len(), *theta * *theta);
        // γ is 1 yet: the sums are βP_i + β̂P̂_i.
        let mut beta_p = difference::<E::G1>(&points.mixed, &points.beta_hat_theta);
        E::G1::scale_all(&mut beta_p, beta);
        progress.advance(1);
        E::G1::scale_each(&mut points.theta, &Powers::new(*theta, *theta).take(2 * n));
        progress.advance(1);
        E::G1::scale_all(&mut points.beta_chi, beta);
        progress.advance(1);
        let powers = Powers::new(*beta_hat * theta2, theta2).take(n);
        E::G1::scale_each(&mut points.beta_hat_theta, &powers);
        progress.advance(1);
        let inverse = rho.invert().ok_or(Error::NoContributions)?;
        E::G1::scale_all(&mut points.q_over_rho, &inverse);
        progress.advance(1);
        points.mixed = sum::<E::G1>(&beta_p, &points.beta_hat_theta);

        let p_hat: E::G1 = points.p_hat().into_iter().map(Into::<E::G1>::into).sum();
        let single = &mut points.single;
        single.sum_p_hat = kernels::to_affine(p_hat);
        let in_both = *beta * *rho;
        times::<E::G1>(&mut single.rho, rho);
        times::<E::G1>(&mut single.beta_hat, beta_hat);
        times::<E::G1>(&mut single.beta_rho, &in_both);
        times::<E::G1>(&mut single.beta2_rho, &in_both);
        times::<E::G1>(&mut single.beta_beta_hat, beta_hat);
        let single = &mut points.single_g2;
        times::<E::G2>(&mut single.rho, rho);
        times::<E::G2>(&mut single.theta, theta);
        times::<E::G2>(&mut single.beta, beta);
        times::<E::G2>(&mut single.beta_hat, beta_hat);
        times::<E::G2>(&mut single.beta2, beta);
        times::<E::G2>(&mut single.beta_beta_hat, beta_hat);
        Ok(())
    }
}

/// One contributor's share of round 2, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct SecondSecret<S: Scalar> {
    gamma: S,
}

impl<S: Scalar> SecondSecret<S> {
    fn prove<E>(
        &self,
        points: &TflszPoints<E>,
        Place { before, name, input }: Place,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Second<E>
    where
        E: Engine<G2: Group<Scalar = S>>,
    {
        let mut transcript = series::proofs(PROTOCOL, 2, &before, &name, &input);
        let gamma = Step::prove(&mut transcript, &points.single_g2.beta2, &self.gamma, rng);
        Second { name, input, gamma }
    }

    /// Multiplies all points that contain `γ`.
    fn multiply<E>(&self, points: &mut TflszPoints<E>, progress: &impl Progress)
    where
        E: Engine<G1: Group<Scalar = S>, G2: Group<Scalar = S>>,
    {
        progress.begin("contributing", 1);
        let Self { gamma } = self;
        E::G1::scale_all(&mut points.mixed, gamma);
        times::<E::G1>(&mut points.single.beta2_rho, gamma);
        times::<E::G1>(&mut points.single.beta_beta_hat, gamma);
        times::<E::G2>(&mut points.single_g2.beta2, gamma);
        times::<E::G2>(&mut points.single_g2.beta_beta_hat, gamma);
        progress.advance(1);
    }
}

fn times<G: CurveGroup>(point: &mut Affine<G>, factor: &G::Scalar) {
    *point = kernels::to_affine(Into::<G>::into(*point).mul(factor));
}

fn sum<G: CurveGroup>(left: &[Affine<G>], right: &[Affine<G>]) -> Vec<Affine<G>> {
    let pairs = left.iter().zip(right);
    let sums = pairs.map(|(&left, right)| Into::<G>::into(left).add_precomputed(right));
    G::precompute(&sums.collect::<Vec<_>>())
}

fn difference<G: CurveGroup>(left: &[Affine<G>], right: &[Affine<G>]) -> Vec<Affine<G>> {
    let pairs = left.iter().zip(right);
    let differences = pairs.map(|(&left, right)| Into::<G>::into(left).sub_precomputed(right));
    G::precompute(&differences.collect::<Vec<_>>())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::io::Cursor;

    use algebra::{Bls12381, Bn254};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::{
        phase1::{self, Settings},
        tflsz::{new, verify},
    };

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::from_seed([9; 32])
    }

    /// A contribution by secrets of its maker's choice, with right proofs: four to round 1, one to round 2.
    fn choose<E: Engine>(old: &[u8], secrets: &[u64]) -> Vec<u8> {
        let mut old = Snapshot::take(Cursor::new(old), &()).unwrap();
        let mut file = File::<E>::read(&mut old).unwrap();
        let place = Place { before: file.hash(), name: None, input: old.digest() };
        let secret = |value: &u64| ScalarOf::<E>::from_u64(*value);
        match secrets {
            [theta, beta, beta_hat, rho] => {
                let [theta, beta, beta_hat, rho] = [theta, beta, beta_hat, rho].map(secret);
                let secrets = FirstSecrets { theta, beta, beta_hat, rho };
                file.record.first.push(secrets.prove::<E>(&file.points, place, &mut rng()));
                secrets.multiply(&mut file.points, &()).unwrap();
            }
            [gamma] => {
                let secrets = SecondSecret { gamma: secret(gamma) };
                file.record.second.push(secrets.prove::<E>(&file.points, place, &mut rng()));
                secrets.multiply(&mut file.points, &());
            }
            _ => panic!("one secret or four"),
        }
        file.write(Vec::new()).unwrap()
    }

    fn phase1<E: Engine>() -> Cursor<Vec<u8>> {
        let (mut start, mut ptau) = (Cursor::new(Vec::new()), Cursor::new(Vec::new()));
        phase1::new::<E>(&mut start, 2, &()).unwrap();
        let (mut start, settings) = (Snapshot::take(start, &()).unwrap(), Settings::default());
        let mut verifier = rng();
        let trust = Trust::verify(&settings, &mut verifier);
        phase1::contribute::<E>(&mut start, &mut ptau, None, trust, &mut rng(), &()).unwrap();
        ptau
    }

    /// A contribution that everybody can make, with right proofs, counted as somebody's.
    fn idle<E: Engine>() {
        let (mut ptau, mut start) = (phase1::<E>(), Vec::new());
        new::<E>(&mut ptau, 2, &mut start, &()).unwrap();
        let verified =
            |file: &[u8]| verify::<E>(&mut Cursor::new(file), &mut ptau.clone(), &mut rng(), &());
        let first = choose::<E>(&start, &[2, 3, 4, 5]);
        let second = choose::<E>(&first, &[6]);
        verified(&choose::<E>(&first, &[7, 8, 9, 10])).unwrap();
        verified(&choose::<E>(&second, &[11])).unwrap();
        let cases: [(&[u8], &[u64], usize, &str); 9] = [
            (&start, &[1, 8, 9, 10], 0, "theta"),
            (&first, &[1, 8, 9, 10], 1, "theta"),
            (&first, &[7, 1, 9, 10], 1, "beta"),
            (&first, &[7, 8, 1, 10], 1, "beta hat"),
            (&first, &[7, 8, 9, 1], 1, "rho"),
            (&first, &[1, 1, 1, 1], 1, "theta"),
            (&first, &[1], 1, "gamma"),
            (&second, &[1], 2, "gamma"),
            (&choose::<E>(&first, &[1]), &[11], 1, "gamma"),
        ];
        for (old, secrets, at, expected) in cases {
            let file = choose::<E>(old, secrets);
            let (mut taken, mut verifier) =
                (Snapshot::take(Cursor::new(&file), &()).unwrap(), rng());
            let mut ptau = ptau.clone();
            let trust = Trust::verify(&mut ptau as &mut dyn ReadSeek, &mut verifier);
            let contributed = contribute::<E>(
                &mut taken,
                &mut Vec::new(),
                Round::Second,
                None,
                trust,
                &mut rng(),
                &(),
            );
            for refused in [verified(&file).map(drop), contributed.map(drop)] {
                assert!(
                    matches!(refused, Err(Error::Idle { index, secret }) if (index, secret) == (at, expected)),
                    "{secrets:?}: {refused:?}"
                );
            }
        }
        // A secret of zero leaves neutral points; ρ has an inverse.
        for (old, secrets) in [
            (&first, &[0, 8, 9, 10][..]),
            (&first, &[7, 0, 9, 10]),
            (&first, &[7, 8, 0, 10]),
            (&second, &[0]),
        ] {
            let refused = verified(&choose::<E>(old, secrets)).unwrap_err();
            assert!(refused.to_string().contains("infinity"), "{secrets:?}: {refused}");
        }
    }

    #[test]
    fn a_secret_of_one_is_no_contribution() {
        idle::<Bn254>();
        idle::<Bls12381>();
    }
}
