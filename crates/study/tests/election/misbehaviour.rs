//! Elections in which one party does wrong: it is named, and the others finish without it.

use algebra::Ristretto255 as G;
use board::Identity;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{Column, Mix};
use study::{
    count::BallotBox,
    election::{Message, Party, Phase, Role, Session},
    preferences::Ballot,
};

use crate::common::{
    OPERATOR, STATION, Said, World, bad_shares, draft, false_accusation, nobody_cheats, party,
    rankings, verdict,
};

const VOTERS: usize = 5;

fn world() -> World {
    World::new(draft(), VOTERS)
}

/// The election finished with the right result, the bundle verifies and carries the faults, and
/// the faults are exactly these, each by whom and with what in the reason.
#[track_caller]
fn finished(world: &World, session: &Session, faults: &[(Option<Party>, &str)]) {
    let election = session.election();
    assert_eq!(election.phase(), Phase::Finished, "{:?}", election.faults());
    let ballots = rankings(world, VOTERS).into_iter().map(Ballot::from).collect::<BallotBox>();
    let expected = ballots.tally(&world.description.questions);
    assert_eq!(election.tally(), Some(&expected));
    assert_eq!(election.faults().len(), faults.len(), "{:#?}", election.faults());
    for (fault, (by, why)) in election.faults().iter().zip(faults) {
        assert_eq!(fault.party, *by, "{fault}");
        assert!(fault.reason.contains(why), "{fault}");
    }
    verdict(session).unwrap();
}

fn edit_mix(said: Said, edit: impl FnOnce(&mut Mix<G>)) -> Said {
    let mut said = said;
    said.edit(|message| match message {
        Message::Mix(mix) => edit(mix),
        _ => unreachable!(),
    });
    said
}

fn swap_rows(mix: &mut Mix<G>) {
    let mut rows = mix.outputs[0].ciphertexts();
    rows.swap(0, 1);
    mix.outputs[0] = Column::new(&rows);
}

/// Plays the election with one party's messages of one kind replaced.
fn with(by: Party, kind: &str, mut cheat: impl FnMut(Said) -> Vec<Said>) -> (World, Session) {
    let world = world();
    let session =
        world.play(&rankings(&world, VOTERS), |_, said| match said.by == by && said.kind == kind {
            true => cheat(said),
            false => vec![said],
        });
    (world, session)
}

#[test]
fn a_mixer_that_swaps_outputs() {
    for number in 1..=3 {
        let mixer = party(Role::Mixer, number);
        let (world, session) = with(mixer, "mix", |said| vec![edit_mix(said, swap_rows)]);
        finished(&world, &session, &[(Some(mixer), "equation (L")]);
        assert!(!session.election().mixes().contains(&number));
        assert_eq!(session.election().mixes().len(), 2);
    }
}

#[test]
fn a_mixer_that_replays_somebody_elses_mix() {
    let mut first = None;
    let world = world();
    let session = world.play(&rankings(&world, VOTERS), |_, said| {
        match (said.by.role, said.by.number) {
            (Role::Mixer, 1) => first = Some(said.payload.clone()),
            (Role::Mixer, 2) => {
                return vec![Said { payload: first.clone().unwrap(), ..said }];
            }
            _ => {}
        }
        vec![said]
    });
    finished(&world, &session, &[(Some(party(Role::Mixer, 2)), "equation (P")]);
}

#[test]
fn a_mixer_that_mixes_other_ballots() {
    let world = world();
    let session = world.play(&rankings(&world, VOTERS), |election, said| {
        if said.by != party(Role::Mixer, 2) {
            return vec![said];
        }
        // A true proof about inputs of its own making, one row copied.
        let list = &election.lists()[0];
        let mut rows = list.columns()[0].ciphertexts();
        rows[0] = rows[1];
        let key = election.booth().unwrap().key;
        let (context, generators) = (election.mix_context(list, 2), election.parameters().unwrap());
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let mix = Mix::new(&key, &[Column::new(&rows)], generators, &context, &mut rng);
        vec![Said::new(said.by, &Message::Mix(mix.unwrap()))]
    });
    finished(&world, &session, &[(Some(party(Role::Mixer, 2)), "equation (L")]);
}

