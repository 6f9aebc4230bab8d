//! Numbers of a survey as people read them, and where their claims are.

use crate::{report::format::grouped, survey::Number};

/// Where a number's claim is, beside the page.
pub(super) fn address(number: &Number) -> String {
    format!("bundle/claims/{}.json", number.claim)
}

/// A number as people read it, with thousands apart.
pub(super) fn thousands(text: &str) -> String {
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, format!(".{part}")),
        None => (text, String::new()),
    };
    match whole.parse() {
        Ok(whole) => format!("{}{part}", grouped(whole)),
        Err(_) => text.to_owned(),
    }
}

/// [`thousands`] of a number.
pub(super) fn readable(number: &Number) -> String {
    thousands(&number.text)
}
