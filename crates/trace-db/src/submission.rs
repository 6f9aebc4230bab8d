//! 1.4 Enc: what a sender submits.

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use shuffle::{encode, sigma::KnowledgeProof};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader, put_bytes};
use zeroize::Zeroizing;

use super::{
    Session,
    bases::{F, G1, bases},
    knowledge::{RepresentationProof, Representations},
    paillier::{
        Ciphertexts, Context, PaillierError, PlaintextClaim, PlaintextProofs, PublicKey,
        SCALAR_BITS, integer_of,
    },
};
use trace::{Sealed, TraceError, parts::encode::digest_of, routed::MAX_SENDER};

/// A sender's ciphertext: the commitment `γ = v·G + r·H`; ε and ε_r, which encrypt v and r under
/// the threshold key, with proofs that the sender knows the plaintexts; for every server additive
/// shares of v and r, sealed to it; and a proof of knowledge of the opening of γ, which binds all
/// of it to session and sender.
///
/// Nothing proves that ε, the shares and γ hold the same v. A sender for whom they differ makes
/// all proofs about its item fail, and nobody else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    sender: Vec<u8>,
    commitment: G1,
    /// ε and ε_r.
    encrypted: Ciphertexts,
    proofs: PlaintextProofs,
    shares: Vec<Sealed<G1>>,
    opening: RepresentationProof<1, 2>,
}

impl Submission {
    /// Submits a value. Sealing and Paillier encryption are constant time if the session's key has
    /// no tables (`key`); operations in G1 are not.
    ///
    /// # Errors
    /// [`TraceError::Sender`], [`TraceError::Sealing`].
    pub fn seal(
        session: &Session,
        key: &PublicKey,
        sender: &[u8],
        value: &F,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        check_sender(0, sender)?;
        if key != session.paillier() {
            return Err(TraceError::Rules("the Paillier key is another session's"));
        }
        let failed =
            |error: PaillierError| TraceError::engine("encryption", error.culprit(), error);
        let blinding = Zeroizing::new(F::random(rng));
        let commitment = bases().h.add_mul(bases().g.mul(value), &blinding);

        let plaintexts = vec![integer_of(value), integer_of::<F>(&blinding)];
        let (encrypted, openings) = key.encrypt(plaintexts, rng).map_err(failed)?;
        let name = proof_name(sender);
        let context = proof_context(session, &name);
        let proofs = PlaintextProofs::prove(key, &context, &encrypted, &openings, SCALAR_BITS, rng)
            .map_err(failed)?;

        let mut shares = Vec::new();
        let mut rest = Zeroizing::new([*value, *blinding]);
        for (server, recipient) in (1_u16..).zip(session.sealing()) {
            let last = usize::from(server) == session.servers();
            let share = Zeroizing::new(match last {
                true => *rest,
                false => [F::random(rng), F::random(rng)],
            });
            rest.iter_mut().zip(share.iter()).for_each(|(rest, &share)| *rest -= share);
            let message = Zeroizing::new(F::encode_all(&*share));
            let context = seal_context(session, sender, server);
            shares.push(Sealed::seal(recipient, &context, &message, rng)?);
        }

        let sender = sender.to_vec();
        let bytes = body(&sender, &commitment, &encrypted, &proofs, &shares);
        let mut transcript = transcript(session.id(), &bytes);
        let secrets = Zeroizing::new([*value, *blinding]);
        let [value, blinding] = secrets.each_ref();
        let opening = RepresentationProof::prove(
            &mut transcript,
            &statement(&[commitment]),
            [std::slice::from_ref(value), std::slice::from_ref(blinding)],
            rng,
        );
        Ok(Self { sender, commitment, encrypted, proofs, shares, opening })
    }

    /// Who sent it.
    pub fn sender(&self) -> &[u8] {
        &self.sender
    }

    /// γ.
    pub fn commitment(&self) -> &G1 {
        &self.commitment
    }

    /// ε and ε_r.
    pub(super) fn encrypted(&self) -> &Ciphertexts {
        &self.encrypted
    }

    /// What must not occur in two submissions: copies of parts would tie them together.
    pub(super) fn parts(&self) -> Vec<Vec<u8>> {
        let mut parts = vec![self.commitment.encode()];
        parts.extend(self.encrypted.components().iter().flat_map(|component| {
            let half = component.encoding().len() / 2;
            component.encoding().chunks(half.max(1)).map(<[u8]>::to_vec)
        }));
        parts.extend(self.shares.iter().map(Encode::to_bytes));
        parts
    }

    /// Whether the sender knows the opening of γ, in this session and with everything else.
    #[must_use]
    pub(super) fn opening_is_known(&self, session: &Digest) -> bool {
        let bytes =
            body(&self.sender, &self.commitment, &self.encrypted, &self.proofs, &self.shares);
        self.opening.verify(&mut transcript(session, &bytes), &statement(&[self.commitment]))
    }

