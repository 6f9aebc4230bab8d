//! Every message of a query, spoilt on its way through [`Asked`]: whose it was is named; and what is
//! said out of turn has no effect.

use trace::{Direction, TraceError};
use trace_db::{paillier::ModulusSize, *};
use wire::{Encode, Reader};

use super::parties::{By, Parties};

/// The message with one bit changed, the last that leaves it a message.
fn spoil(parties: &Parties, asked: &Asked, part: &Part) -> Part {
    let (step, bytes) = ((asked.query().direction(), asked.step()), part.to_bytes());
    let flipped = (8..8 * bytes.len()).find_map(|back| {
        let mut bytes = bytes.clone();
        let place = bytes.len() - back / 8;
        bytes[place] ^= 1 << (back % 8);
        let mut reader = Reader::new(&bytes);
        Part::decode(&mut reader, step, parties.outputs.session()).ok()
    });
    flipped.unwrap()
}

/// Goes on to the end, or to what is wrong.
fn go_on(parties: &mut Parties, mut asked: Asked) -> Result<Asked, TraceError> {
    while let Some(party) = parties.awaited(&asked) {
        let parts = parties.say(&asked, party)?;
        asked = parties.hear(asked, party, &parts)?;
    }
    Ok(asked)
}

/// What becomes of a query in which a party spoils what it says about one side in one step.
fn spoilt(
    parties: &mut Parties,
    direction: Direction,
    (party, step): (u16, Step),
    side: usize,
) -> TraceError {
    let (asked, keys) = parties.ask(direction, &[0, 1], &[0, 1, 2]);
    let mut asked = parties.run(asked, Some(step));
    while !asked.awaits(party) {
        let other = parties.awaited(&asked).unwrap();
        let parts = parties.say(&asked, other).unwrap();
        asked = parties.hear(asked, other, &parts).unwrap();
    }
    let mut parts = parties.say(&asked, party).unwrap();
    parts[side] = spoil(parties, &asked, &parts[side]);
    let heard = parties.hear(asked, party, &parts).and_then(|asked| go_on(parties, asked));
    match heard {
        Err(error) => error,
        Ok(asked) => parties.querier.read(&asked, &keys).err().unwrap(),
    }
}

#[test]
fn a_server_that_spoils_a_step_is_named() {
    let mut parties = Parties::new(2, &[5, 9, 5], By::Servers);
    for (direction, first) in [(Direction::In, 0), (Direction::Out, 1)] {
        let steps = Step::of(direction).iter().filter(|step| **step != Step::Dealing);
        for (number, &step) in steps.enumerate() {
            let party = 1 + (number % 2) as u16;
            let error = spoilt(&mut parties, direction, (party, step), (first + number) % 2);
            assert_eq!(error.culprit(), Some(party), "{direction:?}, {step}: {error}");
        }
    }
    let error = spoilt(&mut parties, Direction::Out, (DEALER, Step::Dealing), 0);
    assert!(matches!(error, TraceError::Dealing(_)), "{error}");
}

#[test]
fn what_nobody_waits_for_is_not_taken() {
    let mut parties = Parties::new(2, &[5, 9], By::Servers);
    let refused = |asked: Asked, party, parts: &[Part; 2]| {
        let said = Said { party, parts: parts.clone() };
        assert!(matches!(asked.take(said), Err(TraceError::Query(_))));
    };
    let ask = |parties: &mut Parties| parties.ask(Direction::In, &[0], &[0]).0;
    let asked = ask(&mut parties);
    let turn = parties.say(&asked, 2).unwrap();
    // Going in, the last server comes first; the dealer, and numbers of nobody, never.
    for party in [1, DEALER, 3, u16::MAX] {
        assert!(!asked.awaits(party));
    }
    refused(asked, 1, &turn);
    let asked = ask(&mut parties);
    refused(asked, 2, &[0, 1].map(|_| Part::Signature([0; 64])));
    let asked = ask(&mut parties);
    let [first, _] = turn;
    refused(asked, 2, &[first, Part::Signature([0; 64])]);
    // Twice the same.
    let asked = ask(&mut parties);
    let asked = parties.run(asked, Some(Step::BlindingCommitment));
    let commitment = parties.say(&asked, 1).unwrap();
    let asked = parties.hear(asked, 1, &commitment).unwrap();
    refused(asked, 1, &commitment);
}