#[test]
fn a_mixer_that_leaves_a_ballot_out() {
    let world = world();
    let session = world.play(&rankings(&world, VOTERS), |election, said| {
        if said.by != party(Role::Mixer, 1) {
            return vec![said];
        }
        let list = &election.lists()[0];
        let rows = list.columns()[0].ciphertexts();
        let key = election.booth().unwrap().key;
        let (context, generators) = (election.mix_context(list, 1), election.parameters().unwrap());
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let mix = Mix::new(&key, &[Column::new(&rows[1..])], generators, &context, &mut rng);
        vec![Said::new(said.by, &Message::Mix(mix.unwrap()))]
    });
    finished(&world, &session, &[(Some(party(Role::Mixer, 1)), "length 4, expected 5")]);
}

#[test]
fn a_mixer_out_of_turn() {
    let eager = party(Role::Mixer, 2);
    let (world, session) =
        with(party(Role::Mixer, 1), "mix", |said| vec![Said { by: eager, ..said.clone() }, said]);
    finished(&world, &session, &[(Some(eager), "`mix` is out of turn")]);
    assert_eq!(session.election().mixes(), [1, 2, 3]);
}

#[test]
fn a_mixer_that_mixes_twice() {
    let mixer = party(Role::Mixer, 1);
    let (world, session) = with(mixer, "mix", |said| vec![said.clone(), said]);
    finished(&world, &session, &[(Some(mixer), "`mix` is out of turn")]);
}

#[test]
fn parties_that_write_garbage() {
    let by = [party(Role::Mixer, 3), party(Role::Trustee, 3), STATION, OPERATOR];
    let kinds = ["mix", "decryption", "key/commitments", "election/close", "ballots", "what"];
    let garbage: Vec<Said> = by
        .iter()
        .flat_map(|&by| kinds.map(|kind| Said { by, kind: kind.into(), payload: vec![0xff; 40] }))
        .collect();
    let (world, session) =
        with(party(Role::Mixer, 1), "mix", |said| garbage.iter().cloned().chain([said]).collect());
    let faults: Vec<_> = garbage.iter().map(|said| (Some(said.by), "")).collect();
    finished(&world, &session, &faults);
}

#[test]
fn a_trustee_with_a_bad_proof_in_round_1() {
    let trustee = party(Role::Trustee, 2);
    let (world, session) = with(trustee, "key/commitments", |mut said| {
        let end = said.payload.len();
        said.payload[end - 32] ^= 1;
        vec![said]
    });
    finished(&world, &session, &[(Some(trustee), "knowledge of the transport key is false")]);
}

#[test]
fn a_trustee_with_bad_shares_is_disqualified() {
    let (world, dealer) = (world(), party(Role::Trustee, 3));
    let session = world.play(&rankings(&world, VOTERS), |_, said| {
        match said.by == dealer && said.kind == "key/shares" {
            true => vec![bad_shares(&world, &world.session(), &said)],
            false => vec![said],
        }
    });
    let bad = |j| format!("the share from dealer 3 to trustee {j} is bad");
    finished(&world, &session, &[(Some(dealer), &bad(1)), (Some(dealer), &bad(2))]);
    assert_eq!(session.election().keys().unwrap().qualified(), [1, 2]);
    // It holds good shares of the others' all the same.
    assert!(session.election().decrypted_by().contains(&3));
}

#[test]
fn a_false_accuser() {
    let (world, accuser) = (world(), party(Role::Trustee, 2));
    let session = world.play(&rankings(&world, VOTERS), |_, said| {
        match said.by == accuser && said.kind == "key/verdicts" {
            true => vec![false_accusation(&world, &world.session(), &said, 1)],
            false => vec![said],
        }
    });
    finished(&world, &session, &[(Some(accuser), "trustee 2 falsely accuses dealer 1")]);
    assert_eq!(session.election().keys().unwrap().qualified(), [1, 2, 3]);
}

#[test]
fn a_trustee_that_speaks_for_another() {
    let liar = party(Role::Trustee, 1);
    for kind in ["key/commitments", "key/shares", "key/verdicts", "decryption"] {
        let (world, session) = with(party(Role::Trustee, 1), kind, |mut said| {
            said.payload[0] = 2;
            vec![said]
        });
        let election = session.election();
        assert_eq!(election.phase(), Phase::Finished, "{kind}");
        assert_eq!(election.faults()[0].party, Some(liar));
        assert!(election.faults()[0].reason.contains("in the name of another trustee"));
        assert!(election.faults().iter().all(|fault| fault.party == Some(liar)), "{kind}");
        verdict(&session).unwrap();
        drop(world);
    }
}

