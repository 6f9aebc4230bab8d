//! A whole file in memory, to take apart and put together otherwise.

use std::io::Cursor;

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use circuit::ptau::{Contribution, G1Section, G2Section, Ptau, PtauHeader, PtauWriter};

/// The powers and the contributions of a file without Lagrange sections.
#[derive(Clone)]
pub struct Contents<E: Engine> {
    pub header: PtauHeader,
    pub tau: Vec<Affine<E::G1>>,
    pub tau_g2: Vec<Affine<E::G2>>,
    pub alpha_tau: Vec<Affine<E::G1>>,
    pub beta_tau: Vec<Affine<E::G1>>,
    pub beta_g2: Vec<Affine<E::G2>>,
    pub contributions: Vec<Contribution<E>>,
}

impl<E: Engine> Contents<E> {
    pub fn read(bytes: &[u8]) -> Self {
        let file = &mut Cursor::new(bytes);
        let ptau = Ptau::<E>::open(file).unwrap();
        let contributions = ptau.contributions(file).unwrap().map(Result::unwrap).collect();
        let mut g1 = |section| {
            let list = ptau.g1(section).unwrap();
            list.read(file, 0, list.len() as usize).unwrap()
        };
        let [tau, alpha_tau, beta_tau] =
            [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau].map(&mut g1);
        let mut g2 = |section| {
            let list = ptau.g2(section).unwrap();
            list.read(file, 0, list.len() as usize).unwrap()
        };
        let [tau_g2, beta_g2] = [G2Section::Tau, G2Section::Beta].map(&mut g2);
        Self { header: ptau.header(), tau, tau_g2, alpha_tau, beta_tau, beta_g2, contributions }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = PtauWriter::<_, E>::new(Vec::new(), self.header, false).unwrap();
        let mut section = out.g1(G1Section::Tau).unwrap();
        section.write(&self.tau).unwrap();
        section.finish().unwrap().finish().unwrap();
        let mut section = out.g2(G2Section::Tau).unwrap();
        section.write(&self.tau_g2).unwrap();
        section.finish().unwrap().finish().unwrap();
        for (kind, points) in
            [(G1Section::AlphaTau, &self.alpha_tau), (G1Section::BetaTau, &self.beta_tau)]
        {
            let mut section = out.g1(kind).unwrap();
            section.write(points).unwrap();
            section.finish().unwrap().finish().unwrap();
        }
        let mut section = out.g2(G2Section::Beta).unwrap();
        section.write(&self.beta_g2).unwrap();
        section.finish().unwrap().finish().unwrap();
        out.contributions(&self.contributions).unwrap();
        out.finish().unwrap()
    }
}

/// Another point of the group.
pub fn other<G: CurveGroup>(point: &Affine<G>) -> Affine<G> {
    let sum = Into::<G>::into(*point) + G::generator().double().double();
    G::precompute(&[sum])[0]
}

/// Points of the curve outside the prime-order subgroup; none on BN254's G1.
pub fn outside<G: CurveGroup>() -> Option<Affine<G>> {
    let candidate = |x: u8| {
        let mut bytes = vec![0; G::COORDINATE_LEN];
        *bytes.last_mut().unwrap() = x;
        let form = PointForm::Compressed(Dialect::Snarkjs);
        let points = G::read_form(&bytes, form).ok()?;
        G::check_subgroup(&points).err().map(|_| points[0])
    };
    (1..=40).find_map(candidate)
}

/// A point as files hold it.
pub fn encode<G: CurveGroup>(point: Affine<G>) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::write_form(&[point], PointForm::Montgomery, &mut bytes);
    bytes
}
