//! What senders submit, and the list that is mixed.

use std::{collections::HashMap, sync::Arc};

use algebra::Group;
use rand_core::CryptoRng;
use shuffle::{
    Column, MAX_ROWS,
    ballot::{EncryptedBallot, SeenCiphertexts, UndecodedBallot, decode_all, verify_all},
    threshold_error::ThresholdError,
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::Session;
use crate::{TraceError, parts::encode};

/// The longest name of a sender.
pub const MAX_SENDER: usize = 256;
/// All ballots of all senders together.
const MAX_SUBMISSIONS: usize = 4 * MAX_ROWS;

/// A sender's ballot: all its blocks under one proof of knowledge, which is bound to the session,
/// the sender and the number of the ballot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission<G: Group> {
    sender: Vec<u8>,
    number: u32,
    ballot: EncryptedBallot<G>,
}

impl<G: Group> Submission<G> {
    /// Seals the `number`th ballot of a sender, counted from 1; messages shorter than the
    /// session's blocks are the caller's to pad. Constant time on ristretto255.
    ///
    /// # Errors
    /// [`TraceError::Sender`] and [`TraceError::Submission`] for a name or a message of the wrong
    /// length.
    pub fn seal(
        session: &Session<G>,
        sender: &[u8],
        number: u32,
        blocks: &[G],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        let (expected, got) = (session.rules().blocks(), blocks.len());
        if got != expected {
            let error = ThresholdError::BallotColumns { ballot: 0, expected, got };
            return Err(TraceError::Submission(error));
        }
        let (key, context) = (session.keys().public_key(), session.id().as_bytes());
        let author = author(sender, number);
        let ballot = EncryptedBallot::encrypt(blocks, key, context, &author, rng)
            .map_err(TraceError::Submission)?;
        let submission = Self { sender: sender.to_vec(), number, ballot };
        submission.check_sender(0)?;
        Ok(submission)
    }

    /// Verifies one ballot by itself, as whoever collects ballots does at the door.
    ///
    /// # Errors
    /// [`TraceError::Sender`], [`TraceError::Submission`].
    pub fn verify(&self, session: &Session<G>) -> Result<(), TraceError> {
        self.check_sender(0)?;
        let (key, context) = (session.keys().public_key(), session.id().as_bytes());
        let author = author(&self.sender, self.number);
        self.ballot
            .verify(session.rules().blocks(), key, context, &author)
            .map_err(TraceError::Submission)
    }

    /// Who sent it.
    pub fn sender(&self) -> &[u8] {
        &self.sender
    }

    /// Which of the sender's ballots it is, counted from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    fn check_sender(&self, submission: usize) -> Result<(), TraceError> {
        match self.sender.len() {
            1..=MAX_SENDER => Ok(()),
            bytes => Err(TraceError::Sender { submission, bytes }),
        }
    }
}

/// What the proof of a ballot is bound to beside the session.
fn author(sender: &[u8], number: u32) -> Vec<u8> {
    let mut author = Vec::new();
    wire::put_bytes(&mut author, sender);
    number.encode(&mut author);
    author
}

/// Submissions as they come in, each checked at the door.
pub struct InputBox<G: Group> {
    session: Arc<Session<G>>,
    submissions: Vec<Submission<G>>,
    numbers: HashMap<Vec<u8>, u32>,
    seen: SeenCiphertexts,
    /// The most submissions: a record of more could not be read.
    limit: usize,
}

