//! What the script says, with a shell script in its place; and that the real one has the
//! kinds and the parameters that ours has.

use std::fs;
use std::process::Command;

use super::*;
use crate::workload::integrals::kinds::Kind;

/// Lines in the form of the script's. The figures are made up: no run gave them.
const MADE_UP: &str = r#"{"kind": "smooth", "tolerance": 1e-10, "peer": "quad", "version": "SciPy 0.0.1", "items": 4096, "processes": 8, "per_second": 100000.0, "largest_error": 0.5}
{"kind": "smooth", "tolerance": 1e-10, "peer": "tanhsinh_cupy", "missing": "No module named 'cupy'"}"#;

fn peers() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers")
}

/// What a run hears of `script`, which `sh` runs in the place of Python.
fn run(script: &str) -> (Vec<Line>, Result<(), String>) {
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    assert!(fs::write(folder.path().join(SCRIPT), script).is_ok());
    let asked = Asked {
        python: Path::new("sh"),
        peers: folder.path(),
        device: 0,
        kinds: vec!["smooth".into(), "end_point".into()],
        items: 4096,
        tolerance: 1e-10,
        limit: Duration::from_secs(60),
    };
    let mut heard = Vec::new();
    let ended = asked.run(|line| heard.push(line));
    (heard, ended)
}

#[test]
fn the_script_is_asked_for_kinds_and_its_lines_are_rates_or_reasons() {
    let asked = "--device 0 --kinds smooth,end_point --items 4096 --tolerance 1e-10";
    let script = format!("[ \"$*\" = \"{asked}\" ] || exit 3\ncat <<'END'\n{MADE_UP}\nEND\n");
    let (heard, ended) = run(&script);
    assert_eq!(ended, Ok(()));
    let rates = heard.iter().filter_map(|line| match line {
        Line::Timed(timed) => Some((timed.peer.as_str(), timed.per_second)),
        Line::Missing(_) => None,
    });
    assert_eq!(rates.collect::<Vec<_>>(), [("quad", 1e5)]);
    let reasons: Vec<String> = heard.iter().filter_map(Line::reason).collect();
    let sentence = "tanhsinh_cupy failed on smooth integrals: No module named 'cupy'";
    assert_eq!(reasons, [sentence]);
}

/// The parameters that the script prints for itself, without SciPy.
#[test]
fn the_real_script_has_our_kinds_and_parameters() {
    let printed = Command::new("python3")
        .arg(peers().join(SCRIPT))
        .args(["--items", "3", "--list"])
        .output();
    let Ok(printed) = printed else {
        // There is no Python, and nothing that could differ.
        return;
    };
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let errors = String::from_utf8_lossy(&printed.stderr);
    let mut lines = text.lines();
    for kind in Kind::ALL {
        let line = lines.next().unwrap_or_default();
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(kind.name), "{errors}");
        let scale = if kind.is_absolute {
            "absolute"
        } else {
            "relative"
        };
        assert_eq!(words.next(), Some(scale));
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        let ours: Vec<f64> = (0..3)
            .flat_map(|item| {
                let a = kind.parameter(item);
                [a, kind.exact(a)]
            })
            .collect();
        assert_eq!(numbers.len(), ours.len(), "{line}");
        for (theirs, ours) in numbers.iter().zip(ours) {
            assert!(
                (theirs - ours).abs() <= 1e-15 * ours.abs(),
                "{theirs} {ours}"
            );
        }
    }
    assert_eq!(lines.next(), None);
}
