//! A coordinator who has the same secrets answer twice: `[β]₁` of the first answer in the place of
//! `[α]₁`, and the second answer is `[αβ]₁`.

use std::io::Cursor;

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, PointForm};
use ceremony::Error;
use circuit::ptau::{G1Section, G2Section, Ptau};

pub fn read<E: Engine>(file: &[u8], section: G1Section, index: u64) -> Affine<E::G1> {
    let ptau = Ptau::<E>::open(&mut Cursor::new(file)).unwrap();
    ptau.g1(section).unwrap().read(&mut Cursor::new(file), index, 1).unwrap()[0]
}

pub fn put<E: Engine>(file: &mut [u8], section: G1Section, index: u64, point: Affine<E::G1>) {
    let ptau = Ptau::<E>::open(&mut Cursor::new(&*file)).unwrap();
    let (list, mut bytes) = (ptau.g1(section).unwrap(), Vec::new());
    E::G1::write_form(&[point], PointForm::Montgomery, &mut bytes);
    file[list.offset_of(index) as usize..][..bytes.len()].copy_from_slice(&bytes);
}

/// `e([αβ]₁, H) = e([α]₁, [β]₂)`: with this point, and what is in the file, everybody forges proofs for
/// every circuit: `A = [αβ]₁ + IC(x) + c·[δ]₁`, `B = H`, `C = c·G`.
fn is_alpha_beta<E: Engine>(point: Affine<E::G1>, file: &[u8]) -> bool {
    let ptau = Ptau::<E>::open(&mut Cursor::new(file)).unwrap();
    let beta = ptau.g2(G2Section::Beta).unwrap().read_one(&mut Cursor::new(file), 0).unwrap();
    let alpha = read::<E>(file, G1Section::AlphaTau, 0);
    let alpha = -E::G1::from_affine(&alpha);
    E::is_neutral(&[(alpha, beta.into()), (point.into(), E::G2::generator())])
}

/// Who believes the file answers twice; who verifies it does not. Both questions answer the same
/// challenge, which a file claims and does not show.
pub fn the_same_secrets_twice<E: Engine>(
    start: &[u8],
    challenge: impl Fn(&[u8]) -> [u8; 64],
    believe: impl Fn(&[u8]) -> Vec<u8>,
    verify: impl Fn(&[u8]) -> Option<Error>,
) {
    let honest = believe(start);
    let mut evil = start.to_vec();
    put::<E>(&mut evil, G1Section::AlphaTau, 0, read::<E>(&honest, G1Section::BetaTau, 0));
    assert_eq!(challenge(start), challenge(&evil));
    let answer = believe(&evil);
    assert!(is_alpha_beta::<E>(read::<E>(&answer, G1Section::AlphaTau, 0), &honest));

    let refused = verify(&evil);
    assert!(matches!(refused, Some(Error::Singular { index: 0, .. })), "{refused:?}");
}
