//! What a program may use up.

/// What a program may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the interpreter (its fuel), about one an instruction; it makes some 7·10^8 in a second.
    pub steps: u64,
    /// Bytes of memory.
    pub memory: usize,
}

impl Default for Limits {
    /// Some two minutes, and 2 GiB.
    fn default() -> Self {
        Self { steps: 1 << 36, memory: 1 << 31 }
    }
}
