//! Dishonest servers in mix and DB-SM, each named in every step where it can be.

use std::sync::Arc;

use algebra::Group;
use shuffle::{decrypt::PartialDecryption, tw::Generators};
use trace::*;
use trace_db::{sm::*, *};
use wire::{Decode, Digest, Encode, Reader};

use super::support::*;

fn ready() -> (World, SmQuery, BbKey) {
    let mut world = World::new(3, &[4, 5, 6, 7], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1, 3], &[0, 1, 2, 3]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.sm_query(pass);
    (world, query, key)
}

#[test]
fn in_the_mix() {
    let (session, shares) = session(2, Keys::Bcp);
    let mut rng = rng(1);
    let submissions = submit(&session, &[1, 2, 3], &mut rng);
    let inputs = Arc::new(Inputs::collect(session.clone(), submissions).unwrap());
    let generators = Arc::new(Generators::derive(3));
    let mut journals = [MemoryJournal::default(), MemoryJournal::default()];
    let policy = nobody();
    let mut servers: Vec<Server> = secrets(2)
        .into_iter()
        .zip(shares)
        .map(|(secret, share)| Server::new(secret, session.clone(), share, policy.clone()).unwrap())
        .collect();
    let (mut permutations, mut turns) = (Vec::new(), Vec::new());
    for (server, journal) in servers.iter_mut().zip(&mut journals) {
        assert_eq!(server.commit_permutation(&inputs, &generators, journal).unwrap(), [0; 0]);
        permutations.push(server.prove_permutation(&generators, &mut rng).unwrap());
    }
    for server in &servers {
        let turn = server.mix(&inputs, &permutations, &turns, &generators, &mut rng).unwrap();
        turns.push(turn);
    }
    // Out of turn; a second input list.
    assert!(servers[1].mix(&inputs, &permutations, &[], &generators, &mut rng).is_err());
    let other = Inputs::collect(session.clone(), submit(&session, &[9], &mut rng)).unwrap();
    let result = servers[0].commit_permutation(&other, &generators, &mut journals[0]);
    assert!(matches!(result, Err(TraceError::Committed { server: 1, .. })));

    let verify = |permutations: &[_], turns: &[PaillierTurn]| {
        Mixed::verify(inputs.clone(), permutations.to_vec(), turns, generators.clone())
    };
    // B11: server 2 commits by server 1's permutation, whose proof is another's.
    let stolen = [permutations[0].clone(), permutations[0].clone()];
    assert_eq!(culprit(verify(&stolen, &turns)), Some(2));
    // Server 1 mixes by the commitment of server 2.
    let swapped = [permutations[1].clone(), permutations[0].clone()];
    assert_eq!(culprit(verify(&swapped, &turns)), Some(1));
    // Turns in the wrong place; one missing; every part of one changed.
    let turned = [turns[1].clone(), turns[0].clone()];
    assert_eq!(culprit(verify(&permutations, &turned)), Some(1));
    assert!(matches!(verify(&permutations, &turns[..1]), Err(TraceError::Missing { .. })));
    let decode = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let turn = PaillierTurn::decode(&mut reader, &session).ok()?;
        reader.finish().ok().map(|()| turn)
    };
    let bytes = turns[1].to_bytes();
    for (position, forged) in mutants_with(&bytes, bytes.len() / 24, decode) {
        let forged = [turns[0].clone(), forged];
        assert_eq!(culprit(verify(&permutations, &forged)), Some(2), "byte {position}");
    }

    // B2: a share of the first row; the shares of another list.
    let mixed = Arc::new(verify(&permutations, &turns).unwrap());
    let signatures: Vec<_> = servers
        .iter()
        .zip(&mut journals)
        .map(|(server, journal)| server.sign_mix(&mixed, journal).unwrap())
        .collect();
    let agreement = Agreement::new(signatures.clone());
    let partials: Vec<_> = servers
        .iter()
        .map(|server| server.decrypt(&mixed, &agreement, &mut rng).unwrap())
        .collect();
    let open = |partials: &[_]| Outputs::open(mixed.clone(), &agreement, partials);
    assert!(open(&partials).is_ok());
    assert!(open(&partials[..1]).is_err());
    let decode = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        paillier::PartialDecryption::decode(&mut reader, session.paillier()).ok()
    };
    let bytes = partials[1].to_bytes();
    for (position, forged) in
        mutants_with(&bytes[6..], 97, |tail: &[u8]| decode(&[&bytes[..6], tail].concat()))
    {
        let forged = [partials[0].clone(), forged];
        assert_eq!(culprit(open(&forged)), Some(2), "byte {position}");
    }
    // No share before all have signed.
    let false_agreement = Agreement::new(vec![signatures[0], signatures[0]]);
    let result = servers[0].decrypt(&mixed, &false_agreement, &mut rng);
    assert!(matches!(result, Err(TraceError::Disagreement { server: 2, .. })));
}

