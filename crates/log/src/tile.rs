//! The log as files that never change once they are full (C2SP `tlog-tiles`): a tile holds up to 256
//! hashes of one height, a bundle up to 256 entries.

use std::{fmt, str::FromStr};

use wire::DecodeError;

use crate::merkle::{Hash, Nodes};

/// Hashes of a full tile, and entries of a full bundle.
pub const TILE_WIDTH: usize = 256;
/// Levels of the tree in a tile.
pub(crate) const TILE_HEIGHT: u8 = 8;
/// Levels of tiles that a log can have: eight times eight is more than 63.
pub(crate) const TILE_LEVELS: u8 = 8;

/// What a file of the log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Content {
    /// Hashes of the complete subtrees of `256^level` leaves.
    Hashes(u8),
    /// The leaves themselves.
    Entries,
}

/// The name of a file of the log: `0/x001/x234/067`, `entries/000.p/12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tile {
    pub(crate) content: Content,
    pub(crate) number: u64,
    pub(crate) width: usize,
}

impl Tile {
    /// A name; `None` for a level that no log has, or a width that is not 1 to [`TILE_WIDTH`].
    pub fn new(content: Content, number: u64, width: usize) -> Option<Self> {
        let level = !matches!(content, Content::Hashes(level) if level >= TILE_LEVELS);
        let fits = level && (1..=TILE_WIDTH).contains(&width);
        fits.then_some(Self { content, number, width })
    }

    /// What the file holds.
    pub fn content(&self) -> Content {
        self.content
    }

    /// Which of its level.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How many hashes or entries.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The tiles of hashes that are written when a log grows: those that become full, and at the end of
    /// every level one that is not.
    pub fn written(old: u64, new: u64) -> Vec<Self> {
        let mut tiles = Vec::new();
        for level in 0..TILE_LEVELS {
            let [old, new] = [old, new].map(|size| size >> (TILE_HEIGHT * level));
            if old == new {
                break;
            }
            let width = |number: u64| (new - number * TILE_WIDTH as u64).min(TILE_WIDTH as u64);
            let numbers = old / TILE_WIDTH as u64..new.div_ceil(TILE_WIDTH as u64);
            tiles.extend(numbers.map(|number| Self {
                content: Content::Hashes(level),
                number,
                width: width(number) as usize,
            }));
        }
        tiles
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content {
            Content::Hashes(level) => write!(f, "{level}/")?,
            Content::Entries => f.write_str("entries/")?,
        }
        let mut groups = vec![self.number % 1000];
        let mut rest = self.number / 1000;
        while rest > 0 {
            groups.push(rest % 1000);
            rest /= 1000;
        }
        // There is one group at least.
        let (last, above) = (groups.first().copied().unwrap_or(0), groups.get(1..));
        above.unwrap_or_default().iter().rev().try_for_each(|group| write!(f, "x{group:03}/"))?;
        write!(f, "{last:03}")?;
        if self.width < TILE_WIDTH { write!(f, ".p/{}", self.width) } else { Ok(()) }
    }
}

/// Reads the one name that a tile has.
impl FromStr for Tile {
    type Err = DecodeError;

    fn from_str(path: &str) -> Result<Self, DecodeError> {
        parse(path).ok_or_else(|| DecodeError::invalid("tile", "not the name of a tile"))
    }
}

fn parse(path: &str) -> Option<Tile> {
    let (level, rest) = path.split_once('/')?;
    let content = match level {
        "entries" => Content::Entries,
        digits => Content::Hashes(decimal(digits)?),
    };
    let (number, width) = match rest.split_once(".p/") {
        Some((number, width)) => {
            let width = decimal::<usize>(width)?;
            (number, (width < TILE_WIDTH).then_some(width)?)
        }
        None => (rest, TILE_WIDTH),
    };
    let mut groups = number.split('/').rev();
    let mut value = three_digits(groups.next()?)?;
    let mut scale = 1_u64;
    for group in groups {
        scale = scale.checked_mul(1000)?;
        let digits = three_digits(group.strip_prefix('x')?)?;
        value = digits.checked_mul(scale)?.checked_add(value)?;
    }
    // One name for every tile: no leading groups of zeros.
    let shortest = scale == 1 || value >= scale;
    Tile::new(content, shortest.then_some(value)?, width)
}

