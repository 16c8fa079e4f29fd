//! That the script has our integrands, and that it says what it cannot have.

use std::process::Command;

use super::*;
use crate::workload::boxes::Boxed;
use quadscan::integrate::Formula;

#[test]
fn what_is_no_line_is_quoted() {
    assert_eq!(Line::of("hello"), Err("cubature.py said `hello`".into()));
}

#[test]
fn sources_of_pagani_and_m_cubes_have_every_integrand() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/cubature");
    for (file, all) in [("pagani.cu", Boxed::ALL), ("mcubes.cu", Boxed::MANY)] {
        let source = std::fs::read_to_string(peers.join(file)).expect("the source");
        for of in all {
            let is_there = source.contains(&format!("INTEGRAND_OF({},", of.name));
            assert!(is_there, "{file}: {}", of.name);
        }
    }
}

#[test]
fn the_real_script_has_our_integrands() {
    let all = || Boxed::ALL.iter().chain(Boxed::MANY);
    let cells: Vec<String> = all().map(|of| format!("{}:3:1e-3", of.name)).collect();
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
    let printed = Command::new("python3")
        .arg(peers.join(SCRIPT))
        .args(["--values", "0.375", "--cells", &cells.join(",")])
        .output();
    let Ok(printed) = printed else {
        // There is no Python, and nothing that could differ.
        return;
    };
    let errors = String::from_utf8_lossy(&printed.stderr);
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert_eq!(text.lines().count(), all().count(), "{errors}");
    for (of, line) in all().zip(text.lines()) {
        let theirs = line.strip_prefix(&format!("{} 3 ", of.name)).expect(line);
        let theirs: f64 = theirs.parse().expect("a number");
        let formula = Formula::of_variables(&of.formula(3), &["x1", "x2", "x3"]);
        let ours = formula.expect(of.name).eval_at(&[0.375; 3], &[]);
        assert!((theirs / ours - 1.0).abs() < 1e-12, "{line}: {ours}");
    }
}
