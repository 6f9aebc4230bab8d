//! What a session of the engine `db` begins with.

use ::board::AuthorId;

use super::super::names::{Keys, PaillierBits};

/// Options of `init` for the engine `db`.
#[derive(clap::Args)]
pub struct DbArgs {
    /// Engine `db`: bits of the Paillier modulus. With 2048 and `--keys bcp`, it is the challenge number
    /// RSA-2048, whose factors nobody knows. With 3072, this command draws it, and whoever runs the command
    /// is trusted to forget the factors.
    #[arg(long, value_enum, default_value = "3072", value_name = "BITS")]
    pub(super) paillier: PaillierBits,
    /// Engine `db`: who makes the Paillier key: the servers (`bcp`), or the dealer, who can then decrypt
    /// everything.
    #[arg(long, value_enum, default_value = "bcp")]
    pub(super) keys: Keys,
    /// Engine `db`: the public key of the dealer, who runs `subrosa trace deal`. Queries that go out need a
    /// dealer. Everybody must trust the dealer to forget what it dealt and to conspire with nobody. Without
    /// a dealer, queries only go in.
    #[arg(long, value_name = "KEY")]
    pub(super) dealer: Option<AuthorId>,
}
