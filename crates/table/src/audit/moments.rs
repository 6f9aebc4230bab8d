//! Powers: `C_{j+1} = v·C_j + r'·H` for the same `v` that `C_1` holds, one proof a row and column.

use algebra::{Group as _, Scalar as _, encode_doubles};
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt as _};
use wire::Reader;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{leaves::KeyLeaves, order::masks};
use crate::{
    Fault, Hash,
    commitment::{BASES, Encoded, Point, Scalar, hide_halves, value_halves},
    leaf::Opening,
    query::scalars,
};

/// The rows of one value column of one key that have more than one power.
pub(super) struct Powers<'a> {
    pub(super) core: &'a Hash,
    pub(super) tree: usize,
    pub(super) key: &'a KeyLeaves,
    pub(super) column: u16,
    pub(super) slot: usize,
    /// At least 2.
    pub(super) powers: usize,
    /// `h_leaf` of every row.
    pub(super) hashes: &'a [Hash],
}

/// Equations of a batch that one multi-scalar multiplication checks. The crate's own tests take so few
/// that keys end before, at and behind the end of a batch.
const BATCH_ROWS: usize = if cfg!(test) { 3 } else { 1 << 14 };

impl Powers<'_> {
    /// Bytes of a row's proof: a point and a scalar for each power, and the scalar of the value.
    fn proof_len(&self) -> usize {
        64 * self.powers + 32
    }

    /// Bytes of the proofs of all rows.
    pub(super) fn len(&self) -> usize {
        self.key.rows() * self.proof_len()
    }

    fn transcript(&self, row: usize) -> Transcript {
        let mut transcript = Transcript::new(b"subrosa/table/v1/moments");
        transcript.absorb(b"epoch", self.core.as_bytes());
        transcript.absorb(b"key", &self.key.key);
        transcript.absorb_u64(b"tree", self.tree as u64);
        transcript.absorb_u64(b"column", self.column.into());
        transcript.absorb_u64(b"row", row as u64);
        let hash = self.hashes.get(row).map_or(&[][..], |hash| hash.as_bytes());
        transcript.absorb(b"leaf", hash);
        transcript
    }

    /// `C_1, C_2, …` of a row.
    fn points(&self, row: usize) -> Result<&[Point], Fault> {
        let start = row * self.key.slots + self.slot;
        self.key.points.get(start..start + self.powers).ok_or(Fault::PathShape)
    }

    /// Proves every row, one after the other.
    pub(super) fn prove(&self, rows: &[Opening], seed: &[u8; 32]) -> Result<Vec<u8>, Fault> {
        let mut proofs = Vec::with_capacity(self.len());
        for (batch, openings) in rows.chunks(BATCH_ROWS).enumerate() {
            proofs.extend(self.prove_batch(batch * BATCH_ROWS, openings, seed)?);
        }
        Ok(proofs)
    }

    /// Proves a batch of rows from `start` on: what all rows commit to first, in bulk.
    fn prove_batch(
        &self,
        start: usize,
        rows: &[Opening],
        seed: &[u8; 32],
    ) -> Result<Vec<u8>, Fault> {
        let masks = rows.par_iter().enumerate();
        let masks = masks.map(|(index, opening)| self.masks(start + index, opening, seed));
        let masks: Vec<RowMasks> = masks.collect::<Result<_, Fault>>()?;
        let commitments = self.commitments(start, &masks)?;
        let rows = rows.par_iter().zip(&masks).zip(commitments.par_chunks(self.powers));
        let prove = |(index, ((opening, masks), commitments)): (usize, ((&_, &_), &_))| {
            self.respond(start + index, opening, masks, commitments)
        };
        let proofs: Vec<_> = rows.enumerate().map(prove).collect::<Result<_, Fault>>()?;
        Ok(proofs.concat())
    }

    /// The masks of a row, from the seed and from what they hide.
    fn masks(&self, row: usize, opening: &Opening, seed: &[u8; 32]) -> Result<RowMasks, Fault> {
        let (value, blindings) = self.witness(opening)?;
        let witness = Zeroizing::new([&[value], blindings].concat());
        let witness = Zeroizing::new(Scalar::encode_all(&witness));
        let builder = self.transcript(row).build_rng();
        let builder = builder.rekey_with_witness_bytes(b"witness", &witness);
        let mut rng = builder.finalize(&mut masks(seed));
        let value = Scalar::random(&mut rng);
        Ok(RowMasks { value, blindings: Scalar::random_many(self.powers, &mut rng) })
    }

    /// `R_1 = k·G + k_1·H`, `R_{j+1} = k·C_j + k_{j+1}·H` of every row. Their halves are computed, because doubled
    /// points are encoded in bulk.
    fn commitments(&self, start: usize, rows: &[RowMasks]) -> Result<Vec<Encoded>, Fault> {
        let half = Scalar::from_u64(2).invert();
        let gather = |list: fn(&RowMasks) -> &[Scalar], count: usize| {
            // Growing would leave copies behind.
            let mut scalars = Zeroizing::new(Vec::with_capacity(rows.len() * count));
            rows.iter().for_each(|masks| scalars.extend_from_slice(list(masks)));
            scalars
        };
        let values = gather(|masks| std::slice::from_ref(&masks.value), 1);
        let firsts = Zeroizing::new(value_halves(&values));
        let mut halves = vec![Point::default(); rows.len() * self.powers];
        let places = halves.par_chunks_mut(self.powers).zip(firsts.par_iter()).zip(&*values);
        places.enumerate().try_for_each(|(index, ((halves, first), value))| {
            let factor = Zeroizing::new(value * half);
            let multiples = self.points(start + index)?.iter().map(|point| point.mul(&*factor));
            let bases = std::iter::once(*first).chain(multiples);
            halves.iter_mut().zip(bases).for_each(|(half, base)| *half = base);
            Ok::<_, Fault>(())
        })?;
        let blindings = gather(|masks| &masks.blindings, self.powers);
        hide_halves(&mut halves, &blindings);
        Ok(encode_doubles(&halves))
    }

    fn respond(
        &self,
        row: usize,
        opening: &Opening,
        masks: &RowMasks,
        commitments: &[Encoded],
    ) -> Result<Vec<u8>, Fault> {
        let (value, blindings) = self.witness(opening)?;
        let e = challenge(&mut self.transcript(row), commitments);
        let mut out = commitments.concat();
        out.extend_from_slice((masks.value + e * value).as_bytes());
        let mut before = Scalar::ZERO;
        for (mask, r) in masks.blindings.iter().zip(blindings) {
            // C_{j+1} − v·C_j has the blinding r_{j+1} − v·r_j.
            out.extend_from_slice((mask + e * (r - value * before)).as_bytes());
            before = *r;
        }
        Ok(out)
    }

    /// The value, and the blindings of its powers.
    fn witness<'b>(&self, opening: &'b Opening) -> Result<(Scalar, &'b [Scalar]), Fault> {
        let blindings = opening.blindings.get(self.slot..self.slot + self.powers);
        let value = opening.values.get(self.slot);
        value.copied().zip(blindings).ok_or(Fault::PathShape)
    }

    /// Verifies every row, a batch in one equation; `weights` were fixed after the proofs.
    pub(super) fn verify(
        &self,
        reader: &mut Reader<'_>,
        weights: &mut Weights,
    ) -> Result<u64, Fault> {
        let rows = self.key.rows();
        let proofs = reader.items(rows, self.proof_len())?;
        let proofs: Vec<&[u8]> = proofs.chunks_exact(self.proof_len()).collect();
        for (batch, proofs) in proofs.chunks(BATCH_ROWS).enumerate() {
            let start = batch * BATCH_ROWS;
            let weights = weights.draw(proofs.len() * self.powers);
            let jobs = proofs.par_iter().zip(weights.par_chunks(self.powers)).enumerate();
            let terms: Vec<Terms> = jobs
                .map(|(index, (proof, weights))| self.terms(start + index, proof, weights))
                .collect::<Result<_, Fault>>()?;
            let value: Scalar = terms.iter().map(|terms| terms.value).sum();
            let blinding: Scalar = terms.iter().map(|terms| terms.blinding).sum();
            let (mut scalars, mut points) =
                (vec![value, blinding], vec![BASES.value, BASES.blinding]);
            let mut commitments = Vec::with_capacity(weights.len());
            for (index, terms) in terms.into_iter().enumerate() {
                scalars.extend(terms.scalars);
                points.extend_from_slice(self.points(start + index)?);
                commitments.extend(terms.commitments);
            }
            let decoded = Point::decode_all(commitments.as_flattened());
            points.extend(decoded.map_err(|_| Fault::Encoding { what: "powers" })?);
            scalars.extend(weights.iter().map(|weight| -weight));
            if !Point::msm(&scalars, &points).is_identity() {
                return Err(Fault::Equation { what: "powers" });
            }
        }
        Ok(rows as u64)
    }

    /// The weighted equations `s·C_{j−1} + s_j·H − R_j − e·C_j = 0` of a row, `C_0 = G`.
    fn terms(&self, row: usize, proof: &[u8], weights: &[Scalar]) -> Result<Terms, Fault> {
        let mut reader = Reader::new(proof);
        let commitments: Vec<Encoded> =
            (0..self.powers).map(|_| reader.array()).collect::<Result<_, _>>()?;
        let responses = scalars(&mut reader, 1 + self.powers)?;
        let (s, responses) = responses.split_first().ok_or(Fault::PathShape)?;
        let e = challenge(&mut self.transcript(row), &commitments);
        let mut terms = Terms {
            value: Scalar::ZERO,
            blinding: Scalar::ZERO,
            scalars: vec![Scalar::ZERO; self.powers],
            commitments,
        };
        for (index, (weight, response)) in weights.iter().zip(responses).enumerate() {
            terms.blinding += weight * response;
            match index.checked_sub(1).and_then(|below| terms.scalars.get_mut(below)) {
                None => terms.value += weight * s,
                Some(below) => *below += weight * s,
            }
            if let Some(own) = terms.scalars.get_mut(index) {
                *own -= weight * e;
            }
        }
        Ok(terms)
    }
}

