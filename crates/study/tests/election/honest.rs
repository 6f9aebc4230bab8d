//! Honest elections, elections with absent parties, and what their bundles say.

use std::time::Duration;

use study::{
    count::BallotBox,
    description::Marking,
    election::{Phase, Role},
    preferences::Ballot,
    replay::SessionError,
};

use crate::common::{PATIENCE, World, draft, everybody, rankings, verdict};

fn expected(world: &World, count: usize) -> study::count::Tally {
    let ballots = rankings(world, count).into_iter().map(Ballot::from).collect::<BallotBox>();
    ballots.tally(&world.description.questions)
}

#[test]
fn an_honest_election_counts_every_ballot_and_verifies() {
    for voters in [0, 1, 2, 30] {
        let world = World::new(draft(), voters);
        let ballots = rankings(&world, voters);
        let session = world.run(&ballots, &everybody(), &everybody(), PATIENCE).unwrap();
        let election = session.election();
        assert_eq!(election.phase(), Phase::Finished);
        assert_eq!(election.tally(), Some(&expected(&world, voters)));
        assert_eq!(election.mixes(), [1, 2, 3]);
        assert_eq!(election.faults(), []);
        verdict(&session).unwrap();
    }
}

#[test]
fn wide_ballots_travel_in_several_columns() {
    let mut wide = draft();
    let question = &mut wide.questions[0];
    question.candidates = (0..20).map(|i| format!("candidate {i}")).collect();
    question.marking = Marking::Ranking { max_ranks: 20 };
    let world = World::new(wide, 3);
    let layout = world.description.layout();
    assert_eq!(layout.columns(), 2);
    let shape = layout.ranking(0).unwrap();
    let ballots: Vec<_> =
        [0..20, 5..20, 19..20].into_iter().map(|choices| shape.ranking(choices).unwrap()).collect();
    let session = world.run(&ballots, &everybody(), &everybody(), PATIENCE).unwrap();
    let counted = ballots.iter().map(Ballot::from).collect::<BallotBox>();
    let expected = counted.tally(&world.description.questions);
    assert_eq!(session.election().tally(), Some(&expected));
}

#[test]
fn the_election_goes_on_without_one_trustee_and_one_mixer() {
    let world = World::new(draft(), 5);
    let ballots = rankings(&world, 5);
    let session = world.run(&ballots, &[1, 3], &[1, 3], Duration::from_secs(2)).unwrap();
    let election = session.election();
    assert_eq!(election.tally(), Some(&expected(&world, 5)));
    assert_eq!(election.mixes(), [1, 3]);
    assert_eq!(election.decrypted_by().len(), 2);
    let absent: Vec<_> = election.faults().iter().filter_map(|fault| fault.party).collect();
    assert!(absent.iter().any(|party| (party.role, party.number) == (Role::Trustee, 2)));
    assert!(absent.iter().any(|party| (party.role, party.number) == (Role::Mixer, 2)));
    verdict(&session).unwrap();
}

#[test]
fn too_few_trustees_and_too_few_mixers_end_the_election() {
    let world = World::new(draft(), 2);
    let ballots = rankings(&world, 2);
    let outcome = world.run(&ballots, &[2], &everybody(), Duration::from_secs(1));
    assert!(matches!(outcome, Err(SessionError::Failed { .. })));

    let world = World::new(draft(), 2);
    let outcome = world.run(&ballots, &everybody(), &[2], Duration::from_secs(1));
    assert!(matches!(outcome, Err(SessionError::Failed { .. })));
}
