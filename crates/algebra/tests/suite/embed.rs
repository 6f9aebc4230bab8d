//! Messages as points of ristretto255.

use algebra::{Embed, Group, PointError, Ristretto255};
use proptest::prelude::*;

proptest! {
    #[test]
    fn round_trip(message in prop::collection::vec(any::<u8>(), 0..=Ristretto255::CAPACITY)) {
        let point = Ristretto255::embed(&message).unwrap();
        prop_assert_eq!(Ristretto255::decode(&point.encode()), Ok(point));
        let mut padded = message;
        padded.resize(Ristretto255::CAPACITY, 0);
        prop_assert_eq!(point.extract(), Some(padded));
    }
}

#[test]
fn too_long() {
    for len in [17, 18, 32, 1000] {
        let error = Ristretto255::embed(&vec![0; len]).unwrap_err();
        assert_eq!(error, PointError::Length { index: 0 });
    }
}

#[test]
fn other_points_carry_nothing() {
    let points = crate::common::random_points::<Ristretto255>(200, 1);
    assert!(points.iter().all(|point| point.extract().is_none()));
}
