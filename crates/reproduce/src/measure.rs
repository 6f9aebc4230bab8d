//! What a bench reports, as one list of named numbers.
//!
//! | name | what it is |
//! |---|---|
//! | `prove\|wall_ms`, `prove\|cpu_ms` | a row's times; the first of rows of one name |
//! | `prove@1000\|wall_ms` | the same, of the row with this count |
//! | `size:proof_bytes` | a size |
//! | `point:10/lookup` | a column of the line of a series that is known by this number |
//! | `peak_rss_bytes` | the memory of the process |

use std::collections::BTreeMap;

use serde_json::Value;

/// The numbers of one report.
pub type Numbers = BTreeMap<String, f64>;

/// Columns that tell the lines of a series apart.
const KEYS: [&str; 3] = ["epochs", "epoch", "idx"];

/// Reads what a bench printed: one object, or two of which the first is the prover's.
///
/// # Errors
/// If it is not a report.
pub fn read(printed: &str) -> Result<Numbers, String> {
    let mut documents = serde_json::Deserializer::from_str(printed).into_iter::<Value>();
    let report =
        documents.next().ok_or("it printed nothing")?.map_err(|error| error.to_string())?;
    let mut numbers = Numbers::new();
    if let Some(statistics) = report.pointer("/protocol_stats/0") {
        conversion(statistics, &mut numbers);
    }
    rows(&report, &mut numbers);
    sizes(&report, &mut numbers);
    points(&report, &mut numbers);
    if let Some(peak) = report.get("peak_rss_bytes").and_then(Value::as_f64) {
        numbers.insert("peak_rss_bytes".to_owned(), peak);
    }
    if numbers.is_empty() { Err("the report has no numbers".to_owned()) } else { Ok(numbers) }
}

/// The sum of what a name stands for, `*` at its end for anything. `None` if that is nothing.
pub fn sum(numbers: &Numbers, name: &str, field: &str) -> Option<f64> {
    if let Some(start) = name.strip_suffix('*') {
        let ours = |key: &str| {
            let row = key.strip_suffix(field).and_then(|key| key.strip_suffix('|'));
            row.is_some_and(|row| row.starts_with(start) && !row.contains('@'))
        };
        let found: Vec<f64> = numbers.iter().filter(|(k, _)| ours(k)).map(|(_, v)| *v).collect();
        return (!found.is_empty()).then(|| found.iter().sum());
    }
    numbers.get(name).or_else(|| numbers.get(&format!("{name}|{field}"))).copied()
}

fn entries<'a>(report: &'a Value, name: &str) -> &'a [Value] {
    report.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn rows(report: &Value, numbers: &mut Numbers) {
    for row in entries(report, "rows") {
        let Some(name) = row.get("name").and_then(Value::as_str) else { continue };
        // A row that does not say how many is of one.
        let count = row.get("count").and_then(Value::as_u64).unwrap_or(1);
        for field in ["wall_ms", "cpu_ms"] {
            let Some(value) = row.get(field).and_then(Value::as_f64) else { continue };
            numbers.entry(format!("{name}|{field}")).or_insert(value);
            numbers.entry(format!("{name}@{count}|{field}")).or_insert(value);
        }
    }
}

fn sizes(report: &Value, numbers: &mut Numbers) {
    let Some(sizes) = report.get("sizes").and_then(Value::as_object) else { return };
    let values = sizes.iter().filter_map(|(name, value)| Some((name, value.as_f64()?)));
    numbers.extend(values.map(|(name, value)| (format!("size:{name}"), value)));
}

/// Lines that are known by the same number are one, by their median.
fn points(report: &Value, numbers: &mut Numbers) {
    let mut lines: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for point in entries(report, "points") {
        let key = KEYS.iter().find_map(|key| point.get(key).and_then(Value::as_u64));
        let (Some(key), Some(columns)) = (key, point.as_object()) else { continue };
        for (name, value) in columns.iter().filter(|(name, _)| !KEYS.contains(&name.as_str())) {
            let values = lines.entry(format!("point:{key}/{name}")).or_default();
            values.extend(value.as_f64());
        }
    }
    numbers.extend(lines.into_iter().filter_map(|(name, values)| Some((name, median(&values)?))));
}