/// The shares in a decryption are the server's own: another's, sent again, names who sent it.
#[test]
fn another_servers_share_is_nobodys() {
    let mut parties = Parties::new(2, &[5, 9], By::Servers);
    let (asked, _) = parties.ask(Direction::In, &[0], &[0]);
    let asked = parties.run(asked, Some(Step::Share));
    let share = parties.say(&asked, 1).unwrap();
    let error = parties.hear(asked, 2, &share).err().unwrap();
    assert_eq!(error.culprit(), Some(2), "{error}");
}

#[test]
fn a_query_needs_two_keys_and_a_dealer() {
    let mut parties = Parties::new(2, &[5, 9], By::Servers);
    let question =
        || trace::Question { inputs: trace::IndexSet::all(1), outputs: trace::IndexSet::all(1) };
    let dealer = parties.dealer.id();
    let (query, offers, _) = parties
        .querier
        .ask(&parties.outputs, Direction::Out, question(), &mut parties.rng)
        .unwrap();
    let refused = Asked::new(&parties.outputs, query.clone(), offers.clone(), None).err().unwrap();
    assert!(refused.to_string().contains("no dealer"), "{refused}");
    let [first, second] = offers;
    let twice = [first.clone(), first.clone()];
    let refused = Asked::new(&parties.outputs, query.clone(), twice, Some(&dealer)).err().unwrap();
    assert!(refused.to_string().contains("the same key"), "{refused}");
    // Each side's signatures are for that side.
    let swapped = Asked::new(&parties.outputs, query, [second, first], Some(&dealer));
    assert!(matches!(swapped.err().unwrap(), TraceError::Offer { row: None, .. }));
}

/// A restarted server has forgotten what it committed to, and says the same again.
#[test]
fn a_restarted_server_reveals_what_it_committed_to() {
    let mut parties = Parties::new(2, &[5, 9], By::Dealer);
    for (direction, steps) in [
        (Direction::In, [Step::Blinding, Step::Announcement]),
        (Direction::Out, [Step::Dealing, Step::Announcement]),
    ] {
        let (mut asked, keys) = parties.ask(direction, &[0], &[0, 1]);
        for step in steps {
            asked = parties.run(asked, Some(step));
            parties.restart(0);
        }
        let asked = parties.run(asked, None);
        let found = parties.querier.read(&asked, &keys).unwrap();
        assert!(found.verdict.unproven.is_empty());
    }
}

/// False submissions and copies are left out when submissions close; the others go on.
#[test]
fn nobody_stops_a_session_by_a_false_submission() {
    let parties = Parties::new(2, &[5], By::Servers);
    assert_eq!(parties.record.rules.keys().size(), Some(ModulusSize::Bits2048));
    let session = parties.outputs.inputs().session().clone();
    let mut rng = super::support::rng(8);
    let key = session.paillier().without_tables();
    let mut seal = |sender: &[u8]| {
        Submission::seal(&session, &key, sender, &super::support::value(3), &mut rng).unwrap()
    };
    let (honest, mut other) = (seal(b"a"), seal(b"b").to_bytes());
    // The proof of its opening, which ends it, is another.
    let last = other.len() - 32;
    other[last] ^= 1;
    let mut reader = Reader::new(&other);
    let false_one = Submission::decode(&mut reader, &session).unwrap();
    let mut inbox = InputBox::new(session.clone());
    inbox.admit(false_one).unwrap();
    inbox.admit(honest.clone()).unwrap();
    assert!(inbox.has(b"a") && !inbox.has(b"c"));
    assert!(matches!(inbox.admit(honest), Err(TraceError::Ciphertext { submission: 2, .. })));
    let (inputs, refused) = inbox.close().unwrap();
    assert_eq!(inputs.submissions()[0].sender(), b"a");
    assert!(matches!(refused[..], [TraceError::Ciphertext { submission: 0, .. }]), "{refused:?}");
}
