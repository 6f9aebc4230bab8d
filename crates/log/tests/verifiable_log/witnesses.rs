//! `add-checkpoint`: every status of the specification, the race that it warns of, and keepers that fork.

use log::{
    AddCheckpoint, Checkpoint, Evidence, MemoryWitness, Origin, Quorum, Refusal, SignedCheckpoint,
    Witness, WitnessMemory, merkle,
    note::{NoteError, NoteSignature},
};
use wire::{Decode, Encode};

use super::{AUTHOR, KEEPER, Kept, entry, identity, log_key, origin};

struct Bench {
    witness: Witness,
    memory: MemoryWitness,
}

fn bench(seed: u8) -> Bench {
    let name = format!("w.example/{seed}").parse().unwrap();
    let mut witness = Witness::new(name, identity(seed));
    witness.follow(origin(), identity(KEEPER).id()).unwrap();
    Bench { witness, memory: MemoryWitness::default() }
}

type Answer = Result<String, Refusal<std::convert::Infallible>>;

impl Bench {
    fn add(&mut self, kept: &Kept, old: u64) -> Answer {
        let proof = kept.consistency(old);
        self.send(&AddCheckpoint { old, proof, checkpoint: kept.signed() }, 1_000)
    }

    fn send(&mut self, request: &AddCheckpoint, time: u64) -> Answer {
        self.witness.add_checkpoint(&mut self.memory, request.to_text().as_bytes(), time)
    }

    fn seen(&self) -> Option<SignedCheckpoint> {
        let Ok(seen) = self.memory.latest(&origin());
        seen
    }
}

fn status(answer: &Answer) -> (u16, Option<String>) {
    match answer {
        Ok(_) => (200, None),
        Err(refusal) => (refusal.status(), refusal.size_body()),
    }
}

#[test]
fn a_log_that_grows_is_cosigned() {
    let mut bench = bench(2);
    let mut kept = Kept::of_ticks(0..3);
    let quorum = Quorum::new(vec![bench.witness.key()], 1).unwrap();
    let mut old = 0;
    for grown in [3, 3, 4, 9] {
        (kept.size()..grown).for_each(|time| kept.tick(time));
        let line = bench.add(&kept, old).unwrap();
        let mut signed = kept.signed();
        signed.add(NoteSignature::from_line(line.strip_suffix('\n').unwrap()).unwrap());
        assert_eq!(quorum.verify(&signed), Ok(Some(1_000)));
        assert_eq!(bench.seen(), Some(kept.signed()));
        old = grown;
    }
}

#[test]
fn every_refusal_has_its_status_and_changes_nothing() {
    let mut bench = bench(2);
    let kept = Kept::of_ticks(0..9);
    let empty = Kept::new();
    let request = |old, proof: &[merkle::Hash], size| AddCheckpoint {
        old,
        proof: proof.to_vec(),
        checkpoint: kept.signed_at(size),
    };
    // Before anything was seen: only from size 0, without a proof.
    assert_eq!(status(&bench.add(&kept, 4)), (409, Some("0\n".to_owned())));
    assert_eq!(status(&bench.send(&request(0, &[[0; 32].into()], 5), 1)), (422, None));
    assert_eq!(bench.seen(), None);
    let forged = Checkpoint::new(origin(), 0, [1; 32].into()).sign(&identity(KEEPER)).unwrap();
    let forged = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: forged };
    assert_eq!(status(&bench.send(&forged, 1)).0, 409);
    assert_eq!(status(&bench.add(&empty, 0)).0, 200);
    bench.send(&request(0, &[], 5), 1).unwrap();
    let seen = bench.seen();

    assert_eq!(status(&bench.send(&request(5, &[], 4), 1)), (400, None));
    assert_eq!(
        status(&bench.send(&request(4, &kept.consistency(4), 9), 1)),
        (409, Some("5\n".to_owned()))
    );
    assert_eq!(status(&bench.send(&request(0, &[], 9), 1)), (409, Some("5\n".to_owned())));
    assert_eq!(status(&bench.send(&request(5, &[], 9), 1)), (422, None));
    let proof = kept.consistency(5);
    for at in 0..proof.len() {
        let mut changed = proof.clone();
        changed[at] = [7; 32].into();
        assert_eq!(status(&bench.send(&request(5, &changed, 9), 1)), (422, None));
    }
    let signed_by = |origin: &str, seed| {
        let root = kept.signed().checkpoint().root;
        let origin: Origin = origin.parse().unwrap();
        let checkpoint = Checkpoint::new(origin, 9, root).sign(&identity(seed)).unwrap();
        AddCheckpoint { old: 5, proof: proof.clone(), checkpoint }
    };
    let unknown = bench.send(&signed_by("example.com/elsewhere", KEEPER), 1);
    assert_eq!(status(&unknown), (404, None));
    let unsigned = bench.send(&signed_by(origin().as_str(), AUTHOR), 1);
    assert_eq!(status(&unsigned), (403, None));
    let body = request(5, &proof, 9).to_text();
    for (from, to) in [
        ("old 5", "old 05"),
        ("old 5", "old"),
        ("old 5", "new 5"),
        ("old 5", "old 5 "),
        ("old 5\n", ""),
        ("old 5\n", "old 5\nAAAA\n"),
        ("\n\n", "\n"),
    ] {
        let changed = body.replacen(from, to, 1);
        let answer = bench.witness.add_checkpoint(&mut bench.memory, changed.as_bytes(), 1);
        assert_eq!(status(&answer), (400, None), "{from:?} to {to:?}");
    }
    let long = [[0; 32].into(); 64];
    assert_eq!(status(&bench.send(&request(5, &long, 9), 1)), (400, None));
    assert!(matches!(AddCheckpoint::parse(&[b'a'; 1 << 21]), Err(NoteError::Form("too long"))));
    assert_eq!(bench.seen(), seen);
    assert_eq!(AddCheckpoint::parse(body.as_bytes()).unwrap(), request(5, &proof, 9));
    bench.send(&request(5, &proof, 9), 1).unwrap();
}

