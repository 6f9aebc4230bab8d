//! Ballot files of other programs: `.blt`, as OpenSTV, OpaVote and Droop write them, and the rankings
//! of PrefLib (`.soc`, `.soi`, `.toc`, `.toi`).
//!
//! A rank with several candidates (`2=3`, `{2,3}`) ends a ranking, as in our own files: neither it nor
//! what follows counts. A skipped rank (`-`) moves the later choices up.

use thiserror::Error;

use crate::{MAX_CANDIDATES, Marks, Profile, Ranking, TooManyBallots};

/// An election in the clear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenElection {
    /// The title, if the file has one.
    pub title: Option<String>,
    /// The candidates, in the file's order, without those who withdrew.
    pub candidates: Vec<String>,
    /// The seats, if the file says so.
    pub seats: Option<u8>,
    /// The rankings.
    pub profile: Profile,
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct OpenFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub problem: String,
}

fn wrong<T>(line: usize, problem: impl Into<String>) -> Result<T, OpenFileError> {
    Err(OpenFileError { line, problem: problem.into() })
}

/// Reads the text of a `.blt` file.
///
/// # Errors
/// [`OpenFileError`] with the line.
pub fn read_blt(text: &str) -> Result<OpenElection, OpenFileError> {
    let mut lines = (1..).zip(text.lines()).map(|(number, line)| (number, without_comment(line)));
    let mut lines = lines.by_ref().filter(|(_, line)| !line.is_empty());
    let Some((line, header)) = lines.next() else { return wrong(1, "the file is empty") };
    // A word that is no number makes the header a wrong one, below.
    let numbers: Option<Vec<usize>> =
        header.split_whitespace().map(|word| word.parse().ok()).collect();
    let (count, seats) = match numbers.as_deref() {
        Some([count @ 1..=MAX_CANDIDATES, seats @ 1..=MAX_CANDIDATES]) => (*count, *seats),
        _ => {
            return wrong(
                line,
                format!("begin with the numbers of candidates and seats, 1 to {MAX_CANDIDATES}"),
            );
        }
    };
    let mut withdrawn = vec![false; count];
    let mut profile = Profile::default();
    let mut last = line;
    loop {
        let Some((line, text)) = lines.next() else {
            return wrong(last, "the list of ballots has no end; write a line `0`");
        };
        last = line;
        let mut words = text.split_whitespace().skip_while(|word| word.starts_with('('));
        match words.next() {
            Some("0") => break,
            Some(word) if word.starts_with('-') => {
                if profile.total() > 0 {
                    return wrong(line, "a candidate withdraws; write that before the ballots");
                }
                for word in text.split_whitespace() {
                    // What is no number is no candidate, and refused as such.
                    let number = word.strip_prefix('-').and_then(|word| word.parse::<usize>().ok());
                    let slot = number.and_then(|number| withdrawn.get_mut(number.checked_sub(1)?));
                    match slot {
                        Some(slot) => *slot = true,
                        None => return wrong(line, format!("`{word}` is no candidate")),
                    }
                }
            }
            Some(weight) => {
                let Ok(weight) = weight.parse::<u64>() else {
                    return wrong(line, format!("`{weight}` is no number of ballots"));
                };
                let ranking = blt_ranking(words, &withdrawn, line)?;
                add(&mut profile, ranking, weight, line)?;
            }
            None => return wrong(line, "a ballot without its number"),
        }
    }
    let mut names: Vec<String> = Vec::new();
    for (line, text) in lines {
        let Some(name) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
            return wrong(line, "a name is not in quotes");
        };
        names.push(readable(name, line)?);
        if names.len() > count + 1 {
            return wrong(line, "more names than candidates and a title");
        }
        last = line;
    }
    if names.len() < count {
        return wrong(last, format!("{} names for {count} candidates", names.len()));
    }
    let title = names.get(count).cloned();
    // Among the others they could be elected where nobody else is left.
    let standing = names.into_iter().zip(&withdrawn).filter(|(_, gone)| !**gone);
    let candidates: Vec<String> = standing.map(|(name, _)| name).collect();
    if candidates.is_empty() {
        return wrong(last, "all candidates withdrew");
    }
    // The header has at most MAX_CANDIDATES seats.
    Ok(OpenElection { title, candidates, seats: u8::try_from(seats).ok(), profile })
}

fn without_comment(line: &str) -> &str {
    let line = line.trim_start_matches('\u{feff}');
    // Names may contain the sign.
    match line.trim_start().starts_with('"') {
        true => line.trim(),
        // There is always a first part, if an empty one.
        false => line.split('#').next().unwrap_or_default().trim(),
    }
}

