//! The second half of a query: markers that passed all servers, and for a query by value the blinded sums.
//!
//! `D_m` are the lists after all m servers, one for each question. `E_w` is the sum of a list's
//! ciphertexts over the outputs with the plaintext w: it encrypts how many of them come from marked inputs.
//! Each server multiplies it by a secret b of its own, so that the opened sum over all servers shows only
//! whether that number is 0. `H_w` is a base hashed from query, list and plaintext; `C = b·H_w` commits to b.

use algebra::Group;
use rand_core::CryptoRng;
use rayon::prelude::*;
use shuffle::{
    Ciphertext, Column, MAX_COLUMNS, MAX_ROWS,
    sigma::{ExponentProof, ExponentStatement},
};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    Pass, Turn,
    pass::{Opening, Sum},
};
use crate::{
    Agreement, TraceError,
    agreement::Subject,
    parts::encode::{self, digest_of, require_all},
    parts::fresh,
};

/// Markers that passed all servers, every proof verified: `D_m`.
pub struct Routed<G: Group> {
    pass: Pass<G>,
    turns: Vec<Turn<G>>,
    ciphertexts: Vec<Vec<Ciphertext<G>>>,
}

impl<G: Group> Routed<G> {
    /// Verifies the turns of all servers in the order of the pass: 1..=m going out, m..=1 going
    /// in.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Shuffle`] naming the first server that fails.
    pub fn verify(pass: Pass<G>, turns: Vec<Turn<G>>) -> Result<Self, TraceError> {
        let permutations = pass.ground().permutations();
        pass.occasion().verify(permutations, pass.markers(), &turns)?;
        let mut routed = Self { pass, turns, ciphertexts: Vec::new() };
        routed.ciphertexts = routed.lists().iter().map(Column::ciphertexts).collect();
        Ok(routed)
    }

    /// The query in its session.
    pub fn pass(&self) -> &Pass<G> {
        &self.pass
    }

    /// `D_m`, one list for each question.
    pub fn lists(&self) -> &[Column<G>] {
        self.turns.last().map_or(self.pass.markers(), |turn| &turn.columns)
    }

    /// A ciphertext of `D_m`; `None` outside the lists, which does not occur: [`Pass`] checked every index.
    fn row(&self, column: usize, row: u32) -> Option<Ciphertext<G>> {
        self.ciphertexts.get(column)?.get(row as usize).copied()
    }

    /// `E_w`, and the base `H_w` of its blindings' commitments. The rows of a class are rows of the lists, and no
    /// class is empty: so no row is left out, and there is a value.
    fn statement(&self, sum: &Sum) -> (Ciphertext<G>, G) {
        let Sum { column, class } = *sum;
        let members = self.pass.ground().class(class).iter();
        let rows = members.filter_map(|&row| self.row(column, row));
        let total = rows.fold(Ciphertext::trivial(G::identity()), |total, row| total + row);
        let value = self.pass.ground().class(class).first();
        let value = value.and_then(|&row| self.pass.ground().values().get(row as usize));
        let label = digest_of(
            "trace/blinding/H",
            &[
                self.pass.query().id().as_bytes(),
                &(column as u64).to_le_bytes(),
                &value.map(|value| G::encode_all(value)).unwrap_or_default(),
            ],
        );
        (total, G::hash_to_group(label.as_bytes()))
    }
}

/// One server's contribution to one sum: `b·E_w` and `C = b·H_w`, with a proof of one b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlindedSum<G: Group> {
    ciphertext: Ciphertext<G>,
    commitment: G,
    proof: ExponentProof<G, 3>,
}

/// One server's blindings of all sums of a query; none if the query has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blinding<G: Group> {
    sums: Vec<BlindedSum<G>>,
}

impl<G: Group> Blinding<G> {
    /// Blinds all sums. Every b is fresh: derived from the server's secret, the sum and `rng`.
    pub(super) fn new(
        routed: &Routed<G>,
        server: u16,
        secret: &[u8; 32],
        rng: &mut impl CryptoRng,
    ) -> Self {
        let blind = |(number, sum): (usize, &Sum)| {
            let (total, base) = routed.statement(sum);
            let mut transcript = bind(routed, server, number);
            let parts = [total.c1.encode(), total.c2.encode(), base.encode()].concat();
            let id = routed.pass.query().id();
            let context = digest_of("trace/blinding", &[id.as_bytes(), &parts]);
            let mut generator = fresh::hedged(secret, "blinding", &context, rng);
            // A secret key is what b has to be: random, never 0, erased when dropped.
            let b = shuffle::SecretKey::<G>::generate(&mut generator);
            let bases = [base, total.c1, total.c2];
            let images = bases.map(|base| base.mul(b.scalar()));
            let statement = ExponentStatement { bases, images };
            let proof =
                ExponentProof::prove(&mut transcript, &statement, b.scalar(), &mut generator);
            let [commitment, c1, c2] = images;
            BlindedSum { ciphertext: Ciphertext { c1, c2 }, commitment, proof }
        };
        Self { sums: routed.pass.sums().iter().enumerate().map(blind).collect() }
    }
}

