//! Lists on their way through all servers: the ballots once, markers for every query.

use std::borrow::Borrow;

use algebra::Group;
use rand_core::CryptoRng;
use shuffle::{
    Column, MAX_ROWS, PointList, PublicKey, ShuffleError, decode_columns, encode_columns,
    tw::{
        CommittedPermutation, Direction, Generators, ListClaim, ListContext, ListMasks, ListProof,
        ListStatement, Passage, PermutationProof, VerifiedPermutation, prove_lists, shuffle_column,
        verify_chain, verify_permutation,
    },
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::MixName;
use crate::{
    TraceError,
    parts::encode::{self, digest_of, require_all},
    parts::fresh,
};

/// What a server commits its permutation by, once per session: `a^(k)` and its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermutationMessage<G: Group> {
    /// `a_1..a_n`.
    pub commitment: PointList<G>,
    /// That they commit to a permutation.
    pub proof: PermutationProof<G>,
}

/// What a server publishes when lists pass it: the lists, permuted and re-encrypted, with one
/// proof for all that they moved by the server's committed permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<G: Group> {
    /// The lists.
    pub columns: Vec<Column<G>>,
    /// The proof.
    pub proof: ListProof<G>,
}

impl<G: Group> PermutationMessage<G> {
    /// Checks that a server committed to a permutation of `rows` rows.
    pub fn verify(
        &self,
        name: &MixName,
        server: u16,
        rows: usize,
        generators: &Generators<G>,
    ) -> Result<VerifiedPermutation<G>, TraceError> {
        let failed = |error| TraceError::Shuffle { stage: "permutation", server, error };
        let got = self.commitment.len();
        if got != rows {
            let what = "commitment";
            return Err(failed(ShuffleError::Length { what, expected: rows, got }));
        }
        let context = name.permutation(server);
        verify_permutation(self.commitment.clone(), &self.proof, generators, &context)
            .map_err(failed)
    }
}

/// What the list proofs of a mix are bound to: the inputs, and the finished permutation proofs of all
/// servers. A list proof that exists before its permutation's proof could help to make that.
pub fn mix_purpose<G: Group>(
    servers: usize,
    inputs: &Digest,
    messages: &[PermutationMessage<G>],
) -> Result<Digest, TraceError> {
    require_all("permutations", servers, messages.len())?;
    let messages: Vec<Vec<u8>> = messages.iter().map(Encode::to_bytes).collect();
    let head = [b"mix".as_slice(), inputs.as_bytes()];
    let parts: Vec<&[u8]> = head.into_iter().chain(messages.iter().map(Vec::as_slice)).collect();
    Ok(digest_of("trace/purpose", &parts))
}

/// What the list proofs of a query are bound to: the mix with all its proofs, and the query.
pub(super) fn query_purpose(mix: &Digest, query: &Digest) -> Digest {
    digest_of("trace/purpose", &[b"query", mix.as_bytes(), query.as_bytes()])
}

/// On which occasion lists pass the servers, and which way.
#[derive(Clone, Copy)]
pub struct Occasion<'a, G: Group> {
    /// The session's id.
    pub session: &'a Digest,
    /// What permutations and turns of the mix are named.
    pub name: &'a MixName,
    /// `mix` or `query`, for messages.
    pub stage: &'static str,
    /// `mix_purpose` or `query_purpose` of the session: no other occasion of it has it.
    pub purpose: &'a [u8],
    /// Forwards from the first server to the last, or backwards.
    pub direction: Direction,
    /// The key that lists are encrypted under.
    pub key: PublicKey<G>,
    /// What permutations are committed by.
    pub generators: &'a Generators<G>,
}

