//! ElGamal in the N-th residues beside Paillier's plaintexts (Bresson, Catalano and Pointcheval
//! 2003; Damgård and Jurik 2003), whose key the servers generate themselves.
//!
//! For a modulus N whose factors nobody knows, `g = −x^{2N}` with x a hash; server k draws `α_k` and
//! publishes `g^{α_k}` with a proof of knowledge; the joint key is their product Y, and
//! `E(M; r) = (g^r, (1 + N)^M·Y^r)`. Decryption takes `C_1^{α_k}` of every server.
//!
//! Exponents have 256 + 128 bits: that they are as good as long ones is the short-exponent
//! assumption (van Oorschot and Wiener), on top of DCR and DDH in this group. All servers decrypt a key
//! that [`Parameters::contribute`] and [`Parameters::assemble`] make; [`Parameters::deal`] shares the
//! `α_k` among the servers again, so that fewer suffice.
//!
//! The modulus: [`Parameters::rsa_2048`] is RSA Laboratories' challenge number. Nobody has factored it since 1991, and
//! its makers destroyed the factors. It is the only modulus of 2048 bits that is accepted. [`Parameters::generate`]
//! draws safe primes and forgets them, and proves that N is prime to φ(N). Whoever runs it is trusted to have forgotten
//! them. A server that publishes a share of a ciphertext `(C_1, C_2)` outside the image of encryption can reveal `α_k`
//! modulo N. So shares are given only for ciphertexts that come from verified proofs.

mod sharing;

use integer::{Integer, Modulus, SecretInteger, random_bits, safe_prime};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader, put_bytes};

pub use sharing::{Dealing, DealtPart};

use super::{
    Context, KeyShare, ModulusSize, PaillierError, Parties, PublicKey, Scheme,
    bases::{EXPONENT_BITS, generator},
    certificate::Certificate,
    encode::Elements,
    exponent_proof::{ExponentProof, ExponentStatement, mask_rng},
};

const KEY_LABEL: &[u8] = b"subrosa/db/paillier/bcp/key/v1";

/// What servers agree on before they make keys.
#[derive(Clone)]
pub struct Parameters {
    plain: Modulus,
    certificate: Certificate,
    cipher: Modulus,
    generator: Integer,
}

impl Parameters {
    fn new(plain: Modulus, certificate: Certificate) -> Self {
        let cipher = plain.squared();
        Self { generator: generator(&plain, &cipher), plain, certificate, cipher }
    }

    /// Parameters from safe primes that the caller drew and forgets.
    ///
    /// # Errors
    /// [`PaillierError::Modulus`] and [`PaillierError::ModulusSize`] if the primes do not make a modulus
    /// of this size, [`PaillierError::Uncertified`], [`PaillierError::ForeignModulus`] for 2048 bits.
    pub fn from_primes(
        primes: &[SecretInteger; 2],
        size: ModulusSize,
    ) -> Result<Self, PaillierError> {
        if size == ModulusSize::Bits2048 {
            return Err(PaillierError::ForeignModulus);
        }
        let [p, q] = primes.each_ref().map(SecretInteger::expose);
        let plain = size.check(Integer::from(p * q))?;
        let certificate = Certificate::of_factors(&plain, primes)?;
        Ok(Self::new(plain, certificate))
    }

    /// The challenge number RSA-2048.
    ///
    /// # Errors
    /// None: the number passes every check.
    pub fn rsa_2048() -> Result<Self, PaillierError> {
        let plain = ModulusSize::Bits2048.check(Modulus::rsa_2048().value().clone())?;
        let certificate = Certificate::of_rsa_2048(&plain)?;
        Ok(Self::new(plain, certificate))
    }

    /// A modulus from two fresh safe primes that are forgotten.
    ///
    /// # Errors
    /// [`PaillierError::ForeignModulus`] for 2048 bits: [`Parameters::rsa_2048`].
    pub fn generate(size: ModulusSize, rng: &mut impl CryptoRng) -> Result<Self, PaillierError> {
        if size == ModulusSize::Bits2048 {
            return Err(PaillierError::ForeignModulus);
        }
        Self::from_primes(&[(); 2].map(|()| safe_prime(size.bits() / 2, rng)), size)
    }

    /// N.
    pub fn modulus(&self) -> &Integer {
        self.plain.value()
    }

    /// Draws a server's exponent, and what it publishes about it. `context` names the session and
    /// the server.
    pub fn contribute(
        &self,
        context: &Context<'_>,
        rng: &mut impl CryptoRng,
    ) -> (KeyShare, Contribution) {
        // A seed that is used again in another session gives another key.
        let mut drawn = mask_rng(&self.transcript(context), &[], rng);
        let exponent = random_bits(EXPONENT_BITS, &mut drawn);
        let mut transcript = self.transcript(context);
        let server = context.server;
        let contribution = self.prove_contribution(&mut transcript, server, &exponent, rng);
        (KeyShare::new(server, exponent), contribution)
    }