#[test]
fn in_turns_and_blindings() {
    let (mut world, query, _) = ready();
    let turns = world.sm_turns(&query);
    // Servers 3, 2, 1 in this order: going backwards.
    for (place, server) in [(0, 3), (1, 2), (2, 1)] {
        let bytes = turns[place].to_bytes();
        for (position, forged) in mutants(&bytes, bytes.len() / 12) {
            let mut forged_turns = turns.clone();
            forged_turns[place] = forged;
            let result = SmRouted::verify(query.clone(), &forged_turns);
            assert_eq!(culprit(result), Some(server), "server {server}, byte {position}");
        }
    }
    // Without a server, and with the turns of another pass (another query id).
    assert!(SmRouted::verify(query.clone(), &turns[..2]).is_err());
    let again = world.query(Direction::In, &[0, 1, 3], &[0, 1, 2, 3]);
    let pass = world.pass(&again, Side::Asked);
    let (other, _) = world.sm_query(pass);
    assert_eq!(culprit(SmRouted::verify(other, &turns)), Some(3));

    let routed = SmRouted::verify(query, &turns).unwrap();
    let (commitments, blindings) = world.sm_blindings(&routed);
    let verify = |commitments: &[Digest], blindings: &[SmBlinding]| {
        SmBlinded::verify(routed.clone(), commitments, blindings)
    };
    // Another message than was committed to; another server's, committed to.
    let copied = [blindings[0].clone(), blindings[0].clone(), blindings[2].clone()];
    assert_eq!(culprit(verify(&commitments, &copied)), Some(2));
    let commit = |blinding: &SmBlinding, server: u16| {
        let parts: [&[u8]; 3] =
            [routed.digest().as_bytes(), &server.to_le_bytes(), &blinding.to_bytes()];
        digest_of("trace/db/sm/blinding", &parts)
    };
    assert_eq!(commit(&blindings[1], 2), commitments[1]);
    let recommitted = [commitments[0], commit(&blindings[0], 2), commitments[2]];
    assert_eq!(culprit(verify(&recommitted, &copied)), Some(2), "replayed proof");
    let bytes = blindings[1].to_bytes();
    for (position, forged) in mutants::<SmBlinding>(&bytes, bytes.len() / 30) {
        let recommitted = [commitments[0], commit(&forged, 2), commitments[2]];
        let forged = [blindings[0].clone(), forged, blindings[2].clone()];
        assert_eq!(culprit(verify(&recommitted, &forged)), Some(2), "byte {position}");
    }
    // A server does not reveal while a commitment is missing or its own is another's.
    let (server, journal) = (&mut world.servers[0], &mut world.journals[0]);
    let committed = server.blind_signatures(&routed, journal, &mut world.rng).unwrap();
    assert!(committed.reveal(&commitments[..2]).is_err());
    let committed = server.blind_signatures(&routed, journal, &mut world.rng).unwrap();
    assert!(committed.reveal(&[commitments[1], commitments[1], commitments[2]]).is_err());
}

