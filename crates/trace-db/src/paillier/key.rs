//! The public key of either scheme, and the share of the secret key that each server keeps.

use integer::{FixedBase, Integer, Modulus, Order, SecretInteger};
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Digest, Encode, Reader, put_bytes};

use super::{
    PaillierError, bases,
    certificate::{self, Certificate},
    encode::Elements,
    scheme::{Context, ModulusSize, PROOF_BITS, Parties, Scheme},
};

/// One of the bases that encryption raises to its randomness.
#[derive(Clone)]
struct Base {
    value: Integer,
    table: Option<FixedBase>,
}

/// A key to encrypt under, with which decryption shares are checked.
///
/// Fresh from decoding or set-up it encrypts in constant time, as a sender should;
/// [`PublicKey::with_tables`] makes the key of a server.
#[derive(Clone)]
pub struct PublicKey {
    scheme: Scheme,
    parties: Parties,
    plain: Modulus,
    certificate: Certificate,
    cipher: Modulus,
    bases: Vec<Base>,
    verification_base: Integer,
    verification_keys: Elements,
    digest: Digest,
}

impl PublicKey {
    pub(super) fn new(
        scheme: Scheme,
        parties: Parties,
        (plain, certificate): (Modulus, Certificate),
        verification_keys: Elements,
    ) -> Result<Self, PaillierError> {
        let cipher = plain.squared();
        let (bases, verification_base) = match scheme {
            Scheme::Dealt => {
                (vec![bases::mask_base(&plain, &cipher)], bases::verification_base(&cipher))
            }
            Scheme::Bcp => {
                let generator = bases::generator(&plain, &cipher);
                let joint = bases::joint_key(&cipher, parties, verification_keys.values())?;
                (vec![generator.clone(), joint], generator)
            }
        };
        let bases = bases.into_iter().map(|value| Base { value, table: None }).collect();
        let mut encoding = Vec::new();
        put_key(scheme, parties, (&plain, &certificate), &verification_keys, &mut encoding);
        let digest = Digest::of("trace/db/paillier/key", &encoding);
        Ok(Self {
            scheme,
            parties,
            plain,
            certificate,
            cipher,
            bases,
            verification_base,
            verification_keys,
            digest,
        })
    }

    /// The same key with tables of its bases: some ten megabytes and half a second to make, after
    /// which re-encryption and masks are a table look-up a byte. Variable time.
    #[must_use]
    pub fn with_tables(mut self) -> Self {
        let bits = self.randomness_bits() + PROOF_BITS;
        for base in &mut self.bases {
            base.table = Some(FixedBase::new(&self.cipher, &base.value, bits));
        }
        self
    }

    /// The same key without tables, which encrypts in constant time: the key of a sender.
    #[must_use]
    pub fn without_tables(&self) -> Self {
        let bases = self.bases.iter().map(|base| Base { value: base.value.clone(), table: None });
        Self {
            bases: bases.collect(),
            plain: self.plain.clone(),
            certificate: self.certificate.clone(),
            cipher: self.cipher.clone(),
            verification_base: self.verification_base.clone(),
            verification_keys: self.verification_keys.clone(),
            ..*self
        }
    }

    /// Reads a key whose modulus has this size: scheme, servers, servers needed, N with its roots, one
    /// verification key for each server, and the joint key under `bcp` if fewer than all decrypt.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding of a possible key.
    pub fn decode(reader: &mut Reader<'_>, size: ModulusSize) -> Result<Self, DecodeError> {
        let invalid = |error| DecodeError::invalid("Paillier key", error);
        let scheme = match reader.u8()? {
            1 => Scheme::Dealt,
            2 => Scheme::Bcp,
            other => {
                return Err(DecodeError::invalid("Paillier key", format!("scheme {other}")));
            }
        };
        let parties = Parties { servers: reader.u16()?, needed: reader.u16()? };
        let parties = parties.check().map_err(invalid)?;
        let bytes = reader.bytes("modulus", (size.bits() / 8) as usize)?;
        let plain = size.check(Integer::from_digits(bytes, Order::Lsf)).map_err(invalid)?;
        let certificate = Certificate::decode(reader, &plain, scheme, size)?;
        let cipher = plain.squared();
        // The joint key follows the verification keys where it is not their product.
        let joint = scheme == Scheme::Bcp && !parties.all_needed();
        let count = usize::from(parties.servers) + usize::from(joint);
        let keys = Elements::decode(reader, (&plain, &cipher), "verification key", count)?;
        Self::new(scheme, parties, (plain, certificate), keys).map_err(invalid)
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// How many servers there are and decrypt.
    pub fn parties(&self) -> Parties {
        self.parties
    }

    /// Z_N, the plaintexts.
    pub fn plain(&self) -> &Modulus {
        &self.plain
    }

    /// Z_{N²}, the components of ciphertexts.
    pub fn cipher(&self) -> &Modulus {
        &self.cipher
    }

    /// What names N to people.
    pub fn modulus_digest(&self) -> Digest {
        certificate::digest(&self.plain)
    }

    /// Where N comes from, for people.
    pub fn modulus_origin(&self) -> &'static str {
        self.certificate.origin(self.scheme)
    }

    /// Z_N and Z_{N²}.
    pub(super) fn moduli(&self) -> (&Modulus, &Modulus) {
        (&self.plain, &self.cipher)
    }

