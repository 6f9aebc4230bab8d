//! Tokens of clients and of tables' users. The configuration has hashes of clients' tokens. The server signs users'
//! tokens with a key of its own and does not keep them. It keeps only how often a user's tokens were revoked: tokens
//! made before the last revocation are no longer valid.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use data_encoding::BASE64URL_NOPAD;
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use table::Hash;
use wire::{Decode, DecodeError, Encode as _, FileHeader, Reader, put_bytes};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{config::ClientEntry, http::ServeError};

const ROLE_PREFIX: &str = "subrosa-role-";
const USER_PREFIX: &str = "subrosa-user-";
const KEY_FILE: FileHeader = FileHeader { kind: "userkey", version: 1 };
const KEY_LIMIT: u64 = 1 << 10;
const MAC: &str = "subrosa table service v1 user token";
const ALIAS: &str = "subrosa table service v1 alias of a user";
const MAX_USER: usize = 256;
const REVOKED: FileHeader = FileHeader { kind: "revoked", version: 1 };
/// Users whose tokens were revoked, and bytes of the file that says so.
const MAX_REVOKED: usize = 1 << 20;
const REVOKED_LIMIT: u64 = 40 << 20;
/// Bytes of a token that is looked at.
const MAX_TOKEN: usize = 1 << 10;

/// A client's token and its hash.
pub struct RoleToken {
    /// What the client shows.
    pub token: Zeroizing<String>,
    /// What the configuration holds, in hexadecimal.
    pub hash: String,
}

/// Draws a client's token, of 256 bits.
pub fn draw_role_token() -> RoleToken {
    let mut secret = Zeroizing::new([0; 32]);
    UnwrapErr(SysRng).fill_bytes(&mut *secret);
    let token = Zeroizing::new(format!("{ROLE_PREFIX}{}", BASE64URL_NOPAD.encode(&*secret)));
    let hash = blake3::hash(token.as_bytes()).to_hex().to_string();
    RoleToken { token, hash }
}

/// Finds the client that a token is of. Hashes are compared in constant time, and all of them.
pub fn client_of<'a>(
    clients: &'a [(blake3::Hash, ClientEntry)],
    token: &str,
) -> Option<&'a ClientEntry> {
    let hash = blake3::hash(token.as_bytes());
    let mut found = None;
    for (known, client) in clients {
        // `blake3::Hash` compares in constant time.
        if *known == hash {
            found = Some(client);
        }
    }
    found
}

/// A user of a table, as its token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserClaim {
    /// The table.
    pub table: Hash,
    /// When the token ends, in seconds since 1970.
    pub expires: u64,
    /// The user.
    pub user: Vec<u8>,
    /// How often the user's tokens had been revoked when it was made.
    pub generation: u32,
}

