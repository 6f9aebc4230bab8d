//! The ballots on the board: which are accepted (`VO-1`, `VO-2` of `docs/spec/voting.md`), which ballot of a voter
//! counts (`VO-3`), and the lists that go into the mix (`EL-10`, `EL-18` of `docs/spec/election.md`). Ballots of
//! version 1 have no revisions: only the first ballot of each voter is accepted.
//!
//! `Rule::X.allows(condition)` is the condition itself, and `Rule::X.is_kept()` is true, except in the simulator, which
//! leaves out one rule at a time.

use std::collections::{BTreeMap, HashMap};

use algebra::Group;
use rayon::prelude::*;
use shuffle::{
    Ciphertext, Column,
    ballot::{EncryptedBallot, SeenCiphertexts, TrackingCode, verify_all},
};
use wire::{Digest, DigestWriter};

use super::{BallotList, Booth, Close, Rule, Scheme, SignedBallot, Voter};
use crate::description::Class;

/// A ballot that does not go into the mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBallot {
    /// The entry that carried it.
    pub sequence: u64,
    /// Its place in the entry, counted from 0.
    pub index: usize,
    /// Whose ballot it says it is.
    pub voter: String,
    /// The tracker by which its voter finds it, where voters may vote again; only if the voter signed it.
    pub tracker: Option<Digest>,
    /// What is wrong.
    pub reason: String,
}

/// One of a voter's ballots that hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Which of the voter's ballots it is.
    pub number: u32,
    /// The tracker by which the voter finds it.
    pub tracker: Digest,
    /// The entry that brought it first.
    pub sequence: u64,
}

/// The ballots that go into the mix, and those that do not.
pub(super) struct BallotBox<S: Scheme> {
    booth: Booth<S>,
    seen: SeenCiphertexts,
    /// One ballot for each voter, in the order of the voters' first accepted ones.
    accepted: Vec<Accepted<S::Group>>,
    /// For each voter who may vote again, by place on the roll: the index in `accepted` of the ballot that counts,
    /// and all accepted revisions by their number.
    revisions: HashMap<u32, (usize, BTreeMap<u32, Revision>)>,
    refused: Vec<RefusedBallot>,
}

struct Accepted<G: Group> {
    voter: u32,
    sequence: u64,
    code: TrackingCode,
    ciphertexts: Vec<Ciphertext<G>>,
}

impl<G: Group> Accepted<G> {
    fn new<S: Scheme<Group = G>>(
        sequence: u64,
        ballot: &SignedBallot<S>,
        booth: &Booth<S>,
    ) -> Self {
        let ciphertexts = ballot.ballot.ciphertexts().to_vec();
        Self { voter: ballot.voter, sequence, code: booth.code(ballot), ciphertexts }
    }
}

impl<S: Scheme> BallotBox<S> {
    pub(super) fn new(booth: Booth<S>) -> Self {
        let seen = SeenCiphertexts::new();
        let (accepted, revisions, refused) = (Vec::new(), HashMap::new(), Vec::new());
        Self { booth, seen, accepted, revisions, refused }
    }

    pub(super) fn booth(&self) -> &Booth<S> {
        &self.booth
    }

    pub(super) fn refused(&self) -> &[RefusedBallot] {
        &self.refused
    }

    /// The voters whose ballots are in, by their place on the roll.
    pub(super) fn voters(&self) -> impl Iterator<Item = u32> {
        self.accepted.iter().map(|accepted| accepted.voter)
    }

    pub(super) fn len(&self) -> usize {
        self.accepted.len()
    }

    /// The voters whose ballots are in, with their tracking codes.
    pub(super) fn codes(&self) -> impl Iterator<Item = (u32, TrackingCode)> {
        self.accepted.iter().map(|accepted| (accepted.voter, accepted.code))
    }

    /// The entry and the voter of a ballot.
    pub(super) fn find(&self, code: TrackingCode) -> Option<(u64, u32)> {
        let found = self.accepted.iter().find(|accepted| accepted.code == code)?;
        Some((found.sequence, found.voter))
    }

