//! Voters against stations and thieves: attacks that succeed where stations seal for voters, and what stops them
//! where voters seal.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    count::BallotBox,
    election::{
        Message, Phase, Role, Seat, SignedBallot,
        voter::{Complaint, Judgement, Receipt, SealedBallot, Standing, Submission, VoterError},
    },
    preferences::{Ballot, Ranking},
};
use wire::Digest;

use crate::common::{
    PATIENCE, SCHEDULE, STATION, Said, Town, World, draft, everybody, everyone, rankings, timed,
    verdict,
};

const VOTERS: usize = 6;

/// An election with times, whose polls are open.
fn opened() -> Town {
    let mut town = Town::new(timed(), VOTERS);
    town.open();
    town
}

fn ranking(town: &Town, choices: &[u8]) -> Ranking {
    let shape = town.world.description.layout().ranking(0).unwrap();
    shape.ranking(choices.iter().copied()).unwrap()
}

/// What the device of a voter makes of a vote.
fn cast(town: &Town, voter: u32, revision: u32, choices: &[u8]) -> Submission {
    let election = town.election();
    let (booth, roll) = (election.booth().unwrap(), election.roll());
    let credential = &town.world.credentials[voter as usize];
    let seat = Seat { voter, credential: credential.id(), revision };
    let seed = u64::from(voter) << 40 | u64::from(revision) << 8 | choices.len() as u64;
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let vote = ranking(town, choices).into();
    let (sealed, _) = SealedBallot::seal(booth, seat, credential, &vote, &mut rng).unwrap();
    sealed.cast(booth, roll, credential).unwrap()
}

fn tracker(town: &Town, ballot: &Submission) -> Digest {
    ballot.tracker(town.election().booth().unwrap())
}

fn standing(town: &Town, ballot: &Submission) -> Standing {
    Standing::of(town.election(), ballot.ballot.voter, &tracker(town, ballot))
}

fn post(town: &mut Town, ballots: &[&SignedBallot]) {
    let ballots = ballots.iter().map(|ballot| (*ballot).clone()).collect();
    town.say(STATION, &Message::Ballots(ballots));
}

/// A station that drops a ballot hands its voter the code of another one. In version 1 the code is found, and whoever
/// looks for no more believes that the ballot is in.
#[test]
fn a_code_of_somebody_else_finds_nothing() {
    let world = World::new(draft(), VOTERS);
    let votes = rankings(&world, VOTERS - 1);
    let session = world.run(&votes, &everybody(), &everybody(), PATIENCE).unwrap();
    let election = session.election();
    let dropped = VOTERS as u32 - 1;
    assert!(!election.voted().contains(&dropped));
    let (_, handed_out) = election.tracking_codes().next().unwrap();
    assert!(election.find(handed_out).is_some(), "the attack");

    let mut town = opened();
    let (own, others) = (cast(&town, dropped, 1, &[2]), cast(&town, 0, 1, &[1]));
    post(&mut town, &[&others.ballot]);
    let handed_out = tracker(&town, &others);
    let found = Standing::of(town.election(), dropped, &handed_out);
    assert_eq!(found, Standing::Missing { counts: None });
    assert_eq!(standing(&town, &own), Standing::Missing { counts: None });
}

/// Who has a voter's key and is first: in version 1 the voter's own ballot is refused for good.
#[test]
fn who_votes_first_wins_nothing() {
    let world = World::new(draft(), VOTERS);
    let mut late = false;
    let session = world.play(&rankings(&world, VOTERS), |election, said| {
        if said.kind != "election/close" || late {
            return vec![said];
        }
        late = true;
        let own = world.description.layout().ranking(0).unwrap().ranking([2]).unwrap();
        let (booth, credential) = (election.booth().unwrap(), &world.credentials[1]);
        let own = booth.seal(1, credential, &own, &mut ChaCha20Rng::seed_from_u64(9)).unwrap();
        vec![Said::new(STATION, &Message::Ballots(vec![own]))]
    });
    let [refused] = session.election().refused() else { unreachable!() };
    assert!(refused.voter == "V1" && refused.reason.contains("voter of ballot"), "the attack");

    let mut town = opened();
    let (stolen, own) = (cast(&town, 1, 1, &[0]), cast(&town, 1, 2, &[2]));
    post(&mut town, &[&stolen.ballot]);
    assert!(matches!(standing(&town, &stolen), Standing::Counts { .. }));
    post(&mut town, &[&own.ballot]);
    assert!(matches!(standing(&town, &own), Standing::Counts { .. }));
    let Standing::Superseded { by, .. } = standing(&town, &stolen) else { unreachable!() };
    assert_eq!(by.number, 2);
}