/// The key under which users' tokens are signed. Another key makes all of them void.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// Reads the key's file, or draws a key and writes it.
    ///
    /// # Errors
    /// [`ServeError::File`].
    pub fn open(path: &Path) -> Result<Self, ServeError> {
        let failed = |reason: String| ServeError::File { path: path.to_owned(), reason };
        if path.symlink_metadata().is_ok() {
            let bytes = wire::read_bounded(path, KEY_LIMIT);
            let bytes = Zeroizing::new(bytes.map_err(|error| failed(error.to_string()))?);
            let mut reader = Reader::new(&bytes);
            let decode = || {
                KEY_FILE.expect(&mut reader)?;
                let key = reader.array()?;
                reader.finish()?;
                Ok::<_, DecodeError>(Self(key))
            };
            return { decode }().map_err(|error| failed(error.to_string()));
        }
        let mut key = Self([0; 32]);
        UnwrapErr(SysRng).fill_bytes(&mut key.0);
        let mut bytes = Zeroizing::new(Vec::new());
        KEY_FILE.encode(&mut bytes);
        bytes.extend_from_slice(&key.0);
        wire::write_secret(path, &bytes).map_err(|error| failed(error.to_string()))?;
        Ok(key)
    }

    fn mac(&self, payload: &[u8]) -> blake3::Hash {
        let key = blake3::derive_key(MAC, &self.0);
        blake3::keyed_hash(&key, payload)
    }

    /// A name for a table's user that tells nobody who it is, and is the same each time.
    pub fn alias(&self, table: &Hash, user: &[u8]) -> blake3::Hash {
        let key = blake3::derive_key(ALIAS, &self.0);
        let mut bytes = table.to_bytes();
        bytes.extend_from_slice(user);
        blake3::keyed_hash(&key, &bytes)
    }

    /// The token that says so.
    pub fn sign(&self, claim: &UserClaim) -> String {
        let mut bytes = claim.table.to_bytes();
        claim.expires.encode(&mut bytes);
        put_bytes(&mut bytes, &claim.user);
        // Those of a user whose tokens were never revoked say nothing of it.
        if claim.generation > 0 {
            claim.generation.encode(&mut bytes);
        }
        let mac = self.mac(&bytes);
        bytes.extend_from_slice(mac.as_bytes());
        format!("{USER_PREFIX}{}", BASE64URL_NOPAD.encode(&bytes))
    }

    /// What a token says, if it was signed here and has not ended.
    pub fn verify(&self, token: &str, now: u64) -> Option<UserClaim> {
        let encoded = token.strip_prefix(USER_PREFIX)?;
        if encoded.len() > MAX_TOKEN {
            return None;
        }
        // Here and below: what is wrong with a token is told to nobody. It is none.
        let bytes = BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?;
        let (payload, mac) = bytes.split_last_chunk::<32>()?;
        // In constant time.
        if self.mac(payload) != blake3::Hash::from_bytes(*mac) {
            return None;
        }
        let mut reader = Reader::new(payload);
        let claim = UserClaim {
            table: Hash::decode(&mut reader).ok()?,
            expires: reader.u64().ok()?,
            user: reader.bytes("user", MAX_USER).ok()?.to_vec(),
            generation: match reader.remaining() {
                0 => 0,
                _ => reader.u32().ok().filter(|generation| *generation > 0)?,
            },
        };
        reader.finish().ok()?;
        (now < claim.expires).then_some(claim)
    }
}

/// How often users' tokens were revoked, by their aliases: a file that is replaced as a whole.
pub struct Revocations {
    path: PathBuf,
    known: Mutex<BTreeMap<[u8; 32], u32>>,
}

impl Revocations {
    /// Reads the file; there is none before anything is revoked.
    ///
    /// # Errors
    /// [`ServeError::File`]: a file that is damaged would make revoked tokens hold again.
    pub fn open(path: &Path) -> Result<Self, ServeError> {
        let known = match wire::read_bounded(path, REVOKED_LIMIT) {
            Ok(bytes) => Self::decode(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error.to_string()),
        };
        let known = known.map_err(|reason| ServeError::File { path: path.to_owned(), reason })?;
        Ok(Self { path: path.to_owned(), known: Mutex::new(known) })
    }

