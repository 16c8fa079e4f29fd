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
fn the_source_of_pagani_has_every_integrand() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
    let source = std::fs::read_to_string(peers.join("cubature/pagani.cu")).expect("the source");
    for of in Boxed::ALL {
        assert!(
            source.contains(&format!("INTEGRAND_OF({},", of.name)),
            "{}",
            of.name
        );
    }
}

#[test]
fn the_real_script_has_our_integrands() {
    let cells: Vec<String> = Boxed::ALL
        .iter()
        .map(|of| format!("{}:3:1e-3", of.name))
        .collect();
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
    assert_eq!(text.lines().count(), Boxed::ALL.len(), "{errors}");
    for (of, line) in Boxed::ALL.iter().zip(text.lines()) {
        let theirs = line.strip_prefix(&format!("{} 3 ", of.name)).expect(line);
        let theirs: f64 = theirs.parse().expect("a number");
        let formula = Formula::of_variables(&of.formula(3), &["x1", "x2", "x3"]);
        let ours = formula.expect(of.name).eval_at(&[0.375; 3], &[]);
        assert!((theirs / ours - 1.0).abs() < 1e-12, "{line}: {ours}");
    }
}
