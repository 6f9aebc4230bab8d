//! Aggregated range proofs: every committed value lies in `[0, 2^b)`. Bulletproofs+ by
//! `tari_bulletproofs_plus`, in chunks of at most [`CHUNK`] statements.
//!
//! Nothing in a proof selects index, length, bit width or generators: the verifier derives them all
//! and pads the last chunk itself, with commitments to 0 with blinding 0.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use algebra::Group as _;
use rand_core::CryptoRng;
use rayon::prelude::*;
use tari_bulletproofs_plus::{
    PedersenGens, commitment_opening::CommitmentOpening,
    generators::pedersen_gens::ExtensionDegree, range_parameters::RangeParameters,
    range_proof::VerifyAction, range_statement::RangeStatement, range_witness::RangeWitness,
    ristretto::RistrettoRangeProof,
};
use transcript::Transcript;

use crate::{
    Fault,
    commitment::{BASES, Point, Scalar},
};

/// Statements of one proof of an audit: the fewer proofs, the shorter.
pub(crate) const CHUNK: usize = 64;
/// Statements of one proof of a query: shorter proofs verify faster in a batch, and less is padded.
pub(crate) const QUERY_CHUNK: usize = 16;

/// A value and its blinding.
pub(crate) type ValueOpening = (u64, Scalar);

type Parameters = RangeParameters<Point>;

/// The generators of each bit width and size, which are costly to derive.
static PARAMETERS: LazyLock<Mutex<HashMap<(u32, usize), Parameters>>> =
    LazyLock::new(Mutex::default);

fn parameters(bits: u32, size: usize) -> Option<Parameters> {
    // Parameters are there or not.
    let mut cache = PARAMETERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache.get(&(bits, size)) {
        return Some(known.clone());
    }
    // The crate calls the value's base `h` and the mask's `g`.
    let bases = PedersenGens {
        h_base: BASES.value,
        h_base_compressed: BASES.value.compress(),
        g_base_vec: vec![BASES.blinding],
        g_base_compressed_vec: vec![BASES.blinding.compress()],
        extension_degree: ExtensionDegree::DefaultPedersen,
    };
    // Callers refuse what has no parameters.
    let derived = Parameters::init(bits as usize, size, bases).ok()?;
    cache.insert((bits, size), derived.clone());
    Some(derived)
}

/// Bytes of the proof of a chunk.
pub(crate) fn proof_len(bits: u32, statements: usize) -> usize {
    let rounds = (bits as usize * statements.next_power_of_two()).ilog2() as usize;
    1 + 32 * (2 * rounds + 6)
}

fn statement(bits: u32, points: &[Point]) -> Option<RangeStatement<Point>> {
    let size = points.len().next_power_of_two();
    let mut points = points.to_vec();
    points.resize(size, Point::identity());
    // Callers refuse what has no statement.
    RangeStatement::init(parameters(bits, size)?, points, vec![None; size], None).ok()
}

/// Proves one chunk; `None` if an opening is not of its commitment or out of range. The transcript
/// has absorbed everything that the statement depends on; masks come from it, the witness and
/// `rng`.
pub(crate) fn prove(
    transcript: &mut Transcript,
    bits: u32,
    points: &[Point],
    openings: &[ValueOpening],
    rng: &mut impl CryptoRng,
) -> Option<Vec<u8>> {
    let statement = statement(bits, points)?;
    let padding = statement.commitments.len() - points.len();
    let openings = openings.iter().copied();
    let openings = openings.chain(std::iter::repeat_n((0, Scalar::ZERO), padding));
    let openings = openings.map(|(value, blinding)| CommitmentOpening::new(value, vec![blinding]));
    let witness = RangeWitness::init(openings.collect()).ok()?;
    let proof = RistrettoRangeProof::prove_with_rng(transcript, &statement, &witness, rng);
    proof.ok().map(|proof| proof.to_bytes())
}

/// A chunk to verify.
pub(crate) struct Chunk {
    /// Has absorbed everything that the statement depends on.
    pub(crate) transcript: Transcript,
    /// At most [`CHUNK`].
    pub(crate) points: Vec<Point>,
    /// As [`prove`] made it.
    pub(crate) proof: Vec<u8>,
}

/// Verifies chunks of one bit width, all in one equation a thread.
///
/// # Errors
/// [`Fault::Encoding`] for a proof of another length or form, [`Fault::Equation`] if one is false.
pub(crate) fn verify(bits: u32, mut chunks: Vec<Chunk>) -> Result<(), Fault> {
    let each = chunks.len().div_ceil(rayon::current_num_threads()).max(1);
    chunks.par_chunks_mut(each).try_for_each(|chunks| verify_batch(bits, chunks))
}

fn verify_batch(bits: u32, chunks: &mut [Chunk]) -> Result<(), Fault> {
    let malformed = || Fault::Encoding { what: "range proof" };
    let (mut transcripts, mut statements, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
    for Chunk { transcript, points, proof } in chunks {
        if proof.len() != proof_len(bits, points.len())
            || proof.first() != Some(&(ExtensionDegree::DefaultPedersen as u8))
        {
            return Err(malformed());
        }
        statements.push(statement(bits, points).ok_or_else(malformed)?);
        proofs.push(RistrettoRangeProof::from_bytes(proof).map_err(|_| malformed())?);
        transcripts.push(transcript.clone());
    }
    let verified = RistrettoRangeProof::verify_batch(
        &mut transcripts,
        &statements,
        &proofs,
        VerifyAction::VerifyOnly,
    );
    verified.map(|_| ()).map_err(|_| Fault::Equation { what: "range proof" })
}
