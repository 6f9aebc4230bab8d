//! Files that differ from others, as pieces that are put in the place of others: how a mutant is written down, however
//! it was made.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::edit::Files;

/// Bytes of all pieces of a mutant, at most.
const MOST: usize = 3000;
/// Bytes that are alike between two pieces: fewer are not worth a piece.
const GAP: usize = 16;

/// Bytes of a file in the place of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    pub file: String,
    /// Where the bytes stand that go.
    pub at: usize,
    /// How many.
    pub take: usize,
    /// What stands there then, in hexadecimal digits.
    pub put: String,
}

impl Piece {
    fn new(file: &str, at: usize, take: usize, put: &[u8]) -> Self {
        let mut digits = String::new();
        put.iter().for_each(|byte| write!(digits, "{byte:02x}").unwrap());
        Self { file: file.to_owned(), at, take, put: digits }
    }

    fn bytes(&self) -> Vec<u8> {
        let digits = self.put.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
    }
}

/// The files with all pieces put in: the last one first, so that places are those of the right file.
pub fn patched(right: &Files, pieces: &[Piece]) -> Vec<(String, Vec<u8>)> {
    let mut changed: Vec<(String, Vec<u8>)> = Vec::new();
    for piece in pieces.iter().rev() {
        if changed.last().is_none_or(|(name, _)| *name != piece.file) {
            changed.push((piece.file.clone(), right[&piece.file].clone()));
        }
        let (_, bytes) = changed.last_mut().unwrap();
        drop(bytes.splice(piece.at..piece.at + piece.take, piece.bytes()));
    }
    changed
}

/// The pieces that make one file another; none if they are alike, or too different to be written down.
pub fn between(file: &str, old: &[u8], new: &[u8]) -> Option<Vec<Piece>> {
    let alike = |a: &mut dyn Iterator<Item = (&u8, &u8)>| a.take_while(|(a, b)| a == b).count();
    let start = alike(&mut old.iter().zip(new));
    let end = alike(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
    let (gone, put) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let pieces = match gone.len() == put.len() {
        true => runs(file, start, gone, put),
        false => vec![Piece::new(file, start, gone.len(), put)],
    };
    let bytes: usize = pieces.iter().map(|piece| piece.put.len() / 2).sum();
    (!(gone.is_empty() && put.is_empty()) && bytes <= MOST).then_some(pieces)
}

/// Runs of bytes that differ.
fn runs(file: &str, start: usize, old: &[u8], new: &[u8]) -> Vec<Piece> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..old.len()).filter(|at| old[*at] != new[*at]) {
        match runs.last_mut() {
            Some((_, end)) if at - *end < GAP => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs.iter().map(|(a, b)| Piece::new(file, start + a, b - a, &new[*a..*b])).collect()
}