#[test]
fn in_shares_and_proofs() {
    let (mut world, query, key) = ready();
    let turns = world.sm_turns(&query);
    let routed = SmRouted::verify(query.clone(), &turns).unwrap();
    let (commitments, blindings) = world.sm_blindings(&routed);
    let blinded = SmBlinded::verify(routed.clone(), &commitments, &blindings).unwrap();
    // A share before this server has signed; a second signature in the pass.
    let agreed = world.sm_agree(blinded);
    let fresh = MemoryJournal::default();
    let refused = world.servers[0].decrypt_signatures(&agreed, &fresh, &mut world.rng);
    assert!(matches!(refused, Err(TraceError::Committed { server: 1, .. })));
    let refused =
        world.servers[0].blind_signatures(&routed, &mut world.journals[0], &mut world.rng);
    assert!(matches!(refused.err(), Some(TraceError::Committed { server: 1, .. })));

    // B2: every share, the first included; the share of another server.
    let partials = world.sm_partials(&agreed);
    let open = |partials: Vec<_>| SmOpened::open(agreed.clone(), partials);
    let bytes = partials[1].to_bytes();
    for item in 0..3 {
        let mut forged = bytes.clone();
        let at = 6 + 48 * item;
        let share = G1::decode(&forged[at..at + 48]).unwrap() + G1::generator();
        forged[at..at + 48].copy_from_slice(&share.encode());
        let forged = PartialDecryption::from_bytes(&forged).unwrap();
        let forged = vec![partials[0].clone(), forged, partials[2].clone()];
        assert_eq!(culprit(open(forged)), Some(2), "share {item}");
    }
    for (position, forged) in mutants::<PartialDecryption<G1>>(&bytes, 13) {
        let forged = open(vec![partials[0].clone(), forged, partials[2].clone()]);
        assert!(forged.is_err(), "byte {position}");
    }
    assert!(open(partials[..2].to_vec()).is_err());
    let opened = open(partials).unwrap();
    // The neutral element satisfies every equation, and is refused by everybody.
    let neutral = shuffle::PointList::new(vec![G1::generator(), G1::identity(), G1::generator()]);
    let refused = SmStatement::new(query, *opened.statement().agreed(), neutral);
    assert!(matches!(refused.err(), Some(TraceError::NeutralSignature { row: 1 })));

    // Announcements: others than were committed to, too few.
    let (commitments, announcements) = world.sm_announce(&opened);
    let copied = [announcements[1].clone(), announcements[1].clone(), announcements[2].clone()];
    assert_eq!(culprit(opened.challenge(&commitments, &copied)), Some(1));
    assert!(opened.challenge(&commitments, &announcements[..2]).is_err());
    let announced = opened.challenge(&commitments, &announcements).unwrap();
    let responses = world.sm_respond(&opened, &announced);
    // Asked again the server answers this challenge, and no other.
    let rng = &mut rng(3);
    let (server, journal) = (&world.servers[0], &mut world.journals[0]);
    assert!(server.respond_signatures(&opened, &announced, journal, rng).is_ok());
    let (recommitted, spoilt) = respoil(&opened, &commitments, &announcements, 0);
    let other = opened.challenge(&recommitted, &spoilt).unwrap();
    let refused = server.respond_signatures(&opened, &other, journal, rng);
    assert!(matches!(refused, Err(TraceError::Committed { server: 1, .. })));

    // Responses: of another server, changed, about another challenge.
    let read = |announced: &Announced, responses: &[SealedResponse]| {
        let (statement, prints) = (opened.statement().clone(), announced.challenge().prints());
        Proof::open(statement, prints.to_vec(), &world.key, responses)
    };
    assert!(read(&announced, &responses).unwrap().read(&key).proven.iter().all(|&yes| yes));
    let copied = [responses[0].clone(), responses[0].clone(), responses[2].clone()];
    assert_eq!(culprit(read(&announced, &copied)), Some(2));
    assert_eq!(culprit(read(&other, &responses)), Some(1));
    let bytes = responses[2].to_bytes();
    for (position, forged) in mutants(&bytes, bytes.len() / 12) {
        let forged = [responses[0].clone(), responses[1].clone(), forged];
        assert_eq!(culprit(read(&announced, &forged)), Some(3), "byte {position}");
    }
}

