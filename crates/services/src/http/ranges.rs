//! `Range` of RFC 9110: one interval of bytes.

/// Which bytes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// All of them.
    Whole,
    /// From the first to the last, both included.
    Part(u64, u64),
    /// None that are there.
    Unsatisfiable,
}

impl Range {
    /// Reads a header for a body of `length` bytes; a form that is not understood asks for all.
    pub fn read(header: Option<&str>, length: u64) -> Self {
        let spec = header.and_then(|header| header.trim().strip_prefix("bytes="));
        let Some((first, last)) = spec.and_then(|spec| spec.trim().split_once('-')) else {
            return Self::Whole;
        };
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // Beyond every body is beyond this one.
            digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
        };
        match (first, last, number(first), number(last)) {
            (_, "", Some(first), _) if first < length => Self::Part(first, length - 1),
            ("", _, _, Some(count)) if count > 0 && length > 0 => {
                Self::Part(length.saturating_sub(count), length - 1)
            }
            (_, _, Some(first), Some(last)) if first <= last && first < length => {
                Self::Part(first, last.min(length - 1))
            }
            (_, _, Some(first), Some(last)) if first > last => Self::Whole,
            (_, "", Some(_), _) | ("", _, _, Some(_)) | (_, _, Some(_), Some(_)) => {
                Self::Unsatisfiable
            }
            _ => Self::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let cases = [
            (None, Range::Whole),
            (Some("bytes=0-0"), Range::Part(0, 0)),
            (Some("bytes=5-"), Range::Part(5, 9)),
            (Some("bytes=-3"), Range::Part(7, 9)),
            (Some("bytes=-30"), Range::Part(0, 9)),
            (Some("bytes=3-99"), Range::Part(3, 9)),
            (Some("bytes=10-"), Range::Unsatisfiable),
            (Some("bytes=-0"), Range::Unsatisfiable),
            (Some("bytes=99999999999999999999-"), Range::Unsatisfiable),
            (Some("bytes=5-4"), Range::Whole),
            (Some("bytes=0-1,3-4"), Range::Whole),
            (Some("items=0-1"), Range::Whole),
            (Some("bytes=a-b"), Range::Whole),
            (Some("bytes=-"), Range::Whole),
        ];
        for (header, range) in cases {
            assert_eq!(Range::read(header, 10), range, "{header:?}");
        }
        assert_eq!(Range::read(Some("bytes=0-"), 0), Range::Unsatisfiable);
    }
}