    fn prove_contribution(
        &self,
        transcript: &mut Transcript,
        server: u16,
        exponent: &SecretInteger,
        rng: &mut impl CryptoRng,
    ) -> Contribution {
        let key = self.cipher.secure_pow(&self.generator, exponent);
        let key = Elements::new(&self.cipher, vec![key]);
        let proof = ExponentProof::prove(transcript, &self.statement(&key), exponent, rng);
        Contribution { server, key, proof }
    }

    /// Verifies the contributions of all servers, in their order, and puts the key together.
    ///
    /// # Errors
    /// [`PaillierError::UnknownServer`] for a server out of order, [`PaillierError::KeyProof`] for
    /// one that does not know its exponent, [`PaillierError::KeysCancel`].
    pub fn assemble(
        &self,
        session: &[u8],
        contributions: &[Contribution],
    ) -> Result<PublicKey, PaillierError> {
        // More are refused, being more than `MAX_SERVERS`.
        let servers = u16::try_from(contributions.len()).unwrap_or(u16::MAX);
        let parties = Parties::all(servers).check()?;
        let mut keys = Vec::with_capacity(contributions.len());
        for (expected, contribution) in (1..).zip(contributions) {
            let server = contribution.server;
            if server != expected {
                return Err(PaillierError::UnknownServer { server });
            }
            let context = Context { session, purpose: b"key", server };
            if !contribution.holds(&mut self.transcript(&context), self) {
                return Err(PaillierError::KeyProof { server });
            }
            keys.extend_from_slice(contribution.key.values());
        }
        let keys = Elements::new(&self.cipher, keys);
        PublicKey::new(Scheme::Bcp, parties, self.certified(), keys)
    }

    /// Reads a contribution: server, `g^{α_k}`, proof.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode_contribution(
        &self,
        reader: &mut Reader<'_>,
    ) -> Result<Contribution, DecodeError> {
        let server = reader.u16()?;
        let key = Elements::decode(reader, self.moduli(), "g^alpha", 1)?;
        let proof = ExponentProof::decode(reader, self.moduli(), 1, EXPONENT_BITS)?;
        Ok(Contribution { server, key, proof })
    }

    /// Reads parameters of this size: N with its roots.
    ///
    /// # Errors
    /// [`DecodeError`] unless it is RSA-2048, or proven to be prime to φ(N).
    pub fn decode(reader: &mut Reader<'_>, size: ModulusSize) -> Result<Self, DecodeError> {
        let bytes = reader.bytes("modulus", (size.bits() / 8) as usize)?;
        let modulus = Integer::from_digits(bytes, integer::Order::Lsf);
        let plain = size.check(modulus).map_err(|error| DecodeError::invalid("modulus", error))?;
        let certificate = Certificate::decode(reader, &plain, Scheme::Bcp, size)?;
        Ok(Self::new(plain, certificate))
    }

    fn certified(&self) -> (Modulus, Certificate) {
        (self.plain.clone(), self.certificate.clone())
    }

    /// Z_N and Z_{N²}.
    fn moduli(&self) -> (&Modulus, &Modulus) {
        (&self.plain, &self.cipher)
    }

    fn statement<'a>(&'a self, key: &'a Elements) -> ExponentStatement<'a> {
        ExponentStatement {
            modulus: &self.cipher,
            bases: vec![&self.generator],
            images: key.values().iter().collect(),
            bits: EXPONENT_BITS,
        }
    }

    /// The purpose is always the key's.
    fn transcript(&self, context: &Context<'_>) -> Transcript {
        let mut transcript = Transcript::new(KEY_LABEL);
        transcript.absorb(b"N", &self.plain.value().to_digits::<u8>(integer::Order::Lsf));
        Context { purpose: b"key", ..*context }.absorb(&mut transcript);
        transcript
    }
}

/// N, its roots.
impl Encode for Parameters {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.plain.value().to_digits::<u8>(integer::Order::Lsf));
        self.certificate.encode(&self.plain, out);
    }
}

/// What a server publishes: `g^{α_k}`, and that it knows `α_k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    server: u16,
    key: Elements,
    proof: ExponentProof,
}

impl Contribution {
    /// Whose contribution it is, counted from 1.
    pub fn server(&self) -> u16 {
        self.server
    }

    fn holds(&self, transcript: &mut Transcript, parameters: &Parameters) -> bool {
        self.proof.verify(transcript, &parameters.statement(&self.key))
    }
}

impl Encode for Contribution {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        self.key.encode(out);
        self.proof.encode(out);
    }
}
