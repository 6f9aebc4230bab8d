//! Powers: `C_{j+1} = v·C_j + r'·H` for the same `v` that `C_1` holds, one proof a row and column.

use algebra::{Group as _, Scalar as _};
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt as _};
use wire::Reader;
use zeroize::Zeroizing;

use super::{leaves::KeyLeaves, order::masks};
use crate::{
    Fault, Hash,
    commitment::{BASES, Encoded, Point, Scalar, commit_half, decode, encode, mask},
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

    fn commitments(&self, row: usize) -> Result<&[Point], Fault> {
        let start = row * self.key.slots + self.slot;
        self.key.points.get(start..start + self.powers).ok_or(Fault::PathShape)
    }

    /// Proves every row, one after the other.
    pub(super) fn prove(&self, rows: &[Opening], seed: &[u8; 32]) -> Result<Vec<u8>, Fault> {
        let prove = |(row, opening): (usize, &Opening)| self.prove_row(row, opening, seed);
        let proofs: Vec<_> =
            rows.par_iter().enumerate().map(prove).collect::<Result<_, Fault>>()?;
        Ok(proofs.concat())
    }

    fn prove_row(&self, row: usize, opening: &Opening, seed: &[u8; 32]) -> Result<Vec<u8>, Fault> {
        let points = self.commitments(row)?;
        let window = self.slot..self.slot + self.powers;
        let blindings = opening.blindings.get(window).ok_or(Fault::PathShape)?;
        let value = *opening.values.get(self.slot).ok_or(Fault::PathShape)?;
        let mut transcript = self.transcript(row);
        let witness = Zeroizing::new([&[value], blindings].concat());
        let witness = Zeroizing::new(Scalar::encode_all(&witness));
        let builder = transcript.build_rng().rekey_with_witness_bytes(b"witness", &witness);
        let mut rng = builder.finalize(&mut masks(seed));
        let k = Zeroizing::new(Scalar::random(&mut rng));
        let ks = Zeroizing::new(Scalar::random_many(self.powers, &mut rng));
        // R_1 = k·G + k_1·H, R_{j+1} = k·C_j + k_{j+1}·H.
        let mut commitments = Vec::with_capacity(self.powers);
        for (index, kj) in ks.iter().enumerate() {
            let below = index.checked_sub(1).and_then(|index| points.get(index));
            let commitment = match below {
                None => commit_half(&k, kj).double(),
                Some(point) => point.mul(&k) + mask(kj),
            };
            commitments.push(encode(&commitment));
        }
        let e = challenge(&mut transcript, &commitments);
        let mut out = commitments.concat();
        out.extend_from_slice((*k + e * value).as_bytes());
        let mut before = Scalar::ZERO;
        for (kj, r) in ks.iter().zip(blindings) {
            // C_{j+1} − v·C_j has the blinding r_{j+1} − v·r_j.
            out.extend_from_slice((kj + e * (r - value * before)).as_bytes());
            before = *r;
        }
        Ok(out)
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
            for terms in terms {
                scalars.extend(terms.scalars);
                points.extend(terms.points);
            }
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
        let points = self.commitments(row)?;
        let mut terms = Terms {
            value: Scalar::ZERO,
            blinding: Scalar::ZERO,
            scalars: vec![Scalar::ZERO; self.powers],
            points: points.to_vec(),
        };
        let equations = weights.iter().zip(responses).zip(&commitments).enumerate();
        for (index, ((weight, response), commitment)) in equations {
            terms.blinding += weight * response;
            match index.checked_sub(1).and_then(|below| terms.scalars.get_mut(below)) {
                None => terms.value += weight * s,
                Some(below) => *below += weight * s,
            }
            if let Some(own) = terms.scalars.get_mut(index) {
                *own -= weight * e;
            }
            terms.points.push(decode("powers", commitment)?);
        }
        terms.scalars.extend(weights.iter().map(|weight| -weight));
        Ok(terms)
    }
}

/// What a row adds to a batch's equation.
struct Terms {
    value: Scalar,
    blinding: Scalar,
    scalars: Vec<Scalar>,
    points: Vec<Point>,
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
