//! Stations that post ballots which nobody cast: each is refused by itself, the others count.

use algebra::Ristretto255 as G;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::ballot::EncryptedBallot;
use study::{
    count::BallotBox,
    election::{Booth, Message, Phase, Session, SignedBallot},
    preferences::Ballot,
};
use wire::{Decode, DigestWriter, Encode};

use crate::common::{OPERATOR, STATION, Said, World, draft, rankings, verdict};

/// Voters on the roll; the first five vote.
const VOTERS: usize = 8;
const VOTED: usize = 5;

/// Plays an election whose station posts, after the honest ballots, those that `forge` makes.
fn with(forge: impl Fn(&World, &Booth, &[SignedBallot]) -> Vec<SignedBallot>) -> (World, Session) {
    let world = World::new(draft(), VOTERS);
    let mut forged = false;
    let session = world.play(&rankings(&world, VOTED), |election, said| {
        if said.by != OPERATOR || said.kind != "election/close" || forged {
            return vec![said];
        }
        forged = true;
        let script = world.script(world.session().entries());
        let cast = script.iter().find(|said| said.kind == "ballots").unwrap();
        let Message::Ballots(cast) = cast.message() else { unreachable!() };
        let ballots = forge(&world, election.booth().unwrap(), &cast);
        vec![Said::new(STATION, &Message::Ballots(ballots))]
    });
    (world, session)
}

/// The forged ballots are refused for these reasons, and the honest ones count.
#[track_caller]
fn refused(world: &World, session: &Session, reasons: &[(usize, &str, &str)]) {
    let election = session.election();
    assert_eq!(election.phase(), Phase::Finished);
    assert_eq!(election.faults(), []);
    assert_eq!(election.accepted(), VOTED);
    let ballots = rankings(world, VOTED).into_iter().map(Ballot::from).collect::<BallotBox>();
    let expected = ballots.tally(&world.description.questions);
    assert_eq!(election.tally(), Some(&expected));
    let found: Vec<_> = election.refused().iter().map(|r| (r.index, r.voter.as_str())).collect();
    assert_eq!(found, reasons.iter().map(|r| (r.0, r.1)).collect::<Vec<_>>());
    for (refused, (_, _, why)) in election.refused().iter().zip(reasons) {
        assert!(refused.reason.contains(why), "{refused:?}");
    }
    verdict(session).unwrap();
}

fn seal(world: &World, booth: &Booth, place: u32, credential: usize) -> SignedBallot {
    let ranking = booth.layout.ranking(0).unwrap().ranking([0]).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(500 + u64::from(place));
    booth.seal(place, &world.credentials[credential], &ranking, &mut rng).unwrap()
}

/// Signs any ballot with a voter's credential.
fn sign(world: &World, booth: &Booth, voter: usize, ballot: EncryptedBallot<G>) -> SignedBallot {
    let domain = "subrosa/election/ballot/v1";
    let mut signed = DigestWriter::new(domain);
    signed.update(booth.election.as_bytes());
    signed.update(&(voter as u32).to_le_bytes());
    signed.update(&ballot.to_bytes());
    let signature = world.credentials[voter].sign(domain, signed.finish());
    SignedBallot { voter: voter as u32, revision: None, ballot, signature }
}

#[test]
fn of_voters_who_are_not_on_the_roll() {
    let (world, session) = with(|world, booth, _| {
        let places = [8, 1_000_000, u32::MAX];
        places.map(|place| seal(world, booth, place, 7)).to_vec()
    });
    let why = "the voter is not on the roll";
    refused(&world, &session, &[(0, "?", why), (1, "?", why), (2, "?", why)]);
}

#[test]
fn of_voters_who_voted_already() {
    let (world, session) =
        with(|world, booth, cast| vec![cast[2].clone(), seal(world, booth, 0, 0)]);
    let why = "comes from the voter of ballot";
    refused(&world, &session, &[(0, "V2", why), (1, "V0", why)]);
}

#[test]
fn without_the_voters_signature() {
    let (world, session) = with(|world, booth, cast| {
        let mut moved = cast[1].clone();
        moved.voter = 6;
        let mut spoiled = seal(world, booth, 7, 7);
        spoiled.signature[9] ^= 1;
        vec![seal(world, booth, 5, 6), moved, spoiled]
    });
    let why = "the voter's signature is false";
    refused(&world, &session, &[(0, "V5", why), (1, "V6", why), (2, "V7", why)]);
}

/// A voter who copies another's ballot, and would see in the tally what it was.
#[test]
fn copied_from_other_voters() {
    let (world, session) = with(|world, booth, cast| {
        let copy = sign(world, booth, 5, cast[0].ballot.clone());
        // The ciphertext of one with the proof of another.
        let own = seal(world, booth, 6, 6).ballot.to_bytes();
        let mut mixed = cast[1].ballot.to_bytes();
        let proof = mixed.len() - 64;
        mixed[proof..].copy_from_slice(&own[proof..]);
        let mixed = EncryptedBallot::from_bytes(&mixed).unwrap();
        vec![copy, sign(world, booth, 6, mixed)]
    });
    let why = "the proof of plaintext knowledge is false";
    refused(&world, &session, &[(0, "V5", why), (1, "V6", why)]);
}

#[test]
fn of_another_shape() {
    let (world, session) = with(|world, booth, _| {
        let key = booth.key;
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let name = *world.credentials[5].id().as_bytes();
        let points = [G::default(), G::default()];
        let wide =
            EncryptedBallot::encrypt(&points, &key, booth.election.as_bytes(), &name, &mut rng);
        let mut identity = seal(world, booth, 6, 6).ballot.to_bytes();
        identity[4..36].fill(0);
        let identity = EncryptedBallot::from_bytes(&identity).unwrap();
        vec![
            sign(world, booth, 5, wide.unwrap()),
            sign(world, booth, 6, identity),
            // A bad ballot does not take a good one with it; this voter voted, though.
            seal(world, booth, 4, 4),
        ]
    });
    let reasons = [
        (0, "V5", "has 2 columns instead of 1"),
        (1, "V6", "the first component is the neutral element"),
        (2, "V4", "comes from the voter of ballot 4"),
    ];
    refused(&world, &session, &reasons);
}

#[test]
fn among_honest_ones_in_one_entry() {
    let (_, session) = with(|world, booth, cast| {
        let mut bad = seal(world, booth, 6, 6);
        bad.signature[0] ^= 1;
        vec![seal(world, booth, 5, 5), bad, cast[0].clone(), seal(world, booth, 7, 7)]
    });
    let election = session.election();
    assert_eq!((election.accepted(), election.refused().len()), (7, 2));
    assert_eq!(election.voted(), [0, 1, 2, 3, 4, 5, 7]);
    verdict(&session).unwrap();
}

#[test]
fn of_another_election() {
    let mut other = draft();
    other.title = "Dinner".into();
    let other = World::new(other, VOTERS);
    let abroad = other.play(&rankings(&other, VOTERS), crate::common::nobody_cheats);
    let script = other.script(abroad.entries());
    let cast = script.iter().find(|said| said.kind == "ballots").unwrap();
    let Message::Ballots(cast) = cast.message() else { unreachable!() };
    let (world, session) = with(|_, _, _| cast[5..7].to_vec());
    let why = "the voter's signature is false";
    refused(&world, &session, &[(0, "V5", why), (1, "V6", why)]);
}
