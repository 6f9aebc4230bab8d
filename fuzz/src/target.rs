//! What a target is, and what it is made of.

use std::collections::BTreeSet;

use wire::{Decode, Encode};

use crate::pieces;

/// Reads bytes, and says whether they were accepted.
pub type Read = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;
/// Makes inputs.
type Make = Box<dyn Fn() -> Vec<Vec<u8>> + Send + Sync>;

/// Seeds that a reader has at most: the shortest.
const SEEDS: usize = 12;

/// Decoders that are fuzzed together, under a name.
pub struct Target {
    name: String,
    readers: Vec<Read>,
    /// Inputs that are no pieces of files.
    made: Make,
}

impl Target {
    /// A target whose input's first byte chooses the reader of the rest; one reader takes the input as it is.
    pub fn new(name: &str, readers: Vec<Read>) -> Self {
        Self { name: name.to_owned(), readers, made: Box::new(Vec::new) }
    }

    /// The same, with inputs beside the pieces of files, for the first reader.
    pub fn with_seeds(self, made: impl Fn() -> Vec<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self { made: Box::new(made), ..self }
    }

    /// What `TARGET` says.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads an input.
    pub fn run(&self, input: &[u8]) {
        match (self.readers.as_slice(), input) {
            ([only], input) => _ = only(input),
            (readers, [which, rest @ ..]) => {
                if let Some(read) = readers.get(usize::from(*which)) {
                    read(rest);
                }
            }
            _ => {}
        }
    }

    /// Lets readers make what they make once, so that no input is charged with it.
    pub fn warm_up(&self) {
        self.readers.iter().for_each(|read| _ = read(&[]));
    }

    /// Of every reader the shortest pieces that it accepts, and what is made for it.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let pieces = pieces::all();
        let mut seeds = BTreeSet::new();
        for (number, read) in self.readers.iter().enumerate() {
            let accepted = pieces.iter().filter(|piece| read(piece)).take(SEEDS);
            let made = if number == 0 { (self.made)() } else { Vec::new() };
            for piece in accepted.chain(&made) {
                seeds.insert(self.input(number, piece));
            }
        }
        seeds.into_iter().collect()
    }

    fn input(&self, reader: usize, piece: &[u8]) -> Vec<u8> {
        match self.readers.len() {
            1 => piece.to_vec(),
            _ => [&[u8::try_from(reader).expect("at most 256 readers")], piece].concat(),
        }
    }

    /// Which readers have no seed, for people.
    pub fn unseeded(&self, seeds: &[Vec<u8>]) -> String {
        let has = |reader: &usize| match self.readers.len() {
            1 => !seeds.is_empty(),
            _ => {
                seeds.iter().any(|seed| seed.first().is_some_and(|it| usize::from(*it) == *reader))
            }
        };
        let without: Vec<_> = (0..self.readers.len()).filter(|reader| !has(reader)).collect();
        if without.is_empty() { String::new() } else { format!(", none of readers {without:?}") }
    }
}

/// A reader as a target takes it.
pub fn reader(read: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Read {
    Box::new(read)
}

/// Readers as a target takes them.
macro_rules! readers {
    ($($read:expr),+ $(,)?) => {
        vec![$($crate::target::reader($read)),+]
    };
}
pub(crate) use readers;

/// Reads one value, alone and with its lists checked together, which must come to the same, and writes it again.
pub fn canonical<T: Decode + Encode>(bytes: &[u8]) -> bool {
    let together = T::from_bytes_seeded(bytes, [7; 32]).map(|value| value.to_bytes());
    let read = T::from_bytes(bytes).map(|value| value.to_bytes());
    match (read, together) {
        (Ok(read), Ok(together)) => {
            same(&read, bytes);
            same(&together, bytes);
            true
        }
        (Err(error), Err(_)) => {
            // What is said about a wrong input is made of it, too.
            let _ = error.to_string();
            false
        }
        (read, together) => {
            panic!("alone: {:?}, together: {:?}", read.err(), together.err())
        }
    }
}

/// Requires that what was read is written as it stood there.
pub fn same(written: &[u8], read: &[u8]) {
    assert!(written == read, "what was read is written in another way");
}

/// Whether something was read; what is said about a wrong input is made of it, too.
pub fn is_read<T, E: std::fmt::Display>(read: Result<T, E>) -> bool {
    match read {
        Ok(_) => true,
        Err(error) => {
            let _ = error.to_string();
            false
        }
    }
}

/// A reader of text.
pub fn text(read: impl Fn(&str) -> bool) -> impl Fn(&[u8]) -> bool {
    move |bytes| str::from_utf8(bytes).is_ok_and(&read)
}

/// Reads text that has one form.
pub fn parsed<T: std::str::FromStr<Err: std::fmt::Display> + ToString>(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let read = text.parse::<T>();
    if let Ok(value) = &read {
        same(value.to_string().as_bytes(), bytes);
    }
    is_read(read)
}