fn three_digits(text: &str) -> Option<u64> {
    let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// A number in its one decimal form.
pub(crate) fn decimal<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|value: &T| value.to_string() == text)
}

/// The bytes of a tile of hashes of the log of the first `size` leaves; `None` if that log has no such
/// tile.
///
/// # Errors
/// Those of the nodes.
pub fn hashes<N: Nodes>(nodes: &N, tile: &Tile, size: u64) -> Result<Option<Vec<u8>>, N::Error> {
    let Content::Hashes(level) = tile.content else { return Ok(None) };
    let Some(first) = tile.number.checked_mul(TILE_WIDTH as u64) else { return Ok(None) };
    let level = level * TILE_HEIGHT;
    if first.checked_add(tile.width as u64).is_none_or(|end| end > size >> level) {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(32 * tile.width);
    for index in first..first + tile.width as u64 {
        bytes.extend_from_slice(nodes.node(level, index)?.as_bytes());
    }
    Ok(Some(bytes))
}

/// The bytes of a bundle, each entry after its length in two bytes, from all entries of a log; `None` if
/// the log has no such bundle, or an entry is of 64 KiB or more.
pub fn bundle<T: AsRef<[u8]>>(entries: &[T], tile: &Tile) -> Option<Vec<u8>> {
    if tile.content != Content::Entries {
        return None;
    }
    let first = usize::try_from(tile.number).ok()?.checked_mul(TILE_WIDTH)?;
    let mut bytes = Vec::new();
    for entry in entries.get(first..first.checked_add(tile.width)?)? {
        let entry = entry.as_ref();
        bytes.extend_from_slice(&u16::try_from(entry.len()).ok()?.to_be_bytes());
        bytes.extend_from_slice(entry);
    }
    Some(bytes)
}

/// The entries of a bundle.
///
/// # Errors
/// [`DecodeError`] for bytes that are not those of so many entries.
pub fn unbundle<'a>(tile: &Tile, bytes: &'a [u8]) -> Result<Vec<&'a [u8]>, DecodeError> {
    let mut reader = wire::Reader::new(bytes);
    let mut entries = Vec::with_capacity(tile.width);
    for _ in 0..tile.width {
        let length = u16::from_be_bytes(reader.array()?);
        entries.push(reader.take(length.into())?);
    }
    reader.finish()?;
    Ok(entries)
}

