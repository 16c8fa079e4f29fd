//! What is refused, and what is asked for.

use super::*;
use crate::cli::AxisArguments;

fn arguments() -> BenchArguments {
    BenchArguments {
        device: "auto".into(),
        format: "csv".into(),
        ..BenchArguments::default()
    }
}

fn lists(pairs: &[(&str, &str)]) -> AxisArguments {
    let list = |(option, list): &(&str, &str)| ((*option).to_owned(), (*list).to_owned());
    AxisArguments {
        lists: pairs.iter().map(list).collect(),
        ..AxisArguments::default()
    }
}

fn named(lists: &[&str]) -> AxisArguments {
    AxisArguments {
        named: lists.iter().map(|&list| list.to_owned()).collect(),
        ..AxisArguments::default()
    }
}

fn request(tables: &[&str], axes: AxisArguments) -> Request {
    let arguments = BenchArguments {
        tables: tables.iter().map(|&name| name.to_owned()).collect(),
        axes,
        ..arguments()
    };
    Request::new(&arguments).unwrap_or_else(|error| panic!("{error}"))
}

/// The cells of one table.
fn cells(table: &str, axes: AxisArguments) -> Vec<Cell> {
    request(&[table], axes).tables.remove(0).1
}

fn problem(change: impl FnOnce(&mut BenchArguments)) -> String {
    let mut arguments = arguments();
    change(&mut arguments);
    Request::new(&arguments)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn without_tables_all_are_asked_for() {
    let names = Request::new(&arguments()).map(|request| {
        let names = request.tables.iter().map(|(table, _)| table.name);
        names.collect::<Vec<_>>().join(" ")
    });
    let all = "activity sweep-f64 sweep-f32 accuracy mapping limits";
    assert_eq!(names.unwrap_or_default(), all);
}

#[test]
fn a_table_without_published_figures_has_no_place_beside_published() {
    let published = BenchArguments {
        published: true,
        ..arguments()
    };
    let names = Request::new(&published).map(|request| {
        let names = request.tables.iter().map(|(table, _)| table.name);
        names.collect::<Vec<_>>()
    });
    let four = ["activity", "sweep-f64", "sweep-f32", "accuracy"];
    assert_eq!(names.unwrap_or_default(), four);
    assert_eq!(
        problem(|a| (a.published, a.tables) = (true, vec!["mapping".into()])),
        "TABLE `mapping` has no published figures, allowed beside --published are activity, \
         sweep-f64, sweep-f32, accuracy"
    );
}

#[test]
fn an_unknown_table_lists_the_known_ones() {
    assert_eq!(
        problem(|a| a.tables = vec!["maping".into()]),
        "TABLE `maping` is unknown, a similar name is `mapping`, known are activity, sweep-f64, \
         sweep-f32, accuracy, mapping, limits, scan, reduce, select, integral, integrals, \
         cubature, monte-carlo, kernels, functions, integrate"
    );
}

#[test]
fn strips_that_the_threads_do_not_divide_are_refused_with_what_would_be_lost() {
    assert_eq!(
        problem(|a| {
            a.tables = vec!["sweep-f64".into()];
            a.axes = lists(&[("strips", "1000"), ("blocks", "3"), ("threads", "32")]);
        }),
        "--strips 1000 is not a multiple of blocks * threads = 3 * 32 = 96, and sweep-f64 \
         refuses such a size because the page's integer division would drop 40 strips"
    );
}

#[test]
fn only_known_devices_are_allowed() {
    for device in [
        "emulator:1",
        "cuda:",
        "cuda:x",
        "gpu",
        "cuda:99999999999",
        "",
    ] {
        let problem = problem(|a| a.device = device.into());
        assert!(problem.starts_with("--device"), "{device}: {problem}");
        assert!(
            problem.ends_with("allowed are auto, cuda, cuda:N and emulator"),
            "{problem}"
        );
    }
    for device in ["auto", "cuda", "cuda:0", "cuda:12", "emulator"] {
        assert_eq!(problem(|a| a.device = device.into()), "");
    }
}

#[test]
fn a_schedule_is_a_number_and_the_emulators_alone() {
    let with = |device: &str, seed: &str| {
        problem(|a| (a.device, a.schedule) = (device.into(), Some(seed.into())))
    };
    assert_eq!(with("emulator", "18446744073709551615"), "");
    assert_eq!(
        with("emulator", "x"),
        "--schedule `x` is not a whole number, allowed are 0 to 18446744073709551615"
    );
    for device in ["auto", "cuda", "cuda:1"] {
        assert_eq!(
            with(device, "7"),
            format!(
                "--schedule is for the emulator alone, allowed with --device emulator and \
                 not {device}"
            )
        );
    }
}

#[test]
fn a_table_behind_peers_is_a_table() {
    let peers = |folder: &str| {
        let arguments = BenchArguments {
            peers: Some(folder.into()),
            ..arguments()
        };
        let Ok(request) = Request::new(&arguments) else {
            panic!("refused")
        };
        let names: Vec<&str> = request.tables.iter().map(|(table, _)| table.name).collect();
        (names.join(" "), request.peers)
    };
    assert_eq!(
        peers("sweep-f64"),
        ("sweep-f64".into(), Some("peers".into()))
    );
    assert_eq!(peers("x").1, Some("x".into()));
}

#[test]
fn runs_that_measure_something_else_have_another_identity() {
    let identity = |change: fn(&mut BenchArguments), peers: &str| {
        let mut arguments = BenchArguments {
            tables: vec!["sweep-f64".into()],
            ..arguments()
        };
        change(&mut arguments);
        let request = Request::new(&arguments).unwrap_or_else(|error| panic!("{error}"));
        request.identity(peers)
    };
    let ours = identity(|_| {}, "none");
    assert_eq!(ours, identity(|a| a.format = "json".into(), "none"));
    for other in [
        identity(|_| {}, "nvcc"),
        identity(|a| a.published = true, "none"),
        identity(|a| a.repeat = Some("3".into()), "none"),
        identity(|a| a.cold = true, "none"),
        identity(|a| a.no_pdl = true, "none"),
        identity(|a| a.axes = lists(&[("strips", "4194304")]), "none"),
        identity(|a| a.axes = named(&["strips=4194304"]), "none"),
        identity(|a| a.processes = Some("2".into()), "none"),
        identity(|a| a.save = Some("x".into()), "none"),
        identity(|a| a.device = "emulator".into(), "none"),
        identity(
            |a| (a.device, a.schedule) = ("emulator".into(), Some("0".into())),
            "none",
        ),
    ] {
        assert_ne!(ours, other);
    }
}

#[test]
fn a_kernel_of_one_thread_may_take_longer() {
    let request = request(&["sweep-f64"], AxisArguments::default());
    let table = request.tables[0].0;
    let patience = |blocks: u32, threads: u32, has_timer| {
        let cell = Cell::default().with("strips", 1_u64 << 24);
        let cell = cell.with("blocks", blocks).with("threads", threads);
        request.patience(table, &cell, has_timer)
    };
    assert!(patience(1, 1, true) > Duration::from_secs(500));
    assert!(patience(64, 256, true) < Duration::from_secs(61));
    // 2^24 strips in one warp, and in 2^13 warps of 4 lanes.
    assert!(patience(1, 1, false) > Duration::from_secs(200));
    assert!(patience(8192, 4, false) > Duration::from_secs(100));
    assert!(patience(64, 256, false) < Duration::from_secs(70));
}

#[test]
fn an_axis_by_its_name_is_that_of_every_table_that_has_it() {
    for (tables, list, axis, number) in [
        (
            ["sweep-f64", "sweep-f32", "accuracy", "mapping", "integral"],
            "strips=4194304",
            "strips",
            1 << 22,
        ),
        (
            ["activity", "scan", "reduce", "integrals", "kernels"],
            "n=1024",
            "n",
            1024,
        ),
    ] {
        let request = request(&tables, named(&[list]));
        assert_eq!(request.tables.len(), tables.len());
        for (table, cells) in &request.tables {
            assert!(!cells.is_empty(), "{}", table.name);
            for cell in cells {
                let found = cell.number(axis);
                assert_eq!(found, Some(number), "{} {}", table.name, cell.describe());
            }
        }
    }
}

#[test]
fn an_axis_by_its_name_has_the_values_that_its_option_has() {
    for (table, name, option, list) in [
        ("activity", "n", "elements", "8,1024"),
        ("scan", "n", "sizes", "1000,2^20+3"),
        ("integral", "strips", "sizes", "2^16..2^20"),
        ("mapping", "strips", "strips", "196608,2^18..2^19"),
        ("sweep-f64", "blocks", "blocks", "64,1"),
        ("mapping", "finish", "finishes", "atomics,host"),
        ("integrals", "tolerance", "tolerance", "1e-3"),
    ] {
        let by_name = cells(table, named(&[&format!("{name}={list}")]));
        assert_eq!(by_name, cells(table, lists(&[(option, list)])), "{table}");
        assert_ne!(by_name, cells(table, AxisArguments::default()), "{table}");
    }
}

#[test]
fn an_axis_that_no_table_has_is_refused_in_one_sentence() {
    for text in ["size=3", "n", "=3", ""] {
        assert_eq!(
            problem(|a| a.axes = named(&[text])),
            format!(
                "--axis `{text}` names no axis, allowed are NAME=LIST of algorithm, step, n, \
                 strips, blocks, threads, precision, mapping, partials, finish, limit, operation, \
                 type, segment, integrand, rule, tolerance, dimensions, kernel, function, such as \
                 n=1000"
            )
        );
    }
}

#[test]
fn a_value_that_an_axis_has_not_is_refused_by_the_name_that_was_typed() {
    let refused = |table: &str, text: &str| {
        problem(|a| (a.tables, a.axes) = (vec![table.into()], named(&[text])))
    };
    assert_eq!(
        refused("activity", "n=1000"),
        "--axis n `1000` is not a power of two, allowed are those from 2 to 2048"
    );
    assert_eq!(
        refused("mapping", "mapping=striped"),
        "--axis mapping `striped` is unknown, a similar name is `strided`, allowed are all, \
         contiguous, strided, block_strided"
    );
}

#[test]
fn an_unknown_name_is_answered_with_the_names_of_the_tables_that_were_asked_for() {
    let refused = |tables: &[&str], axes: AxisArguments| {
        problem(|a| (a.tables, a.axes) = (tables.iter().map(|&t| t.into()).collect(), axes))
    };
    let scan = |tables: &[&str]| refused(tables, lists(&[("algorithms", "xx")]));
    for said in [scan(&["scan"]), scan(&["activity", "scan"])] {
        assert!(
            said.contains("allowed are all, ") && said.contains("one_wave"),
            "{said}"
        );
        assert!(
            !said.contains("naive") && !said.contains("padded"),
            "{said}"
        );
    }
    // A name of an axis is of both tables.
    let both = refused(&["activity", "scan"], named(&["algorithm=xx"]));
    assert!(
        both.contains("naive") && both.contains("one_wave"),
        "{both}"
    );
}

#[test]
fn a_list_of_an_axis_that_a_table_has_whole_leaves_those_cells() {
    let count = |table: &str, pairs: &[(&str, &str)]| cells(table, lists(pairs)).len();
    assert_eq!(count("mapping", &[]), 48);
    assert_eq!(count("mapping", &[("mappings", "all")]), 48);
    assert_eq!(count("mapping", &[("mappings", "strided")]), 16);
    assert_eq!(count("mapping", &[("partials", "global,shared")]), 24);
    assert_eq!(count("mapping", &[("finishes", "atomics")]), 12);
    let one = [
        ("mappings", "strided"),
        ("partials", "shared"),
        ("finishes", "host"),
    ];
    assert_eq!(count("mapping", &one), 1);
    assert_eq!(
        (count("limits", &[]), count("limits", &[("limits", "copy")])),
        (17, 1)
    );
    // A size of each power of two from 2^16 to 2^24, in six precisions.
    assert_eq!(count("accuracy", &[]), 6 * 9);
    assert_eq!(count("accuracy", &[("precisions", "f32")]), 9);
    // The ten steps of the naive scan of 1024 elements, and the first ones of both scans.
    assert_eq!(count("activity", &[("scans", "naive")]), 10);
    assert_eq!(count("activity", &[("steps", "1")]), 2);
    for (table, pair) in [
        ("mapping", ("mappings", "strided")),
        ("limits", ("limits", "copy")),
        ("accuracy", ("precisions", "f32")),
    ] {
        let axis = pair.0.trim_end_matches('s');
        let mut left = cells(table, lists(&[pair])).into_iter();
        assert!(left.all(|cell| cell.text(axis) == Some(pair.1)), "{table}");
    }
}

#[test]
fn a_name_that_an_axis_has_not_is_refused_with_those_that_it_has() {
    assert_eq!(
        problem(|a| {
            a.tables = vec!["mapping".into()];
            a.axes = lists(&[("mappings", "striped")]);
        }),
        "--mappings `striped` is unknown, a similar name is `strided`, allowed are all, \
         contiguous, strided, block_strided"
    );
}

#[test]
fn algorithms_by_the_axis_are_of_every_table_that_has_an_axis_of_that_name() {
    let scans = cells("activity", named(&["algorithm=naive"]));
    let is_naive = |cell: &Cell| cell.text("algorithm") == Some("naive");
    assert!(scans.iter().all(is_naive) && scans.len() == 10);
    let said = problem(|arguments| {
        arguments.tables = vec!["reduce".into()];
        arguments.axes = named(&["algorithm=one_wave"]);
    });
    let start = "--axis algorithm has no place in these tables, ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn names_that_leave_no_row_are_refused_with_those_that_are_there() {
    let said = problem(|arguments| {
        arguments.tables = vec!["accuracy".into()];
        arguments.published = true;
        arguments.axes = lists(&[("precisions", "f32-kahan")]);
    });
    let sentence = "--precisions has none of the rows of accuracy here, which are of f32, f64";
    assert_eq!(said, sentence);
}
