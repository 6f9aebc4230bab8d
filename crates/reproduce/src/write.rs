//! A report as files.

use std::{io, path::Path};

use wire::write_atomic;

use crate::{error::ReproduceError, markdown, page, report::Report};

impl Report {
    /// Writes `index.html`, `performance.md` and `figures.json` into a directory.
    ///
    /// # Errors
    /// If a plot cannot be drawn or a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), ReproduceError> {
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other);
        let files = [
            ("index.html", Ok(page::render(self)?)),
            ("performance.md", Ok(markdown::render(self))),
            ("figures.json", json.map(|text| text + "\n")),
        ];
        for (name, text) in files {
            let path = directory.join(name);
            let written = text.and_then(|text| write_atomic(&path, text.as_bytes()));
            written.map_err(|error| ReproduceError::File { path, error })?;
        }
        Ok(())
    }
}