/// The transcript of a blinding: session, query, server, sum. The proof absorbs its statement itself.
fn bind<G: Group>(routed: &Routed<G>, server: u16, sum: usize) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/blinding/v1");
    transcript.absorb(b"session", routed.pass.ground().id().as_bytes());
    transcript.absorb(b"query", routed.pass.query().id().as_bytes());
    transcript.absorb_u64(b"server", server.into());
    transcript.absorb_u64(b"sum", sum as u64);
    transcript
}

/// Everything that servers publish on a query, verified. Nothing is decrypted yet.
pub struct Blinded<G: Group> {
    routed: Routed<G>,
    blindings: Vec<Blinding<G>>,
    sums: Vec<Ciphertext<G>>,
    digest: Digest,
}

impl<G: Group> Blinded<G> {
    /// Verifies the blindings of servers 1..=m, in order, and adds them up.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Blinding`] naming a server,
    /// [`TraceError::BlindingsCancel`] if all of them conspire.
    pub fn verify(routed: Routed<G>, blindings: Vec<Blinding<G>>) -> Result<Self, TraceError> {
        require_all("blindings", routed.pass.ground().mixers(), blindings.len())?;
        for (server, blinding) in (1..).zip(&blindings) {
            let (expected, got) = (routed.pass.sums().len(), blinding.sums.len());
            if got != expected {
                let reason = "not one blinding for every sum";
                return Err(TraceError::Blinding { sum: expected.min(got), server, reason });
            }
        }
        let statements: Vec<(Ciphertext<G>, G)> =
            routed.pass.sums().par_iter().map(|sum| routed.statement(sum)).collect();
        check_proofs(&routed, &blindings, &statements)?;
        let numbers = 0..statements.len();
        let sums = numbers.map(|sum| add_up(&blindings, sum)).collect::<Result<_, _>>()?;
        let digest = agreed_digest(&routed, &blindings);
        Ok(Self { routed, blindings, sums, digest })
    }

    /// The markers that passed.
    pub fn routed(&self) -> &Routed<G> {
        &self.routed
    }

    /// What all servers sign before any of them releases a share: session, request, all lists with
    /// their proofs, all blinded sums.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The ciphertexts that a request opens, in order. None is left out: the pass laid out its openings in these
    /// lists and sums.
    fn opened(&self, request: usize) -> Vec<Ciphertext<G>> {
        let ciphertext = |opening: &Opening| match *opening {
            Opening::Row { column, row } => self.routed.row(column, row),
            Opening::Sum { sum, .. } => self.sums.get(sum).copied(),
        };
        self.routed.pass.openings(request).iter().filter_map(ciphertext).collect()
    }
}

/// All proofs at once; one by one, to name the server, if that fails.
fn check_proofs<G: Group>(
    routed: &Routed<G>,
    blindings: &[Blinding<G>],
    statements: &[(Ciphertext<G>, G)],
) -> Result<(), TraceError> {
    let claims = |blinding: (u16, &Blinding<G>)| {
        let (server, blinding) = blinding;
        let rows = blinding.sums.iter().zip(statements).enumerate();
        let claim = |(number, (own, (total, base))): (usize, (&BlindedSum<G>, &(_, G)))| {
            let total: &Ciphertext<G> = total;
            let bases = [*base, total.c1, total.c2];
            let images = [own.commitment, own.ciphertext.c1, own.ciphertext.c2];
            let statement = ExponentStatement { bases, images };
            (bind(routed, server, number), statement, own.proof)
        };
        rows.map(claim).collect::<Vec<_>>()
    };
    let by_server: Vec<_> = (1..).zip(blindings).map(claims).collect();
    if ExponentProof::verify_all(by_server.iter().flatten().cloned()) {
        return Ok(());
    }
    let reason = "the proof of one exponent is false";
    for (server, claims) in (1..).zip(by_server) {
        for (sum, (mut transcript, statement, proof)) in claims.into_iter().enumerate() {
            if !proof.verify(&mut transcript, &statement) {
                return Err(TraceError::Blinding { sum, server, reason });
            }
        }
    }
    // Not reached: proofs that hold one by one hold together. If it were, each has been verified all the same.
    Ok(())
}