/// Server 3 announces, and commits to, another point in one place.
fn respoil(
    opened: &SmOpened,
    commitments: &[Digest],
    announcements: &[Announcement],
    place: usize,
) -> (Vec<Digest>, Vec<Announcement>) {
    let mut bytes = announcements[2].to_bytes();
    let at = 4 + 48 * place;
    let point = G1::decode(&bytes[at..at + 48]).unwrap() + G1::generator();
    bytes[at..at + 48].copy_from_slice(&point.encode());
    let (mut commitments, mut announcements) = (commitments.to_vec(), announcements.to_vec());
    let digest = statement_digest(opened);
    commitments[2] =
        digest_of("trace/db/announcement", &[&digest, &3_u16.to_le_bytes(), &bytes[4..]]);
    announcements[2] = Announcement::from_bytes(&bytes).unwrap();
    (commitments, announcements)
}

fn statement_digest(opened: &SmOpened) -> [u8; 32] {
    let statement = opened.statement();
    let parts = [
        statement.query().digest().as_bytes(),
        statement.agreed().as_bytes(),
        statement.blinded().encoding(),
    ];
    *digest_of("trace/db/sm/opened", &parts).as_bytes()
}

#[test]
fn a_spoilt_row_is_unproven_and_nothing_else_changes() {
    // One server spoils row 1 in the pass over J: first the equation that fails outside the answer
    // anyway, then the one that never does.
    for place in [1, 3 + 1] {
        let (mut world, query, key) = ready();
        let opened = world.sm_open(query);
        let (commitments, announcements) = world.sm_announce(&opened);
        let (commitments, announcements) = respoil(&opened, &commitments, &announcements, place);
        let announced = opened.challenge(&commitments, &announcements).unwrap();
        let responses = world.sm_respond(&opened, &announced);
        let (statement, prints) = (opened.statement().clone(), announced.challenge().prints());
        let proof = Proof::open(statement, prints.to_vec(), &world.key, &responses).unwrap();
        let reading = proof.read(&key);
        assert_eq!(reading.proven, [true, false, true]);
        assert_eq!(proof.shown(&announced).read(&mut world.rng), reading);
        // In the other pass nothing is proven about the row: unproven, not "no".
        let request = proof.statement().query().pass();
        let key = BbKey::generate(&[], &mut world.rng).public();
        let nothing = Reading { key, proven: vec![false; 3] };
        let verdict = Verdict::of(request, &reading, &nothing).unwrap();
        assert_eq!((verdict.yes, verdict.no), (set(&[0, 3]), set(&[])));
        assert_eq!(verdict.unproven, set(&[1]));
    }
}

/// The querier gets a print of 16 bytes for each row, of the row's announcements alone: other prints
/// are another challenge, and prints of the right challenge stand in the right places.
#[test]
fn every_bit_of_a_print_counts() {
    let (mut world, query, key) = ready();
    let opened = world.sm_open(query);
    let (commitments, announcements) = world.sm_announce(&opened);
    let announced = opened.challenge(&commitments, &announcements).unwrap();
    let responses = world.sm_respond(&opened, &announced);
    let honest = announced.challenge().prints().to_vec();
    assert_eq!(honest.len(), 3);
    let open = |prints: Vec<Print>| {
        Proof::open(opened.statement().clone(), prints, &world.key, &responses)
    };
    assert_eq!(open(honest.clone()).unwrap().read(&key).proven, [true; 3]);
    for row in 0..3 {
        for byte in 0..16 {
            let mut prints = honest.clone();
            prints[row][byte] ^= 1 << (byte % 8);
            assert!(matches!(open(prints).err(), Some(TraceError::UnreadableShare { .. })));
        }
        let mut swapped = honest.clone();
        swapped.swap(row, (row + 1) % 3);
        assert!(open(swapped).is_err());
    }
    assert!(matches!(open(honest[..2].to_vec()).err(), Some(TraceError::Missing { .. })));

    // A row's print depends on all equations of that row, and on no other row.
    for place in 0..6 {
        let (recommitted, spoilt) = respoil(&opened, &commitments, &announcements, place);
        let other = opened.challenge(&recommitted, &spoilt).unwrap();
        let pairs = honest.iter().zip(other.challenge().prints());
        let differ: Vec<bool> = pairs.map(|(left, right)| left != right).collect();
        let expected: Vec<bool> = (0..3).map(|row| row == place % 3).collect();
        assert_eq!(differ, expected, "place {place}");
        assert_ne!(other.challenge().scalar(), announced.challenge().scalar());
        assert_ne!(other.challenge().digest(), announced.challenge().digest());
    }
}
