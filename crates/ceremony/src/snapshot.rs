//! A file that must not change after it was first read.
//!
//! A contributor's input is read several times: to compute its digest, to verify it, to multiply it. Somebody who can
//! change the file in between could have other points multiplied than those that were verified. A snapshot is a reader
//! that remembers the digest of every block. It reads the same bytes again, or fails.

use std::{
    io::{self, Read, Seek, SeekFrom},
    num::NonZeroUsize,
};

use wire::{Digest, DigestWriter, Progress, Section, SectionTable};

use crate::Error;

/// Bytes of a block: the digests of a file of a terabyte take 128 MiB, those of most files nothing.
const BLOCK: NonZeroUsize = NonZeroUsize::new(1 << 18).expect("not zero");
const BLOCK_DOMAIN: &str = "ceremony/input/block";

/// A file by the bytes that were read first: later readings of anything else fail.
pub struct Snapshot<R> {
    reader: R,
    len: u64,
    position: u64,
    block_len: NonZeroUsize,
    /// The digest of each block.
    blocks: Vec<Digest>,
    /// The block that was read last.
    held: Option<usize>,
    buffer: Vec<u8>,
    digest: Digest,
}

impl<R: Read + Seek> Snapshot<R> {
    /// Reads a whole file of a ceremony once, and its sections in their order once more.
    ///
    /// # Errors
    /// [`Error::File`] for a container that is none; those of the reader.
    pub fn take(reader: R, progress: &impl Progress) -> Result<Self, Error> {
        Self::with_blocks(reader, BLOCK, progress)
    }

    fn with_blocks(
        mut reader: R,
        block_len: NonZeroUsize,
        progress: &impl Progress,
    ) -> Result<Self, Error> {
        let len = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        progress.begin("reading", len);
        let (mut blocks, mut buffer, mut left) = (Vec::new(), Vec::new(), len);
        while left > 0 {
            let count = left.min(block_len.get() as u64);
            buffer.resize(count as usize, 0);
            reader.read_exact(&mut buffer)?;
            blocks.push(Digest::of(BLOCK_DOMAIN, &buffer));
            progress.advance(count);
            left -= count;
        }
        let digest = Digest::from([0; 32]);
        let held = None;
        let mut snapshot =
            Self { reader, len, position: 0, block_len, blocks, held, buffer, digest };
        snapshot.digest = snapshot.name()?;
        snapshot.seek(SeekFrom::Start(0))?;
        Ok(snapshot)
    }

    /// The name of the whole file: of all its bytes, or, of a container, of all its sections in
    /// ascending order, wherever they stand in the file.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn name(&mut self) -> Result<Digest, Error> {
        let mut magic = [0; 4];
        let found = magic.len().min(self.len as usize);
        // `found` is at most the length of the magic.
        self.read_exact(magic.get_mut(..found).unwrap_or_default())?;
        self.seek(SeekFrom::Start(0))?;
        if ![*b"ptau", *b"zkey"].contains(&magic) {
            return Ok(Digest::of_reader("ceremony/input", self)?);
        }
        let mut sections = SectionTable::read(self, magic, 1)?.sections().to_vec();
        sections.sort_by_key(|section| section.id);
        let mut digest = DigestWriter::new("ceremony/input/sections");
        digest.update(&magic);
        digest.update(&(sections.len() as u64).to_le_bytes());
        for Section { id, offset, len } in sections {
            digest.update(&id.to_le_bytes());
            digest.update(&len.to_le_bytes());
            self.seek(SeekFrom::Start(offset))?;
            io::copy(&mut Read::by_ref(self).take(len), &mut digest)?;
        }
        Ok(digest.finish())
    }

    /// Puts a block into the buffer, if it is the one that was read first.
    fn hold(&mut self, block: usize) -> io::Result<()> {
        if self.held == Some(block) {
            return Ok(());
        }
        self.held = None;
        let start = block as u64 * self.block_len.get() as u64;
        let count = self.len.saturating_sub(start).min(self.block_len.get() as u64);
        self.buffer.resize(count as usize, 0);
        self.reader.seek(SeekFrom::Start(start))?;
        self.reader.read_exact(&mut self.buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => changed(),
            _ => error,
        })?;
        if self.blocks.get(block) != Some(&Digest::of(BLOCK_DOMAIN, &self.buffer)) {
            return Err(changed());
        }
        self.held = Some(block);
        Ok(())
    }
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file has changed since it was first read")
}