    /// What names the key in transcripts.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Bits of encryption randomness: half of N's for `dealt`, short exponents for `bcp`.
    pub fn randomness_bits(&self) -> u32 {
        match self.scheme {
            Scheme::Dealt => self.plain.bits().div_ceil(2),
            Scheme::Bcp => bases::EXPONENT_BITS,
        }
    }

    /// Bits of a server's secret exponent.
    pub(super) fn share_bits(&self) -> u32 {
        match self.scheme {
            Scheme::Dealt => 2 * self.plain.bits(),
            Scheme::Bcp => bases::share_bits(self.parties),
        }
    }

    /// V, whose power by a server's secret exponent is its verification key.
    pub fn verification_base(&self) -> &Integer {
        &self.verification_base
    }

    /// `V_k` of a server, counted from 1.
    ///
    /// # Errors
    /// [`PaillierError::UnknownServer`].
    pub fn verification_key(&self, server: u16) -> Result<&Integer, PaillierError> {
        let index = usize::from(server).checked_sub(1);
        let index = index.filter(|&index| index < usize::from(self.parties.servers));
        let key = index.and_then(|index| self.verification_keys.values().get(index));
        key.ok_or(PaillierError::UnknownServer { server })
    }

    /// `E(0; randomness)`, one element for each component; constant time without tables.
    pub(super) fn mask(&self, randomness: &SecretInteger) -> Vec<Integer> {
        let power = |base: &Base| match &base.table {
            Some(table) => table.pow(randomness.expose()),
            None => self.cipher.secure_pow(&base.value, randomness),
        };
        self.bases.iter().map(power).collect()
    }

    /// `E(plaintext; randomness)` of public integers, in variable time.
    pub(super) fn public_encryption(
        &self,
        plaintext: &Integer,
        randomness: &Integer,
    ) -> Vec<Integer> {
        let power = |base: &Base| match &base.table {
            Some(table) => table.pow(randomness),
            None => self.cipher.pow(&base.value, randomness),
        };
        let mut components: Vec<Integer> = self.bases.iter().map(power).collect();
        self.put_plaintext(&mut components, plaintext);
        components
    }

    /// Multiplies the last component by `(1 + N)^plaintext = 1 + plaintext·N`.
    pub(super) fn put_plaintext(&self, components: &mut [Integer], plaintext: &Integer) {
        if let Some(last) = components.last_mut() {
            *last = self.cipher.mul(last, &self.trivial_element(plaintext));
        }
    }

    /// `1 + plaintext·N`.
    pub(super) fn trivial_element(&self, plaintext: &Integer) -> Integer {
        self.plain.reduce(plaintext) * self.plain.value() + 1_u32
    }

    /// Starts the transcript of a proof under this key.
    pub(super) fn transcript(&self, label: &'static [u8], context: &Context<'_>) -> Transcript {
        let mut transcript = Transcript::new(label);
        transcript.absorb(b"scheme", self.scheme.name().as_bytes());
        transcript.absorb(b"key", self.digest.as_bytes());
        context.absorb(&mut transcript);
        transcript
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for PublicKey {}

impl Encode for PublicKey {
    fn encode(&self, out: &mut Vec<u8>) {
        let modulus = (&self.plain, &self.certificate);
        put_key(self.scheme, self.parties, modulus, &self.verification_keys, out);
    }
}

fn put_key(
    scheme: Scheme,
    parties: Parties,
    (plain, certificate): (&Modulus, &Certificate),
    verification_keys: &Elements,
    out: &mut Vec<u8>,
) {
    let byte: u8 = match scheme {
        Scheme::Dealt => 1,
        Scheme::Bcp => 2,
    };
    byte.encode(out);
    parties.servers.encode(out);
    parties.needed.encode(out);
    put_bytes(out, &plain.value().to_digits::<u8>(Order::Lsf));
    certificate.encode(plain, out);
    verification_keys.encode(out);
}

/// A server's secret exponent. Erased when dropped.
pub struct KeyShare {
    server: u16,
    exponent: SecretInteger,
}

impl KeyShare {
    pub(super) fn new(server: u16, exponent: SecretInteger) -> Self {
        Self { server, exponent }
    }

    /// Whose share it is, counted from 1.
    pub fn server(&self) -> u16 {
        self.server
    }

    pub(super) fn exponent(&self) -> &SecretInteger {
        &self.exponent
    }

    /// The share as its owner stores it: server, exponent. A secret.
    pub fn to_secret_bytes(&self) -> zeroize::Zeroizing<Vec<u8>> {
        let mut out = zeroize::Zeroizing::new(Vec::new());
        self.server.encode(&mut out);
        super::encode::put_integer(self.exponent.expose(), &mut out);
        out
    }

    /// Reads a share of this key, and that it is one.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but the share of one of the key's servers.
    pub fn decode(reader: &mut Reader<'_>, key: &PublicKey) -> Result<Self, DecodeError> {
        let server = reader.u16()?;
        let exponent = super::encode::integer(reader, "key share", key.share_bits())?;
        let share = Self::new(server, SecretInteger::new(exponent));
        let invalid = |error| DecodeError::invalid("key share", error);
        let expected = key.verification_key(server).map_err(invalid)?;
        match key.cipher.secure_pow(&key.verification_base, &share.exponent) == *expected {
            true => Ok(share),
            false => Err(DecodeError::invalid("key share", "not of this key")),
        }
    }
}
