//! Proving keys from `.zkey` files and from bellman's parameters.

use std::io::{Read, Seek};

use algebra::{CurveGroup, Dialect, Engine, ScalarOf};
use circuit::{
    PointList,
    bellman::{G1Part, Parameters},
    json::VerifyingKey,
    synthesis::ConstraintSystem,
    zkey::{G1Query, Zkey},
};

use super::{
    Error, ProvingKey,
    key::{Query, Quotient, RowDomain, coefficients},
};

/// Points that are read at a time.
const CHUNK: usize = 1 << 14;

impl<E: Engine> ProvingKey<E> {
    /// Reads a key of snarkjs or of `ceremony`, all of it into memory.
    ///
    /// Every point is on its curve; those that stand alone are in the subgroup. That of the long
    /// lists takes longer than a proof and is not checked. Nothing computed with them is handed out
    /// before it is known to be in the subgroup itself: a proof of one prover is verified,
    /// [`collaborative`](crate::collaborative) checks each share. What a key with points *inside* the
    /// subgroup says is not checked either: shares of several provers are sent before there is a proof to
    /// verify, and with a key that is not the circuit's they can tell wires of little entropy. Whether it
    /// is, is for `ceremony` to verify.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::TooManyRows`].
    pub fn read_zkey(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let zkey = Zkey::<E>::open(reader)?;
        let header = zkey.header().clone();
        let rows = RowDomain::new(header.domain_size as usize)?;
        let verifying_key = VerifyingKey::of_zkey(&zkey, reader)?;
        let coefficients = zkey.coefficients(reader)?.collect::<Result<_, _>>()?;
        let h = zkey.g1(G1Query::H)?;
        Ok(Self {
            verifying_key,
            beta_g1: header.points.beta_g1,
            delta_g1: header.points.delta_g1,
            wires: header.variables as usize,
            coefficients,
            rows,
            a: query(&zkey.g1(G1Query::A)?, 0, reader)?,
            b_g1: query(&zkey.g1(G1Query::B)?, 0, reader)?,
            b_g2: query(&zkey.b_g2()?, 0, reader)?,
            k: query(&zkey.g1(G1Query::K)?, header.public + 1, reader)?,
            h: Quotient::OddLagrange(h.read(reader, 0, h.len() as usize)?),
        })
    }

    /// Reads the parameters of bellman, alone or with a ceremony behind them, for a circuit, which
    /// they do not contain. Like those that snarkjs exports, they must have a point for every wire;
    /// bellman itself leaves neutral ones out and keeps elsewhere which. What is said of
    /// [`ProvingKey::read_zkey`] holds here too.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::KeyLen`] if a list is not as long as the circuit makes it;
    /// [`Error::TooManyRows`].
    pub fn read_bellman(
        reader: &mut (impl Read + Seek),
        dialect: Dialect,
        system: &ConstraintSystem<ScalarOf<E>>,
    ) -> Result<Self, Error> {
        let parameters = Parameters::<E>::open(reader, dialect)?;
        let rows = RowDomain::<E>::of_system(system)?;
        let (wires, public) = (system.header().wires, system.header().public());
        let g1 = |part: G1Part, expected: u64| require_len(parameters.g1(part), expected);
        let ic = g1(G1Part::Ic, u64::from(public) + 1)?;
        let h = g1(G1Part::H, rows.domain.len() as u64 - 1)?;
        let private = u64::from(wires - public) - 1;
        let (k, a) = (g1(G1Part::L, private)?, g1(G1Part::A, wires.into())?);
        let (b_g1, b_g2) = (g1(G1Part::B, wires.into())?, parameters.b_g2());
        let b_g2 = require_len(b_g2, wires.into())?;
        let points = parameters.points();
        let ic_points = ic.read(reader, 0, ic.len() as usize)?;
        ic.check_subgroup(0, &ic_points)?;
        Ok(Self {
            verifying_key: VerifyingKey {
                alpha_g1: points.alpha_g1,
                beta_g2: points.beta_g2,
                gamma_g2: points.gamma_g2,
                delta_g2: points.delta_g2,
                ic: ic_points,
            },
            beta_g1: points.beta_g1,
            delta_g1: points.delta_g1,
            wires: wires as usize,
            coefficients: coefficients(system),
            rows,
            a: query(&a, 0, reader)?,
            b_g1: query(&b_g1, 0, reader)?,
            b_g2: query(&b_g2, 0, reader)?,
            k: query(&k, public + 1, reader)?,
            h: Quotient::Powers(h.read(reader, 0, h.len() as usize)?),
        })
    }
}

fn require_len<G: CurveGroup>(list: PointList<G>, expected: u64) -> Result<PointList<G>, Error> {
    match list.len() == expected {
        true => Ok(list),
        false => Err(Error::KeyLen { list: list.place(), expected, got: list.len() }),
    }
}

/// A list whose first point belongs to wire `first`.
fn query<G: CurveGroup>(
    list: &PointList<G>,
    first: u32,
    reader: &mut (impl Read + Seek),
) -> Result<Query<G>, Error> {
    let mut query = Query::new();
    for chunk in list.chunks(reader, CHUNK) {
        let (start, points) = chunk?;
        query.extend(first + start as u32, &points);
    }
    Ok(query)
}