/// The blinded sum of all servers. As `H_w` is hashed to the group, `C = b·H_w` is neutral only for b = 0, and
/// `Σ C` only if the blindings add up to 0, which would turn every answer into a no.
fn add_up<G: Group>(blindings: &[Blinding<G>], sum: usize) -> Result<Ciphertext<G>, TraceError> {
    let mut blinded = Ciphertext::trivial(G::identity());
    let mut commitment = G::identity();
    for (server, blinding) in (1..).zip(blindings) {
        let failed = |reason| TraceError::Blinding { sum, server, reason };
        let own = blinding.sums.get(sum).ok_or(failed("the blinding is missing"))?;
        if own.commitment.is_identity() {
            return Err(failed("the blinding is 0"));
        }
        blinded = blinded + own.ciphertext;
        commitment += own.commitment;
    }
    match commitment.is_identity() {
        true => Err(TraceError::BlindingsCancel { sum }),
        false => Ok(blinded),
    }
}

fn agreed_digest<G: Group>(routed: &Routed<G>, blindings: &[Blinding<G>]) -> Digest {
    let ground = routed.pass.ground();
    let mut parts = vec![
        ground.id().as_bytes().to_vec(),
        ground.digest().as_bytes().to_vec(),
        routed.pass.query().to_bytes(),
    ];
    parts.extend(routed.turns.iter().map(Encode::to_bytes));
    parts.extend(blindings.iter().map(Encode::to_bytes));
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    digest_of("trace/agreed", &parts)
}

/// A query on which all servers agree: only now do shares exist.
///
/// A server takes nothing less:
///
/// ```
/// use trace::{MemoryJournal, routed::{Agreed, Server}};
/// type G = algebra::Ristretto255;
///
/// fn share(server: &mut Server<G>, lists: &Agreed<G>, rng: &mut impl rand_core::CryptoRng) {
///     let _ = server.share(lists, 0, &mut MemoryJournal::default(), rng);
/// }
/// ```
///
/// Lists that are proven, but not agreed on, are not enough:
///
/// ```compile_fail,E0308
/// use trace::{MemoryJournal, routed::{Blinded, Server}};
/// type G = algebra::Ristretto255;
///
/// fn share(server: &mut Server<G>, lists: &Blinded<G>, rng: &mut impl rand_core::CryptoRng) {
///     let _ = server.share(lists, 0, &mut MemoryJournal::default(), rng);
/// }
/// ```
pub struct Agreed<G: Group> {
    blinded: Blinded<G>,
    agreement: Agreement,
}

impl<G: Group> Agreed<G> {
    /// Verifies the signatures of all servers on [`Blinded::digest`].
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Disagreement`] naming a server.
    pub fn verify(blinded: Blinded<G>, agreement: Agreement) -> Result<Self, TraceError> {
        let signers = blinded.routed.pass.ground().signer_ids();
        agreement.verify(Subject::Query, &signers, blinded.digest)?;
        Ok(Self { blinded, agreement })
    }

    /// The query in its session.
    pub fn pass(&self) -> &Pass<G> {
        &self.blinded.routed.pass
    }

    /// The digest that all servers signed.
    pub fn digest(&self) -> &Digest {
        &self.blinded.digest
    }

    /// The turns of all servers, in the order of the pass.
    pub fn turns(&self) -> &[Turn<G>] {
        &self.blinded.routed.turns
    }

    /// The blindings of servers 1..=m.
    pub fn blindings(&self) -> &[Blinding<G>] {
        &self.blinded.blindings
    }

    /// The signatures of servers 1..=m.
    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// The ciphertexts that a request opens, in order.
    pub(super) fn opened(&self, request: usize) -> Vec<Ciphertext<G>> {
        self.blinded.opened(request)
    }

    /// What shares of a request are bound to: session, query, agreed digest, request.
    pub(super) fn share_context(&self, request: usize) -> Vec<u8> {
        let session = self.pass().ground().id().as_bytes().as_slice();
        let query = self.pass().query().id().as_bytes().as_slice();
        let request = (request as u64).to_le_bytes();
        [b"trace/share".as_slice(), session, query, self.digest().as_bytes(), &request].concat()
    }
}

/// A 32-bit count of sums, then `b·E_w`, C and the proof of each.
impl<G: Group> Encode for Blinding<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.sums.len() as u32).encode(out);
        for sum in &self.sums {
            let points = [sum.ciphertext.c1, sum.ciphertext.c2, sum.commitment];
            points.iter().for_each(|point| out.extend_from_slice(&point.encode()));
            sum.proof.encode(out);
        }
    }
}

impl<G: Group> Decode for Blinding<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("blinded sums", MAX_COLUMNS * MAX_ROWS)?;
        let mut sum = || {
            let c1 = encode::point(reader, "blinded sum")?;
            let c2 = encode::point(reader, "blinded sum")?;
            let commitment = encode::point(reader, "commitment to a blinding")?;
            let ciphertext = Ciphertext { c1, c2 };
            Ok(BlindedSum { ciphertext, commitment, proof: ExponentProof::decode(reader)? })
        };
        let sums = (0..count).map(|_| sum()).collect::<Result<_, DecodeError>>()?;
        Ok(Self { sums })
    }
}