impl<G: Group> InputBox<G> {
    /// An empty box.
    pub fn new(session: Arc<Session<G>>) -> Self {
        let (submissions, numbers) = (Vec::new(), HashMap::new());
        let (seen, limit) = (SeenCiphertexts::new(), MAX_SUBMISSIONS);
        Self { session, submissions, numbers, seen, limit }
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session<G>> {
        &self.session
    }

    /// The number that a sender's next ballot must have.
    pub fn next_number(&self, sender: &[u8]) -> u32 {
        self.numbers.get(sender).map_or(1, |number| number.saturating_add(1))
    }

    /// Takes a submission, if it is its sender's next and none copied. A refused submission leaves
    /// no trace.
    ///
    /// # Errors
    /// [`TraceError::Full`], [`TraceError::Sender`], [`TraceError::BallotNumber`],
    /// [`TraceError::Submission`].
    pub fn admit(&mut self, submission: Submission<G>) -> Result<(), TraceError> {
        let index = self.submissions.len();
        if index >= self.limit {
            return Err(TraceError::Full { limit: self.limit });
        }
        let (expected, got) = (self.next_number(&submission.sender), submission.number);
        if got != expected || got > self.session.rules().ballots() {
            return Err(TraceError::BallotNumber { submission: index, expected, got });
        }
        submission.verify(&self.session)?;
        let author = author(&submission.sender, got);
        self.seen.admit(index, &author, &submission.ballot).map_err(TraceError::Submission)?;
        self.numbers.insert(submission.sender.clone(), got);
        self.submissions.push(submission);
        Ok(())
    }

    /// The number of submissions.
    pub fn len(&self) -> usize {
        self.submissions.len()
    }

    /// Whether nobody submitted anything.
    pub fn is_empty(&self) -> bool {
        self.submissions.is_empty()
    }

    /// The input list.
    ///
    /// # Errors
    /// [`TraceError::Rows`] if nobody submitted anything.
    pub fn close(self) -> Result<Inputs<G>, TraceError> {
        Inputs::collect(self.session, self.submissions)
    }
}

/// The input list: every sender's last ballot, verified, with none copied.
#[derive(Clone, Debug)]
pub struct Inputs<G: Group> {
    session: Arc<Session<G>>,
    submissions: Vec<Submission<G>>,
    rows: Vec<usize>,
    columns: Vec<Column<G>>,
    digest: Digest,
}

impl<G: Group> Inputs<G> {
    /// Verifies all submissions of a session, superseded ones included, in the order in which they
    /// were made. Row i of the inputs is the i-th submission that is its sender's last.
    ///
    /// # Errors
    /// [`TraceError::Full`]; [`TraceError::Sender`], [`TraceError::BallotNumber`] or
    /// [`TraceError::Submission`] for the first that fails; [`TraceError::Rows`] if there are none or
    /// too many rows.
    pub fn collect(
        session: Arc<Session<G>>,
        submissions: Vec<Submission<G>>,
    ) -> Result<Self, TraceError> {
        if submissions.len() > MAX_SUBMISSIONS {
            return Err(TraceError::Full { limit: MAX_SUBMISSIONS });
        }
        let rows = last_of_every_sender(session.rules().ballots(), &submissions)?;
        if rows.is_empty() || rows.len() > MAX_ROWS {
            return Err(TraceError::Rows { rows: rows.len(), limit: MAX_ROWS });
        }
        let authors: Vec<Vec<u8>> = submissions
            .iter()
            .map(|submission| author(&submission.sender, submission.number))
            .collect();
        let ballots: Vec<(&[u8], &EncryptedBallot<G>)> = authors
            .iter()
            .zip(&submissions)
            .map(|(author, submission)| (author.as_slice(), &submission.ballot))
            .collect();
        let (blocks, key) = (session.rules().blocks(), session.keys().public_key());
        verify_all(&ballots, blocks, key, session.id().as_bytes())
            .map_err(TraceError::Submission)?;
        // A copy of a superseded ballot tells as much as a copy of one that counts.
        let mut seen = SeenCiphertexts::new();
        for (index, (author, ballot)) in ballots.iter().enumerate() {
            seen.admit(index, author, ballot).map_err(TraceError::Submission)?;
        }

        let column = |block: usize| {
            let row = |&row: &usize| submissions.get(row)?.ballot.ciphertexts().get(block).copied();
            Column::new(&rows.iter().filter_map(row).collect::<Vec<_>>())
        };
        let columns = (0..blocks).map(column).collect();
        let mut bytes = Vec::new();
        session.id().encode(&mut bytes);
        encode::put_list(&submissions, &mut bytes);
        let digest = Digest::of("trace/inputs", &bytes);
        Ok(Self { session, submissions, rows, columns, digest })
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session<G>> {
        &self.session
    }

    /// All submissions, superseded ones included.
    pub fn submissions(&self) -> &[Submission<G>] {
        &self.submissions
    }

    /// The number n of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Who sent the ballot in a row, and which of the sender's ballots it is.
    pub fn submission(&self, row: usize) -> Option<&Submission<G>> {
        self.submissions.get(*self.rows.get(row)?)
    }

    /// The ciphertexts, block by block, as the first server takes them.
    pub fn columns(&self) -> &[Column<G>] {
        &self.columns
    }

    /// The digest of the session and all submissions.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// The positions of the submissions that count. Ballots of a sender are numbered without gaps.
fn last_of_every_sender<G: Group>(
    limit: u32,
    submissions: &[Submission<G>],
) -> Result<Vec<usize>, TraceError> {
    let mut last: HashMap<&[u8], (u32, usize)> = HashMap::new();
    for (index, submission) in submissions.iter().enumerate() {
        submission.check_sender(index)?;
        let before = last.get(submission.sender.as_slice()).map_or(0, |(number, _)| *number);
        let (expected, got) = (before.saturating_add(1), submission.number);
        if got != expected || got > limit {
            return Err(TraceError::BallotNumber { submission: index, expected, got });
        }
        last.insert(&submission.sender, (got, index));
    }
    let mut rows: Vec<usize> = last.into_values().map(|(_, index)| index).collect();
    rows.sort_unstable();
    Ok(rows)
}

/// Sender with its length, number, ballot.
impl<G: Group> Encode for Submission<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_bytes(out, &self.sender);
        self.number.encode(out);
        self.ballot.encode(out);
    }
}

impl<G: Group> Decode for Submission<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let sender = reader.bytes("sender", MAX_SENDER)?.to_vec();
        Ok(Self { sender, number: reader.u32()?, ballot: EncryptedBallot::decode(reader)? })
    }
}

