//! Domain-separated hashing (`docs/spec/table.md`): BLAKE3 with a key-derivation context per purpose, and a
//! length before every input, so that no two meanings share an input.

use std::sync::OnceLock;

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};

/// A node, a root, a name: 32 bytes.
pub type Hash = wire::Digest;

/// What a hash is for.
pub(crate) struct Domain {
    context: &'static str,
    key: OnceLock<ContextKey>,
}

impl Domain {
    const fn new(context: &'static str) -> Self {
        Self { context, key: OnceLock::new() }
    }

    /// Starts a hash in the domain.
    pub(crate) fn start(&self) -> Hashing {
        let key = self.key.get_or_init(|| hash_derive_key_context(self.context));
        Hashing(blake3::Hasher::new_from_context_key(key))
    }
}

macro_rules! domains {
    ($($(#[$doc:meta])* $name:ident = $context:literal;)*) => {
        $($(#[$doc])* pub(crate) static $name: Domain = Domain::new(concat!("subrosa table v1 ", $context));)*
    };
}

domains! {
    /// The name of a table, from its genesis.
    TABLE = "table";
    /// `m`: which row of whom a leaf is, without saying whose.
    ROW = "row";
    LEAF = "leaf";
    NODE = "node";
    /// The record of a key's sum tree, bound to the key.
    ROOT = "root";
    TYPE_LEAF = "type leaf";
    ID_LEAF = "id leaf";
    EDGE = "trie edge";
    TRIE_NODE = "trie node";
    TRIE_ROOT = "trie root";
    AUX = "aux";
    CORE = "core";
    EPOCH = "epoch";
    AUDIT = "audit bundle";
    /// A key of the trie of roll-ups.
    PREDICATE = "roll-up predicate";
    /// The record of a roll-up's sum tree.
    ROLLUP = "roll-up";
    ROLLUP_LEAF = "roll-up leaf";
    /// The statements of a bit-matrix proof.
    LIST = "statement list";
    /// The rows of a range of keys, as the parts of an audit saw them.
    LINKS = "audit links";
    /// A fingerprint of an identity key, by which user and regulator compare theirs.
    IDENTITY = "identity key";
}

/// A hash under way.
pub(crate) struct Hashing(blake3::Hasher);

impl Hashing {
    /// Adds bytes, with their length (below 4 GiB) in front.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u32).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a number, in eight bytes.
    pub(crate) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// Adds a list of 32-byte values, with their number in front.
    pub(crate) fn list<'a>(self, items: impl ExactSizeIterator<Item = &'a [u8; 32]>) -> Self {
        let counted = self.number(items.len() as u64);
        items.fold(counted, |hashing, item| hashing.bytes(item))
    }

    /// The hash of everything added.
    pub(crate) fn finish(self) -> Hash {
        Hash::from(*self.0.finalize().as_bytes())
    }
}

/// A hash under a secret key, stretched to as many bytes as the caller takes.
pub(crate) struct KeyedHashing(blake3::Hasher);

impl KeyedHashing {
    /// The first 32 bytes of a number alone, in one call: an eighth of a hasher's time, for what is hashed most.
    #[cfg(feature = "store")]
    pub(crate) fn of_number(key: &[u8; 32], domain: &[[u8; 4]; 2], number: u32) -> [u8; 32] {
        let [domain_low, domain_high] = *domain;
        let length = 8_u32.to_le_bytes();
        let number = number.to_le_bytes();
        let input = [length, domain_low, domain_high, length, number, [0; 4]];
        *blake3::keyed_hash(key, input.as_flattened()).as_bytes()
    }

    /// Starts in a domain of the key's own.
    pub(crate) fn new(key: &[u8; 32], domain: &str) -> Self {
        Self(blake3::Hasher::new_keyed(key)).bytes(domain.as_bytes())
    }

    /// Adds bytes, with their length (below 4 GiB) in front.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u32).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a number, in eight bytes.
    pub(crate) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// The first `N` bytes of the output.
    pub(crate) fn finish<const N: usize>(self) -> [u8; N] {
        let mut out = [0; N];
        self.0.finalize_xof().fill(&mut out);
        out
    }
}

/// Hashes in JSON: 64 hexadecimal digits.
pub(crate) mod hex {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::Hash;

    pub(crate) fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Hash, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
