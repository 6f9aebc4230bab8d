//! Secrets: a user's two keys, the table's own, and what is derived from them (`docs/spec/table.md`).

use algebra::Scalar as _;
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{
    commitment::Scalar,
    hash::{Hash, IDENTITY, KeyedHashing},
    row::Place,
};

/// Bytes of a pair of keys.
const PAIR_LEN: usize = 64;

/// Two keys in their secret form, one after the other.
fn join(first: &[u8; 32], second: &[u8; 32]) -> Zeroizing<[u8; PAIR_LEN]> {
    let mut pair = Zeroizing::new([0; PAIR_LEN]);
    let (head, tail) = pair.split_at_mut(32);
    head.copy_from_slice(first);
    tail.copy_from_slice(second);
    pair
}

/// Reads what [`join`] made into the places of the two keys.
fn part(pair: &[u8; PAIR_LEN], first: &mut [u8; 32], second: &mut [u8; 32]) {
    let (head, tail) = pair.split_at(32);
    first.copy_from_slice(head);
    second.copy_from_slice(tail);
}

/// The keys that the server gives a user for a key period: the user pins them, recomputes its own
/// leaf with them and needs nothing else. Nothing secret is stored per row.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct UserKeys {
    /// `K^bl`: blindings.
    blinding: [u8; 32],
    /// `K^id`: pseudonyms.
    identity: [u8; 32],
}

impl UserKeys {
    /// Bytes of [`UserKeys::to_bytes`].
    pub const LEN: usize = PAIR_LEN;

    /// Draws a user's keys.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; Self::LEN]);
        rng.fill_bytes(&mut *bytes);
        Self::from_bytes(&bytes)
    }

    /// A user's keys from a secret of its own, which may be forgotten.
    #[cfg(feature = "store")]
    pub(crate) fn derive(secret: &[u8; 32], user: &[u8]) -> Self {
        let hashing = KeyedHashing::new(secret, "user keys").bytes(user);
        Self::from_bytes(&Zeroizing::new(hashing.finish()))
    }

    /// The keys in their secret 64-byte form.
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        let mut keys = Self { blinding: [0; 32], identity: [0; 32] };
        part(bytes, &mut keys.blinding, &mut keys.identity);
        keys
    }

    /// 64 secret bytes.
    pub fn to_bytes(&self) -> Zeroizing<[u8; Self::LEN]> {
        join(&self.blinding, &self.identity)
    }

    /// The fingerprint `H_kid` of the identity key, which a user compares with the regulator's.
    pub fn identity_fingerprint(&self, table: &Hash, period: u32, user: &[u8]) -> Hash {
        let start = IDENTITY.start().bytes(table.as_bytes()).number(period.into());
        start.bytes(user).bytes(&self.identity).finish()
    }

    /// `r_{u,t,j}`. The value is an input, so that two different values never share a blinding:
    /// otherwise their difference could be searched for.
    pub(crate) fn blinding(
        &self,
        place: &Place<'_>,
        value_column: u16,
        power: u8,
        value: u64,
    ) -> Scalar {
        let hashing = KeyedHashing::new(&self.blinding, "blinding").bytes(place.table.as_bytes());
        let hashing = hashing.number(place.epoch.into()).bytes(place.key);
        let hashing = hashing.number(value_column.into()).number(power.into()).number(value);
        Scalar::from_wide(&Zeroizing::new(hashing.finish()))
    }

    /// The user's pseudonym in one epoch and ordered column. The user's identifier is an input,
    /// or a server that gives two users equal keys could show both the same leaf.
    pub fn pseudonym(&self, table: &Hash, epoch: u32, column: u16, user: &[u8]) -> Hash {
        let hashing = KeyedHashing::new(&self.identity, "pseudonym").bytes(table.as_bytes());
        let hashing = hashing.number(epoch.into()).number(column.into()).bytes(user);
        Hash::from(hashing.finish())
    }
}

/// The table's own secrets.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct TableKeys {
    /// Orders rows of equal value.
    tie: [u8; 32],
    /// Seeds the masks of audit proofs.
    prove: [u8; 32],
}

impl TableKeys {
    /// Bytes of [`TableKeys::to_bytes`].
    pub const LEN: usize = PAIR_LEN;

    /// Draws a table's keys.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; Self::LEN]);
        rng.fill_bytes(&mut *bytes);
        Self::from_bytes(&bytes)
    }

    /// The keys in their secret 64-byte form.
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        let mut keys = Self { tie: [0; 32], prove: [0; 32] };
        part(bytes, &mut keys.tie, &mut keys.prove);
        keys
    }

    /// 64 secret bytes.
    pub fn to_bytes(&self) -> Zeroizing<[u8; Self::LEN]> {
        join(&self.tie, &self.prove)
    }

    /// The order of rows of equal value: fixed, so that a rebuild gives the same bytes, and secret,
    /// or auditors would see where values tie.
    pub(crate) fn tie(&self, table: &Hash, epoch: u32, column: u16, pseudonym: &Hash) -> [u8; 16] {
        let hashing = KeyedHashing::new(&self.tie, "tie").bytes(table.as_bytes());
        let hashing = hashing.number(epoch.into()).number(column.into());
        hashing.bytes(pseudonym.as_bytes()).finish()
    }

    /// The seed of the masks of audit proofs, which each proof binds to its statement.
    pub(crate) fn prover_seed(&self) -> &[u8; 32] {
        &self.prove
    }
}