#[test]
fn a_trustee_that_decrypts_wrongly() {
    let trustee = party(Role::Trustee, 1);
    let (world, session) = with(trustee, "decryption", |mut said| {
        said.payload.copy_within(6..38, 38);
        vec![said]
    });
    let why = "the proof of correct partial decryption is false";
    finished(&world, &session, &[(Some(trustee), why)]);
    assert_eq!(session.election().decrypted_by(), [2, 3]);
}

#[test]
fn a_trustee_that_decrypts_twice() {
    let trustee = party(Role::Trustee, 1);
    let (world, session) = with(trustee, "decryption", |said| vec![said.clone(), said]);
    finished(&world, &session, &[(Some(trustee), "`decryption` is out of turn")]);
}

#[test]
fn an_operator_that_closes_with_wrong_counts() {
    let (world, session) = with(OPERATOR, "election/close", |said| {
        let mut wrong = said.clone();
        wrong.edit(|message| match message {
            Message::Close(close) => close.accepted -= 1,
            _ => unreachable!(),
        });
        vec![wrong, said]
    });
    let why = "the closing says 4 ballots accepted and 0 refused, the board has 5 and 0";
    finished(&world, &session, &[(Some(OPERATOR), why)]);
}

#[test]
fn an_operator_that_opens_under_its_own_key() {
    let (world, session) = with(OPERATOR, "election/open", |said| {
        let own = shuffle::SecretKey::<G>::generate(&mut ChaCha20Rng::seed_from_u64(1));
        vec![Said::new(OPERATOR, &Message::Open(own.public_key())), said]
    });
    let why = "this is not the key that the trustees generated";
    finished(&world, &session, &[(Some(OPERATOR), why)]);
}

#[test]
fn an_operator_that_publishes_another_result() {
    let mut lies = [b'x', b'y'].into_iter();
    let (world, session) = with(OPERATOR, "election/outcome", |mut said| {
        said.edit(|message| match (message, lies.next()) {
            (Message::Outcome(outcome), Some(lie)) => outcome.tally.push(lie),
            (Message::Outcome(_), None) => {}
            _ => unreachable!(),
        });
        vec![said]
    });
    let why = "the ballots do not count to this tally";
    finished(&world, &session, &[(Some(OPERATOR), why), (Some(OPERATOR), why)]);
}

#[test]
fn a_stranger_on_the_board() {
    let stranger = Identity::generate(&mut ChaCha20Rng::seed_from_u64(9));
    let world = world();
    let session = world.play(&rankings(&world, VOTERS), |_, said| {
        if said.by == party(Role::Mixer, 2) {
            world.say_as(&mut world.session(), &stranger, &said);
        }
        vec![said]
    });
    finished(&world, &session, &[(None, "the author is not a party of this election")]);
}

#[test]
fn entries_behind_the_outcome_do_not_spoil_the_bundle() {
    let world = world();
    let mut session = world.play(&rankings(&world, VOTERS), nobody_cheats);
    let late = Said { by: party(Role::Mixer, 2), kind: "mix".into(), payload: vec![1] };
    world.say(&mut session, &late);
    assert_eq!(session.election().faults().len(), 1);
    verdict(&session).unwrap();
}

#[test]
fn too_few_honest_parties_end_the_election_with_a_reason() {
    let spoiled = |role: Role, kind: &'static str| {
        let world = world();
        world.play(&rankings(&world, VOTERS), |_, mut said| {
            if said.by.role == role && said.by.number < 3 && said.kind == kind {
                let end = said.payload.len();
                said.payload[end - 32] ^= 1;
            }
            vec![said]
        })
    };
    for (role, kind, reason) in [
        (Role::Trustee, "key/commitments", "1 qualified dealers, 2 are needed"),
        (Role::Trustee, "key/shares", "1 qualified dealers, 2 are needed"),
        (Role::Mixer, "mix", "valid mixes: 1, needed: 2"),
        (Role::Trustee, "decryption", "trustees who can still decrypt: 1, needed: 2"),
    ] {
        let session = spoiled(role, kind);
        let Phase::Failed(why) = session.election().phase() else { panic!("{kind}") };
        assert!(why.contains(reason), "{kind}: {why}");
        let culprits: Vec<_> = session.election().faults().iter().map(|f| f.party).collect();
        assert_eq!(culprits, [1, 2].map(|number| Some(party(role, number))), "{kind}");
    }
}