/// `k`, and `k_1, k_2, …` of a row.
#[derive(Zeroize, ZeroizeOnDrop)]
struct RowMasks {
    value: Scalar,
    blindings: Vec<Scalar>,
}

/// What a row adds to a batch's equation: beside the bases' factors, those of its points, and its commitments with
/// their weights.
struct Terms {
    value: Scalar,
    blinding: Scalar,
    scalars: Vec<Scalar>,
    commitments: Vec<Encoded>,
}

fn challenge(transcript: &mut Transcript, commitments: &[Encoded]) -> Scalar {
    transcript.absorb(b"R", commitments.as_flattened());
    Scalar::from_wide(&transcript.challenge_wide(b"e"))
}

/// Independent 128-bit weights, one an equation, from a transcript that has absorbed all proofs.
pub(super) struct Weights(Transcript);

impl Weights {
    /// Weights for a bundle with this hash, in an epoch with this core.
    pub(super) fn new(core: &Hash, bundle: &Hash) -> Self {
        let mut transcript = Transcript::new(b"subrosa/table/v1/audit weights");
        transcript.absorb(b"epoch", core.as_bytes());
        transcript.absorb(b"bundle", bundle.as_bytes());
        Self(transcript)
    }

    pub(super) fn draw(&mut self, count: usize) -> Vec<Scalar> {
        let weights = self.0.challenge_shorts(b"weights", count);
        weights.into_iter().map(|weight| Scalar::from_u128(weight.max(1))).collect()
    }
}