/// Reads a counted list of submissions, whose points are decoded together.
pub(super) fn decode_submissions<G: Group>(
    reader: &mut Reader<'_>,
) -> Result<Vec<Submission<G>>, DecodeError> {
    let count = reader.count("submissions", MAX_SUBMISSIONS)?;
    let (mut senders, mut undecoded) = (Vec::new(), Vec::new());
    for _ in 0..count {
        senders.push((reader.bytes("sender", MAX_SENDER)?.to_vec(), reader.u32()?));
        undecoded.push(UndecodedBallot::read(reader)?);
    }
    let submission = |((sender, number), ballot)| Submission { sender, number, ballot };
    Ok(senders.into_iter().zip(decode_all(&undecoded)?).map(submission).collect())
}

#[cfg(test)]
mod tests {
    use algebra::{Embed, Ristretto255};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    use super::*;
    use crate::routed::{KeyTranscript, Rules, ServerSecret};

    fn session() -> Arc<Session<Ristretto255>> {
        let secret = ServerSecret::from_seed(&[1; 32]);
        let rules = Rules::new(b"test", vec![secret.identity().id()], 1, 1, 3).unwrap();
        let round1 = vec![secret.key_round1(&rules).unwrap()];
        let board = KeyTranscript::board1(&rules, round1.clone()).unwrap();
        let round2 = vec![secret.key_round2(&rules, &board).unwrap()];
        let board = KeyTranscript::board2(board, round2.clone()).unwrap();
        let round3 = vec![secret.key_round3(&rules, &board).unwrap()];
        Arc::new(Session::establish(rules, KeyTranscript { round1, round2, round3 }).unwrap())
    }

    /// A full box refuses superseding ballots, too, and its list is still mixed.
    #[test]
    fn a_full_box_takes_no_more() {
        let (session, rng) = (session(), &mut ChaCha20Rng::from_seed([2; 32]));
        let block = Ristretto255::embed(b"yes").unwrap();
        let mut seal = |sender: &[u8], number| {
            Submission::seal(&session, sender, number, &[block], rng).unwrap()
        };
        let mut inputs = InputBox { limit: 2, ..InputBox::new(session.clone()) };
        inputs.admit(seal(b"a", 1)).unwrap();
        inputs.admit(seal(b"a", 2)).unwrap();
        let full = Err(TraceError::Full { limit: 2 });
        assert_eq!(inputs.admit(seal(b"a", 3)), full);
        assert_eq!(inputs.admit(seal(b"b", 1)), full);
        assert_eq!((inputs.len(), inputs.next_number(b"a")), (2, 3));
        assert_eq!(inputs.close().unwrap().rows(), 1);
        assert_eq!(InputBox::new(session).limit, 1 << 26);
    }
}
