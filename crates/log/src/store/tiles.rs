//! Tiles as files, under the names of C2SP `tlog-tiles`: a web server may serve the folder as it is.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::StoreError;
use crate::{
    TileStore,
    tile::{TILE_WIDTH, Tile},
};

/// The largest file: a bundle of entries.
const LIMIT: u64 = 1 << 24;

/// The folder `tile` of a log's directory. A tile that is full is there for good before it is used; others
/// are made again from the journal, if a crash of the system takes them.
#[derive(Clone, Debug)]
pub struct DirectoryTiles(PathBuf);

impl DirectoryTiles {
    /// The tiles in a log's directory.
    pub fn new(directory: &Path) -> Self {
        Self(directory.join("tile"))
    }

    /// Where a tile is.
    fn path(&self, tile: &Tile) -> PathBuf {
        self.0.join(tile.to_string())
    }

    fn write(&self, tile: &Tile, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(tile);
        let failed = |error: io::Error| StoreError::file(&path, &error);
        // A tile's name is a path below the directory.
        fs::create_dir_all(path.parent().unwrap_or(&self.0)).map_err(failed)?;
        if tile.width() < TILE_WIDTH {
            return replace(&path, bytes).map_err(failed);
        }
        wire::write_atomic(&path, bytes).map_err(failed)?;
        // Readers of a part take the whole: C2SP lets parts go.
        let mut parts = path.clone().into_os_string();
        parts.push(".p");
        match fs::remove_dir_all(parts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }
}

impl TileStore for DirectoryTiles {
    type Error = StoreError;

    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(tile);
        match wire::read_bounded(&path, LIMIT) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::file(&path, &error)),
        }
    }

    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(tile, bytes)
    }
}

/// Replaces a file that can be made again: whole for every reader, and not synced.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}
