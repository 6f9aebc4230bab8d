//! The ballots as they stand on the board.

use std::sync::Arc;

use algebra::{Embed, Group};
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use rayon::prelude::*;
use shuffle::{
    Ciphertext, Column, PublicKey,
    ballot::{EncryptedBallot, SeenCiphertexts, TrackingCode, verify_all},
};
use wire::{Digest, DigestWriter, Encode};

use super::{BallotList, Close, Scheme, SignedBallot, TereliusWikstrom, Voter};
use crate::{
    description::Class,
    preferences::{Ballot, BallotLayout},
};

const SIGNATURE_DOMAIN: &str = "subrosa/election/ballot/v1";
const CLASS_DOMAIN: &str = "subrosa/election/ballot/class/v1";

/// What a voter's device needs to know to seal a ballot.
#[derive(Clone, Debug)]
pub struct Booth<S: Scheme = TereliusWikstrom> {
    /// The election's name: the board's.
    pub election: Digest,
    /// The election's key.
    pub key: PublicKey<S::Group>,
    /// How ballots are laid out.
    pub layout: BallotLayout,
    /// The class of every voter, by place on the roll; empty in an election without classes.
    pub classes: Arc<[u8]>,
}

impl<S: Scheme> Booth<S> {
    /// Seals and signs a ballot on the voter's side, constant time.
    ///
    /// # Errors
    /// The reason, if the ballot is not one of this election.
    pub fn seal(
        &self,
        voter: u32,
        credential: &Identity,
        ballot: impl Into<Ballot>,
        rng: &mut impl CryptoRng,
    ) -> Result<SignedBallot<S>, String> {
        let cells = self.layout.encode(&ballot.into()).map_err(|reason| reason.to_string())?;
        let columns: Vec<S::Group> = cells
            .iter()
            .map(|cell| S::Group::embed(cell).map_err(|error| error.to_string()))
            .collect::<Result<_, _>>()?;
        let context = self.election.as_bytes();
        let name = credential.id();
        let ballot = EncryptedBallot::encrypt(&columns, &self.key, context, name.as_bytes(), rng)
            .map_err(|error| error.to_string())?;
        let (domain, signed) = self.signed(voter, &ballot);
        let signature = credential.sign(domain, signed);
        Ok(SignedBallot { voter, ballot, signature })
    }

    fn verify_signature(&self, credential: &AuthorId, ballot: &SignedBallot<S>) -> bool {
        let (domain, signed) = self.signed(ballot.voter, &ballot.ballot);
        credential.verify(domain, signed, &ballot.signature)
    }

    /// The class that the roll says is signed too: an operator who shows another roll beside the first one
    /// moves no ballot to another class.
    fn signed(&self, voter: u32, ballot: &EncryptedBallot<S::Group>) -> (&'static str, Digest) {
        let class = self.class_of(voter);
        let domain = if class.is_some() { CLASS_DOMAIN } else { SIGNATURE_DOMAIN };
        let mut writer = DigestWriter::new(domain);
        writer.update(self.election.as_bytes());
        writer.update(&voter.to_le_bytes());
        class.iter().for_each(|class| writer.update(&[*class]));
        writer.update(&ballot.to_bytes());
        (domain, writer.finish())
    }

    /// The class of the voter at a place on the roll, numbered from 0.
    pub fn class_of(&self, voter: u32) -> Option<u8> {
        self.classes.get(voter as usize).copied()
    }
}

/// A ballot that does not go into the mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBallot {
    /// The entry that carried it.
    pub sequence: u64,
    /// Its place in the entry, counted from 0.
    pub index: usize,
    /// Whose ballot it says it is.
    pub voter: String,
    /// What is wrong.
    pub reason: String,
}

/// The ballots that go into the mix, and those that do not.
pub(super) struct BallotBox<S: Scheme> {
    booth: Booth<S>,
    seen: SeenCiphertexts,
    accepted: Vec<Accepted<S::Group>>,
    refused: Vec<RefusedBallot>,
}

struct Accepted<G: Group> {
    voter: u32,
    sequence: u64,
    code: TrackingCode,
    ciphertexts: Vec<Ciphertext<G>>,
}

impl<S: Scheme> BallotBox<S> {
    pub(super) fn new(booth: Booth<S>) -> Self {
        let seen = SeenCiphertexts::new();
        Self { booth, seen, accepted: Vec::new(), refused: Vec::new() }
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
        self.check_proofs(ballots, &voters, &mut verdicts);
        for (index, (ballot, verdict)) in ballots.iter().zip(verdicts).enumerate() {
            let voter = voters.get(index).copied().flatten();
            let verdict = verdict.and_then(|()| self.admit(sequence, ballot, voter));
            if let Err(reason) = verdict {
                let voter = voter.map_or("?", |voter| &voter.name).to_owned();
                self.refused.push(RefusedBallot { sequence, index, voter, reason });
            }
        }
    }

    fn check_signature(
        &self,
        ballot: &SignedBallot<S>,
        voter: Option<&Voter>,
    ) -> Result<(), String> {
        let voter = voter.ok_or("the voter is not on the roll")?;
        match self.booth.verify_signature(&voter.credential, ballot) {
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
        let Booth { election, key, layout, .. } = &self.booth;
        let verify = |ballots: &[(&[u8], &EncryptedBallot<S::Group>)]| {
            verify_all(ballots, layout.columns(), key, election.as_bytes())
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
        if verify(&all).is_err() {
            signed.par_iter_mut().for_each(|(ballot, verdict)| {
                **verdict = verify(&[*ballot]).map_err(|error| error.to_string());
            });
        }
    }

    fn admit(
        &mut self,
        sequence: u64,
        ballot: &SignedBallot<S>,
        voter: Option<&Voter>,
    ) -> Result<(), String> {
        let voter = voter.ok_or("the voter is not on the roll")?.credential;
        let admitted = self.seen.admit(self.accepted.len(), voter.as_bytes(), &ballot.ballot);
        admitted.map_err(|error| error.to_string())?;
        self.accepted.push(Accepted {
            voter: ballot.voter,
            sequence,
            code: ballot.ballot.tracking_code(),
            ciphertexts: ballot.ballot.ciphertexts().to_vec(),
        });
        Ok(())
    }

    /// What the operator has to say when the polls close now.
    pub(super) fn close(&self) -> Close {
        let mut writer = DigestWriter::new("subrosa/election/ballots/v1");
        for accepted in &self.accepted {
            writer.update(accepted.code.to_string().as_bytes());
        }
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
        let column = |index: usize| {
            let row = |accepted: &&Accepted<S::Group>| accepted.ciphertexts.get(index).copied();
            Column::new(&own.iter().filter_map(row).collect::<Vec<_>>())
        };
        (0..self.booth.layout.columns()).map(column).collect()
    }
}
