//! That the script has our integrands, and that it says what it cannot have.

use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::workload::boxes::Boxed;
use quadscan::integrate::Formula;

/// Expects lines with each integrand's name, dimensions and value at 0.375 in all coordinates; none where
/// there is no such program.
fn expect_our_values(mut program: Command) {
    let all = || Boxed::ALL.iter().chain(Boxed::MANY);
    let Ok(printed) = program.output() else {
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

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers")
}

#[test]
fn the_real_script_has_our_integrands() {
    let all = Boxed::ALL.iter().chain(Boxed::MANY);
    let cells: Vec<String> = all.map(|of| format!("{}:3:1e-3", of.name)).collect();
    let mut python = Command::new("python3");
    python.arg(peers().join(SCRIPT));
    python.args(["--values", "0.375", "--cells", &cells.join(",")]);
    expect_our_values(python);
}

#[test]
fn compiled_peers_have_our_integrands() {
    let all = Boxed::ALL.iter().chain(Boxed::MANY);
    let printed = all.map(|of| {
        let name = of.name;
        format!("std::printf(\"{name} 3 %.17g\\n\", {name}::at<3>(x));")
    });
    let (x, printed) = ("const double x[] = {0.375, 0.375, 0.375};", printed);
    let main = printed.fold(x.to_owned(), |main, line| main + &line);
    let folder = tempfile::tempdir().expect("a folder");
    let [source, program] = ["main.cpp", "main"].map(|name| folder.path().join(name));
    let source_text = format!("#include \"peer.h\"\nint main() {{ {main} }}\n");
    std::fs::write(&source, source_text).expect("it is written");
    let mut compiler = Command::new("c++");
    compiler
        .args(["-std=c++17", "-I"])
        .arg(peers().join("cubature"));
    compiler.arg("-o").arg(&program).arg(&source);
    let Ok(compiled) = compiler.output() else {
        // There is no compiler, and no such peer.
        return;
    };
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    expect_our_values(Command::new(program));
}
