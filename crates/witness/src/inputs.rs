//! Inputs in JSON, as circom's programs take them: each a name and its values.

use algebra::Scalar;
use serde_json::{Map, Value};
use zeroize::{Zeroize as _, Zeroizing};

use crate::Error;

/// Integers of JSON that JavaScript reads as they are written; larger ones stand in quotes.
const MAX_SAFE: u64 = (1 << 53) - 1;
/// Digits of a number in quotes. They are reduced.
const MAX_DIGITS: usize = 4096;

/// An input: its name, as the circuit says it, and its values in the order of the array, which are erased when
/// dropped.
pub(crate) struct Input<S: Scalar> {
    pub name: String,
    pub values: Zeroizing<Vec<S>>,
}

/// What was read of JSON. Texts are erased when dropped; of numbers without quotes only the place is.
struct Read(Value);

impl Drop for Read {
    fn drop(&mut self) {
        erase(&mut self.0);
    }
}

fn erase(value: &mut Value) {
    match value {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(erase),
        Value::Object(object) => object.values_mut().for_each(erase),
        Value::Null | Value::Bool(_) | Value::Number(_) => *value = Value::Null,
    }
}

/// Reads an object of names and values. A value is a number, a number in quotes (decimal, or hexadecimal after
/// `0x`), true or false, an array of these, or the object of a bus, whose fields are `name.field`.
pub(crate) fn parse<S: Scalar>(json: &str) -> Result<Vec<Input<S>>, Error> {
    let read = serde_json::from_str(json);
    let read = Read(read.map_err(|error| Error::Json { reason: error.to_string() })?);
    let Value::Object(object) = &read.0 else {
        return Err(Error::Json { reason: "not an object of names and values".to_owned() });
    };
    let mut inputs = Vec::new();
    fields("", object, &mut inputs)?;
    Ok(inputs)
}

fn fields<S: Scalar>(
    prefix: &str,
    object: &Map<String, Value>,
    inputs: &mut Vec<Input<S>>,
) -> Result<(), Error> {
    for (key, value) in object {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        named(name, value, inputs)?;
    }
    Ok(())
}

fn named<S: Scalar>(name: String, value: &Value, inputs: &mut Vec<Input<S>>) -> Result<(), Error> {
    match value {
        Value::Object(object) => fields(&name, object, inputs),
        Value::Array(items) if has_objects(value) => {
            for (index, item) in items.iter().enumerate() {
                named(format!("{name}[{index}]"), item, inputs)?;
            }
            Ok(())
        }
        _ => {
            // With room for all of them from the first: a list that grows leaves copies behind.
            let mut values = Zeroizing::new(Vec::with_capacity(count(value)));
            flatten(&name, value, &mut values)?;
            inputs.push(Input { name, values });
            Ok(())
        }
    }
}

/// Whether an array, of whatever depth, is one of buses.
fn has_objects(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_objects),
        other => other.is_object(),
    }
}

/// The values of an array of whatever depth.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 1,
    }
}

fn flatten<S: Scalar>(name: &str, value: &Value, values: &mut Vec<S>) -> Result<(), Error> {
    if let Value::Array(items) = value {
        return items.iter().try_for_each(|item| flatten(name, item, values));
    }
    let bad = |reason: &str| Error::Input { name: name.to_owned(), reason: reason.to_owned() };
    let scalar = match value {
        Value::Bool(bit) => Some(S::from_u64((*bit).into())),
        Value::String(digits) => number(digits),
        Value::Number(number) => {
            let magnitude = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
            let magnitude =
                magnitude.filter(|magnitude| *magnitude <= MAX_SAFE).ok_or_else(|| {
                    bad("a number is no integer below 2^53: write larger ones in quotes")
                })?;
            let scalar = S::from_u64(magnitude);
            Some(if number.as_i64().is_some_and(i64::is_negative) { -scalar } else { scalar })
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    values.push(scalar.ok_or_else(|| bad("a value is no integer"))?);
    Ok(())
}

/// An integer modulo the order.
fn number<S: Scalar>(text: &str) -> Option<S> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text.strip_prefix('-').unwrap_or(text), 10),
    };
    if digits.is_empty() || digits.len() > MAX_DIGITS {
        return None;
    }
    let base = S::from_u64(radix.into());
    let magnitude = digits.chars().try_fold(S::zero(), |value, digit| {
        Some(value * base + S::from_u64(digit.to_digit(radix)?.into()))
    })?;
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// FNV-1a of a name's UTF-16 units, by which circom's programs know their inputs: high word, low word.
pub(crate) fn hash(name: &str) -> (i32, i32) {
    let step = |hash: u64, unit: u16| (hash ^ u64::from(unit)).wrapping_mul(0x100_0000_01b3);
    let hash = name.encode_utf16().fold(0xcbf2_9ce4_8422_2325, step);
    ((hash >> 32) as i32, hash as i32)
}

