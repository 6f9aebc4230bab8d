//! Whom a keeper lets write, by a board's first entry.

use board::{Board, Entry, Identity, MemoryStore};
use study::{
    admission::Admission,
    election::{Message as Said, Role, Setup as Election},
    tracing::{
        Message, Setup,
        db::{DbMessage, DbSetup},
    },
};
use trace::db::{KeyMaking, paillier::ModulusSize};
use wire::Encode as _;

use crate::common::{OPERATOR, World, draft, party};

fn identity(number: u8) -> Identity {
    Identity::from_seed(&[number; 32])
}

fn genesis(operator: &Identity, kind: &str, payload: &[u8]) -> Entry {
    let board = Board::create(MemoryStore::new(), operator, kind, payload).unwrap();
    board.entries()[0].clone()
}

fn routed() -> Entry {
    let [servers, senders] =
        [[1, 2], [3, 4]].map(|keys| keys.map(|key| identity(key).id()).to_vec());
    let setup =
        Setup { title: "Lunch".into(), threshold: 2, blocks: 1, ballots: 2, servers, senders };
    genesis(&identity(0), "trace/setup", &Message::Setup(setup).to_bytes())
}

#[test]
fn parties_of_an_election_write_and_queriers_ask() {
    let world = World::new(draft(), 1);
    let setup = Election { description: world.description.clone(), parties: world.parties() };
    let payload = Said::<study::election::TereliusWikstrom>::Setup(setup).to_bytes();
    let first = genesis(&world.identity(OPERATOR), "election/setup", &payload);
    let asker = identity(9).id();
    let admission = Admission::of(&first, &[asker]).unwrap();
    for (role, kind) in
        [(Role::Operator, "election/roll"), (Role::Mixer, "mix"), (Role::Trustee, "decryption")]
    {
        let key = world.identity(party(role, 1)).id();
        assert_eq!(admission.admit(&key, kind, 1 << 27), Ok(()), "{kind}");
    }
    assert_eq!(admission.admit(&asker, "trace/query", 100), Ok(()));
    assert_eq!(admission.admit(&asker, "trace/query/complaint", 100), Ok(()));
    for kind in ["trace/query-more", "ballots", "", "election/close"] {
        let refused = admission.admit(&asker, kind, 100).unwrap_err();
        assert!(refused.contains("a querier writes `trace/query` only"), "{refused}");
    }
    let stranger = admission.admit(&identity(8).id(), "trace/query", 1).unwrap_err();
    assert!(stranger.contains("none of those who write here"), "{stranger}");
}

#[test]
fn senders_submit_as_often_as_the_rules_allow_and_write_nothing_else() {
    let mut admission = Admission::of(&routed(), &[]).unwrap();
    for number in 0..=2 {
        assert_eq!(admission.admit(&identity(number).id(), "trace/key/commitments", 1), Ok(()));
    }
    let (ann, bob) = (identity(3).id(), identity(4).id());
    let kind = "trace/submission";
    assert!(admission.admit(&ann, "trace/query", 1).unwrap_err().contains("only"));
    assert!(admission.admit(&ann, kind, (1 << 20) + 1).unwrap_err().contains("over the limit"));
    for _ in 0..2 {
        assert_eq!(admission.admit(&ann, kind, 1 << 20), Ok(()));
        admission.count(&ann, kind);
    }
    assert!(admission.admit(&ann, kind, 1).unwrap_err().contains("as often as"));
    assert_eq!(admission.admit(&bob, kind, 1), Ok(()));
    // What somebody else wrote takes nothing from anybody.
    admission.count(&identity(1).id(), kind);
    admission.count(&bob, "trace/close");
    assert_eq!(admission.admit(&bob, kind, 1), Ok(()));
}

#[test]
fn the_engine_db_admits_its_dealer() {
    let [servers, senders] =
        [[1, 2], [3, 4]].map(|keys| keys.map(|key| identity(key).id()).to_vec());
    let (keys, dealer) = (KeyMaking::Dealer(ModulusSize::Bits2048), Some(identity(5).id()));
    let setup = DbSetup { title: "Lunch".into(), keys, dealer, servers, senders };
    let first = genesis(&identity(0), "trace/db/setup", &DbMessage::Setup(setup).to_bytes());
    let mut admission = Admission::of(&first, &[identity(9).id()]).unwrap();
    assert_eq!(admission.admit(&identity(5).id(), "trace/db/key/dealt", 1), Ok(()));
    assert_eq!(admission.admit(&identity(9).id(), "trace/db/query/out", 1), Ok(()));
    assert!(admission.admit(&identity(9).id(), "trace/query", 1).is_err());
    assert_eq!(admission.admit(&identity(3).id(), "trace/db/submission", 1), Ok(()));
    admission.count(&identity(3).id(), "trace/db/submission");
    assert!(admission.admit(&identity(3).id(), "trace/db/submission", 1).is_err());
}

#[test]
fn what_begins_no_protocol_begins_no_board() {
    let honest = routed();
    for (kind, payload, why) in [
        ("lunch/menu", honest.payload(), "no protocol of this program begins with `lunch/menu`"),
        ("trace/close", &[][..], "no traceable mix"),
        ("trace/setup", &honest.payload()[1..], "no traceable mix"),
        ("trace/db/setup", honest.payload(), "no traceable mix"),
        ("election/setup", honest.payload(), "no election"),
        ("election/roll", &[0; 4][..], "no election"),
    ] {
        let refused = Admission::of(&genesis(&identity(0), kind, payload), &[]).unwrap_err();
        assert!(refused.contains(why), "{kind}: {refused}");
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
    let first = genesis(&identity(0), "trace/setup", &Message::Setup(none).to_bytes());
    assert!(Admission::of(&first, &[]).is_err());
}
