//! Records as they are read: of this schema, and of the first one, which had `key`, `values` and
//! `timings` with a field for each thing that any table knew.

use serde::Deserialize;
use serde_json::Value as Json;

use super::metric::{Metric, Metrics, Peer, Time};
use super::{Cell, Clocks, DeviceInfo, HostInfo, Record, SCHEMA, Status};
use crate::timing::Timing;
use quadscan::device::Counts;

/// A record of either schema.
#[derive(Deserialize)]
pub(super) struct Form {
    #[serde(default = "first")]
    schema: u32,
    run: String,
    table: String,
    #[serde(alias = "key")]
    cell: Cell,
    status: Status,
    reason: Option<String>,
    #[serde(default)]
    entries: Vec<String>,
    #[serde(default)]
    metrics: Metrics,
    #[serde(default)]
    values: serde_json::Map<String, Json>,
    #[serde(default)]
    timings: serde_json::Map<String, Json>,
    counts: Option<Counts>,
    clocks: Option<Clocks>,
    #[serde(default)]
    remarks: Vec<String>,
    device: Option<DeviceInfo>,
    host: HostInfo,
    timestamp: String,
}

fn first() -> u32 {
    1
}

impl TryFrom<Form> for Record {
    type Error = String;

    fn try_from(form: Form) -> Result<Self, String> {
        if form.schema > SCHEMA {
            return Err(format!(
                "schema {} is of a later version, known are 1 to {SCHEMA}",
                form.schema
            ));
        }
        let mut metrics = form.metrics;
        for (name, value) in form.values {
            put(&mut metrics, &name, value);
        }
        put_times(&mut metrics, form.timings);
        Ok(Record {
            schema: form.schema,
            run: form.run,
            cell: cell(&form.table, form.cell),
            table: form.table,
            status: form.status,
            reason: form.reason,
            entries: form.entries,
            metrics,
            counts: form.counts,
            clocks: form.clocks,
            remarks: form.remarks,
            device: form.device,
            host: form.host,
            timestamp: form.timestamp,
        })
    }
}

/// A cell by the axes that its table has now.
fn cell(table: &str, cell: Cell) -> Cell {
    match table {
        // The table says it.
        "sweep-f64" | "sweep-f32" => cell.without("precision"),
        "faults" => match cell.text("algorithm").map(str::to_owned) {
            Some(kernel) => cell.without("algorithm").with("kernel", kernel),
            None => cell,
        },
        _ => cell,
    }
}

/// A value of the first schema under the name that it has now.
fn put(metrics: &mut Metrics, name: &str, value: Json) {
    let name = match name {
        "limit" => "value",
        "algorithm" => "chosen",
        other => other,
    };
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                put(metrics, &name, value);
            }
        }
        Json::Bool(flag) => metrics.put(name, Some(flag)),
        Json::String(text) => metrics.put(name, Some(text.as_str())),
        Json::Number(number) => match number.as_u64() {
            Some(count) => metrics.put(name, Some(count)),
            None => metrics.put(name, number.as_f64()),
        },
        Json::Null | Json::Array(_) => {}
    }
}

/// A peer's time in the first schema.
#[derive(Deserialize)]
struct PeerTime {
    name: String,
    version: String,
    timing: Timing,
    method: String,
}

fn put_times(metrics: &mut Metrics, timings: serde_json::Map<String, Json>) {
    let method = timings.get("kernel_method").and_then(method);
    for (name, value) in timings {
        if name == "peers" {
            let peers: Vec<PeerTime> = serde_json::from_value(value).unwrap_or_default();
            for peer in peers {
                let time = Time {
                    timing: peer.timing,
                    method: Some(peer.method),
                    peer: Some(Peer {
                        name: peer.name.clone(),
                        version: peer.version,
                    }),
                };
                metrics.put(peer.name, Some(Metric::Time(time)));
            }
        } else if let Ok(timing) = serde_json::from_value::<Timing>(value) {
            let method = method.clone().filter(|_| name == "kernel");
            let time = Time {
                timing,
                method,
                peer: None,
            };
            metrics.put(name, Some(Metric::Time(time)));
        }
    }
}

/// `single`, or an object of a number of launches, in words.
fn method(value: &Json) -> Option<String> {
    if value == "single" {
        return Some("single launch".to_owned());
    }
    let (how, count) = value.as_object()?.iter().next()?;
    Some(format!("{how} of {count}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"{"run":"r","table":"sweep-f32","key":{"precision":"f32","strips":64,"blocks":2,"threads":8},"status":"ok","reason":null,"values":{"pi":3.125,"integral":{"expected":1.5,"evaluations":2},"limit":2.0},"timings":{"kernel":{"samples_ms":[1.0,2.0],"median_ms":1.5,"min_ms":1.0,"noise":0.24709661477637757},"kernel_method":{"graph":343},"peers":[{"name":"CUB 3","version":"CUB 3, nvcc","timing":{"samples_ms":[4.0],"median_ms":4.0,"min_ms":4.0,"noise":0.0},"method":"graph of 9"}]},"device":null,"host":{"cpu":"x","version":"0","git_revision":"1"},"timestamp":"2026-11-22T00:39:41Z"}"#;

    #[test]
    fn records_of_the_first_schema_have_their_metrics() {
        let record: Record = serde_json::from_str(FIRST).expect("a record");
        assert_eq!(record.cell.describe(), "strips=64 blocks=2 threads=8");
        assert_eq!(record.number("pi"), Some(3.125));
        assert_eq!(record.number("value"), Some(2.0));
        assert_eq!(record.metrics.count("evaluations"), Some(2));
        assert_eq!(record.ms("kernel"), Some(1.5));
        let method = |name| {
            record
                .metrics
                .time(name)
                .and_then(|time| time.method.clone())
        };
        assert_eq!(method("kernel").as_deref(), Some("graph of 343"));
        let peers: Vec<&str> = record
            .metrics
            .peers()
            .map(|(peer, _)| &*peer.name)
            .collect();
        assert_eq!(peers, ["CUB 3"]);
    }

    #[test]
    fn cells_of_the_first_schema_have_the_axes_of_now() {
        let first = FIRST.replace("sweep-f32", "faults");
        let first = first.replace(
            r#""precision":"f32","strips":64"#,
            r#""algorithm":"hang","step":4"#,
        );
        let record: Record = serde_json::from_str(&first).expect("a record");
        let (step, kernel) = (record.cell.number("step"), record.cell.text("kernel"));
        assert_eq!((step, kernel), (Some(4), Some("hang")));
        assert_eq!(record.cell.text("algorithm"), None);
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let first: Record = serde_json::from_str(FIRST).expect("a record");
        let second = Record {
            schema: SCHEMA,
            entries: vec!["trapezoid_f32".into()],
            ..first
        };
        let json = serde_json::to_string(&second).expect("records have a form");
        assert_eq!(serde_json::from_str::<Record>(&json).ok(), Some(second));
        let later = json.replacen(r#""schema":2"#, r#""schema":3"#, 1);
        let error = serde_json::from_str::<Record>(&later).expect_err("of a later version");
        assert!(
            error
                .to_string()
                .starts_with("schema 3 is of a later version")
        );
    }
}
