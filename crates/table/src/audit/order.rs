//! Order and bounds. By aggregated Bulletproofs+, a chunk list for every run and all chunks of an
//! epoch verified together; or by the bit matrix, over the statements of all runs in one list.

use rand_core::{CryptoRng, SeedableRng as _};
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt as _};
use wire::Reader;

use super::run::Run;
use crate::{
    Fault, Hash, OrderProof, Schema,
    commitment::Point,
    hash::LIST,
    matrix::{self, Context, Layout, MAX_STATEMENTS_BITS},
    range::{self, CHUNK, Chunk, ValueOpening},
};

/// Statements from which on the bit matrix is used: below, Bulletproofs are smaller.
const MATRIX_MIN: usize = 1024;

/// Whether one kind of proof or the other covers the epoch: never both, so that no key falls
/// between them.
pub(super) fn by_matrix<'a>(schema: &Schema, runs: impl Iterator<Item = &'a Run<'a>>) -> bool {
    let statements: usize = runs.map(Run::len).sum();
    schema.order_proof == OrderProof::Matrix && statements >= MATRIX_MIN
}

/// The width of an epoch's matrix: that of its widest column.
fn widest<'a>(runs: impl Iterator<Item = &'a Run<'a>>) -> u32 {
    // Without runs there is nothing to prove, of whatever width.
    runs.map(|run| run.bits).max().unwrap_or(8)
}

/// Statements of one shard.
fn shard_len(bits: u32) -> usize {
    1 << (MAX_STATEMENTS_BITS - bits.ilog2())
}

/// `H_list`: the records of a shard's keys, and which statements are theirs.
fn list_hash<'a>(
    runs: impl Iterator<Item = &'a Run<'a>>,
    records: &[Vec<Hash>],
    shard: std::ops::Range<usize>,
) -> Hash {
    let mut start = 0;
    let mut hashing = LIST.start().number(shard.start as u64).number(shard.end as u64);
    for run in runs {
        let end = start + run.len();
        if start < shard.end && end > shard.start {
            let record = records.get(run.tree).and_then(|keys| keys.get(run.index));
            let record = record.map_or(&[][..], |record| record.as_bytes());
            hashing = hashing.bytes(record).number(run.column.into());
            hashing = hashing.number(start as u64).number(end as u64);
        }
        start = end;
    }
    hashing.finish()
}

/// The transcript of a chunk. The crate for range proofs absorbs the commitments.
fn transcript(core: &Hash, run: &Run<'_>, number: usize) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/table/v1/order");
    transcript.absorb(b"epoch", core.as_bytes());
    transcript.absorb(b"key", &run.key.key);
    transcript.absorb_u64(b"tree", run.tree as u64);
    transcript.absorb_u64(b"column", run.column.into());
    transcript.absorb_u64(b"n", run.len() as u64);
    transcript.absorb_u64(b"b", run.bits.into());
    transcript.absorb_u64(b"chunk", number as u64);
    transcript
}

/// Proves all runs.
pub(super) fn prove(
    schema: &Schema,
    core: &Hash,
    runs: &[(Run<'_>, Vec<ValueOpening>)],
    records: &[Vec<Hash>],
    seed: &[u8; 32],
) -> Result<Vec<u8>, Fault> {
    let list = || runs.iter().map(|(run, _)| run);
    if !by_matrix(schema, list()) {
        return prove_chunks(core, runs, seed);
    }
    let bits = widest(list());
    let openings: Vec<ValueOpening> =
        runs.iter().flat_map(|(_, openings)| openings.iter().copied()).collect();
    let openings = zeroize::Zeroizing::new(openings);
    let mut out = Vec::new();
    let mut start = 0;
    for (shard, openings) in (0..).zip(openings.chunks(shard_len(bits))) {
        let hash = list_hash(list(), records, start..start + openings.len());
        let context = Context { core, shard, list: &hash };
        out.extend(matrix::prove(&context, bits, openings, seed)?);
        start += openings.len();
    }
    Ok(out)
}

/// Proves all runs by Bulletproofs, one chunk after the other.
fn prove_chunks(
    core: &Hash,
    runs: &[(Run<'_>, Vec<ValueOpening>)],
    seed: &[u8; 32],
) -> Result<Vec<u8>, Fault> {
    let mut chunks = Vec::new();
    for (run, openings) in runs {
        let statements = run.statements();
        for (number, openings) in openings.chunks(CHUNK).enumerate() {
            let points = statements.iter().skip(number * CHUNK).take(CHUNK).copied();
            chunks.push((run, number, points.collect::<Vec<_>>(), openings));
        }
    }
    let prove = |(run, number, points, openings): &(&Run<'_>, usize, Vec<_>, &[ValueOpening])| {
        let mut transcript = transcript(core, run, *number);
        let proof = range::prove(&mut transcript, run.bits, points, openings, &mut masks(seed));
        proof.ok_or(Fault::Equation { what: "a row of the table" })
    };
    let proofs: Vec<_> = chunks.par_iter().map(prove).collect::<Result<_, _>>()?;
    Ok(proofs.concat())
}

/// The secret part of the randomness of an audit's masks; transcript and witness give the rest.
pub(super) fn masks(seed: &[u8; 32]) -> impl CryptoRng + use<> {
    chacha20::ChaCha20Rng::from_seed(*seed)
}

/// Verifies all runs; the number of proofs.
pub(super) fn verify(
    schema: &Schema,
    core: &Hash,
    runs: &[Run<'_>],
    records: &[Vec<Hash>],
    reader: &mut Reader<'_>,
) -> Result<u64, Fault> {
    if !by_matrix(schema, runs.iter()) {
        return verify_chunks(core, runs, reader);
    }
    let bits = widest(runs.iter());
    let statements: Vec<Point> = runs.par_iter().flat_map_iter(Run::statements).collect();
    let (mut start, mut count) = (0, 0);
    for statements in statements.chunks(shard_len(bits)) {
        let hash = list_hash(runs.iter(), records, start..start + statements.len());
        let context = Context { core, shard: count, list: &hash };
        let layout = Layout::new(statements.len(), bits);
        let layout = layout.ok_or(Fault::Bounds { what: "the statements of a bit matrix" })?;
        matrix::verify(&context, bits, statements, reader.take(layout.proof_len())?)?;
        start += statements.len();
        count += 1;
    }
    Ok(count)
}

/// Verifies all runs by Bulletproofs; the number of proofs.
pub(super) fn verify_chunks(
    core: &Hash,
    runs: &[Run<'_>],
    reader: &mut Reader<'_>,
) -> Result<u64, Fault> {
    let mut by_bits = std::collections::BTreeMap::<u32, Vec<Chunk>>::new();
    for run in runs {
        for (number, points) in run.statements().chunks(CHUNK).enumerate() {
            let proof = reader.take(range::proof_len(run.bits, points.len()))?.to_vec();
            let (transcript, points) = (transcript(core, run, number), points.to_vec());
            by_bits.entry(run.bits).or_default().push(Chunk { transcript, points, proof });
        }
    }
    let count = by_bits.values().map(|chunks| chunks.len() as u64).sum();
    by_bits.into_iter().try_for_each(|(bits, chunks)| range::verify(bits, chunks))?;
    Ok(count)
}