impl<R: Read + Seek> Read for Snapshot<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.position >= self.len {
            return Ok(0);
        }
        let block_len = self.block_len.get() as u64;
        self.hold((self.position / block_len) as usize)?;
        // `hold` has filled the buffer with the block that has this position.
        let here = self.buffer.get((self.position % block_len) as usize..).unwrap_or_default();
        let read = Read::read(&mut &*here, out)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl<R> Seek for Snapshot<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "a position before the file");
        self.position = position.ok_or_else(outside)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

    use std::{cell::RefCell, io::Cursor, rc::Rc};

    use super::*;

    const SMALL: NonZeroUsize = NonZeroUsize::new(8).expect("not zero");

    /// A file that somebody else can write to.
    #[derive(Clone)]
    struct Shared(Rc<RefCell<Cursor<Vec<u8>>>>);

    impl Shared {
        fn new(bytes: Vec<u8>) -> Self {
            Self(Rc::new(RefCell::new(Cursor::new(bytes))))
        }
    }

    impl Read for Shared {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.borrow_mut().read(out)
        }
    }

    impl Seek for Shared {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.borrow_mut().seek(to)
        }
    }

    /// One byte less than a block, a block, and one more; two blocks likewise.
    #[test]
    fn reads_what_is_there_around_the_ends_of_blocks() {
        for len in [0, 1, 7, 8, 9, 15, 16, 17] {
            let bytes: Vec<u8> = (0..len).collect();
            let mut snapshot = Snapshot::with_blocks(Cursor::new(&bytes), SMALL, &()).unwrap();
            for start in 0..=bytes.len() {
                let mut read = Vec::new();
                snapshot.seek(SeekFrom::Start(start as u64)).unwrap();
                snapshot.read_to_end(&mut read).unwrap();
                assert_eq!(read, bytes[start..]);
            }
            assert_eq!(snapshot.seek(SeekFrom::End(0)).unwrap(), bytes.len() as u64);
            assert!(snapshot.seek(SeekFrom::Current(-100)).is_err());
            assert_eq!(snapshot.digest(), Digest::of("ceremony/input", &bytes));
        }
    }

    /// Any byte that changes between two readings, and any that goes.
    #[test]
    fn a_file_that_changes_is_not_read_again() {
        let bytes: Vec<u8> = (0..20).collect();
        for at in 0..bytes.len() {
            let file = Shared::new(bytes.clone());
            let mut snapshot = Snapshot::with_blocks(file.clone(), SMALL, &()).unwrap();
            file.0.borrow_mut().get_mut()[at] ^= 1;
            let refused = snapshot.read_to_end(&mut Vec::new()).unwrap_err();
            assert!(refused.to_string().contains("has changed"), "{refused}");
        }
        let file = Shared::new(bytes);
        let mut snapshot = Snapshot::with_blocks(file.clone(), SMALL, &()).unwrap();
        file.0.borrow_mut().get_mut().truncate(19);
        assert!(snapshot.read_to_end(&mut Vec::new()).unwrap_err().to_string().contains("changed"));
    }

    /// The name is that of the sections, in whatever order they stand, and of all of them.
    #[test]
    fn the_digest_is_of_the_content_and_not_of_its_order() {
        let container = |sections: &[(u32, &[u8])]| {
            let count = sections.len() as u32;
            let mut out = wire::SectionWriter::new(Vec::new(), *b"zkey", 1, count).unwrap();
            sections.iter().for_each(|(id, bytes)| out.bytes(*id, bytes).unwrap());
            let bytes = out.finish().unwrap();
            Snapshot::with_blocks(Cursor::new(bytes), SMALL, &()).unwrap().digest()
        };
        let one = container(&[(1, b"first"), (2, b"second, longer")]);
        assert_eq!(one, container(&[(2, b"second, longer"), (1, b"first")]));
        assert_ne!(one, container(&[(1, b"firsT"), (2, b"second, longer")]));
        assert_ne!(one, container(&[(1, b"firstsecond, longer"), (2, b"")]));
        assert_ne!(one, container(&[(1, b"first"), (2, b"second, longer"), (100, b"")]));
        assert!(Snapshot::take(Cursor::new(b"zkey"), &()).is_err());
    }
}
