//! BCP keys with which fewer than all servers decrypt.

use trace_db::paillier::*;
use wire::{Encode, Reader};

use super::support::*;

type Dealt = (Vec<bcp::Dealing>, Vec<Vec<bcp::DealtPart>>);

/// What every server publishes, and the parts it sends.
fn deal(parties: Parties) -> Dealt {
    let parameters = parameters();
    let deal = |server: u16| {
        parameters.deal(parties, &context(server, b"key"), &mut rng(server.into())).unwrap()
    };
    (1..=parties.servers).map(deal).unzip()
}

/// The parts that a server received, through their encoding.
fn received(parties: Parties, parts: &[Vec<bcp::DealtPart>], server: u16) -> Vec<bcp::DealtPart> {
    let own = parts.iter().map(|parts| &parts[usize::from(server) - 1]);
    let travel = |part: &bcp::DealtPart| {
        let bytes = part.to_secret_bytes();
        bcp::DealtPart::decode(&mut Reader::new(&bytes), parties).unwrap()
    };
    own.map(travel).collect()
}

fn world(parties: Parties) -> World {
    let (dealings, parts) = deal(parties);
    let receive = |server| {
        let parts = received(parties, &parts, server);
        parameters().receive(parties, &dealings, server, &parts).unwrap()
    };
    let key = parameters().assemble_shared(SESSION, parties, &dealings).unwrap();
    World { key, shares: (1..=parties.servers).map(receive).collect() }
}

#[test]
fn any_threshold_of_servers_opens() {
    for (servers, needed) in [(2, 1), (3, 2), (4, 3)] {
        let world = world(Parties { servers, needed });
        let (list, _) = world.encrypt(&[0, 7, u64::MAX], 1);
        for absent in 1..=servers {
            let present: Vec<u16> =
                (1..=servers).rev().filter(|&k| k != absent).take(needed.into()).collect();
            let partials = world.partials(&list, &present);
            let opened = world.key.open(SESSION, b"open", &list, &partials).unwrap();
            assert_eq!(opened, integers(&[0, 7, u64::MAX]));
            let few = world.key.open(SESSION, b"open", &list, &partials[1..]).unwrap_err();
            assert!(matches!(few, PaillierError::TooFewShares { .. }));
        }
        let bytes = world.key.to_bytes();
        assert!(PublicKey::decode(&mut Reader::new(&bytes), SIZE).unwrap() == world.key);
        let bytes = world.shares[0].to_secret_bytes();
        assert!(KeyShare::decode(&mut Reader::new(&bytes), &world.key).is_ok());
        assert!(world.key.verification_key(servers + 1).is_err());
    }
}

#[test]
fn a_false_part_names_its_dealer() {
    let parties = Parties { servers: 3, needed: 2 };
    let (dealings, parts) = deal(parties);
    let receive = |server, parts: &[bcp::DealtPart]| {
        parameters().receive(parties, &dealings, server, parts).map(|_| ())
    };
    assert_eq!(receive(2, &received(parties, &parts, 2)), Ok(()));
    // Another server's part, another dealer's part, a changed part, a missing part.
    let named = Err(PaillierError::FalsePart { dealer: 1 });
    assert_eq!(receive(2, &received(parties, &parts, 3)), named);
    let mut swapped = received(parties, &parts, 2);
    swapped.swap(0, 1);
    assert_eq!(receive(2, &swapped), named);
    let mut bytes = parts[2][1].to_secret_bytes();
    bytes[9] ^= 1;
    let mut changed = received(parties, &parts, 2);
    changed[2] = bcp::DealtPart::decode(&mut Reader::new(&bytes), parties).unwrap();
    assert_eq!(receive(2, &changed), Err(PaillierError::FalsePart { dealer: 3 }));
    assert!(matches!(receive(2, &changed[..2]), Err(PaillierError::Length { .. })));
}

#[test]
fn changed_dealings_are_refused() {
    let parties = Parties { servers: 2, needed: 1 };
    let refuse = |parties, dealings: &[bcp::Dealing]| {
        parameters().assemble_shared(SESSION, parties, dealings).map(|_| ())
    };
    let (dealings, _) = deal(parties);
    assert_eq!(refuse(parties, &dealings), Ok(()));
    let all = Parties::all(2);
    assert!(matches!(refuse(all, &dealings), Err(PaillierError::Parties { .. })));
    assert!(matches!(refuse(parties, &dealings[1..]), Err(PaillierError::Length { .. })));
    let twice = [dealings[0].clone(), dealings[0].clone()];
    assert_eq!(refuse(parties, &twice), Err(PaillierError::UnknownServer { server: 1 }));
    let replayed = parameters().assemble_shared(b"other", parties, &dealings).map(|_| ());
    assert_eq!(replayed, Err(PaillierError::KeyProof { server: 1 }));

    let parties = Parties { servers: 3, needed: 2 };
    let (dealings, _) = deal(parties);
    let bytes = dealings[0].to_bytes();
    for place in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        let mut reader = Reader::new(&bytes);
        let Ok(changed) = parameters().decode_dealing(&mut reader, parties) else { continue };
        let dealings = [changed, dealings[1].clone(), dealings[2].clone()];
        assert!(refuse(parties, &dealings).is_err(), "byte {place}");
    }
}
