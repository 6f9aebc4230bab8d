//! Tokens: those of clients, of which the configuration holds hashes, and those of tables' users,
//! which the server signs with a key of its own and does not keep.

use std::path::Path;

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
const MAX_USER: usize = 256;
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

    /// The token that says so.
    pub fn sign(&self, claim: &UserClaim) -> String {
        let mut bytes = claim.table.to_bytes();
        claim.expires.encode(&mut bytes);
        put_bytes(&mut bytes, &claim.user);
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
        };
        reader.finish().ok()?;
        (now < claim.expires).then_some(claim)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use std::collections::BTreeSet;

    use super::*;

    fn claim() -> UserClaim {
        UserClaim { table: Hash::of("table", b"pay"), expires: 1000, user: b"ada".to_vec() }
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
