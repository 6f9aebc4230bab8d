//! Who runs a session, under which rules, with which key.

use algebra::Group;
use board::AuthorId;
use shuffle::{
    MAX_COLUMNS,
    dkg::{
        self, DkgParams, KeySet, KeyShare, MAX_TRUSTEES, Round1Board, Round1Message, Round2Board,
        Round2Message, Round3Message, TrusteeSecrets,
    },
    threshold_error::ThresholdError,
    tw::Generators,
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::MixName;
use crate::{
    TraceError,
    parts::encode::{self, digest_of, require_all},
};

const MIX: &[u8] = b"trace";
/// The longest name of a study.
pub const MAX_CONTEXT: usize = 256;

/// What is fixed before anything else: the servers and how they work together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    context: Vec<u8>,
    servers: Vec<AuthorId>,
    threshold: u16,
    blocks: u16,
    ballots: u32,
}

impl Rules {
    /// `context` names the study and its run, such as a board's id, and serves one session only.
    /// `servers` are the signing keys of servers 1..=m; any `threshold` of them decrypt, and all
    /// of them are needed to mix and to answer. Ballots have `blocks` group elements; a sender may
    /// submit `ballots` of them, of which the last counts.
    ///
    /// # Errors
    /// [`TraceError::Rules`].
    pub fn new(
        context: &[u8],
        servers: Vec<AuthorId>,
        threshold: u16,
        blocks: u16,
        ballots: u32,
    ) -> Result<Self, TraceError> {
        if context.is_empty() || context.len() > MAX_CONTEXT {
            return Err(TraceError::Rules("the study's name has 1 to 256 bytes"));
        }
        let mut distinct = servers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < servers.len() {
            return Err(TraceError::Rules("a server is named twice"));
        }
        if servers.is_empty() || servers.len() > usize::from(MAX_TRUSTEES) {
            return Err(TraceError::Rules("there are 1 to 255 servers"));
        }
        if threshold == 0 || usize::from(threshold) > servers.len() {
            return Err(TraceError::Rules("the threshold is 1 to the number of servers"));
        }
        if blocks == 0 || usize::from(blocks) > MAX_COLUMNS {
            return Err(TraceError::Rules("a ballot has 1 to 16 blocks"));
        }
        if ballots == 0 {
            return Err(TraceError::Rules("a sender submits one ballot at least"));
        }
        Ok(Self { context: context.to_vec(), servers, threshold, blocks, ballots })
    }

    /// The study and its run, such as a board's id.
    pub fn context(&self) -> &[u8] {
        &self.context
    }

    /// The signing keys of servers 1..=m.
    pub fn servers(&self) -> &[AuthorId] {
        &self.servers
    }

    /// The number t of servers that decrypt.
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Group elements in a ballot.
    pub fn blocks(&self) -> usize {
        self.blocks.into()
    }

    /// How many ballots a sender may submit.
    pub fn ballots(&self) -> u32 {
        self.ballots
    }

    /// What the servers generate their key for.
    ///
    /// # Errors
    /// [`TraceError::KeyGeneration`] never happens for rules that [`Rules::new`] accepted.
    pub fn key_params(&self) -> Result<DkgParams, TraceError> {
        let context = Digest::of("trace/rules", &self.to_bytes());
        let servers = self.servers.len() as u16;
        DkgParams::new(self.threshold, servers, context.as_bytes())
            .map_err(TraceError::KeyGeneration)
    }
}

/// Everything that was said in the key generation: one message of every server in every round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTranscript<G: Group> {
    /// Commitments.
    pub round1: Vec<Round1Message<G>>,
    /// Sealed shares.
    pub round2: Vec<Round2Message<G>>,
    /// Confirmations.
    pub round3: Vec<Round3Message<G>>,
}

impl<G: Group> KeyTranscript<G> {
    /// The board of round 1, if every server took part and none is at fault.
    ///
    /// # Errors
    /// [`TraceError::KeyGeneration`] naming the first server at fault.
    pub fn board1(
        rules: &Rules,
        round1: Vec<Round1Message<G>>,
    ) -> Result<Round1Board<G>, TraceError> {
        let params = rules.key_params()?;
        // One by one first: too few dealers would hide why one of them is missing.
        let verified = round1.iter().try_for_each(|message| message.verify(&params));
        verified
            .and_then(|()| Round1Board::new(params, round1))
            .map_err(TraceError::KeyGeneration)
            .and_then(|board| no_fault(board.faults()).map(|()| board))
    }

