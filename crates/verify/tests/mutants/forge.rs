//! Objects that are read, changed in their structure and written again: fields and items that change places, go or
//! come twice; parts of one answer in another; sections of containers; what stands in claims.

use serde_json::{Value, json};
use table::query::Answer;
use wire::{Decode as _, Encode as _};

use super::{
    edit::{self, Edit, Files},
    patch, root,
};

/// Places of a file at which two fields change places, at most.
const PLACES: usize = 16;
/// Bytes of a proof that are changed one by one, at most.
const EVERY: usize = 450;
/// What is larger takes long.
const LARGE: usize = 12_000;
/// The width of a point and of a scalar in most files.
const FIELD: usize = 32;
/// The width of a point of G1 in files of sets.
const POINT: usize = 48;
/// Sections of contributions, and bytes of one that are changed one by one, at most.
const CONTRIBUTIONS: [u32; 2] = [7, 100];
const PLACES_OF_CONTRIBUTIONS: usize = 48;
/// Ceremonies whose containers are changed: others have the same checks.
const CEREMONIES: [&str; 3] = ["ceremony/proof", "ceremony/record", "ceremony/snarkjs"];
/// The order of the groups of BN254: a number that is not reduced.
const ORDER: &str = "21888242871839275222246405745257275088548364400416034343698204186575808495617";

/// The answers in bundles, by the bundles' names.
pub fn answers(bundles: &[String]) -> Vec<(String, Answer)> {
    let mut answers = Vec::new();
    for bundle in bundles {
        let files = edit::read(&root().join(bundle));
        if let Some(bytes) = files.get("objects/table/answer-0.proof") {
            answers.push((bundle.clone(), Answer::from_bytes(bytes).unwrap()));
        }
    }
    answers
}

/// A change of one file, if it is one and small.
pub fn patch(right: &Files, file: &str, new: &[u8], how: &str) -> Option<Edit> {
    let pieces = patch::between(file, &right[file], new)?;
    Some(Edit::Patch { how: how.to_owned(), pieces })
}

/// All changes of a bundle; `answers` are those of other bundles, by their names.
pub fn all(bundle: &str, files: &Files, answers: &[(String, Answer)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (name, bytes) in files {
        if name.starts_with("claims/") {
            edits.extend(of_claim(name, bytes));
        }
        if !name.starts_with("objects/") || name.starts_with("objects/board/") {
            continue;
        }
        match bytes.get(..4) {
            // The same ones stand beside many proofs.
            _ if name.ends_with("genesis.json") || name.ends_with("checkpoint.txt") => {}
            Some(b"zkey" | b"ptau") if CEREMONIES.iter().any(|one| bundle.ends_with(one)) => {
                edits.extend(of_container(files, name));
            }
            Some(b"zkey" | b"ptau" | b"r1cs") => {}
            Some([b'{', ..]) => edits.extend(of_json(files, name)),
            _ => edits.extend(of_fields(files, name)),
        }
        if bundle.contains("/sets/") {
            edits.extend(of_sets(files, name));
        }
        if name.contains("answer") {
            edits.extend(of_answer(files, name, answers));
        }
    }
    edits
}

/// Every byte of a small proof about a table, one after the other; of a larger one so many, in even steps.
pub fn every_byte(files: &Files) -> Vec<Edit> {
    let mut edits = Vec::new();
    let of_tables = |(name, bytes): &(&String, &Vec<u8>)| {
        name.starts_with("objects/table/") && name.ends_with(".proof") && bytes.len() <= LARGE
    };
    for (file, bytes) in files.iter().filter(of_tables) {
        let step = bytes.len().div_ceil(EVERY);
        let flip = |at| Edit::Flip { file: file.clone(), at, xor: 1 };
        edits.extend((0..bytes.len()).step_by(step).map(flip));
    }
    edits
}

/// Two neighbouring fields change places; one stands twice, or is gone.
fn of_fields(files: &Files, file: &str) -> Vec<Edit> {
    let bytes = &files[file];
    let Some(last) = bytes.len().checked_sub(2 * FIELD) else { return Vec::new() };
    let mut edits = Vec::new();
    for at in (0..=last).step_by(last.div_ceil(PLACES).max(1)) {
        let (one, two) = (&bytes[at..at + FIELD], &bytes[at + FIELD..at + 2 * FIELD]);
        let (before, behind) = (&bytes[..at], &bytes[at + 2 * FIELD..]);
        let mut add = |middle: &[&[u8]], how: &str| {
            let new = [before, &middle.concat(), behind].concat();
            edits.extend(patch(files, file, &new, &format!("{how}, from byte {at}")));
        };
        add(&[two, one], "two fields of 32 bytes change places");
        add(&[one, one], "a field of 32 bytes stands twice, in place of the next");
        add(&[two], "a field of 32 bytes is gone");
    }
    edits
}

/// Points that a file of sets begins with change places, behind the header and one or two bytes: of a key `[α]₁` and
/// `[δ]₁`, of a proof D and A.
fn of_sets(files: &Files, file: &str) -> Option<Edit> {
    let start = match file.rsplit('/').next() {
        Some("key") => 31,
        Some("proof") => 32,
        _ => return None,
    };
    let mut swapped = files[file].clone();
    swapped[start..start + 2 * POINT].rotate_left(POINT);
    patch(
        files,
        file,
        &swapped,
        &format!("two points of {POINT} bytes change places, from {start}"),
    )
}

/// Members of equal form change places; an item of a list stands twice, or is gone.
fn of_json(files: &Files, file: &str) -> Vec<Edit> {
    let Ok(value) = serde_json::from_slice::<Value>(&files[file]) else { return Vec::new() };
    let mut edits = Vec::new();
    let mut add = |value: &Value, how: String| {
        let text = serde_json::to_string_pretty(value).unwrap();
        edits.extend(patch(files, file, text.as_bytes(), &how));
    };
    let object = value.as_object().unwrap();
    let names: Vec<&String> = object.keys().collect();
    for (index, one) in names.iter().enumerate() {
        for two in &names[index + 1..] {
            if form(&value[*one]) == form(&value[*two]) && value[*one] != value[*two] {
                let mut changed = value.clone();
                changed[*one] = value[*two].clone();
                changed[*two] = value[*one].clone();
                add(&changed, format!("`{one}` and `{two}` change places"));
            }
        }
        if let Some(items) = value[*one].as_array().filter(|items| !items.is_empty()) {
            let mut changed = value.clone();
            changed[*one] = json!([items.as_slice(), &items[..1]].concat());
            add(&changed, format!("an item of `{one}` twice"));
            changed[*one] = json!(items[1..]);
            add(&changed, format!("an item of `{one}` gone"));
        }
    }
    edits
}

/// What a value is made of, by which two can stand for each other.
fn form(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(form).collect(),
        Value::String(_) => json!("text"),
        Value::Object(_) => json!({}),
        other => other.clone(),
    }
}

