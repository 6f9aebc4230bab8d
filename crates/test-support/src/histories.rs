//! Files of phase 1 as imports leave them: with all points, and no record of who contributed.

use std::io::Cursor;

use algebra::Bn254;
use circuit::ptau::{Ptau, PtauWriter};

/// A prepared phase 1 without its contributions.
pub fn without_history(ptau: &[u8]) -> Vec<u8> {
    let file = &mut Cursor::new(ptau);
    let source = Ptau::<Bn254>::open(file).unwrap();
    let mut out = PtauWriter::<_, Bn254>::new(Vec::new(), source.header(), true).unwrap();
    // The points, and the points in Lagrange form; of section 7, the contributions, an empty one is written below.
    for id in (2..=6).chain(12..=15) {
        let section = source.table().unique(id).unwrap();
        out.copy(file, section, section.len).unwrap();
    }
    out.contributions(&[]).unwrap();
    out.finish().unwrap()
}
