//! Reads every bit of a file, points checked in full, and writes it again.

use std::io::{Cursor, Read, Seek, Write};

use algebra::{CurveGroup, Dialect, Engine};
use circuit::{
    Error, PointList, PointWriter,
    bellman::{G1Part, Parameters, ParametersWriter, PowersFile, PowersKind, PowersWriter},
    ptau::{G1Section, G2Section, Ptau, PtauWriter},
    r1cs::{R1cs, R1csWriter},
    wtns::{self, Wtns},
    zkey::{G1Query, Zkey, ZkeyWriter},
};

/// Small, so that lists have several chunks.
const CHUNK: usize = 7;

fn list<G: CurveGroup, W: Write>(
    list: PointList<G>,
    reader: &mut (impl Read + Seek),
    mut writer: PointWriter<W, G>,
) -> Result<W, Error> {
    for chunk in list.chunks(reader, CHUNK) {
        let (start, points) = chunk?;
        list.check_subgroup(start, &points)?;
        writer.write(&points)?;
    }
    writer.finish()
}

pub fn ptau<E: Engine>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let ptau = Ptau::<E>::open(&mut file)?;
    let mut out = PtauWriter::<_, E>::new(Vec::new(), ptau.header(), ptau.is_prepared())?;
    for section in ptau.table().sections() {
        if let Some(kind) = G1Section::ALL.into_iter().find(|kind| kind.id() == section.id) {
            list(ptau.g1(kind)?, &mut file, out.g1(kind)?)?.finish()?;
        } else if let Some(kind) = G2Section::ALL.into_iter().find(|kind| kind.id() == section.id) {
            list(ptau.g2(kind)?, &mut file, out.g2(kind)?)?.finish()?;
        } else if section.id == 7 {
            let contributions: Result<Vec<_>, _> = ptau.contributions(&mut file)?.collect();
            out.contributions(&contributions?)?;
        }
    }
    out.finish()
}

pub fn zkey<E: Engine>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let zkey = Zkey::<E>::open(&mut file)?;
    let mut out = ZkeyWriter::<_, E>::new(Vec::new(), zkey.header().clone())?;
    for section in zkey.table().sections() {
        if let Some(query) = G1Query::ALL.into_iter().find(|query| query.id() == section.id) {
            list(zkey.g1(query)?, &mut file, out.g1(query)?)?.finish()?;
            continue;
        }
        match section.id {
            4 => {
                let coefficients = zkey.coefficients(&mut file)?;
                let mut writer = out.coefficients(coefficients.left())?;
                for coefficient in coefficients {
                    writer.write(&[coefficient?])?;
                }
                writer.finish()?;
            }
            7 => list(zkey.b_g2()?, &mut file, out.b_g2()?)?.finish()?,
            10 => {
                let hash = zkey.circuit_hash(&mut file)?;
                let all: Result<Vec<_>, _> = zkey.contributions(&mut file)?.collect();
                out.contributions(&hash, &all?)?;
            }
            _ => {}
        }
    }
    out.finish()
}

pub fn r1cs<E: Engine>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let r1cs = R1cs::<E>::open(&mut file)?;
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), r1cs.header())?;
    for section in r1cs.table().sections() {
        match section.id {
            1 => out.header()?,
            2 => out.constraints(r1cs.constraints(&mut file)?)?,
            3 => out.labels(r1cs.labels(&mut file)?)?,
            _ => {}
        }
    }
    Ok(out.finish()?.into_inner())
}

pub fn wtns<E: Engine>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let witness = Wtns::<E>::open(&mut file)?;
    wtns::write::<E, _>(Vec::new(), &witness.read_all(&mut file)?)
}

pub fn powers<E: Engine>(
    bytes: &[u8],
    kind: PowersKind,
    power: u32,
    dialect: Dialect,
) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let powers = PowersFile::<E>::open(&mut file, kind, power, dialect)?;
    let hash = powers.previous_hash(&mut file)?;
    let mut out = PowersWriter::<_, E>::new(Vec::new(), kind, power, dialect, &hash)?;
    list(powers.g1(G1Section::Tau)?, &mut file, out.g1(G1Section::Tau)?)?;
    list(powers.g2(G2Section::Tau)?, &mut file, out.g2(G2Section::Tau)?)?;
    list(powers.g1(G1Section::AlphaTau)?, &mut file, out.g1(G1Section::AlphaTau)?)?;
    list(powers.g1(G1Section::BetaTau)?, &mut file, out.g1(G1Section::BetaTau)?)?;
    list(powers.g2(G2Section::Beta)?, &mut file, out.g2(G2Section::Beta)?)?;
    match powers.public_key(&mut file)? {
        None => out.finish_challenge(),
        Some(key) => out.finish_response(&key),
    }
}

pub fn parameters<E: Engine>(bytes: &[u8], dialect: Dialect) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(bytes);
    let parameters = Parameters::<E>::open(&mut file, dialect)?;
    let mut out = ParametersWriter::<_, E>::new(Vec::new(), parameters.points(), dialect)?;
    for part in G1Part::ALL {
        let points = parameters.g1(part);
        list(points, &mut file, out.g1(part, points.len() as u32)?)?;
    }
    let points = parameters.b_g2();
    list(points, &mut file, out.b_g2(points.len() as u32)?)?;
    let ceremony = parameters.ceremony(&mut file)?;
    out.finish(ceremony.as_ref())
}
