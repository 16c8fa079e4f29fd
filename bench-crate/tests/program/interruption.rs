//! A run that is killed at any moment: what it has printed is kept, what it has
//! measured is not measured again, and nothing is half-written.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::{PROGRAM, READY, command, done, fake, folder, quadscan};
use quadscan_bench::record::Record;

/// Moments at which a run is killed.
const MOMENTS: usize = 20;

/// Where the moments come from.
const SEED: u64 = 20_261_121;

/// Blocks, threads: the cells of both tables.
const SHAPES: [(u32, u32); 6] = [(1, 32), (1, 64), (2, 32), (2, 64), (4, 32), (4, 64)];

const TABLES: [&str; 2] = ["sweep-f64", "sweep-f32"];

/// Rows of a whole run.
const ROWS: usize = TABLES.len() * SHAPES.len();

const ARGUMENTS: [&str; 20] = [
    "bench",
    TABLES[0],
    TABLES[1],
    "--strips",
    "16384",
    "--blocks",
    "1,2,4",
    "--threads",
    "32,64",
    "--repeat",
    "3",
    "--device",
    "emulator",
    "--format",
    "csv",
    "--out",
    "out",
    "--save",
    "kept",
    "--quick",
];

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after its start.
    At(Duration),
    /// So long after this many tables were read from its standard output.
    Behind(usize, Duration),
}

/// Moments over the length of a run, and around its beginning, the ends of its
/// tables and its own end.
fn moments(length: Duration) -> Vec<Moment> {
    let mut random = fastrand::Rng::with_seed(SEED);
    (0..MOMENTS)
        .map(|index| match index % 5 {
            0..3 => Moment::At(length.mul_f64(random.f64())),
            _ => Moment::Behind(
                random.usize(0..=TABLES.len()),
                Duration::from_micros(random.u64(0..4000)),
            ),
        })
        .collect()
}

/// A run whose output is read as it comes.
struct Running {
    process: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

fn start(folder: &Path) -> Running {
    let process = Command::new(PROGRAM)
        .args(ARGUMENTS)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut process = match process {
        Ok(process) => process,
        Err(e) => panic!("{e}"),
    };
    let (sender, lines) = channel();
    let (errors_sender, errors) = channel();
    let (Some(output), Some(mut said)) = (process.stdout.take(), process.stderr.take()) else {
        panic!("no pipes")
    };
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = String::new();
        // A line that is not whole has not been printed.
        while reader.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = said.read_to_string(&mut text);
        let _ = errors_sender.send(text);
    });
    Running {
        process,
        lines,
        errors,
    }
}

/// Kills a run and gives what it had printed.
fn kill(mut running: Running, moment: Moment) -> Vec<String> {
    let mut printed = Vec::new();
    match moment {
        Moment::At(after) => std::thread::sleep(after),
        Moment::Behind(tables, after) => {
            let begin = Instant::now();
            // A header and its rows each, and a line between them.
            let lines = tables * (SHAPES.len() + 2);
            while printed.len() + 1 < lines && begin.elapsed() < Duration::from_secs(60) {
                printed.extend(running.lines.recv_timeout(Duration::from_secs(60)));
            }
            std::thread::sleep(after);
        }
    }
    let _ = running.process.kill();
    assert!(running.process.wait().is_ok());
    // Its measuring process has the same standard error, and ends by itself.
    let errors = running.errors.recv_timeout(Duration::from_secs(20));
    assert!(errors.is_ok(), "{moment:?}: a process was left behind");
    printed.extend(running.lines.iter());
    printed
}

/// Table, blocks and threads of the rows that were printed.
fn rows_of(printed: &[String]) -> Vec<(String, u32, u32)> {
    let mut rows = Vec::new();
    let mut table = 0;
    for line in printed {
        let mut cells = line.split(',').map(str::parse::<u32>);
        match (cells.next(), cells.next()) {
            (Some(Ok(blocks)), Some(Ok(threads))) => {
                rows.push((TABLES[table].to_owned(), blocks, threads));
            }
            _ if line == "\n" => table += 1,
            _ => assert!(line.starts_with("blocks,threads,"), "{line}"),
        }
    }
    rows
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The records of a file: every whole line has to be one.
fn records(text: &str, moment: Moment) -> Vec<Record> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let lines = text[..whole].lines();
    lines
        .map(|line| match serde_json::from_str(line) {
            Ok(record) => record,
            Err(e) => panic!("{moment:?}: {e}: {line}"),
        })
        .collect()
}

fn cell(record: &Record) -> (String, u32, u32) {
    let (blocks, threads) = (record.cell.small("blocks"), record.cell.small("threads"));
    (
        record.table.clone(),
        blocks.unwrap_or_default(),
        threads.unwrap_or_default(),
    )
}

fn cells(records: &[Record]) -> Vec<(String, u32, u32)> {
    records.iter().map(cell).collect()
}

fn all_cells() -> Vec<(String, u32, u32)> {
    let of = |table: &&str| SHAPES.map(|(b, t)| (table.to_string(), b, t));
    TABLES.iter().flat_map(of).collect()
}

/// What `run.json` says, when it is there: it is whole then.
fn is_finished(folder: &Path, moment: Moment) -> Option<bool> {
    let text = std::fs::read_to_string(folder.join("out/run.json")).ok()?;
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(run) => run["finished"].as_bool(),
        Err(e) => panic!("{moment:?}: run.json: {e}: {text}"),
    }
}