/// Roles that stand for each other, and values of a statement that are changed inside.
fn of_claim(file: &str, bytes: &[u8]) -> Vec<Edit> {
    let claim: Value = serde_json::from_slice(bytes).unwrap();
    let rename = |from: &str, to: &str| Edit::Reword {
        file: file.to_owned(),
        from: format!("\"{from}\": ["),
        to: format!("\"{to}\": ["),
    };
    let mut edits = Vec::new();
    if claim["objects"].get("record").is_some() {
        edits.push(rename("record", "parameters"));
    }
    if claim["objects"].get("phase1").is_some() {
        edits.push(rename("phase1", "record"));
    }
    let Some(public) = claim["statement"].get("public").and_then(Value::as_array) else {
        return edits;
    };
    let mut state = |inputs: Value| {
        let mut lists = public.clone();
        lists[0] = inputs;
        let (claim, member) = (file.to_owned(), "public".to_owned());
        edits.push(Edit::State { claim, member, value: Some(json!(lists)) });
    };
    let first = public[0].as_array().unwrap();
    state(json!([&[json!(ORDER)][..], &first[1..]].concat()));
    state(json!(first[1..]));
    state(json!([first.as_slice(), &first[..1]].concat()));
    edits
}

/// The outcome, the proof, the covers, the question and the attestations of others in an answer.
fn of_answer(files: &Files, file: &str, answers: &[(String, Answer)]) -> Vec<Edit> {
    let Ok(own) = Answer::from_bytes(&files[file]) else { return Vec::new() };
    let mut edits = Vec::new();
    for (name, other) in answers {
        let mut add = |what: &str, change: &dyn Fn(&mut Answer)| {
            let mut changed = own.clone();
            change(&mut changed);
            let how = format!("{what} of `{name}`");
            edits.extend(patch(files, file, &changed.to_bytes(), &how));
        };
        add("the outcome and its proof", &|answer| {
            answer.outcome = other.outcome.clone();
            answer.proof = other.proof.clone();
        });
        add("the outcome", &|answer| answer.outcome = other.outcome.clone());
        add("the proof", &|answer| answer.proof = other.proof.clone());
        add("the question", &|answer| answer.query = other.query.clone());
        add("the statistic", &|answer| answer.query.statistic = other.query.statistic);
        add("the covers", &|answer| answer.covers = other.covers.clone());
        add("the attestations", &|answer| answer.attestations = other.attestations.clone());
    }
    let mut add = |how: &str, change: &dyn Fn(&mut Answer)| {
        let mut changed = own.clone();
        change(&mut changed);
        edits.extend(patch(files, file, &changed.to_bytes(), how));
    };
    add("without the last cover", &|answer| drop(answer.covers.pop()));
    add("without the first cover", &|answer| {
        if !answer.covers.is_empty() {
            drop(answer.covers.remove(0));
        }
    });
    add("the covers in another order", &|answer| answer.covers.reverse());
    add("without a key of the first cover", &|answer| {
        answer.covers.iter_mut().take(1).for_each(|cover| drop(cover.keys.pop()));
    });
    add("the keys of the covers in another order", &|answer| {
        answer.covers.iter_mut().for_each(|cover| cover.keys.reverse());
    });
    add("another column", &|answer| answer.query.column ^= 1);
    edits
}

