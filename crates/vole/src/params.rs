//! Named, versioned parameter sets, with what their security rests on.

/// How correlations are made. Both parties name the set in their first message, with a digest of
/// all that it says, and part if they differ: nothing is negotiated downwards.
///
/// A set that has been released never changes; a new one gets a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterSet {
    /// `no-lpn/1`: every correlation comes from the punctured trees and the prover's corrections.
    ///
    /// | field | MACs | digits of Δ | bytes per VOLE |
    /// |---|---|---|---|
    /// | F_2 | F_{2^64}, made in F_{2^128} | 16 of 8 bits | 1.875 |
    /// | F_p | F_p, p = 2^61 - 1 | 7 of 8 bits and one of 5 | 56 |
    ///
    /// *Assumptions*: gap-CDH on ristretto255 in the random-oracle model (BLAKE3), and AES-128 as a
    /// pseudo-random permutation and, under a public key, as a circular correlation-robust hash.
    /// No assumption on codes: 128 bits of computational security.
    ///
    /// *A cheating prover.* A wrong correction, or a tree whose levels do not fit together, passes
    /// the checks with probability below 2^-90 (F_2) and 2^-80 (F_p), but for guesses at digits of
    /// Δ, each of which costs as much here as it saves in a later forgery. A MAC is forged with
    /// probability 2^-64 over F_2, 1/p < 2^-60.9 over F_p. The bounds for inconsistent trees are an
    /// argument (union bounds over pairs and triples of digit values), not a published proof.
    ///
    /// *False claims.* One check passes one with probability at most `(D + 1) / |F|` for the highest
    /// degree D: 2^-62 for D = 3 over F_{2^64}, 2^-59.4 for D = 2 over F_p. daBits of which one
    /// differs between the fields pass with probability 2^-64 for each batch of 2,048.
    ///
    /// *A cheating verifier* learns nothing: the prover's messages are uniform but for the
    /// reduction of 128 bits modulo p, 2^-67 for each VOLE over F_p and digit. An honest prover stops
    /// for bad luck with probability 2^-43 for each batch of daBits, whatever its witness is.
    NoLpn,
}

impl ParameterSet {
    /// What both parties must agree on, as text: the digest in the first message is of this.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::NoLpn => {
                "no-lpn/1; base-ot ristretto255-endemic; ggm aes128-two-keys; \
                 f2 softspoken k=8 digits=16 column-check mac=low64; \
                 fp p=2^61-1 digits=8,8,8,8,8,8,8,5 repetitions=2"
            }
        }
    }
}
