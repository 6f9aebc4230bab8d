//! Numbers for people.

/// Three significant digits, thousands separated.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "–".to_owned() };
    }
    let size = value.abs();
    if !(1e-4..1e9).contains(&size) {
        return power(value);
    }
    if size >= 100.0 {
        return grouped(value);
    }
    let digits = (2 - size.log10().floor() as i32).clamp(0, 6);
    // `clamp` leaves nothing negative.
    let text = format!("{value:.*}", usize::try_from(digits).unwrap_or(0));
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// A quotient: how many times less something takes.
pub fn times(ratio: f64) -> String {
    format!("{}×", number(ratio))
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

/// A power of ten with a factor, where that is not one.
fn power(value: f64) -> String {
    let exponent = value.abs().log10().floor();
    let factor = value / 10f64.powf(exponent);
    let ten = format!("10{}", raised(exponent as i32));
    let factor = format!("{factor:.1}");
    if factor == "1.0" { ten } else { format!("{}·{ten}", factor.trim_end_matches(".0")) }
}

fn raised(exponent: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    };
    exponent.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::{number, times};

    #[test]
    fn three_digits_are_enough() {
        let shown =
            [0.0, 0.00012, 0.5, 1.0, 2.349, 19.96, 99.99, 100.0, 20027.0, -1234.0, 2e9, 1e-6];
        let texts = shown.map(number);
        let wanted = [
            "0", "0.00012", "0.5", "1", "2.35", "20", "100", "100", "20,027", "-1,234", "2·10⁹",
            "10⁻⁶",
        ];
        assert_eq!(texts, wanted);
        assert_eq!(times(86.04), "86×");
    }
}