/// A section of a container.
pub struct Section<'a> {
    pub id: u32,
    pub content: &'a [u8],
}

pub fn sections(bytes: &[u8]) -> Vec<Section<'_>> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut at, mut found) = (12, Vec::new());
    while at < bytes.len() {
        let len = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
        found.push(Section { id: number(at), content: &bytes[at + 12..at + 12 + len] });
        at += 12 + len;
    }
    found
}

/// A file of the same kind with these sections.
pub fn container(head: &[u8], sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut out = [&head[..8], &(sections.len() as u32).to_le_bytes()].concat();
    for (id, content) in sections {
        out.extend_from_slice(&id.to_le_bytes());
        out.extend_from_slice(&(content.len() as u64).to_le_bytes());
        out.extend_from_slice(content);
    }
    out
}

/// Sections that are gone, moved, or whose points change places.
fn of_container(files: &Files, file: &str) -> Vec<Edit> {
    let bytes = &files[file];
    let read = sections(bytes);
    let whole: Vec<(u32, Vec<u8>)> =
        read.iter().map(|section| (section.id, section.content.to_vec())).collect();
    let mut edits = Vec::new();
    let mut add = |sections: &[(u32, Vec<u8>)], how: String| {
        edits.extend(patch(files, file, &container(bytes, sections), &how));
    };
    let mut moved = whole.clone();
    moved.rotate_left(1);
    add(&moved, "the first section at the end".to_owned());
    // The width of a point of G1: two coordinates of BN254, or of BLS12-381.
    let width = if is_bn254(&read) { 64 } else { 96 };
    for (index, Section { id, content }) in read.iter().enumerate() {
        let mut gone = whole.clone();
        gone.remove(index);
        add(&gone, format!("without section {id}"));
        let mut with = |content: Vec<u8>, how: &str| {
            let mut changed = whole.clone();
            changed[index].1 = content;
            add(&changed, format!("section {id}: {how}"));
        };
        for at in flips(*id, content.len()) {
            let mut flipped = content.to_vec();
            if let Some(byte) = flipped.get_mut(at) {
                *byte ^= 1;
                with(flipped, &format!("byte {at} changed"));
            }
        }
        for width in [width, 2 * width] {
            for at in starts(content.len(), width) {
                let mut swapped = content.to_vec();
                let (one, two) = swapped[at..].split_at_mut(width);
                one.swap_with_slice(&mut two[..width]);
                with(swapped, &format!("two points of {width} bytes change places, from {at}"));
                let mut twice = content.to_vec();
                twice.copy_within(at..at + width, at + width);
                with(twice, &format!("a point of {width} bytes twice, from {at}"));
            }
        }
    }
    edits
}

/// Bytes of a section that are changed: the ends, and of contributions more.
fn flips(id: u32, len: usize) -> Vec<usize> {
    let step = len.div_ceil(PLACES_OF_CONTRIBUTIONS).max(1);
    let more = (0..len).step_by(step).filter(|_| CONTRIBUTIONS.contains(&id));
    [0, len.saturating_sub(1)].into_iter().chain(more).collect()
}

fn is_bn254(sections: &[Section<'_>]) -> bool {
    // Of a `.zkey` file the header's section is the second one.
    let header = sections.iter().take(2).find(|section| section.content.len() > 40);
    header.is_some_and(|header| header.content.starts_with(&[32, 0, 0, 0]))
}

/// Where two points stand side by side: counted from the start, behind a count, and from the end; the first, the
/// middle and the last ones.
fn starts(len: usize, width: usize) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::new();
    for offset in [0, 4, len % width] {
        let count = len.saturating_sub(offset) / width;
        if count < 2 {
            continue;
        }
        let last = count - 2;
        let points = [0, 1, last / 2, last];
        starts.extend(points.iter().filter(|at| **at <= last).map(|at| offset + at * width));
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}