#[test]
fn revisions_count_in_every_order() {
    let orders: [&[usize]; 5] =
        [&[0, 1, 2], &[2, 1, 0], &[1, 2, 0], &[2, 0, 1, 2], &[0, 0, 1, 1, 2, 0]];
    let mut closings = Vec::new();
    for order in orders {
        let mut town = opened();
        let other = cast(&town, 5, 1, &[1]);
        let own = [(1, &[0][..]), (2, &[1, 2]), (7, &[])];
        let own = own.map(|(revision, choices)| cast(&town, 3, revision, choices));
        post(&mut town, &[&own[order[0]].ballot, &other.ballot]);
        for (again, place) in (1..).zip(&order[1..]) {
            // Never the same entry twice: the log has it once.
            post(&mut town, &vec![&own[*place].ballot; again]);
        }
        let election = town.election();
        assert_eq!((election.accepted(), election.refused()), (2, &[][..]));
        assert_eq!(election.voted(), [3, 5]);
        assert!(matches!(standing(&town, &own[2]), Standing::Counts { .. }), "{order:?}");
        let numbers = election.revisions_of(3).iter().map(|one| one.number).collect::<Vec<_>>();
        assert_eq!(numbers, [1, 2, 7]);
        closings.push(election.closing());
    }
    // One list, whatever the order. Each town has an opening of its own, so that trackers differ.
    assert!(
        closings.iter().all(|close| close.unwrap().accepted == 2 && close.unwrap().refused == 0)
    );
}

#[test]
fn two_ballots_of_one_revision_are_a_conflict() {
    let mut town = opened();
    let (first, second) = (cast(&town, 2, 1, &[0]), cast(&town, 2, 1, &[1, 0]));
    post(&mut town, &[&first.ballot]);
    post(&mut town, &[&second.ballot, &first.ballot]);
    assert!(matches!(standing(&town, &first), Standing::Counts { .. }));
    let Standing::Refused(refused) = standing(&town, &second) else { unreachable!() };
    assert!(refused.reason.contains("signed another ballot as revision 1"), "{refused:?}");
    assert_eq!((town.election().accepted(), town.election().refused().len()), (1, 1));

    // The station that posted it kept its promise.
    let station = town.world.identity(STATION);
    let tracker = tracker(&town, &second);
    let receipt = Receipt::sign(&station, town.election().id(), tracker, town.time() + 5);
    let complaint = Complaint { submission: second, receipt };
    let judged = complaint.judge(town.election(), town.session.entries());
    assert_eq!(judged.unwrap(), Judgement::Kept { sequence: refused.sequence });
}

/// A station that posts a ballot as another voter's, as another revision, or with another signature.
#[test]
fn nobody_moves_a_ballot() {
    let mut town = opened();
    let own = cast(&town, 0, 1, &[2, 1]);
    let booth = town.election().booth().unwrap().clone();
    let moved = |change: &dyn Fn(&mut SignedBallot)| {
        let mut ballot = own.ballot.clone();
        change(&mut ballot);
        ballot
    };
    let thief = &town.world.credentials[1];
    let forged = [
        moved(&|ballot| ballot.voter = 1),
        moved(&|ballot| ballot.revision = Some(2)),
        moved(&|ballot| ballot.signature[3] ^= 1),
        moved(&|ballot| ballot.voter = VOTERS as u32),
        // Another voter signs the copy: its proof names the first.
        booth.sign(1, Some(1), own.ballot.ballot.clone(), thief),
    ];
    post(&mut town, &forged.iter().collect::<Vec<_>>());
    assert_eq!((town.election().accepted(), town.election().refused().len()), (0, 5));
    // None of them keeps the ballot out, or passes for it.
    assert_eq!(standing(&town, &own), Standing::Missing { counts: None });
    assert!(!town.election().has_ballot(0, &tracker(&town, &own)));
    post(&mut town, &[&own.ballot]);
    assert!(matches!(standing(&town, &own), Standing::Counts { .. }));
    // The voter's own ciphertexts again, as a revision that the voter does sign.
    let again = booth.sign(0, Some(2), own.ballot.ballot.clone(), &town.world.credentials[0]);
    post(&mut town, &[&again]);
    let last = town.election().refused().last().unwrap();
    assert!(last.reason.contains("repeats"), "{last:?}");
    assert!(matches!(standing(&town, &own), Standing::Counts { .. }));
}