    /// Takes the ballots of one entry: signatures and proofs on all threads, then duplicates in
    /// the order of the board.
    pub(super) fn take(&mut self, sequence: u64, roll: &[Voter], ballots: &[SignedBallot<S>]) {
        let voters: Vec<Option<&Voter>> =
            ballots.iter().map(|ballot| roll.get(ballot.voter as usize)).collect();
        let mut verdicts: Vec<Result<(), String>> = ballots
            .par_iter()
            .zip(&voters)
            .map(|(ballot, voter)| self.check_signature(ballot, *voter))
            .collect();
        // Only what its voter signed is the voter's ballot, whoever posts it.
        let signed: Vec<bool> = verdicts.iter().map(Result::is_ok).collect();
        self.check_proofs(ballots, &voters, &mut verdicts);
        let judged = ballots.iter().zip(verdicts).zip(signed);
        for (index, ((ballot, verdict), is_signed)) in judged.enumerate() {
            let voter = voters.get(index).copied().flatten();
            let verdict = verdict.and_then(|()| self.admit_first(sequence, ballot, voter));
            if let Err(reason) = verdict {
                let voter = voter.map_or("?", |voter| &voter.name).to_owned();
                let tracker = ballot
                    .revision
                    .filter(|_| is_signed)
                    .map(|revision| self.booth.tracker(ballot.voter, revision, &ballot.ballot));
                self.refused.push(RefusedBallot { sequence, index, voter, tracker, reason });
            }
        }
    }

    fn check_signature(
        &self,
        ballot: &SignedBallot<S>,
        voter: Option<&Voter>,
    ) -> Result<(), String> {
        let voter = voter.ok_or("the voter is not on the roll")?;
        match Rule::VoterSigned.allows(self.booth.is_signed(&voter.credential, ballot)) {
            true => Ok(()),
            false => Err("the voter's signature is false".to_owned()),
        }
    }

    /// All proofs of plaintext knowledge at once; one by one if that fails.
    fn check_proofs(
        &self,
        ballots: &[SignedBallot<S>],
        voters: &[Option<&Voter>],
        verdicts: &mut [Result<(), String>],
    ) {
        let (Booth { key, layout, .. }, context) = (&self.booth, self.booth.context());
        let verify = |ballots: &[(&[u8], &EncryptedBallot<S::Group>)]| {
            verify_all(ballots, layout.columns(), key, context.as_bytes())
        };
        let mut signed: Vec<_> = ballots
            .iter()
            .zip(voters)
            .zip(verdicts)
            .filter(|(_, verdict)| verdict.is_ok())
            .filter_map(|((ballot, voter), verdict)| {
                let name = voter.as_ref()?.credential.as_bytes();
                Some(((name.as_slice(), &ballot.ballot), verdict))
            })
            .collect();
        let all: Vec<_> = signed.iter().map(|(ballot, _)| *ballot).collect();
        if !Rule::BallotProof.allows(verify(&all).is_ok()) {
            signed.par_iter_mut().for_each(|(ballot, verdict)| {
                **verdict = verify(&[*ballot]).map_err(|error| error.to_string());
            });
        }
    }

    /// Admits a ballot whose signature and proofs hold, unless what was admitted before is against it: without
    /// revisions a voter's first ballot counts.
    fn admit_first(
        &mut self,
        sequence: u64,
        ballot: &SignedBallot<S>,
        voter: Option<&Voter>,
    ) -> Result<(), String> {
        let voter = voter.ok_or("the voter is not on the roll")?.credential;
        if let Some(revision) = ballot.revision {
            return self.admit_revision(sequence, ballot, revision);
        }
        let admitted = self.seen.admit(self.accepted.len(), voter.as_bytes(), &ballot.ballot);
        admitted.map_err(|error| error.to_string())?;
        self.accepted.push(Accepted::new(sequence, ballot, &self.booth));
        Ok(())
    }

