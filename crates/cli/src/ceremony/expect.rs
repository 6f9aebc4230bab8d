//! Files of hashes that contributors published.
//!
//! A hash stands on one line, in 128 hexadecimal digits with a name after it if there is one, or as
//! the program prints it: on four lines of four words, behind a line `contribution N: name` if there
//! is one. What follows `#` is a comment.

use std::{fmt, path::Path};

use data_encoding::HEXLOWER_PERMISSIVE;

use crate::failure::Failure;

/// Some thousands of hashes.
const MAX_LEN: u64 = 1 << 20;

/// A hash that somebody published.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected {
    pub hash: [u8; 64],
    pub name: Option<String>,
    /// Where it begins in the file, from 1.
    line: usize,
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            // A name is what its bearer wrote: it must not steer the terminal.
            Some(name) => write!(formatter, "the hash of {}", name.escape_debug())?,
            None => write!(formatter, "the hash")?,
        }
        write!(formatter, " on line {}", self.line)
    }
}

/// Reads such a file.
pub fn read_expected(path: &Path) -> Result<Vec<Expected>, Failure> {
    let bytes = wire::read_bounded(path, MAX_LEN).map_err(|error| Failure::file(path, error))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::file(path, "not UTF-8"))?;
    let expected = parse(&text).map_err(|(line, reason)| {
        Failure::file(path, format!("line {line}: {reason}")).hint(
            "write 128 hexadecimal digits and a name, or four lines of four words, as `verify` \
             prints them",
        )
    })?;
    match expected.is_empty() {
        true => Err(Failure::file(path, "the file holds no hash")),
        false => Ok(expected),
    }
}

fn parse(text: &str) -> Result<Vec<Expected>, (usize, &'static str)> {
    // There is always a first part, if an empty one.
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let mut lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let mut expected = Vec::new();
    while let Some((line, mut content)) = lines.next() {
        let mut name = None;
        let mut row = line;
        if let Some(heading) = content.strip_prefix("contribution ") {
            let told = heading.split_once(": ").ok_or((line, "no name follows the number"))?;
            name = Some(told.1.to_owned());
            (row, content) = lines.next().ok_or((line, "no hash follows"))?;
        }
        if let Some((hash, after)) = whole(content) {
            name = Some(after).filter(|name| !name.is_empty()).or(name);
            expected.push(Expected { hash, name, line });
            continue;
        }
        let mut digits = words(content).ok_or((row, "not a hash"))?;
        for _ in 1..4 {
            let (row, content) = lines.next().ok_or((line, "a hash of four lines is cut short"))?;
            digits += &words(content).ok_or((row, "not the next line of a hash"))?;
        }
        let (hash, _) = whole(&digits).ok_or((line, "not a hash"))?;
        expected.push(Expected { hash, name, line });
    }
    Ok(expected)
}

/// 128 digits, and what comes behind them.
fn whole(line: &str) -> Option<([u8; 64], String)> {
    let (digits, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // What is no hash of one line is read as words, or refused.
    let hash = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?.try_into().ok()?;
    Some((hash, name.trim().to_owned()))
}

/// The digits of four words of eight.
fn words(line: &str) -> Option<String> {
    let words: Vec<_> = line.split_whitespace().collect();
    (words.len() == 4 && words.iter().all(|word| word.len() == 8)).then(|| words.concat())
}
