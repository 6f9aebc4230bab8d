//! Where long work reports how far it is.

/// A sink for progress. Protocol crates report to it; the command line draws bars.
///
/// `()` is the sink that shows nothing.
pub trait Progress: Sync {
    /// A stage of `total` steps begins; the previous one is done.
    fn begin(&self, stage: &str, total: u64);

    /// `steps` more of the current stage are done.
    fn advance(&self, steps: u64);

    /// The last stage is done.
    fn finish(&self);
}

impl Progress for () {
    fn begin(&self, _stage: &str, _total: u64) {}

    fn advance(&self, _steps: u64) {}

    fn finish(&self) {}
}