    /// The board of round 2, if every server dealt and none is at fault.
    ///
    /// # Errors
    /// [`TraceError::KeyGeneration`] naming the first server at fault.
    pub fn board2(
        board: Round1Board<G>,
        round2: Vec<Round2Message<G>>,
    ) -> Result<Round2Board<G>, TraceError> {
        let verified = round2.iter().try_for_each(|message| message.verify(&board));
        verified
            .and_then(|()| Round2Board::new(board, round2))
            .map_err(TraceError::KeyGeneration)
            .and_then(|board| no_fault(board.faults()).map(|()| board))
    }
}

/// A session with its key. Only a key generation that went through for all servers makes one: a
/// query needs all of them anyway.
#[derive(Clone, Debug)]
pub struct Session<G: Group> {
    rules: Rules,
    transcript: KeyTranscript<G>,
    board: Round2Board<G>,
    keys: KeySet<G>,
    id: Digest,
    mix_name: MixName,
}

impl<G: Group> Session<G> {
    /// Verifies the key generation. Verification keys are computed from the dealers' commitments,
    /// exactly t points each, never taken as claimed.
    ///
    /// # Errors
    /// [`TraceError::KeyGeneration`] naming the first server at fault, [`TraceError::Missing`]
    /// unless every server sent one message in every round.
    pub fn establish(rules: Rules, transcript: KeyTranscript<G>) -> Result<Self, TraceError> {
        let servers = rules.servers.len();
        require_all("messages of round 1", servers, transcript.round1.len())?;
        require_all("messages of round 2", servers, transcript.round2.len())?;
        require_all("messages of round 3", servers, transcript.round3.len())?;
        let board1 = KeyTranscript::board1(&rules, transcript.round1.clone())?;
        let board = KeyTranscript::board2(board1, transcript.round2.clone())?;
        let outcome =
            dkg::conclude(&board, transcript.round3.clone()).map_err(TraceError::KeyGeneration)?;
        no_fault(&outcome.faults)?;
        let id = digest_of(
            "trace/session",
            &[
                G::NAME.as_bytes(),
                Generators::<G>::LABEL,
                &rules.to_bytes(),
                &transcript.to_bytes(),
            ],
        );
        // A session has one mix, and one permutation of every server.
        let mixers = (1..).take(servers).collect();
        let mix_name = MixName { study: id.as_bytes().to_vec(), mix: MIX.to_vec(), mixers };
        Ok(Self { rules, transcript, board, keys: outcome.keys, id, mix_name })
    }

    /// The session's name: the digest of group, generators, rules and key generation.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// How the proofs of the session's mix name it.
    pub fn mix_name(&self) -> &MixName {
        &self.mix_name
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The shared key.
    pub fn keys(&self) -> &KeySet<G> {
        &self.keys
    }

    /// What was said in the key generation.
    pub fn transcript(&self) -> &KeyTranscript<G> {
        &self.transcript
    }

    /// The number m of servers.
    pub fn servers(&self) -> usize {
        self.rules.servers.len()
    }

    /// The share of the key that a server's secrets open.
    pub(super) fn key_share(
        &self,
        secrets: &TrusteeSecrets<G>,
    ) -> Result<KeyShare<G>, ThresholdError> {
        KeyShare::derive(&self.keys, &self.board, secrets)
    }
}

fn no_fault(faults: &[ThresholdError]) -> Result<(), TraceError> {
    faults.first().map_or(Ok(()), |fault| Err(TraceError::KeyGeneration(fault.clone())))
}

/// Context, counted servers, threshold, blocks, ballots.
impl Encode for Rules {
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_bytes(out, &self.context);
        encode::put_list(&self.servers, out);
        self.threshold.encode(out);
        self.blocks.encode(out);
        self.ballots.encode(out);
    }
}

impl Decode for Rules {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let context = reader.bytes("context", MAX_CONTEXT)?;
        let servers = encode::list(reader, "servers", MAX_TRUSTEES.into())?;
        let (threshold, blocks, ballots) = (reader.u16()?, reader.u16()?, reader.u32()?);
        Self::new(context, servers, threshold, blocks, ballots)
            .map_err(|error| DecodeError::invalid("rules", error))
    }
}

/// The three rounds, counted.
impl<G: Group> Encode for KeyTranscript<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        encode::put_list(&self.round1, out);
        encode::put_list(&self.round2, out);
        encode::put_list(&self.round3, out);
    }
}

impl<G: Group> Decode for KeyTranscript<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let limit = MAX_TRUSTEES.into();
        Ok(Self {
            round1: encode::list(reader, "messages of round 1", limit)?,
            round2: encode::list(reader, "messages of round 2", limit)?,
            round3: encode::list(reader, "messages of round 3", limit)?,
        })
    }
}