/// Kills a run, looks at what it left, and lets the next one go on.
fn interrupted(moment: Moment, old_baseline: &str) -> usize {
    let folder = folder();
    let baseline = folder.path().join("out/baselines/kept.jsonl");
    assert!(std::fs::create_dir_all(folder.path().join("out/baselines")).is_ok());
    assert!(std::fs::write(&baseline, old_baseline).is_ok());

    let printed = rows_of(&kill(start(folder.path()), moment));
    let path = folder.path().join("out/records.jsonl");
    let before = text(&path);
    let kept = records(&before, moment);
    assert_eq!(cells(&kept), all_cells()[..kept.len()], "{moment:?}");
    for row in &printed {
        assert!(cells(&kept).contains(row), "{moment:?}: {row:?} was lost");
    }
    let saved = text(&baseline);
    assert!(
        saved == old_baseline || saved == before && kept.len() == ROWS,
        "{moment:?}: a baseline is the old one or the new one:\n{saved}"
    );
    let finished = is_finished(folder.path(), moment);
    if finished == Some(true) {
        assert_eq!(saved, before, "{moment:?}: it ended before it had saved");
    }

    let outcome = quadscan(folder.path(), &ARGUMENTS);
    assert_eq!(outcome.code, 0, "{moment:?}: {outcome:?}");
    assert_eq!(outcome.output.lines().count(), ROWS + 3, "{outcome:?}");
    let after = text(&path);
    let whole = before.rfind('\n').map_or(0, |end| end + 1);
    assert!(
        after.starts_with(&before[..whole]),
        "{moment:?}: rows that were there have changed"
    );
    let all = records(&after, moment);
    let again = if finished == Some(true) { ROWS } else { 0 };
    assert_eq!(cells(&all[again..]), all_cells(), "{moment:?}: once each");
    assert!(all[again..].iter().all(|row| row.run == all[again].run));
    assert_eq!(is_finished(folder.path(), moment), Some(true));
    let saved = records(&text(&baseline), moment);
    assert_eq!(saved, all[again..], "{moment:?}");
    kept.len()
}

/// Kept rows, however they are.
fn count(folder: &Path) -> usize {
    text(&folder.join("results/records.jsonl")).lines().count()
}

#[test]
fn ctrl_c_says_what_is_kept_and_how_to_go_on() {
    let folder = folder();
    let hanging = fake(
        folder.path(),
        &format!(
            r#"{READY}
            while read -r line; do
                id=${{line#*\"id\":}}; id=${{id%%,*}}
                case "$line" in *\"hang\"*) exec sleep 30;; esac
                {}
            done"#,
            done("{}")
        ),
    );
    let errors = folder.path().join("errors");
    let to = std::fs::File::create(&errors).map(Stdio::from);
    let mut run = command(folder.path(), &["bench", "faults", "--worker", &hanging]);
    let run = run.stdout(Stdio::null()).stderr(to.expect("a file"));
    let mut run = run.spawn().expect("it starts");
    let begin = Instant::now();
    while count(folder.path()) < 3 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = run.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    assert_eq!(run.wait().ok().and_then(|status| status.code()), Some(130));
    let said = text(&errors);
    let farewell = "interrupted: 3 of 5 cells are kept in results; the same command goes on with \
                    the others";
    assert_eq!(said.lines().last(), Some(farewell), "{said}");
    assert_eq!(count(folder.path()), 3);
}

/// The exit code of a program that gets these signals while it writes a file, whose names stay.
fn ended_by(shell: &str, signals: &[&str]) -> (Option<i32>, Vec<String>) {
    let folder = folder();
    let rows: String = (0..20_000).map(|row| format!("0.{row}\n")).collect();
    std::fs::write(folder.path().join("rows.csv"), format!("a\n{rows}")).expect("written");
    let command = "integrate -i power_log --batch rows.csv -o x.csv -d emulator";
    let mut run = Command::new("sh");
    let run = run.args(["-c", &format!("{shell} exec {PROGRAM} {command}")]);
    let run = run.current_dir(folder.path()).stderr(Stdio::null());
    let mut run = run.spawn().expect("it starts");
    let names = || {
        let entries = std::fs::read_dir(folder.path())
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect::<Vec<String>>()
    };
    let begin = Instant::now();
    let is_draft = |name: &String| name.starts_with(".quadscan-");
    while !names().iter().any(is_draft) && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = run.id().to_string();
    for signal in signals {
        let sent = Command::new("kill").args([signal, &*pid]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }
    (run.wait().ok().and_then(|status| status.code()), names())
}

#[test]
fn what_ends_a_program_leaves_no_draft() {
    for (shell, signals, code) in [
        ("", &["-TERM"][..], 143),
        ("", &["-HUP"], 129),
        ("", &["-INT"], 130),
        // As nohup has it.
        ("trap '' HUP;", &["-HUP", "-TERM"], 143),
    ] {
        let ended = ended_by(shell, signals);
        assert_eq!(
            ended,
            (Some(code), vec!["rows.csv".to_owned()]),
            "{signals:?}"
        );
    }
}

#[test]
fn a_run_that_is_killed_at_any_moment_loses_no_row_and_is_gone_on_with() {
    let first = folder();
    let begin = Instant::now();
    let outcome = quadscan(first.path(), &ARGUMENTS);
    let length = begin.elapsed();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let old = text(&first.path().join("out/baselines/kept.jsonl"));
    assert_eq!(old.lines().count(), ROWS);

    println!("seed {SEED}, a run takes {length:?}");
    // Each has a folder of its own, so that the cores share them.
    let (moments, next, counts) = (moments(length), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(&moment) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let kept = interrupted(moment, &old);
                    println!("{moment:?}: {kept} of {ROWS} rows were there");
                    counts.lock().map(|mut counts| counts.push(kept)).ok();
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_default();
    assert_eq!(counts.len(), MOMENTS);
    let within = counts.iter().filter(|&&kept| kept > 0 && kept < ROWS);
    assert!(
        within.count() > 0,
        "no moment was within the tables: {counts:?}"
    );
}
