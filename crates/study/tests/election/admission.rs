//! Whom a keeper lets write, by a board's first entry.

use std::collections::BTreeMap;

use board::Identity;
use log::{AdmissionPolicy, Header, Quota};
use study::{
    admission::{PACE, policy},
    election::{Message as Said, Role, Setup as Election},
    tracing::{
        Message, Setup,
        db::{DbMessage, DbSetup},
    },
};
use trace_db::{KeyMaking, paillier::ModulusSize};
use wire::Encode as _;

use crate::common::{OPERATOR, World, draft, party};

const PARTIES: Quota = Quota { entries: 1000, bytes: 1 << 30, per: 60_000 };
const ASKERS: Quota = Quota { entries: 7, bytes: 1 << 16, per: 60_000 };

fn identity(number: u8) -> Identity {
    Identity::from_seed(&[number; 32])
}

/// What the keeper is configured with: somebody may ask, and strangers may write.
fn base() -> AdmissionPolicy {
    AdmissionPolicy {
        known: BTreeMap::from([(identity(9).id(), ASKERS)]),
        paced: BTreeMap::new(),
        reserved: 2,
        strangers: Some(PARTIES),
        open: 3,
        payload: 1 << 24,
        patience: 1000,
    }
}

fn judged(
    operator: &Identity,
    kind: &str,
    payload: &[u8],
) -> Result<Option<AdmissionPolicy>, String> {
    let origin = "example.org/lunch".parse().unwrap();
    let header = Header::sign(operator, &origin, (kind, b""), 1, payload).unwrap();
    policy(&header, payload, &base(), PARTIES)
}

fn routed() -> Vec<u8> {
    let [servers, senders] =
        [[1, 2], [3, 4]].map(|keys| keys.map(|key| identity(key).id()).to_vec());
    let setup =
        Setup { title: "Lunch".into(), threshold: 2, blocks: 1, ballots: 2, servers, senders };
    Message::Setup(setup).to_bytes()
}

#[test]
fn parties_of_an_election_write_and_queriers_ask() {
    let world = World::new(draft(), 1);
    let setup = Election { description: world.description.clone(), parties: world.parties() };
    let payload = Said::<study::election::TereliusWikstrom>::Setup(setup).to_bytes();
    let policy = judged(&world.identity(OPERATOR), "election/setup", &payload).unwrap().unwrap();
    for role in [Role::Operator, Role::Station, Role::Mixer, Role::Trustee] {
        let key = world.identity(party(role, 1)).id();
        assert_eq!(policy.known.get(&key), Some(&PARTIES), "{role:?}");
        assert_eq!(policy.paced.get(&key), Some(&PACE), "{role:?}");
    }
    assert_eq!(policy.paced.get(&identity(9).id()), None);
    assert_eq!(policy.known.get(&identity(9).id()), Some(&ASKERS));
    assert_eq!(policy.known.len(), 9);
    assert_eq!((policy.strangers, policy.payload, policy.open), (None, 1 << 24, 3));
}

#[test]
fn senders_write_what_they_may_submit() {
    let policy = judged(&identity(0), "trace/setup", &routed()).unwrap().unwrap();
    let quota = |number| policy.known.get(&identity(number).id()).copied();
    assert_eq!([0, 1, 2].map(quota), [Some(PARTIES); 3]);
    let submitting = Quota { entries: 12, bytes: 3 << 20, per: 60_000 };
    assert_eq!([3, 4].map(quota), [Some(submitting); 2]);
    assert_eq!(quota(5), None);
    assert!(policy.paced.is_empty());
    assert_eq!(policy.strangers, None);
}

#[test]
fn the_engine_db_admits_its_dealer() {
    let [servers, senders] =
        [[1, 2], [3, 4]].map(|keys| keys.map(|key| identity(key).id()).to_vec());
    let (keys, dealer) = (KeyMaking::Dealer(ModulusSize::Bits2048), Some(identity(5).id()));
    let setup = DbSetup { title: "Lunch".into(), keys, dealer, servers, senders };
    let payload = DbMessage::Setup(setup).to_bytes();
    let policy = judged(&identity(0), "trace/db/setup", &payload).unwrap().unwrap();
    let quota = |number| policy.known.get(&identity(number).id()).copied();
    assert_eq!([0, 1, 2, 5].map(quota), [Some(PARTIES); 4]);
    assert_eq!(quota(3), Some(Quota { entries: 8, bytes: 2 << 20, per: 60_000 }));
}

#[test]
fn what_begins_no_protocol_begins_no_board() {
    let honest = routed();
    for (kind, payload, why) in [
        ("trace/setup", &honest[1..], "no traceable mix"),
        ("trace/db/setup", &honest, "no traceable mix"),
        ("election/setup", &honest, "no election"),
    ] {
        let refused = judged(&identity(0), kind, payload).unwrap_err();
        assert!(refused.contains(why), "{kind}: {refused}");
    }
    // A log of anything else is the configuration's.
    for kind in ["lunch/menu", "trace/close", "election/roll", "party/run"] {
        assert_eq!(judged(&identity(0), kind, &[0; 4]).unwrap(), None);
    }
    // Rules that no session can have.
    let none = Setup {
        title: "x".into(),
        threshold: 1,
        blocks: 1,
        ballots: 1,
        servers: vec![],
        senders: vec![],
    };
    assert!(judged(&identity(0), "trace/setup", &Message::Setup(none).to_bytes()).is_err());
}
