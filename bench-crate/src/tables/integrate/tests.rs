//! Cells, columns and words of given rows.

use super::*;
use crate::export::{self, Format};
use crate::measure::Timing;
use crate::peers::operation::Element;
use crate::record::{HostInfo, Key, PeerTime, Record, Status, Timings, Values};
use crate::tables::{Extent, Selection, Table};
use crate::worker::protocol::Task;
use crate::workload::integrals::{Batch, Integral};

fn list(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn selection(change: impl FnOnce(&mut Selection)) -> Selection {
    let mut selection = Selection::default();
    change(&mut selection);
    selection
}

fn described(table: &dyn Table, change: impl FnOnce(&mut Selection)) -> Vec<String> {
    let cells = table.cells(&selection(change));
    let cells = cells.unwrap_or_else(|e| panic!("{e}"));
    cells.iter().map(Key::describe).collect()
}

fn problem(table: &dyn Table, change: impl FnOnce(&mut Selection)) -> String {
    let cells = table.cells(&selection(change));
    let problem = cells.err().map(|error| error.to_string());
    problem.unwrap_or_default()
}

#[test]
fn a_cell_of_one_integral_is_an_integrand_a_rule_a_type_and_strips() {
    let cells = described(&OneIntegral, |asked| {
        asked.arrays.sizes = Some(vec![7, 1 << 40]);
        asked.arrays.types = list(&["f32"]);
        asked.integrals.integrands = list(&["gaussian", "smooth", "runge"]);
        asked.integrals.rules = list(&["simpson"]);
    });
    assert_eq!(
        cells,
        [
            "integrand=runge rule=simpson type=f32 strips=7",
            "integrand=runge rule=simpson type=f32 strips=1099511627776",
            "integrand=gaussian rule=simpson type=f32 strips=7",
            "integrand=gaussian rule=simpson type=f32 strips=1099511627776",
        ]
    );
}

#[test]
fn where_nothing_is_said_the_quarter_circle_has_six_rules_and_the_others_one() {
    let all = described(&OneIntegral, |_| {});
    // Nine, in two types, of 2^16, 2^24 and 2^30 strips.
    assert_eq!(all.len(), 9 * 2 * 3);
    let circles = all.iter().filter(|cell| cell.contains("quarter_circle"));
    assert_eq!(circles.count(), 6 * 2 * 3);
    let full = described(&OneIntegral, |asked| asked.extent = Extent::Full);
    assert!(full.iter().any(|cell| cell.ends_with("strips=17179869184")));
    let key = |strips| Key {
        strips: Some(strips),
        ..Key::default()
    };
    assert!(OneIntegral.is_for_emulator(&key(1 << 16)));
    assert!(!OneIntegral.is_for_emulator(&key(1 << 17)));
}

#[test]
fn a_cell_of_a_batch_is_a_kind_by_the_rules_that_converge_on_it_to_a_tolerance() {
    let cells = described(&Batches, |asked| {
        asked.arrays.sizes = Some(vec![64]);
        asked.integrals.integrands = list(&["end_point", "oscillating", "runge"]);
        asked.arrays.types = list(&["f64"]);
    });
    assert_eq!(
        cells,
        [
            "integrand=end_point rule=tanh-sinh type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=g7k15 type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=g10k21 type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=tanh-sinh type=f64 n=64 tolerance=1e-10",
        ]
    );
    // Seven kinds by rules, in two types, of 2^10 and 2^20 items.
    assert_eq!(described(&Batches, |_| {}).len(), 7 * 2 * 2);
    let asked = described(&Batches, |asked| {
        asked.arrays.sizes = Some(vec![64]);
        asked.integrals.integrands = list(&["end_point"]);
        asked.integrals.rules = list(&["g7k15", "trapezoid"]);
        asked.integrals.tolerance = Some(2e-3);
    });
    assert_eq!(
        asked,
        [
            "integrand=end_point rule=g7k15 type=f64 n=64 tolerance=2e-3",
            "integrand=end_point rule=g7k15 type=f32 n=64 tolerance=2e-3",
        ]
    );
}

#[test]
fn an_objection_names_the_list_and_what_is_allowed() {
    let said = problem(&OneIntegral, |asked| {
        asked.integrals.integrands = list(&["circle"]);
    });
    let start = "--integrands `circle` is unknown, allowed are all, quarter_circle, runge, ";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(
        problem(&Batches, |asked| asked.integrals.integrands =
            list(&["runge"])),
        "--integrands has none of the table integrals, allowed there are all, smooth, end_point, \
         oscillating"
    );
    let said = problem(&OneIntegral, |asked| {
        asked.integrals.rules = list(&["g7k15"])
    });
    let start = "--rules has none of the table integral, allowed there are all, trapezoid, ";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(
        problem(&Batches, |asked| asked.arrays.types = list(&["i32"])),
        "--types has no type of integrals, allowed are f64, f32"
    );
    assert_eq!(
        problem(&Batches, |asked| asked.arrays.sizes = Some(vec![1 << 25])),
        "--sizes 33554432 is more than integrals has, allowed there are 1 to 16777216"
    );
    assert_eq!(
        problem(&Batches, |asked| asked.integrals.tolerance = Some(1e-9)),
        "--tolerance 1e-9 is less than g7k15 can reach in f32, allowed are 6.3e-6 to 0.1"
    );
}

#[test]
fn the_device_is_asked_for_what_the_cell_says() {
    let tasks = |table: &dyn Table, selection: Selection| -> Vec<Task> {
        let cells = table.cells(&selection).unwrap_or_default();
        cells.iter().filter_map(|key| table.task(key)).collect()
    };
    let of_one = selection(|asked| {
        asked.arrays.sizes = Some(vec![9]);
        asked.arrays.types = list(&["f64"]);
        asked.integrals.integrands = list(&["runge"]);
    });
    assert_eq!(
        tasks(&OneIntegral, of_one),
        [Task::Integral {
            integrand: "runge".into(),
            rule: "trapezoid".into(),
            element: Element::F64,
            strips: 9,
        }]
    );
    let of_batch = selection(|asked| {
        asked.arrays.sizes = Some(vec![9]);
        asked.arrays.types = list(&["f32"]);
        asked.integrals.integrands = list(&["end_point"]);
    });
    assert_eq!(
        tasks(&Batches, of_batch),
        [Task::Integrals {
            kind: "end_point".into(),
            rule: "tanh-sinh".into(),
            element: Element::F32,
            items: 9,
            tolerance: 1e-5,
        }]
    );
}

#[test]
fn the_name_of_both_tables_stands_for_them() {
    assert_eq!(group("integrate"), Some(["integral", "integrals"]));
    assert_eq!(group("integral"), None);
}

/// A row; the figures are made up: no run gave them.
fn row(key: Key, values: Values, us: f64, peers: &[(&str, f64)]) -> Record {
    let timing = |us: f64| Timing::from_samples(vec![1e-3 * us]);
    let peer = |&(name, us): &(&str, f64)| PeerTime {
        name: name.to_owned(),
        version: name.to_owned(),
        timing: timing(us).unwrap_or_else(|| panic!("a sample")),
        method: "graph of 2".into(),
    };
    Record {
        run: String::new(),
        table: String::new(),
        key,
        status: Status::Ok,
        reason: None,
        values,
        timings: Timings {
            kernel: timing(us),
            peers: peers.iter().map(peer).collect(),
            ..Timings::default()
        },
        counts: None,
        clocks: None,
        remarks: Vec::new(),
        device: None,
        host: HostInfo::current(),
        timestamp: String::new(),
    }
}

/// 2^20 strips of five evaluations each in 10 us, nvcc's in 25.
fn one() -> Record {
    let key = Key {
        integrand: Some("runge".into()),
        rule: Some("gauss-legendre-5".into()),
        element: Some("f64".into()),
        strips: Some(1 << 20),
        ..Key::default()
    };
    let values = Values {
        integral: Some(Integral {
            value: Some(0.75),
            expected: 0.5,
            relative_error: Some(1.5e-16),
            ulps: Some(1),
            evaluations: 5,
        }),
        ..Values::default()
    };
    row(key, values, 10.0, &[("nvcc 0.0.1", 25.0)])
}

/// 2000 integrals in 10 us, SciPy's in 1 ms and 4 ms, and 0.1 ms on the device.
fn batch() -> Record {
    let key = Key {
        integrand: Some("smooth".into()),
        rule: Some("g7k15".into()),
        element: Some("f64".into()),
        n: Some(2000),
        tolerance: Some("1e-10".into()),
        ..Key::default()
    };
    let values = Values {
        integrals: Some(Batch {
            converged: 1999,
            unconverged: 1,
            evaluations: 22.5,
            largest_error: Some(0.25),
        }),
        ..Values::default()
    };
    let peers = [
        ("SciPy quad", 1000.0),
        ("SciPy quad_vec", 4000.0),
        ("SciPy tanhsinh_cupy", 100.0),
    ];
    row(key, values, 10.0, &peers)
}

fn csv(table: &dyn Table, row: Record) -> (String, String) {
    let rows = [row];
    let columns = export::select(table.columns_of(&rows), Format::Table, false);
    let text = export::render(Format::Csv, &columns, &rows);
    let mut lines = text.lines().map(str::to_owned);
    (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    )
}

#[test]
fn a_row_has_its_rates_its_error_and_every_peer_a_ratio() {
    let (header, line) = csv(&OneIntegral, one());
    assert!(
        header.starts_with(
            "integrand,rule,type,strips,us,noise_percent,g_strips_per_s,g_evaluations_per_s,\
             relative_error,ulps,nvcc_0.0.1_us,nvcc_0.0.1_ratio,"
        ),
        "{header}"
    );
    // 1048576 in 10 us are 104.8576 in 10^9 a second.
    let start = "runge,gauss-legendre-5,f64,1048576,10,0.0,104.86,524.29,1.5e-16,1,25,2.500,";
    assert!(line.starts_with(start), "{line}");
    let (header, line) = csv(&Batches, batch());
    assert!(
        header.starts_with(
            "integrand,rule,type,n,tolerance,us,noise_percent,integrals_per_s,evaluations,\
             converged,unconverged,largest_error,scipy_quad_per_s,scipy_quad_ratio,"
        ),
        "{header}"
    );
    let start = "smooth,g7k15,f64,2000,1e-10,10,0.0,200000000,22.5,1999,1,2.5e-1,2000000,100.0,";
    assert!(line.starts_with(start), "{line}");
    // The faster one of the host.
    assert!(header.contains(",cpu_ratio,"), "{header}");
    assert!(line.contains(",20000000,10.0,100.0,"), "{line}");
}

#[test]
fn below_a_table_stand_the_means_of_every_peer() {
    assert_eq!(
        OneIntegral.summary(&[one()]),
        [
            "integral: nvcc 0.0.1's time in units of ours, geometric mean: 2.500 (1 row); the \
          lowest is 2.500: integrand=runge rule=gauss-legendre-5 type=f64 strips=1048576"
        ]
    );
    assert_eq!(Batches.summary(&[batch()]).len(), 3);
    let mut failed = one();
    failed.status = Status::Failed;
    assert_eq!(OneIntegral.summary(&[failed]), [""; 0]);
}

#[test]
fn a_row_comes_back_from_its_line_of_json() {
    for row in [one(), batch()] {
        let line = serde_json::to_string(&row).unwrap_or_default();
        assert_eq!(serde_json::from_str::<Record>(&line).ok(), Some(row));
    }
}
