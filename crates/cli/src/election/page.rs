//! The page that verifies bundles, beside a report that links to it.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What the page is called beside a report.
const NAME: &str = "verify.html";
/// Many times what the page has.
const LIMIT: u64 = 16 << 20;

/// Options of commands that write a report.
#[derive(clap::Args)]
pub struct PageArgs {
    /// The page that verifies bundles in a browser: it is copied into the report's folder, and the report
    /// links to it.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl PageArgs {
    /// Copies the page, if there is one, to where the report will be.
    pub fn place(&self, out: &Path) -> Result<(), Failure> {
        let Some(page) = &self.page else { return Ok(()) };
        let html = wire::read_bounded(page, LIMIT).map_err(|error| Failure::file(page, error))?;
        let copy = out.join(NAME);
        wire::write_atomic(&copy, &html).map_err(|error| Failure::file(&copy, error))
    }
}

/// What a report in this folder links to: the page, if it is there.
pub fn beside(out: &Path) -> Option<String> {
    out.join(NAME).is_file().then(|| NAME.to_owned())
}
