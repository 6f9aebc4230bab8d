//! Journals that were restored: no randomness serves twice.

use trace::{Direction, TraceError};
use trace_db::{sm::*, *};

use super::support::*;

/// Two challenges answered with one mask give the server's shares away, hence with all other servers a
/// sender's value; one set of factors under two blindings of the others opens σ~ twice.
#[test]
fn a_restored_journal_repeats_no_nonce_going_in() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1, 2], &[0, 1]);
    let (query, _) = world.sm_query(world.pass(&query, Side::Asked));
    let turns = world.sm_turns(&query);
    let routed = SmRouted::verify(query, &turns).unwrap();
    let before = world.journals.clone();
    let (lost, _) = world.sm_blindings(&routed);
    // A restarted server says the same again, one whose journal was restored does not.
    let (again, _) = world.sm_blindings(&routed);
    assert_eq!(lost, again);
    world.journals = before;
    let (commitments, blindings) = world.sm_blindings(&routed);
    assert!(lost.iter().zip(&commitments).all(|(lost, new)| lost != new));

    let blinded = SmBlinded::verify(routed, &commitments, &blindings).unwrap();
    let agreed = world.sm_agree(blinded);
    let partials = world.sm_partials(&agreed);
    let opened = SmOpened::open(agreed, partials).unwrap();
    let before = world.journals.clone();
    let (lost, announcements) = world.sm_announce(&opened);
    assert_eq!(lost, world.sm_announce(&opened).0);
    let announced = opened.challenge(&lost, &announcements).unwrap();
    world.sm_respond(&opened, &announced);

    // What was announced before is answered with no mask at all until new ones are drawn.
    world.journals = before;
    let (journal, rng) = (&mut world.journals[0], &mut world.rng);
    let result = world.servers[0].respond_signatures(&opened, &announced, journal, rng);
    assert!(matches!(result.err(), Some(TraceError::Journal { server: 1, .. })));
    let (commitments, _) = world.sm_announce(&opened);
    assert!(lost.iter().zip(&commitments).all(|(lost, new)| lost != new));
}

#[test]
fn a_restored_journal_repeats_no_nonce_going_out() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 1], &[0, 1, 2]);
    let (query, _) = world.rsm_query(world.pass(&query, Side::Asked));
    let before = world.journals.clone();
    let lost = world.rsm_fakes(&query);
    assert_eq!(lost, world.rsm_fakes(&query));
    world.journals = before;
    let fakes = world.rsm_fakes(&query);
    assert!(lost.iter().zip(&fakes).all(|(lost, new)| lost != new));

    let opened = world.rsm_open(query);
    let before = world.journals.clone();
    let (lost, _) = world.rsm_announce(&opened);
    assert_eq!(lost, world.rsm_announce(&opened).0);
    world.journals = before;
    let (commitments, _) = world.rsm_announce(&opened);
    assert!(lost.iter().zip(&commitments).all(|(lost, new)| lost != new));
}