    fn decode(bytes: &[u8]) -> Result<BTreeMap<[u8; 32], u32>, DecodeError> {
        // A file without a checksum fails it: zeros are the hash of nothing known.
        let (body, checksum) = bytes.split_last_chunk::<32>().unwrap_or((&[], &[0; 32]));
        if blake3::hash(body) != *checksum {
            return Err(DecodeError::invalid("revoked tokens", "the file is damaged"));
        }
        let mut reader = Reader::new(body);
        REVOKED.expect(&mut reader)?;
        let mut known = BTreeMap::new();
        while reader.remaining() > 0 {
            known.insert(reader.array()?, reader.u32()?);
        }
        Ok(known)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], u32>> {
        // It is replaced as a whole, when the file is written.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often a user's tokens were revoked.
    pub fn generation(&self, alias: &blake3::Hash) -> u32 {
        // Of whom nothing is known, nothing was revoked.
        self.lock().get(alias.as_bytes()).copied().unwrap_or_default()
    }

    /// Voids all tokens that a user has; for good when it returns.
    ///
    /// # Errors
    /// [`ServeError::File`]; then they hold as before.
    pub fn revoke(&self, alias: &blake3::Hash) -> Result<(), ServeError> {
        let failed = |reason: String| ServeError::File { path: self.path.clone(), reason };
        let mut known = self.lock();
        if known.len() >= MAX_REVOKED && !known.contains_key(alias.as_bytes()) {
            let reason =
                format!("tokens of {MAX_REVOKED} users are revoked: draw another users.key");
            return Err(failed(reason));
        }
        let mut next = known.clone();
        let generation = next.entry(*alias.as_bytes()).or_default();
        *generation = generation.saturating_add(1);
        let mut bytes = Vec::new();
        REVOKED.encode(&mut bytes);
        for (alias, generation) in &next {
            bytes.extend_from_slice(alias);
            generation.encode(&mut bytes);
        }
        let checksum = blake3::hash(&bytes);
        bytes.extend_from_slice(checksum.as_bytes());
        wire::write_atomic(&self.path, &bytes).map_err(|error| failed(error.to_string()))?;
        *known = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use std::collections::BTreeSet;

    use super::*;

    fn claim() -> UserClaim {
        let table = Hash::of("table", b"pay");
        UserClaim { table, expires: 1000, user: b"ada".to_vec(), generation: 0 }
    }

    #[test]
    fn a_users_token_holds_for_its_time_and_under_its_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("users.key");
        let key = TokenKey::open(&path).unwrap();
        let token = key.sign(&claim());
        let again = TokenKey::open(&path).unwrap();
        assert_eq!(again.verify(&token, 999), Some(claim()));
        assert_eq!(again.verify(&token, 1000), None, "its time is over");
        let other = TokenKey::open(&directory.path().join("other.key")).unwrap();
        assert_eq!(other.verify(&token, 0), None);
    }

    #[test]
    fn no_character_of_a_token_may_change() {
        let key = TokenKey([5; 32]);
        let later = UserClaim { generation: 7, ..claim() };
        assert_eq!(key.verify(&key.sign(&later), 0), Some(later));
        let token = key.sign(&claim());
        for at in 0..token.len() {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(key.verify(&changed, 0), None, "{at}");
        }
        assert_eq!(key.verify(&token[..token.len() - 1], 0), None);
        assert_eq!(key.verify(&format!("{token}A"), 0), None);
    }

    #[test]
    fn revocations_last_and_a_damaged_list_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("users.revoked");
        let key = TokenKey([5; 32]);
        let [ada, bob] = [b"ada", b"bob"].map(|user| key.alias(&claim().table, user));
        let revocations = Revocations::open(&path).unwrap();
        revocations.revoke(&ada).unwrap();
        revocations.revoke(&ada).unwrap();
        let again = Revocations::open(&path).unwrap();
        assert_eq!((again.generation(&ada), again.generation(&bob)), (2, 0));
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(Revocations::open(&path).is_err(), "{at}");
        }
        std::fs::write(&path, b"").unwrap();
        assert!(Revocations::open(&path).is_err());
    }

    #[test]
    fn a_clients_token_is_known_by_its_hash() {
        let drawn = draw_role_token();
        let entry = ClientEntry {
            name: "feeder".to_owned(),
            roles: BTreeSet::new(),
            token_hash: drawn.hash.clone(),
            tables: None,
        };
        let clients = [(blake3::Hash::from_hex(&drawn.hash).unwrap(), entry)];
        assert!(client_of(&clients, &drawn.token).is_some());
        assert!(client_of(&clients, &draw_role_token().token).is_none());
        assert!(client_of(&clients, "").is_none());
    }
}