#[cfg(test)]
mod tests {
    use algebra::{Bn254, ScalarOf};

    use super::*;

    type S = ScalarOf<Bn254>;

    fn read(json: &str) -> Vec<(String, Vec<S>)> {
        parse(json).unwrap().into_iter().map(|input| (input.name, input.values.to_vec())).collect()
    }

    #[test]
    fn values() {
        let small = S::from_u64;
        let order = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
        let json = format!(
            r#"{{"a": 7, "b": [["1", "-2"], [true, "0x1F"]], "c": "{order}", "d": -3, "e": []}}"#
        );
        let expected = [
            ("a", vec![small(7)]),
            ("b", vec![small(1), -small(2), small(1), small(31)]),
            ("c", vec![small(0)]),
            ("d", vec![-small(3)]),
            ("e", vec![]),
        ];
        assert_eq!(read(&json), expected.map(|(name, values)| (name.to_owned(), values)));
    }

    #[test]
    fn buses() {
        let json = r#"{"p": {"x": 1, "y": [2, 3]}, "q": [[{"x": 4}], [{"x": 5}]]}"#;
        let names: Vec<_> = read(json).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["p.x", "p.y", "q[0][0].x", "q[1][0].x"]);
    }

    #[test]
    fn texts_are_erased() {
        let mut value: Value =
            serde_json::from_str(r#"{"a": ["12", {"x": "34"}], "b": 5}"#).unwrap();
        erase(&mut value);
        assert_eq!(value.to_string(), r#"{"a":["",{"x":""}],"b":null}"#);
    }

    #[test]
    fn refused() {
        let long = format!(r#"{{"a": "{}"}}"#, "1".repeat(MAX_DIGITS + 1));
        let deep = format!(r#"{{"a": {}}}"#, "[".repeat(100_000));
        for json in [
            "",
            "[]",
            "7",
            "{",
            r#"{"a": null}"#,
            r#"{"a": 1.5}"#,
            r#"{"a": 1e3}"#,
            r#"{"a": 9007199254740992}"#,
            r#"{"a": ""}"#,
            r#"{"a": "-"}"#,
            r#"{"a": "0x"}"#,
            r#"{"a": "-0x1"}"#,
            r#"{"a": " 1"}"#,
            r#"{"a": "1 "}"#,
            r#"{"a": "1_0"}"#,
            r#"{"a": "+1"}"#,
            r#"{"a": "٣"}"#,
            r#"{"a": [1, {"x": 1}, null]}"#,
            &long,
            &deep,
        ] {
            assert!(parse::<S>(json).is_err(), "{json:.60}");
        }
        assert!(parse::<S>(&long.replacen('1', "", 1)).is_ok());
    }

    #[test]
    fn names_have_circoms_hash() {
        assert_eq!(hash("in"), (0x08b7_3807_i32, 0xb55c_4bbe_u32 as i32));
        assert_eq!(hash(""), (0xcbf2_9ce4_u32 as i32, 0x8422_2325_u32 as i32));
    }
}