/// Anybody may put lines under a note: a witness remembers the keeper's alone.
#[test]
fn what_is_remembered_does_not_grow_with_the_request() {
    let mut bench = bench(2);
    let kept = Kept::of_ticks(0..9);
    let mut checkpoint = kept.signed();
    for at in 0..5_000_u32 {
        let (name, id) = ("junk.example".parse().unwrap(), at.to_be_bytes());
        checkpoint.add(NoteSignature { name, id, signature: vec![0; 64] });
    }
    bench.send(&AddCheckpoint { old: 0, proof: Vec::new(), checkpoint }, 1).unwrap();
    assert_eq!(bench.seen(), Some(kept.signed()));
}

/// A memory in which another request is always first.
struct Raced(MemoryWitness, Option<SignedCheckpoint>);

impl WitnessMemory for Raced {
    type Error = &'static str;

    fn latest(&self, origin: &Origin) -> Result<Option<SignedCheckpoint>, Self::Error> {
        let Ok(seen) = self.0.latest(origin);
        Ok(seen)
    }

    fn advance(&mut self, old: Option<u64>, new: &SignedCheckpoint) -> Result<bool, Self::Error> {
        if let Some(first) = self.1.take() {
            let Ok(moved) = self.0.advance(old, &first);
            assert!(moved);
        }
        let Ok(moved) = self.0.advance(old, new);
        Ok(moved)
    }
}

/// Two requests at once: the smaller log does not replace the larger one, and is not cosigned.
#[test]
fn the_slower_of_two_requests_is_refused() {
    let kept = Kept::of_ticks(0..9);
    let Bench { witness, .. } = bench(2);
    let mut memory = Raced(MemoryWitness::default(), Some(kept.signed_at(9)));
    let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: kept.signed_at(4) };
    let answer = witness.add_checkpoint(&mut memory, request.to_text().as_bytes(), 1);
    assert_eq!(answer, Err(Refusal::Conflict { latest: 9 }));
    assert_eq!(memory.latest(&origin()), Ok(Some(kept.signed_at(9))));
}

/// A memory that cannot store.
struct Full;

impl WitnessMemory for Full {
    type Error = &'static str;

    fn latest(&self, _: &Origin) -> Result<Option<SignedCheckpoint>, Self::Error> {
        Ok(None)
    }

    fn advance(&mut self, _: Option<u64>, _: &SignedCheckpoint) -> Result<bool, Self::Error> {
        Err("disk full")
    }
}

#[test]
fn what_is_not_stored_is_not_cosigned() {
    let Bench { witness, .. } = bench(2);
    let checkpoint = Kept::of_ticks(0..9).signed();
    let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint };
    let answer = witness.add_checkpoint(&mut Full, request.to_text().as_bytes(), 1);
    assert_eq!(answer, Err(Refusal::Memory("disk full")));
    assert_eq!(answer.unwrap_err().status(), 500);
}

/// A keeper that shows each witness its own history is convicted by whoever brings them together; a
/// witness that is shown both names the keeper by itself.
#[test]
fn a_keeper_that_forks_is_convicted_from_bytes_alone() {
    let common = Kept::of_ticks(0..5);
    let [mut left, mut right] = [common.clone(), common];
    left.append(6, entry("left", b""));
    right.append(6, entry("right", b""));
    (7..11).for_each(|time| left.tick(time));
    (7..13).for_each(|time| right.tick(time));
    let [mut one, mut two] = [bench(2), bench(3)];
    one.add(&left, 0).unwrap();
    two.add(&right, 0).unwrap();

    // From size 10 of the left history the right one shows its own proof.
    assert_eq!(left.size(), 10);
    let refused = one.add(&right, 10).unwrap_err();
    assert_eq!(refused.status(), 422);
    let evidence = refused.evidence().unwrap().to_bytes();
    let judged = Evidence::from_bytes(&evidence).unwrap();
    assert_eq!((judged.verify(), judged.name(), &judged.log), (Ok(()), "fork", &log_key()));

    // One size, two roots.
    let shorter = AddCheckpoint { old: 10, proof: Vec::new(), checkpoint: right.signed_at(10) };
    let refused = one.send(&shorter, 1).unwrap_err();
    assert_eq!((refused.status(), refused.size_body().unwrap().as_str()), (409, "10\n"));
    let judged = Evidence::from_bytes(&refused.evidence().unwrap().to_bytes()).unwrap();
    assert_eq!((judged.verify(), judged.name(), &judged.log), (Ok(()), "two roots", &log_key()));

    // A wrong proof of an honest keeper convicts nobody.
    let mut honest = bench(4);
    honest.add(&left, 0).unwrap();
    left.tick(20);
    let mut proof = left.consistency(10);
    proof[0] = [1; 32].into();
    let wrong = AddCheckpoint { old: 10, proof, checkpoint: left.signed() };
    let refused = honest.send(&wrong, 1).unwrap_err();
    assert_eq!((refused.status(), refused.evidence()), (422, None));
    assert_eq!(one.seen(), Some(left.signed_at(10)));
}