    /// What is claimed of ε and ε_r, by a name that [`proof_name`] gives.
    pub(super) fn claim<'a>(
        &'a self,
        session: &'a Session,
        name: &'a Digest,
    ) -> PlaintextClaim<'a> {
        PlaintextClaim {
            context: proof_context(session, name),
            ciphertexts: &self.encrypted,
            bits: SCALAR_BITS,
            proofs: &self.proofs,
        }
    }

    /// Claims of the sealed shares: that this sender sealed each of them, to its server. `None` if one
    /// cannot be true.
    pub(super) fn share_claims(
        &self,
        session: &Session,
    ) -> Option<Vec<(Transcript, G1, KnowledgeProof<G1>)>> {
        let claim = |((server, sealed), recipient): ((u16, &Sealed<G1>), _)| {
            sealed.claim(recipient, &seal_context(session, &self.sender, server))
        };
        (1..).zip(&self.shares).zip(session.sealing()).map(claim).collect()
    }

    /// Requires as many parts as the session has.
    pub(super) fn check_shape(
        &self,
        submission: usize,
        session: &Session,
    ) -> Result<(), TraceError> {
        check_sender(submission, &self.sender)?;
        let components = session.paillier().scheme().components();
        let fits = self.shares.len() == session.servers()
            && self.encrypted.len() == 2
            && self.encrypted.components().len() == components;
        match fits {
            true => Ok(()),
            false => Err(TraceError::Ciphertext { submission, reason: "it is for other servers" }),
        }
    }

    /// A server's shares of v and r; `None` if they were not sealed to it in this session by this
    /// sender.
    pub(super) fn open_shares(
        &self,
        session: &Session,
        server: u16,
        key: &shuffle::SecretKey<G1>,
    ) -> Option<Zeroizing<[F; 2]>> {
        let sealed = self.shares.get(usize::from(server).checked_sub(1)?)?;
        let message = sealed.open(key, &seal_context(session, &self.sender, server))?;
        // What does not decode does not open, for whatever reason.
        let scalars = Zeroizing::new(F::decode_all(&message).ok()?);
        <[F; 2]>::try_from(scalars.as_slice()).ok().map(Zeroizing::new)
    }

    /// Reads a submission to a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let sender = reader.bytes("sender", MAX_SENDER)?.to_vec();
        let commitment = encode::point(reader, "commitment")?;
        let encrypted = Ciphertexts::decode(reader, session.paillier())?;
        let (n, key) = (encrypted.len(), session.paillier());
        let proofs = PlaintextProofs::decode(reader, key, n, SCALAR_BITS)?;
        let shares = trace::parts::encode::list(reader, "sealed shares", session.servers())?;
        let opening = RepresentationProof::decode(reader)?;
        Ok(Self { sender, commitment, encrypted, proofs, shares, opening })
    }
}

/// By what the proofs of ε and ε_r name the sender.
pub(super) fn proof_name(sender: &[u8]) -> Digest {
    digest_of("trace/db/sender", &[sender])
}

fn proof_context<'a>(session: &'a Session, name: &'a Digest) -> Context<'a> {
    Context { session: session.id().as_bytes(), purpose: name.as_bytes(), server: 0 }
}

fn check_sender(submission: usize, sender: &[u8]) -> Result<(), TraceError> {
    match sender.len() {
        1..=MAX_SENDER => Ok(()),
        bytes => Err(TraceError::Sender { submission, bytes }),
    }
}

fn statement(commitment: &[G1; 1]) -> Representations<'_, 1, 2> {
    Representations { bases: [[G1::generator(), bases().h.base()]], points: [commitment] }
}

fn transcript(session: &Digest, body: &[u8]) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/db/submission/v1");
    transcript.absorb(b"session", session.as_bytes());
    transcript.absorb(b"ciphertext", body);
    transcript
}

/// Shares open only in their place: else Q could find a victim's value by asking about a copy.
fn seal_context(session: &Session, sender: &[u8], server: u16) -> Vec<u8> {
    let mut context = b"trace/db/share".to_vec();
    context.extend_from_slice(session.id().as_bytes());
    put_bytes(&mut context, sender);
    server.encode(&mut context);
    context
}

fn body(
    sender: &[u8],
    commitment: &G1,
    encrypted: &Ciphertexts,
    proofs: &PlaintextProofs,
    shares: &[Sealed<G1>],
) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, sender);
    out.extend(commitment.encode());
    encrypted.encode(&mut out);
    proofs.encode(&mut out);
    trace::parts::encode::put_list(shares, &mut out);
    out
}

/// Sender, γ, ε and ε_r, their proofs, counted sealed shares, the proof of γ's opening.
impl Encode for Submission {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { sender, commitment, encrypted, proofs, shares, .. } = self;
        out.extend(body(sender, commitment, encrypted, proofs, shares));
        self.opening.encode(out);
    }
}
