//! Messages as points.

use algebra::{Bls12381G2, Embed, PointError, Ristretto255};
use proptest::prelude::*;

fn round_trip<G: Embed>(mut message: Vec<u8>) -> Result<(), TestCaseError> {
    message.truncate(G::CAPACITY);
    let point = G::embed(&message).unwrap();
    prop_assert_eq!(G::decode(&point.encode()), Ok(point));
    message.resize(G::CAPACITY, 0);
    prop_assert_eq!(point.extract(), Some(message));
    Ok(())
}

proptest! {
    #[test]
    fn messages_survive(message in prop::collection::vec(any::<u8>(), 0..=16)) {
        round_trip::<Ristretto255>(message.clone())?;
        round_trip::<Bls12381G2>(message)?;
    }
}

#[test]
fn extremes_survive() {
    for message in [[0, 0], [1, 0], [0, 1], [255, 255]] {
        round_trip::<Bls12381G2>(message.to_vec()).unwrap();
    }
}

fn too_long<G: Embed>() {
    for len in [G::CAPACITY + 1, G::CAPACITY + 2, 1000] {
        assert_eq!(G::embed(&vec![0; len]).unwrap_err(), PointError::Length { index: 0 });
    }
}

#[test]
fn long_messages_are_refused() {
    too_long::<Ristretto255>();
    too_long::<Bls12381G2>();
}

fn carry_nothing<G: Embed>() {
    let points = crate::common::random_points::<G>(50, 1);
    assert!(points.iter().all(|point| point.extract().is_none()));
}

#[test]
fn other_points_carry_nothing() {
    carry_nothing::<Ristretto255>();
    carry_nothing::<Bls12381G2>();
}
