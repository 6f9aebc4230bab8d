//! What a run is reported as: the published program's JSON, with more beside it.

use std::{
    env,
    time::{SystemTime, UNIX_EPOCH},
};

use ::vole::Setup;
use cli::output::{self, Output};
use serde_json::{Map, Value, json};
use sysinfo::System;

use super::{
    args::CommonArgs,
    run::{PHASES, Phase, Sample, Task},
};
use crate::bench::machine::{Machine, peak_rss_bytes};

impl Task {
    /// The name of the row.
    fn name(self) -> &'static str {
        match self {
            Self::Conversion { .. } => "Conversion",
            Self::FixedPoint { .. } => "FixedPointMult",
            Self::Multiplication { .. } => "Multiplication",
        }
    }

    /// Highest degrees of claims, beside those of decompositions.
    fn degrees(self) -> [usize; 2] {
        match self {
            Self::Conversion { .. } => [0, 1],
            Self::FixedPoint { .. } | Self::Multiplication { .. } => [0, 2],
        }
    }

    fn sizes(self, setup: Setup) -> Map<String, Value> {
        let protocol = setup.converter.name();
        let object = match self {
            Self::Conversion { num, width } => {
                json!({ "protocol": protocol, "num": num, "bit_size": width })
            }
            Self::FixedPoint { num, integer, fraction } => json!({
                "protocol": protocol, "num": num,
                "integer_size": integer, "fraction_size": fraction,
            }),
            Self::Multiplication { num } => json!({ "protocol": "quicksilver", "num": num }),
        };
        match object {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// Prints one party's runs.
pub fn print(
    common: &CommonArgs,
    setup: Setup,
    task: Task,
    role: &'static str,
    samples: &[Sample],
    output: &Output,
) {
    let Some(first) = samples.first() else { return };
    let soundness = match task {
        Task::Multiplication { .. } => setup.soundness_without_conversions(task.degrees()),
        _ => setup.soundness(task.degrees()),
    };
    let rounds: u64 = first.iter().map(|phase| phase.rounds).sum();
    let mut stats = task.sizes(setup);
    stats.insert("time_stats".into(), samples.iter().map(times).collect());
    stats.insert("comm_stats".into(), traffic(first));
    let network = &common.network;
    let object = json!({
        "repetitions": common.repetitions,
        "party": format!("{:?}", common.party),
        "role": role,
        "network_options": {
            "listen": network.listen,
            "host": network.host,
            "port": network.port,
            "connect_timeout_seconds": network.connect_timeout.as_secs(),
            "network": network.network,
        },
        "meta_data": {
            "hostname": System::host_name(),
            "username": env::var("USER").ok(),
            "timestamp": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs()),
            "cmdline": env::args().collect::<Vec<_>>(),
            "pid": std::process::id(),
            "git_version": env!("CARGO_PKG_VERSION"),
        },
        "protocol_stats": [{ task.name(): stats }],
        "parameters": setup.correlations.id(),
        "soundness_bits": (soundness * 10.0).round() / 10.0,
        "rounds": rounds,
        "peak_rss_bytes": peak_rss_bytes(),
        "machine": Machine::this(),
    });
    output.result(&object, || lines(role, samples, soundness, rounds));
}

fn times(sample: &Sample) -> Value {
    let named = PHASES.iter().zip(sample).map(|(name, phase)| {
        let time = json!({ "secs": phase.time.as_secs(), "nanos": phase.time.subsec_nanos() });
        (format!("{name}_time"), time)
    });
    Value::Object(named.collect())
}

fn traffic(sample: &Sample) -> Value {
    let mut map = Map::new();
    for (name, phase) in PHASES.iter().zip(sample) {
        map.insert(format!("{name}_kb_sent"), json!(phase.sent as f64 / 1024.0));
        map.insert(format!("{name}_kb_received"), json!(phase.received as f64 / 1024.0));
        map.insert(format!("{name}_rounds"), json!(phase.rounds));
        if *name == "init" {
            continue;
        }
        let fields = ["f2", "fp"].into_iter().zip(phase.used).zip(phase.extended);
        for ((field, used), extended) in fields {
            let stats = json!({
                "num_voles_used": used,
                "num_vole_extensions_performed": u8::from(extended),
            });
            map.insert(format!("{name}_{field}_stats"), stats);
        }
    }
    Value::Object(map)
}

fn lines(role: &str, samples: &[Sample], soundness: f64, rounds: u64) -> Vec<String> {
    let total =
        |sample: &&Sample| sample.iter().map(|phase| phase.time).sum::<std::time::Duration>();
    let Some(best) = samples.iter().min_by_key(total) else { return Vec::new() };
    let row = |name: &str, phase: &Phase| {
        format!(
            "{name:<8} {:>10.1} ms  {:>12} sent  {:>12} received  {:>3} rounds  {:>10} bits  {:>9} values",
            phase.time.as_secs_f64() * 1e3,
            output::bytes(phase.sent),
            output::bytes(phase.received),
            phase.rounds,
            // There are two numbers, of bits and of values.
            phase.used.first().copied().unwrap_or(0),
            phase.used.last().copied().unwrap_or(0),
        )
    };
    let mut lines = vec![format!("{role}, best of {}", samples.len())];
    lines.extend(PHASES.iter().zip(best).map(|(name, phase)| row(name, phase)));
    let sum = |of: fn(&Phase) -> u64| best.iter().map(of).sum::<u64>();
    lines.push(format!(
        "total    {:>10.1} ms  {:>12} both ways, {rounds} rounds; a false claim passes with \
         probability below 2^-{soundness:.1} over the whole run",
        total(&best).as_secs_f64() * 1e3,
        output::bytes(sum(|phase| phase.sent + phase.received)),
    ));
    lines
}