impl<G: Group> Occasion<'_, G> {
    /// The server at each place of the chain: backwards the last comes first.
    pub fn server_at(&self, place: usize, servers: usize) -> u16 {
        let place = place as u16;
        match self.direction {
            Direction::Forward => place + 1,
            Direction::Backward => (servers as u16).saturating_sub(place),
        }
    }

    fn context(&self, server: u16, place: usize) -> ListContext<'_> {
        ListContext {
            study: &self.name.study,
            mix: &self.name.mix,
            purpose: self.purpose,
            mixer: self.name.mixer(server),
            position: place as u32 + 1,
        }
    }

    /// A server's turn. Re-encryption randomness and proof masks are derived from its secret, what
    /// they serve and `rng` (see [`fresh`]); the masks last, with the published lists.
    pub fn pass(
        &self,
        committed: &CommittedPermutation<G>,
        (server, place): (u16, usize),
        before: &[Column<G>],
        secret: &[u8; 32],
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G>, TraceError> {
        let failed = |error| TraceError::Shuffle { stage: self.stage, server, error };
        let statement = self.statement_digest(server, &[before]);
        let mut fresh = fresh::hedged(secret, "re-encryption", &statement, rng);
        let shuffled = before
            .iter()
            .map(|column| shuffle_column(committed, self.direction, &self.key, column, &mut fresh))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let columns: Vec<Column<G>> = shuffled.iter().map(|moved| moved.column.clone()).collect();

        let statement = self.statement_digest(server, &[before, &columns]);
        let mut fresh = fresh::hedged(secret, "list proof", &statement, rng);
        let rows = before.first().map_or(0, Column::len);
        let masks = ListMasks::prepare(rows, self.generators, &mut fresh).map_err(failed)?;
        let passages = self.passages(before, &columns);
        let statement = ListStatement {
            context: self.context(server, place),
            direction: self.direction,
            passages: &passages,
        };
        let permutation = self.name.permutation(server);
        let shuffled: Vec<_> = shuffled.iter().collect();
        let proof = prove_lists(committed, &permutation, &statement, &shuffled, masks, &mut fresh)
            .map_err(failed)?;
        Ok(Turn { columns, proof })
    }

    /// Checks the turns of all servers, each of which takes what the one before published, against
    /// their verified permutations.
    pub fn verify(
        &self,
        permutations: &[VerifiedPermutation<G>],
        start: &[Column<G>],
        turns: &[Turn<G>],
    ) -> Result<(), TraceError> {
        require_all("turns", permutations.len(), turns.len())?;
        self.verify_from(0, permutations, start, turns)
    }

    /// Checks the turns of the servers that come first, of which `known` are known to hold.
    pub fn verify_from<T: Borrow<Turn<G>>>(
        &self,
        known: usize,
        permutations: &[VerifiedPermutation<G>],
        start: &[Column<G>],
        turns: &[T],
    ) -> Result<(), TraceError> {
        let (expected, got) = (permutations.len(), turns.len());
        if got > expected {
            return Err(TraceError::Missing { what: "turns", expected, got });
        }
        let turns: Vec<&Turn<G>> = turns.iter().map(Borrow::borrow).collect();
        let place = |place: usize| (self.server_at(place, permutations.len()), place);
        let shape = (start.len(), start.first().map_or(0, Column::len));
        for (index, &turn) in turns.iter().enumerate() {
            self.check_shape(place(index).0, shape, turn)?;
        }
        let before: Vec<&[Column<G>]> = std::iter::once(start)
            .chain(turns.iter().map(|turn| turn.columns.as_slice()))
            .collect();
        let passages: Vec<Vec<Passage<'_, G>>> = before
            .iter()
            .zip(&turns)
            .map(|(before, turn)| self.passages(before, &turn.columns))
            .collect();
        let mut claims = Vec::with_capacity(turns.len());
        for (index, (turn, passages)) in turns.iter().zip(&passages).enumerate() {
            let (server, place) = place(index);
            let number = usize::from(server).saturating_sub(1);
            let Some(permutation) = permutations.get(number) else { continue };
            let context = self.context(server, place);
            let statement = ListStatement { context, direction: self.direction, passages };
            claims.push(ListClaim { permutation, statement, proof: &turn.proof });
        }
        require_all("turns", turns.len(), claims.len())?;
        // If more turns are known to hold than there are, all of these do.
        let claims = claims.get(known..).unwrap_or_default();
        verify_chain(claims, self.generators).map_err(|error| {
            let server = match error {
                ShuffleError::Equation { mixer, .. } | ShuffleError::Broken { mixer } => {
                    self.name.place_of(mixer)
                }
                _ => 0,
            };
            TraceError::Shuffle { stage: self.stage, server, error }
        })
    }

    /// Requires as many lists and rows as went in, and a proof about as many.
    pub(super) fn check_shape(
        &self,
        server: u16,
        (columns, rows): (usize, usize),
        turn: &Turn<G>,
    ) -> Result<(), TraceError> {
        let responses = &turn.proof.responses;
        let lengths = [
            ("columns", columns, turn.columns.len()),
            ("announcements", columns, turn.proof.columns.len()),
            ("responses", columns, responses.columns.len()),
            ("responses", rows, responses.challenges.len()),
        ];
        let lists = turn.columns.iter().map(|column| ("list", rows, column.len()));
        match lengths.into_iter().chain(lists).find(|(_, expected, got)| expected != got) {
            None => Ok(()),
            Some((what, expected, got)) => {
                let error = ShuffleError::Length { what, expected, got };
                Err(TraceError::Shuffle { stage: self.stage, server, error })
            }
        }
    }

    fn passages<'a>(&self, before: &'a [Column<G>], after: &'a [Column<G>]) -> Vec<Passage<'a, G>> {
        let pairs = before.iter().zip(after);
        pairs.map(|(before, after)| Passage { key: self.key, before, after }).collect()
    }

    fn statement_digest(&self, server: u16, lists: &[&[Column<G>]]) -> Digest {
        let mut bytes = Vec::new();
        lists.iter().for_each(|columns| encode_columns(columns, &mut bytes));
        let parts = [self.session.as_bytes(), self.purpose, &server.to_le_bytes(), &bytes];
        digest_of("trace/passage", &parts)
    }
}

/// n, `a_1..a_n`, the proof.
impl<G: Group> Encode for PermutationMessage<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.commitment.len() as u32).encode(out);
        out.extend_from_slice(self.commitment.encoding());
        self.proof.encode(out);
    }
}

impl<G: Group> Decode for PermutationMessage<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = reader.count("rows", MAX_ROWS)?;
        let commitment = encode::point_list(reader, "permutation commitment", n)?;
        Ok(Self { commitment, proof: PermutationProof::decode(reader, n)? })
    }
}

/// Rows, columns, the columns, the proof.
impl<G: Group> Encode for Turn<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_columns(&self.columns, out);
        self.proof.encode(out);
    }
}

impl<G: Group> Decode for Turn<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let columns = decode_columns(reader)?;
        let rows = columns.first().map_or(0, Column::len);
        let proof = ListProof::decode(reader, rows, columns.len())?;
        Ok(Self { columns, proof })
    }
}
