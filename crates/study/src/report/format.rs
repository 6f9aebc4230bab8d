//! Numbers as people read them.

/// `8980` as `8,980`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 ballot`, `2 ballots`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// `part / whole` scaled to `scale`, rounded; 0 of nothing. Never more than `scale`.
pub fn share(part: u64, whole: u64, scale: u32) -> u32 {
    if whole == 0 {
        return 0;
    }
    let (part, whole) = (u128::from(part.min(whole)), u128::from(whole));
    let share = (part * u128::from(scale) + whole / 2) / whole;
    // The part is at most the whole, and the share at most the scale.
    u32::try_from(share).unwrap_or(scale)
}

/// A share with one decimal, such as `32.9 %`; only nothing is 0.0 % and only all is 100.0 %.
pub fn percent(part: u64, whole: u64) -> String {
    match share(part, whole, 1_000) {
        0 if part > 0 && whole > 0 => "<0.1\u{a0}%".to_owned(),
        1_000 if part < whole => ">99.9\u{a0}%".to_owned(),
        permille => format!("{}.{}\u{a0}%", permille / 10, permille % 10),
    }
}

/// `1536` as `1.5 KiB`.
pub fn bytes(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{}\u{a0}{unit}", tenths(bytes, size)),
        None => format!("{}\u{a0}B", grouped(bytes)),
    }
}

/// `83_200` as `1 min 23 s`.
pub fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds}\u{a0}ms"),
        1_000..60_000 => format!("{}\u{a0}s", tenths(milliseconds, 1_000)),
        60_000..3_600_000 => {
            let seconds = milliseconds / 1_000;
            format!("{}\u{a0}min {}\u{a0}s", seconds / 60, seconds % 60)
        }
        _ => {
            let minutes = milliseconds / 60_000;
            format!("{}\u{a0}h {}\u{a0}min", grouped(minutes / 60), minutes % 60)
        }
    }
}

fn tenths(number: u64, unit: u64) -> String {
    format!("{}.{}", grouped(number / unit), number % unit * 10 / unit)
}

/// At most `limit` characters.
pub fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some(_) => text.chars().take(limit - 1).chain(['\u{2026}']).collect(),
        None => text.to_owned(),
    }
}