/// The published program's JSON of conversions and products: phases become rows of the prover.
fn conversion(statistics: &Value, numbers: &mut Numbers) {
    let Some(statistics) = statistics.as_object().and_then(|kinds| kinds.values().next()) else {
        return;
    };
    let mut totals = Vec::new();
    for times in entries(statistics, "time_stats") {
        let part = |time: &Value, unit: &str| time.get(unit).and_then(Value::as_f64);
        let mut phases = times.as_object().into_iter().flat_map(|phases| phases.values());
        let ms = |time| Some(part(time, "secs")? * 1e3 + part(time, "nanos")? / 1e6);
        // A run with a phase that is not told is no figure.
        totals.extend(phases.try_fold(0.0, |total, time| Some(total + ms(time)?)));
    }
    if let Some(total) = median(&totals) {
        numbers.insert("total|wall_ms".to_owned(), total);
    }
    let Some(traffic) = statistics.get("comm_stats").and_then(Value::as_object) else { return };
    let mut kb = 0.0;
    for (name, value) in traffic {
        let Some(value) = value.as_f64() else { continue };
        if name.ends_with("_kb_sent") || name.ends_with("_kb_received") {
            kb += value;
        }
        numbers.insert(format!("size:{name}"), value);
    }
    numbers.insert("size:kb".to_owned(), kb);
}

/// The value in the middle; of an even number, the upper one, as benches have it.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::{read, sum};

    #[test]
    fn rows_sizes_and_points_have_names() {
        let report = r#"{"bench": "x", "peak_rss_bytes": 7, "sizes": {"proof_bytes": 5},
            "rows": [{"name": "a/b: one", "count": 2, "wall_ms": 1.5, "cpu_ms": 3.0},
                     {"name": "a/b: two", "count": 2, "wall_ms": 2.5, "cpu_ms": 4.0},
                     {"name": "a/b: two", "count": 9, "wall_ms": 9.5, "cpu_ms": 9.0}],
            "points": [{"idx": 3, "total": 5.0}, {"idx": 3, "total": 1.0}, {"idx": 3, "total": 2.0}]}"#;
        let numbers = read(report).expect("a report");
        assert_eq!(sum(&numbers, "a/b: *", "wall_ms"), Some(4.0));
        assert_eq!(sum(&numbers, "a/b: two", "cpu_ms"), Some(4.0));
        assert_eq!(sum(&numbers, "a/b: two@9", "cpu_ms"), Some(9.0));
        assert_eq!(sum(&numbers, "size:proof_bytes", "cpu_ms"), Some(5.0));
        assert_eq!(sum(&numbers, "point:3/total", "cpu_ms"), Some(2.0));
        assert_eq!(sum(&numbers, "peak_rss_bytes", "cpu_ms"), Some(7.0));
        assert_eq!(sum(&numbers, "c*", "cpu_ms"), None);
    }

    #[test]
    fn conversions_are_added_up() {
        let report = r#"{"protocol_stats": [{"Conversion": {"num": 1,
            "time_stats": [{"init_time": {"secs": 1, "nanos": 500000}, "check_time": {"secs": 0, "nanos": 500000}}],
            "comm_stats": {"init_kb_sent": 1.5, "init_kb_received": 2.0, "init_rounds": 3, "check_kb_sent": 0.5}}}]}
            {"protocol_stats": []}"#;
        let numbers = read(report).expect("a report");
        assert_eq!(sum(&numbers, "total", "wall_ms"), Some(1001.0));
        assert_eq!(sum(&numbers, "size:kb", "wall_ms"), Some(4.0));
        assert_eq!(sum(&numbers, "size:check_kb_sent", "wall_ms"), Some(0.5));
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for printed in ["", "{}", "[1]", "no", "{\"rows\": [{\"name\": 5}], \"sizes\": []}"] {
            assert!(read(printed).is_err(), "{printed}");
        }
    }
}
