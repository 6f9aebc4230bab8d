//! Many correlations from few, by dual learning parity with noise.
//!
//! 1. [`single_point`]: correlations whose values are zero but for one place in each of t blocks,
//!    from punctured trees, whose level sums pass through oblivious transfers.
//! 2. [`code`]: both parties apply the same public linear map, which compresses them by half. The
//!    noise, of which the verifier knows only that it is sparse, becomes pseudo-random values.
//! 3. [`plan`]: how many correlations of which size, and which of them are cheaper without.

pub(crate) mod code;
pub(crate) mod plan;
pub(crate) mod single_point;
