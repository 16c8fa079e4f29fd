//! What the script says and how it ends, with a shell script in its place; and that
//! the real one says what is missing where there is a Python.

use std::fs;

use super::*;

/// Lines in the form of the script's. The figures are made up: no run gave them.
const MADE_UP: &str = r#"{"peer": "cupy", "version": "0.0.1", "operation": "inclusive_sum_i32", "n": 1024, "us": 2.5, "samples": 11, "method": "graph", "launches": 800}
{"peer": "cupy", "version": "0.0.1", "operation": "inclusive_sum_bf16", "n": 1024, "failed": "no such type"}
{"peer": "torch", "missing": "No module named 'torch'"}"#;

fn lines(text: &str) -> Vec<Line> {
    let parsed = text.lines().map(serde_json::from_str);
    parsed
        .map(|line| line.unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

#[test]
fn a_line_is_a_time_or_a_reason() {
    let lines = lines(MADE_UP);
    let Line::Timed(timed) = &lines[0] else {
        panic!("{:?}", lines[0])
    };
    assert_eq!((timed.n, timed.us, timed.launches), (1024, 2.5, 800));
    assert_eq!(timed.method, Way::Graph);
    let reasons: Vec<Option<String>> = lines.iter().map(Line::reason).collect();
    assert_eq!(
        reasons,
        [
            None,
            Some("cupy 0.0.1 failed on inclusive_sum_bf16 of 1024: no such type".into()),
            Some("torch is not available: No module named 'torch'".into()),
        ]
    );
}

/// What a run hears of `script`, which `sh` runs in the place of Python.
fn run(script: &str, limit: Duration) -> (Vec<Line>, Result<(), String>) {
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    assert!(fs::write(folder.path().join(SCRIPT), script).is_ok());
    let asked = Asked {
        python: Path::new("sh"),
        peers: folder.path(),
        device: 0,
        operations: vec!["inclusive_sum_i32".into(), "reduce_sum_f32".into()],
        sizes: &[1024, 2048],
        rotated: 1 << 20,
        limit,
    };
    let mut heard = Vec::new();
    let ended = asked.run(|line| heard.push(line));
    (heard, ended)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn the_script_is_asked_for_operations_and_sizes_and_heard_to_its_end() {
    let asked = "--device 0 --operations inclusive_sum_i32,reduce_sum_f32 \
                 --sizes 1024,2048 --rotated-bytes 1048576";
    let script = format!("[ \"$*\" = \"{asked}\" ] || exit 3\ncat <<'END'\n{MADE_UP}\nEND\n");
    assert_eq!(run(&script, LONG), (lines(MADE_UP), Ok(())));
}

#[test]
fn a_script_that_fails_or_babbles_is_a_reason_and_what_it_said_is_kept() {
    let first = MADE_UP.lines().next().unwrap_or_default();
    let (heard, ended) = run(&format!("echo '{first}'\necho lost >&2\nexit 1"), LONG);
    assert_eq!(heard, lines(first));
    assert_eq!(
        ended,
        Err("arrays.py ended with exit status: 1: lost".into())
    );
    for text in ["", "warming up", "{}", r#"{"peer": "cupy", "us": 1.0}"#] {
        let (_, ended) = run(&format!("echo '{text}'"), LONG);
        assert_eq!(ended, Err(format!("arrays.py said `{text}`")));
    }
}

#[test]
fn a_script_that_takes_too_long_is_stopped() {
    let (heard, ended) = run("exec sleep 60", Duration::from_secs(1));
    assert_eq!(
        (heard, ended),
        (vec![], Err("arrays.py was stopped after 1 s".into()))
    );
}

#[test]
fn a_python_that_is_not_there_is_a_reason() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
    let asked = Asked {
        python: Path::new("/nonexistent/python3"),
        peers: &peers,
        device: 0,
        operations: Vec::new(),
        sizes: &[],
        rotated: 1,
        limit: LONG,
    };
    let reason = asked.run(|_| ()).err().unwrap_or_default();
    let start =
        "--python /nonexistent/python3 cannot be started, so CuPy and PyTorch are not timed: ";
    assert!(reason.starts_with(start), "{reason}");
}

#[test]
fn the_real_script_names_each_package_that_it_cannot_use() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
    let asked = Asked {
        python: Path::new("python3"),
        peers: &peers,
        device: 0,
        operations: vec!["inclusive_sum_i32".into()],
        sizes: &[],
        rotated: 1,
        limit: LONG,
    };
    let mut reasons = Vec::new();
    match asked.run(|line| reasons.extend(line.reason())) {
        // Without sizes there is nothing but the packages that are missing.
        Ok(()) => assert!(
            reasons
                .iter()
                .all(|reason| reason.contains(" is not available: ")),
            "{reasons:?}"
        ),
        Err(reason) => assert!(reason.contains("cannot be started"), "{reason}"),
    }
}
