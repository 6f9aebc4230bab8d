//! The door: what is refused by the header alone, and who can keep whom out.

use std::collections::BTreeMap;

use log::{
    Admission, AdmissionError, AdmissionPolicy, Delivered, EntryError, Header, Identity, Quota,
};
use proptest::prelude::*;

use super::{AUTHOR, KEEPER, entry, identity, origin};

const QUOTA: Quota = Quota { entries: 3, bytes: 1_000, per: 1_000 };

fn policy() -> AdmissionPolicy {
    AdmissionPolicy {
        known: BTreeMap::from([(identity(AUTHOR).id(), QUOTA)]),
        paced: BTreeMap::new(),
        reserved: 2,
        strangers: Some(QUOTA),
        open: 2,
        payload: 2_000,
        patience: 500,
    }
}

fn door() -> Admission {
    Admission::new(origin(), policy(), 0)
}

fn by(author: &Identity, subject: &str, payload: &[u8]) -> Header {
    Header::sign(author, &origin(), ("test/entry", subject.as_bytes()), 0, payload).unwrap()
}

#[test]
fn an_admitted_payload_is_delivered_once() {
    let mut door = door();
    let header = entry("a", b"payload");
    door.admit(&header, 0).unwrap();
    assert_eq!(door.admit(&header, 0), Err(AdmissionError::UnderWay));
    let delivered = door.deliver(&header.digest(), b"payload", 10).unwrap();
    assert_eq!((delivered.header(), delivered.payload()), (&header, b"payload".as_slice()));
    assert_eq!(Delivered::check(&origin(), header.clone(), b"payload"), Ok(delivered));
    assert_eq!(door.deliver(&header.digest(), b"payload", 10), Err(AdmissionError::Late));
    door.admit(&header, 20).unwrap();
    let other = door.deliver(&header.digest(), b"another", 30);
    assert_eq!(other, Err(EntryError::OtherPayload.into()));
    assert_eq!(door.under_way(), 0);
}

#[test]
fn the_header_decides() {
    let mut door = door();
    let large = entry("a", &[0; 2_001]);
    assert_eq!(door.admit(&large, 0), Err(AdmissionError::Payload { got: 2_001, limit: 2_000 }));
    let over = entry("a", &[0; 1_001]);
    assert_eq!(door.admit(&over, 0), Err(AdmissionError::OverQuota { got: 1_001, limit: 1_000 }));
    let tick = Header::tick(&identity(AUTHOR), &origin(), 0).unwrap();
    assert_eq!(door.admit(&tick, 0), Err(AdmissionError::Kind));
    let elsewhere = "example.com/elsewhere".parse().unwrap();
    let header = Header::sign(&identity(AUTHOR), &elsewhere, ("a", b""), 0, b"").unwrap();
    assert!(matches!(door.admit(&header, 0), Err(AdmissionError::Entry(_))));
    let closed = AdmissionPolicy { strangers: None, ..policy() };
    let mut door = Admission::new(origin(), closed, 0);
    let stranger = by(&identity(40), "a", b"");
    assert_eq!(door.admit(&stranger, 0), Err(AdmissionError::Stranger(identity(40).id())));
}

/// Many headers in somebody's name, none signed by it: its quota and its seats are whole.
#[test]
fn forged_headers_use_up_nothing() {
    use wire::{Decode as _, Encode as _};
    let mut door = door();
    let genuine = entry("a", b"");
    for at in 0..200_u32 {
        let mut bytes = genuine.to_bytes();
        let last = bytes.len() - 60;
        bytes[last..last + 4].copy_from_slice(&at.to_le_bytes());
        let forged = Header::from_bytes(&bytes).unwrap();
        assert!(matches!(door.admit(&forged, 0), Err(AdmissionError::Entry(_))));
    }
    (0..2).for_each(|at| door.admit(&entry(&at.to_string(), b""), 0).unwrap());
}

/// A flood of strangers with a key each, whose payloads never come: a known party writes at once, and
/// the door remembers no more than its seats.
#[test]
fn strangers_never_keep_a_known_party_out() {
    let mut door = door();
    let mut admitted = 0;
    for at in 0..300_u64 {
        let stranger = Identity::from_seed(&[(at % 250) as u8 + 3; 32]);
        if stranger.id() != identity(AUTHOR).id() {
            admitted += u64::from(door.admit(&by(&stranger, &at.to_string(), b""), at).is_ok());
        }
        assert!(door.under_way() <= 2);
    }
    assert_eq!(admitted, 2);
    let header = entry("mine", b"payload");
    door.admit(&header, 300).unwrap();
    door.deliver(&header.digest(), b"payload", 301).unwrap();
    // Silent strangers lose their seats, and others get them.
    let late: Vec<_> = door.expire(600);
    assert_eq!((late.len(), door.under_way()), (2, 0));
    door.admit(&by(&identity(KEEPER), "later", b""), 1_500).unwrap();
}

