//! What a session of the engine `db` begins with.

use ::board::AuthorId;

use super::super::names::{Keys, PaillierBits};

/// Options of `init` for the engine `db`.
#[derive(clap::Args)]
pub struct DbArgs {
    /// Engine `db`: bits of the Paillier modulus. With 2048 and `--keys bcp` it is the challenge
    /// number RSA-2048, whose factors nobody knows; with 3072 this command draws it, and whoever
    /// runs it is trusted to forget the factors.
    #[arg(long, value_enum, default_value = "3072", value_name = "BITS")]
    pub(super) paillier: PaillierBits,
    /// Engine `db`: who makes the Paillier key: the servers (`bcp`), or the dealer, who can then
    /// decrypt everything.
    #[arg(long, value_enum, default_value = "bcp")]
    pub(super) keys: Keys,
    /// Engine `db`: the public key of a dealer, who runs `subrosa trace deal`. Queries going out
    /// need one, whom everybody has to trust: it must forget what it dealt, and conspire with
    /// nobody. Without one, queries go in only.
    #[arg(long, value_name = "KEY")]
    pub(super) dealer: Option<AuthorId>,
}