/// The hashes in the bytes of a tile; `None` for another number of them than the tile is wide.
pub(crate) fn read_hashes(tile: &Tile, bytes: &[u8]) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    let fits = rest.is_empty() && hashes.len() == tile.width;
    fits.then(|| hashes.iter().map(|hash| Hash::from(*hash)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::{self, Leaves};

    #[test]
    fn tiles_have_one_name_each() {
        let tile = |level, number, width| {
            Tile::new(level, number, width).filter(|tile| tile.to_string().parse() == Ok(*tile))
        };
        for (path, expected) in [
            ("0/000", tile(Content::Hashes(0), 0, 256)),
            ("1/067.p/8", tile(Content::Hashes(1), 67, 8)),
            ("0/x001/x234/067", tile(Content::Hashes(0), 1_234_067, 256)),
            ("entries/x001/000.p/255", tile(Content::Entries, 1000, 255)),
        ] {
            assert!(expected.is_some(), "{path}");
            assert_eq!(path.parse().ok(), expected, "{path}");
            assert_eq!(expected.unwrap().to_string(), path);
        }
        for path in [
            "0/x000/001",
            "0/1",
            "00/001",
            "+0/001",
            "0/001.p/256",
            "0/001.p/0",
            "0/001.p/08",
            "0/001/002",
            "0/x001",
            "8/001",
            "256/001",
            "0/",
            "0",
            "",
            "0/x999/x999/x999/x999/x999/x999/x999/999",
        ] {
            assert!(path.parse::<Tile>().is_err(), "{path}");
        }
    }

    /// The example of the specification.
    #[test]
    fn a_log_of_70_000_leaves_has_these_tiles() {
        let tiles = Tile::written(0, 70_000);
        let count = |level, full: bool| {
            let of = |tile: &&Tile| tile.content() == Content::Hashes(level);
            let of_level = tiles.iter().filter(of);
            of_level.filter(|tile| (tile.width() == TILE_WIDTH) == full).collect::<Vec<_>>()
        };
        assert_eq!(count(0, true).len(), 273);
        assert_eq!(count(0, false), [&Tile::new(Content::Hashes(0), 273, 112).unwrap()]);
        assert_eq!(count(1, true).len(), 1);
        assert_eq!(count(1, false), [&Tile::new(Content::Hashes(1), 1, 17).unwrap()]);
        assert_eq!(count(2, false), [&Tile::new(Content::Hashes(2), 0, 1).unwrap()]);
        assert_eq!(tiles.len(), 273 + 1 + 1 + 1 + 1);
        assert_eq!(Tile::written(256, 257).first().unwrap().to_string(), "0/001.p/1");
        assert_eq!(Tile::written(255, 256).len(), 2);
        assert_eq!(Tile::written(7, 7), []);
    }

    #[test]
    fn tiles_lead_to_the_root_of_the_log() {
        let entries: Vec<[u8; 4]> = (0..600_u32).map(u32::to_be_bytes).collect();
        let tile = |level, number, width| {
            let tile = Tile::new(Content::Hashes(level), number, width)?;
            let Ok(bytes) = hashes(&Leaves(&entries), &tile, 600);
            bytes
        };
        let first = tile(0, 0, TILE_WIDTH).unwrap();
        assert_eq!(first[32..64], *merkle::leaf_hash(&entries[1]).as_bytes());
        let partial = tile(0, 2, 600 - 512).unwrap();
        assert_eq!(partial[..32], *merkle::leaf_hash(&entries[512]).as_bytes());
        // Level 1: the roots of full tiles only.
        let upper = tile(1, 0, 2).unwrap();
        assert_eq!(upper[32..], *merkle::root(&entries[256..512]).as_bytes());
        for (level, number, width) in [
            (0, 2, 89),
            (0, 3, 1),
            (0, 0, 257),
            (0, 0, 0),
            (1, 0, 3),
            (7, 0, 1),
            (255, 0, 1),
            (7, u64::MAX, 256),
            (0, u64::MAX, 1),
        ] {
            assert_eq!(tile(level, number, width), None, "{level} {number} {width}");
        }
    }

    #[test]
    fn bundles_are_read_as_they_are_written() {
        let entries: Vec<Vec<u8>> = (0..300).map(|at| vec![at as u8; at % 7]).collect();
        let read = |number, width| {
            let tile = Tile::new(Content::Entries, number, width)?;
            let bytes = bundle(&entries, &tile)?;
            assert!(unbundle(&tile, &bytes[..bytes.len() - 1]).is_err());
            assert!(unbundle(&tile, &[&bytes[..], &[0]].concat()).is_err());
            Some(unbundle(&tile, &bytes).unwrap().into_iter().map(<[u8]>::to_vec).collect())
        };
        assert_eq!(read(0, 256), Some(entries[..256].to_vec()));
        assert_eq!(read(1, 44), Some(entries[256..].to_vec()));
        assert_eq!(read(1, 45), None);
        assert_eq!(read(u64::MAX, 1), None);
        let long = [vec![0; 1 << 16]];
        assert_eq!(bundle(&long, &Tile::new(Content::Entries, 0, 1).unwrap()), None);
    }
}