/// A known party that floods is stopped at its own quota and seats; another is not.
#[test]
fn an_author_that_floods_hurts_itself() {
    let mut policy = policy();
    policy.known.insert(identity(50).id(), QUOTA);
    let mut door = Admission::new(origin(), policy, 0);
    let mut admitted = 0;
    for at in 0..100 {
        let header = entry(&at.to_string(), &[0; 100]);
        match door.admit(&header, at) {
            Ok(()) => {
                door.deliver(&header.digest(), &[0; 100], at).unwrap();
                admitted += 1;
            }
            Err(AdmissionError::Quota { wait }) => assert!(wait <= 1_000),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(admitted, 3);
    let seats: Vec<_> =
        (0..3).map(|at| door.admit(&by(&identity(50), &at.to_string(), b""), 100)).collect();
    assert_eq!(seats, [Ok(()), Ok(()), Err(AdmissionError::Seats { wait: 500 })]);
    door.release(&by(&identity(50), "0", b"").digest());
    door.admit(&by(&identity(50), "9", b""), 100).unwrap();
    // What a bucket says is when it is.
    let header = entry("again", &[0; 100]);
    let Err(AdmissionError::Quota { wait }) = door.admit(&header, 100) else { panic!() };
    assert!(matches!(door.admit(&header, 100 + wait - 1), Err(AdmissionError::Quota { wait: 1 })));
    door.admit(&header, 100 + wait).unwrap();
}

/// Whose quota is whole still writes no faster than its pace; what does not fit the one is not taken of the other.
#[test]
fn a_paced_author_writes_no_faster_than_its_pace() {
    let pace = Quota { entries: 2, bytes: u64::MAX, per: 200 };
    let (paced, free) = (identity(AUTHOR), identity(50));
    let quota = Quota { entries: 10, bytes: 1_000, per: 1_000_000 };
    let policy = AdmissionPolicy {
        known: [(paced.id(), quota), (free.id(), quota)].into(),
        paced: [(paced.id(), pace)].into(),
        ..policy()
    };
    let mut door = Admission::new(origin(), policy, 0);
    let mut write = |author: &Identity, now: u64| {
        let header = by(author, &format!("{now}"), b"");
        let admitted = door.admit(&header, now);
        door.release(&header.digest());
        admitted
    };
    let times: Vec<u64> = (0..1_500).filter(|now| write(&paced, *now).is_ok()).collect();
    assert_eq!(times, [0, 1, 100, 200, 300, 400, 500, 600, 700, 800]);
    // All ten of its quota, and not one less for what its pace refused.
    assert!(matches!(write(&paced, 1_600), Err(AdmissionError::Quota { wait }) if wait > 90_000));
    let times: Vec<u64> = (0..1_500).filter(|now| write(&free, *now).is_ok()).collect();
    assert_eq!(times, (0..10).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Over any time, with any clock, an author writes no more than a full bucket and what flows in.
    #[test]
    fn quotas_hold(
        steps in prop::collection::vec((0..700_u64, 0..1_000_usize), 1..40),
        per in 0..2_000_u64,
    ) {
        let quota = Quota { per, ..QUOTA };
        let policy = AdmissionPolicy { strangers: Some(quota), ..policy() };
        let mut door = Admission::new(origin(), policy, 0);
        let (mut now, mut entries, mut bytes) = (0, 0, 0);
        for (at, (passed, length)) in steps.into_iter().enumerate() {
            now += passed;
            let payload = vec![0; length];
            let header = by(&identity(40), &at.to_string(), &payload);
            if door.admit(&header, now).is_ok() {
                door.deliver(&header.digest(), &payload, now).unwrap();
                entries += 1;
                bytes += length as u64;
            }
            let flow = |quota: u64| quota + (quota * now).div_ceil(per.max(1));
            prop_assert!(entries <= flow(QUOTA.entries) && bytes <= flow(QUOTA.bytes));
        }
        // The clock of the host goes back: no panic, and nothing is given away.
        let _ = door.admit(&by(&identity(40), "back", b""), now / 2);
    }
}
