//! What the program says about itself: what it was made of, the form of its records, and how a
//! shell completes its command lines.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, CompletionsArguments};
use crate::modules;
use crate::record::HostInfo;

/// The JSON schema of a line of `records.jsonl`.
pub const SCHEMA: &str = include_str!("record/schema.json");

/// The version with the revision that the program was built from, and the PTX that it runs
/// where no folder is named: its toolchain and its hash for each architecture.
pub fn version() -> String {
    let HostInfo {
        version,
        git_revision,
        ..
    } = HostInfo::current();
    let mut text = format!("quadscan {version}\nrevision {git_revision}\n");
    // Writing to a text cannot fail.
    let _ = match modules::ours() {
        Err(error) => writeln!(text, "PTX: {error}"),
        Ok(artifact) => {
            let made = artifact.manifest();
            let toolchain = writeln!(text, "PTX by rustc {}, LLVM {}", made.rustc, made.llvm);
            let mut modules = made.modules.iter();
            toolchain.and_then(|()| {
                modules.try_for_each(|of| writeln!(text, "PTX {} sha256 {}", of.arch, of.sha256))
            })
        }
    };
    text
}

/// What completes command lines in a shell, of what the help has; nothing for a shell that the
/// command line does not know.
pub fn completions(arguments: &CompletionsArguments) -> Vec<u8> {
    let mut script = Vec::new();
    if let Ok(shell) = arguments.shell.parse::<Shell>() {
        let mut command = without_hidden(&Cli::command());
        clap_complete::generate(shell, &mut command, "quadscan", &mut script);
    }
    script
}

/// The same command without what its help hides, which a shell would offer.
fn without_hidden(command: &Command) -> Command {
    let arguments = command.get_arguments().filter(|arg| !Arg::is_hide_set(arg));
    let commands = command.get_subcommands().filter(|of| !of.is_hide_set());
    Command::new(command.get_name().to_owned())
        .version(env!("CARGO_PKG_VERSION"))
        .about(command.get_about().cloned().unwrap_or_default())
        .args(arguments.cloned())
        .subcommands(commands.map(without_hidden))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use serde_json::Value;

    use super::*;
    use crate::record::sample;
    use crate::record::{Cell, Clocks, DeviceInfo, Metric, Peer, Record, SmLimits, Time};
    use crate::timing::Timing;
    use quadscan::device::Counts;

    #[test]
    fn every_shell_that_is_offered_has_completions() {
        for shell in Shell::value_variants() {
            let script = completions(&CompletionsArguments {
                shell: shell.to_string(),
            });
            let script = String::from_utf8(script).expect("text");
            for word in ["integrate", "strips", "completions"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
            for hidden in ["worker", "tune", "one-by-one"] {
                assert!(!script.contains(hidden), "{shell}: {hidden}");
            }
        }
    }

    #[test]
    fn the_version_names_the_revision_and_the_ptx() {
        let text = version();
        assert!(text.starts_with(concat!(
            "quadscan ",
            env!("CARGO_PKG_VERSION"),
            "\nrevision "
        )));
        assert!(text.contains("\nPTX"), "{text}");
    }

    /// A record that has everything.
    fn full() -> Record {
        let time = Time {
            timing: Timing {
                processes: vec![1, 1],
                ..Timing::from_samples(vec![1.0, 2.0]).expect("a timing")
            },
            method: Some("graph of 2".into()),
            peer: Some(Peer {
                name: "CUB 3".into(),
                version: "CUB 3, nvcc".into(),
            }),
        };
        let cell = Cell::default().with("n", 4_u64).with("type", "f32");
        let mut record = sample::record("scan", cell);
        record.metrics.put("cub", Some(time));
        record
            .metrics
            .put("value", Some(Metric::Number(1.5, "TB/s".into())));
        record.metrics.put("repeats", Some(true));
        record.metrics.put("chosen", Some("one_wave"));
        record.reason = Some("none".into());
        record.entries = vec!["scan".into()];
        record.remarks = vec!["none".into()];
        record.host.cores = Some(2);
        record.counts = Some(Counts {
            lane_instructions: Some(1),
            divergent_branches: Some(1),
            shared_wavefronts: Some(1),
            ideal_shared_wavefronts: Some(1),
            global_sectors: Some(1),
            ideal_global_sectors: Some(1),
            ..Counts::default()
        });
        record.clocks = Some(Clocks {
            throttled: vec!["heat".into()],
            ..Clocks::default()
        });
        record.device = Some(DeviceInfo {
            sms: Some(SmLimits {
                count: 1,
                max_threads: 1,
                max_blocks: 1,
                registers: 1,
            }),
            ..sample::device("cuda")
        });
        record
    }

    /// What of a value the schema does not say, or says otherwise: as much of JSON Schema as ours
    /// uses.
    fn unsaid(schema: &Value, root: &Value, value: &Value, place: &str) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str() {
            let found = root.pointer(name.trim_start_matches('#'));
            return unsaid(found.expect("a definition"), root, value, place);
        }
        if let Some(either) = schema["anyOf"].as_array() {
            let of = |one: &Value| unsaid(one, root, value, place);
            let best = either.iter().map(of).min_by_key(Vec::len);
            return best.unwrap_or_default();
        }
        let is_of = |kind: &Value| match (kind.as_str(), value) {
            (Some("integer"), Value::Number(number)) => !number.is_f64(),
            (Some("number"), Value::Number(_))
            | (Some("string"), Value::String(_))
            | (Some("boolean"), Value::Bool(_))
            | (Some("array"), Value::Array(_))
            | (Some("object"), Value::Object(_))
            | (Some("null"), Value::Null) => true,
            _ => false,
        };
        let is_right = match schema {
            of if of.get("const").is_some() => of["const"] == *value,
            of if of["enum"].is_array() => {
                of["enum"].as_array().is_some_and(|all| all.contains(value))
            }
            of if of["type"].is_array() => of["type"]
                .as_array()
                .is_some_and(|all| all.iter().any(is_of)),
            of => is_of(&of["type"]),
        };
        let mut wrong = Vec::new();
        if !is_right {
            wrong.push(format!("{place}: {value}"));
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            wrong.extend(
                value
                    .get(name)
                    .is_none()
                    .then(|| format!("{place}.{name} is missing")),
            );
        }
        for item in value.as_array().into_iter().flatten() {
            wrong.extend(unsaid(&schema["items"], root, item, place));
        }
        for (name, inner) in value.as_object().into_iter().flatten() {
            let known = schema["properties"]
                .get(name)
                .or(schema.get("additionalProperties"));
            let place = format!("{place}.{name}");
            match known {
                Some(known) => wrong.extend(unsaid(known, root, inner, &place)),
                None => wrong.push(format!("{place} is not in the schema")),
            }
        }
        wrong
    }

    #[test]
    fn the_schema_says_what_records_are() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
        let of = |record: &Value| unsaid(&schema, &schema, record, "record");
        let plain = sample::record("scan", Cell::default());
        for record in [full(), plain] {
            let record = serde_json::to_value(record).expect("records have a form");
            assert_eq!(of(&record), Vec::<String>::new());
        }
        let mut wrong = serde_json::to_value(full()).expect("records have a form");
        wrong["status"] = "fine".into();
        wrong["more"] = 1.into();
        assert_eq!(of(&wrong).len(), 2, "{:?}", of(&wrong));
    }
}