/// Ballots without revisions are no ballots here, nor the other way round.
#[test]
fn each_version_has_its_own_entries() {
    let mut town = opened();
    let mut old = cast(&town, 0, 1, &[0]).ballot;
    old.revision = None;
    let refusal = town.refusal(STATION, &Message::Ballots(vec![old]));
    assert!(refusal.contains("out of turn"), "{refusal}");
    let refusal = town.refusal(STATION, &Message::Ballots(Vec::new()));
    assert!(refusal.contains("out of turn"), "{refusal}");
}

#[test]
fn a_receipt_convicts_when_its_time_is_over() {
    let mut town = opened();
    let (own, other) = (cast(&town, 4, 1, &[1]), cast(&town, 5, 1, &[0]));
    let station = town.world.identity(STATION);
    let (id, due) = (town.election().id(), town.time() + 50);
    let receipt = Receipt::sign(&station, id, tracker(&town, &own), due);
    let complaint = Complaint { submission: own.clone(), receipt };
    let judge = |town: &Town, complaint: &Complaint| {
        complaint.judge(town.election(), town.session.entries())
    };
    assert_eq!(judge(&town, &complaint).unwrap(), Judgement::Early { post_by: due });
    town.advance(51);
    assert_eq!(
        judge(&town, &complaint).unwrap(),
        Judgement::Early { post_by: due },
        "no entry says so"
    );
    post(&mut town, &[&other.ballot]);
    assert_eq!(judge(&town, &complaint).unwrap(), Judgement::Broken { station: 1 });
    // Late is late, and in time is in time.
    post(&mut town, &[&own.ballot]);
    let Judgement::Late { station: 1, posted, .. } = judge(&town, &complaint).unwrap() else {
        unreachable!()
    };
    assert_eq!(posted, due + 1);
    let kept = Receipt::sign(&station, id, tracker(&town, &own), due + 1);
    let kept = Complaint { receipt: kept, ..complaint.clone() };
    assert!(matches!(judge(&town, &kept).unwrap(), Judgement::Kept { .. }));

    // What is no complaint: another's receipt, a mixer's, a ballot that would not have held.
    let wrong = Complaint { submission: other.clone(), ..complaint.clone() };
    assert!(matches!(judge(&town, &wrong), Err(VoterError::OtherReceipt)));
    let mixer = town.world.identity(crate::common::party(Role::Mixer, 1));
    let by_mixer = Receipt::sign(&mixer, id, tracker(&town, &own), due);
    let wrong = Complaint { receipt: by_mixer, ..complaint.clone() };
    assert!(matches!(judge(&town, &wrong), Err(VoterError::NotAStation(_))));
    let mut unsigned = complaint;
    unsigned.submission.ballot.signature[0] ^= 1;
    assert!(matches!(judge(&town, &unsigned), Err(VoterError::Signature)));
}

/// From devices to the result: each voter's last ballot is counted, and a dropped one convicts its station for ever.
#[test]
fn the_last_ballots_are_counted() {
    let mut town = opened();
    let first: Vec<_> = (0..4).map(|voter| cast(&town, voter, 1, &[0])).collect();
    post(&mut town, &first.iter().map(|one| &one.ballot).collect::<Vec<_>>());
    let second = [cast(&town, 1, 2, &[2]), cast(&town, 3, 2, &[1, 2])];
    post(&mut town, &second.iter().map(|one| &one.ballot).collect::<Vec<_>>());
    let dropped = cast(&town, 5, 1, &[2]);
    let station = town.world.identity(STATION);
    let id = town.election().id();
    let receipt = Receipt::sign(&station, id, tracker(&town, &dropped), SCHEDULE.closes);
    town.finish(&everyone());

    let election = town.election();
    assert_eq!((election.phase(), election.faults()), (Phase::Finished, &[][..]));
    let votes: [&[u8]; 4] = [&[0], &[2], &[0], &[1, 2]];
    let counted = votes.map(|choices| Ballot::from(ranking(&town, choices)));
    let counted = counted.into_iter().collect::<BallotBox>();
    assert_eq!(election.tally(), Some(&counted.tally(&town.world.description.questions)));
    verdict(&town.session).unwrap();
    let complaint = Complaint { submission: dropped, receipt };
    let judged = complaint.judge(election, town.session.entries());
    assert_eq!(judged.unwrap(), Judgement::Broken { station: 1 });
}