fn blt_ranking<'a>(
    mut words: impl Iterator<Item = &'a str>,
    withdrawn: &[bool],
    line: usize,
) -> Result<Vec<u8>, OpenFileError> {
    let mut choices = Vec::new();
    let mut is_over = false;
    loop {
        let Some(word) = words.next() else { return wrong(line, "a ballot does not end with 0") };
        match word {
            "0" => break,
            "-" => {}
            word => {
                let mut stand = Vec::new();
                for number in word.split('=') {
                    let choice = usize::from(candidate(number, withdrawn.len(), line)?);
                    if withdrawn.get(choice) == Some(&false) {
                        // The file's numbers are also theirs who withdrew.
                        let before = withdrawn.iter().take(choice).filter(|gone| !**gone);
                        stand.extend(u8::try_from(before.count()));
                    }
                }
                is_over |= stand.len() > 1;
                if !is_over {
                    choices.extend(stand);
                }
            }
        }
    }
    match words.next() {
        None => Ok(choices),
        Some(_) => wrong(line, "something follows the 0 that ends a ballot"),
    }
}

/// Reads the text of a PrefLib file of rankings.
///
/// # Errors
/// [`OpenFileError`] with the line.
pub fn read_preflib(text: &str) -> Result<OpenElection, OpenFileError> {
    let mut title = None;
    let mut count: Option<usize> = None;
    let mut candidates: Vec<Option<String>> = Vec::new();
    let mut profile = Profile::default();
    for (line, text) in (1..).zip(text.lines().map(str::trim)) {
        if let Some(field) = text.strip_prefix('#') {
            let Some((key, value)) = field.split_once(':') else { continue };
            let (key, value) = (key.trim(), value.trim());
            if key == "TITLE" {
                title = Some(readable(value, line)?);
            } else if key == "NUMBER ALTERNATIVES" {
                match value.parse() {
                    // Ballots would rank candidates whom a second number takes away.
                    Ok(1..=MAX_CANDIDATES) if count.is_some() => {
                        return wrong(line, "the number of candidates stands twice");
                    }
                    Ok(number @ 1..=MAX_CANDIDATES) => {
                        count = Some(number);
                        candidates.resize(number, None);
                    }
                    _ => return wrong(line, format!("choose 1 to {MAX_CANDIDATES} candidates")),
                }
            } else if let Some(number) = key.strip_prefix("ALTERNATIVE NAME ") {
                // Before their number is said there are no candidates, and the line is refused.
                let index = usize::from(candidate(number, count.unwrap_or(0), line)?);
                if let Some(slot) = candidates.get_mut(index) {
                    *slot = Some(readable(value, line)?);
                }
            }
        } else if !text.is_empty() {
            let Some(count) = count else {
                return wrong(line, "the line `# NUMBER ALTERNATIVES:` is missing");
            };
            let Some((weight, ranks)) = text.split_once(':') else {
                return wrong(line, "write `number: candidate, candidate`");
            };
            let Ok(weight) = weight.trim().parse::<u64>() else {
                return wrong(line, format!("`{}` is no number of ballots", weight.trim()));
            };
            add(&mut profile, preflib_ranking(ranks, count, line)?, weight, line)?;
        }
    }
    if candidates.is_empty() {
        return wrong(1, "the line `# NUMBER ALTERNATIVES:` is missing");
    }
    // For people: whoever the file does not name is called by the number.
    let name = |(number, name): (usize, Option<String>)| {
        name.unwrap_or_else(|| format!("Candidate {number}"))
    };
    let candidates = (1..).zip(candidates).map(name).collect();
    Ok(OpenElection { title, candidates, seats: None, profile })
}

fn preflib_ranking(ranks: &str, count: usize, line: usize) -> Result<Vec<u8>, OpenFileError> {
    let mut choices = Vec::new();
    let (mut in_group, mut is_over) = (false, false);
    for word in ranks.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let opens = word.strip_prefix('{');
        in_group |= opens.is_some();
        let word = opens.unwrap_or(word);
        let closes = word.strip_suffix('}');
        let number = closes.unwrap_or(word).trim();
        // A group of one is a rank like any other.
        is_over |= in_group && !(opens.is_some() && closes.is_some());
        if !number.is_empty() {
            let choice = candidate(number, count, line)?;
            if !is_over {
                choices.push(choice);
            }
        }
        in_group &= closes.is_none();
    }
    Ok(choices)
}

fn add(
    profile: &mut Profile,
    choices: Vec<u8>,
    weight: u64,
    line: usize,
) -> Result<(), OpenFileError> {
    let Some(ranking) = Ranking::new(choices) else {
        return wrong(line, "a candidate is ranked twice");
    };
    profile
        .add(Marks::Ranking(ranking), weight)
        .or_else(|TooManyBallots| wrong(line, TooManyBallots.to_string()))
}

/// A candidate's index, from its number.
fn candidate(number: &str, count: usize, line: usize) -> Result<u8, OpenFileError> {
    // What is no number, and what no candidate has, is refused below.
    let index = number.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match index.filter(|index| *index < count).and_then(|index| u8::try_from(index).ok()) {
        Some(index) => Ok(index),
        None => {
            wrong(line, format!("`{}` is no candidate; there are {count}", number.escape_debug()))
        }
    }
}

/// A name as a terminal may show it.
fn readable(name: &str, line: usize) -> Result<String, OpenFileError> {
    match name.is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
        true => wrong(line, "a name is empty, has control characters, or is over 200 bytes"),
        false => Ok(name.to_owned()),
    }
}