    /// The greatest revision counts, in whatever order they come. Another ballot of a revision that is there is
    /// a conflict, and the first counts; the same ballot again changes nothing.
    fn admit_revision(
        &mut self,
        sequence: u64,
        ballot: &SignedBallot<S>,
        number: u32,
    ) -> Result<(), String> {
        let tracker = self.booth.tracker(ballot.voter, number, &ballot.ballot);
        let known = self.revisions.get(&ballot.voter);
        if let Some(first) = known.and_then(|(_, all)| all.get(&number)) {
            let Revision { tracker: accepted, sequence, .. } = first;
            if *accepted == tracker {
                return Ok(());
            }
            if Rule::FirstOfRevision.is_kept() {
                return Err(format!(
                    "the voter signed another ballot as revision {number}, in entry {sequence}"
                ));
            }
        }
        let admitted = self.seen.admit_again(self.accepted.len(), &ballot.ballot);
        if Rule::FreshCiphertexts.is_kept() {
            admitted.map_err(|error| error.to_string())?;
        }
        let next = self.accepted.len();
        let (place, all) = self.revisions.entry(ballot.voter).or_insert((next, BTreeMap::new()));
        let is_greatest = all.last_key_value().is_none_or(|(greatest, _)| *greatest < number);
        let counts = Rule::GreatestRevision.allows(is_greatest);
        all.insert(number, Revision { number, tracker, sequence });
        let accepted = Accepted::new(sequence, ballot, &self.booth);
        match self.accepted.get_mut(*place) {
            Some(own) if counts => *own = accepted,
            Some(_) => {}
            None => self.accepted.push(accepted),
        }
        Ok(())
    }

    /// A voter's accepted ballots by ascending revisions; the last counts.
    pub(super) fn revisions_of(&self, voter: u32) -> impl Iterator<Item = &Revision> {
        self.revisions.get(&voter).into_iter().flat_map(|(_, all)| all.values())
    }

    /// What the operator has to say when the polls close now.
    pub(super) fn close(&self) -> Close {
        let mut writer = DigestWriter::new(match self.booth.opening {
            None => "subrosa/election/ballots/v1",
            Some(_) => "subrosa/election/ballots/v2",
        });
        for accepted in &self.accepted {
            match self.revisions_of(accepted.voter).last() {
                None => writer.update(accepted.code.to_string().as_bytes()),
                Some(revision) => writer.update(revision.tracker.as_bytes()),
            }
        }
        // Whoever computes a closing caps in the same way, and the digest still says which ballots count.
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Close {
            accepted: count(self.accepted.len()),
            refused: count(self.refused.len()),
            ballots: writer.finish(),
        }
    }

    /// The accepted ballots in lists, as the first mixer takes them: one, or one for each class that has
    /// enough of them to be opened.
    pub(super) fn lists(&self, classes: &[Class]) -> Vec<BallotList<S::Group>> {
        if classes.is_empty() {
            return vec![BallotList::new(None, self.columns(|_| true))];
        }
        let enough = |class: &Class, cast: usize| cast >= class.min_ballots as usize;
        let own = (0..).zip(classes).zip(self.cast_by_class(classes.len()));
        let opened = own.filter(|((_, class), cast)| enough(class, *cast));
        let list = |((number, _), _): ((u8, _), _)| {
            let is_own = |voter: u32| self.booth.class_of(voter) == Some(number);
            BallotList::new(Some(number), self.columns(is_own))
        };
        opened.map(list).collect()
    }

    /// How many ballots of each class are in.
    pub(super) fn cast_by_class(&self, classes: usize) -> Vec<usize> {
        let mut cast = vec![0; classes];
        for class in self.voters().filter_map(|voter| self.booth.class_of(voter)) {
            cast.get_mut(usize::from(class)).into_iter().for_each(|cast| *cast += 1);
        }
        cast
    }

    /// The ciphertexts of these voters' ballots, column by column.
    fn columns(&self, is_in: impl Fn(u32) -> bool) -> Vec<Column<S::Group>> {
        let own: Vec<_> = self.accepted.iter().filter(|accepted| is_in(accepted.voter)).collect();
        // A ballot whose proofs hold has a ciphertext for each column: no row is left out.
        let column = |index: usize| {
            let row = |accepted: &&Accepted<S::Group>| accepted.ciphertexts.get(index).copied();
            Column::new(&own.iter().filter_map(row).collect::<Vec<_>>())
        };
        (0..self.booth.layout.columns()).map(column).collect()
    }
}
