//! Several processes, by `mpirun` on this machine: their results are those of one process, bit for bit,
//! and what they have done outlives them.
//!
//! Without an `mpirun` these tests are ignored, for that reason. `QUADSCAN_KILLS` is how many processes
//! are killed, 3 where it is not set.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{Outcome, PROGRAM, command, ends, folder, quadscan};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Rows of a launch: files have two of them and a little more.
const ROWS: usize = 1 << 18;

/// How long processes may take to be gone when `mpirun` has ended, and to be there.
const SOON: Duration = Duration::from_secs(20);

/// Integrals to be killed in.
const ITEMS: usize = 240;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut started = Command::new("mpirun");
    started
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let is_there = started.status().is_ok_and(|status| status.success());
    let of_mpi = |name: &str, test: fn()| {
        Trial::ignorable_test(format!("mpi::{name}"), move || match is_there {
            true => Ok(passed(test).map(|()| Completion::Completed)?),
            false => Ok(Completion::ignored_with("no mpirun was found")),
        })
    };
    let trials = vec![
        of_mpi("scans_and_reductions_have_the_bits_of_one_process", columns),
        of_mpi("keys_go_on_from_process_to_process", keys),
        of_mpi(
            "integrals_have_the_bits_and_the_order_of_one_process",
            integrals,
        ),
        of_mpi("an_error_that_all_have_is_said_once", refusals),
        of_mpi("a_cell_is_measured_by_one_process_and_by_all", cells),
        of_mpi("killed_processes_lose_nothing_and_leave_nobody", kills),
        Trial::test("one_process_goes_on_after_a_kill", || passed(one_process)),
        Trial::test("without_a_library_of_mpi_there_is_a_reason", || {
            passed(no_library)
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A panic is a failure, with its message on standard error.
fn passed(test: fn()) -> Result<(), Failed> {
    std::panic::catch_unwind(test).map_err(|_| "the test panicked".into())
}

/// `mpirun -n COUNT quadscan ARGUMENTS`, in a folder.
fn mpirun(folder: &Path, count: usize, arguments: &[&str]) -> Command {
    let mut mpirun = Command::new("mpirun");
    mpirun.args(["-n", &count.to_string(), PROGRAM]);
    mpirun.args(arguments).current_dir(folder);
    // More processes than cores, also of root in a container, of Open MPI 4 and 5.
    for (name, value) in [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ] {
        mpirun.env(name, value);
    }
    mpirun.stdout(Stdio::piped()).stderr(Stdio::piped());
    mpirun
}

/// What 2 and 4 processes print and write is what one does.
#[track_caller]
fn assert_same(folder: &Path, arguments: &[&str], file: Option<&str>, counts: &[usize]) {
    let mut arguments = [arguments, &["--device", "emulator"]].concat();
    arguments.extend(file.iter().flat_map(|file| ["--out", *file]));
    let content = || file.map(|file| fs::read(folder.join(file)).expect("it is written"));
    let alone = quadscan(folder, &arguments);
    assert!((0..2).contains(&alone.code), "{alone:?}");
    let expected = content();
    for &count in counts {
        file.iter()
            .for_each(|file| fs::remove_file(folder.join(file)).expect("it is there"));
        let together = ends(&mut mpirun(folder, count, &arguments));
        assert_eq!(
            (together.code, &together.output),
            (alone.code, &alone.output),
            "{together:?}"
        );
        assert!(content() == expected, "{arguments:?} of {count} processes");
    }
    assert!(!folder.join("out.csv.journal").exists());
}

/// A file of floats, none of whose sums is exact.
fn floats(folder: &Path, name: &str, rows: usize) {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows},), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for row in 0..rows {
        bytes.extend((((row * 37) % 1001) as f32 / 3.0 - 160.0).to_le_bytes());
    }
    fs::write(folder.join(name), bytes).expect("written");
}

fn columns() {
    let folder = folder();
    let folder = folder.path();
    floats(folder, "x.npy", 2 * ROWS + 1);
    assert_same(
        folder,
        &["scan", "x.npy", "--exclusive"],
        Some("out.npy"),
        &[2, 4],
    );
    assert_same(folder, &["reduce", "x.npy"], None, &[2, 4]);
}

/// One key is in all blocks but the end of the last one.
fn keys() {
    let folder = folder();
    let folder = folder.path();
    let key = |row: usize| usize::from(row > 2) + usize::from(row >= 2 * ROWS + 2);
    let rows = (0..2 * ROWS + 3).map(|row| format!("{},{}\n", key(row), row % 7));
    fs::write(
        folder.join("x.csv"),
        format!("key,x\n{}", rows.collect::<String>()),
    )
    .expect("written");
    let arguments = ["reduce", "x.csv", "--by-key", "key", "--type", "i32"];
    assert_same(folder, &arguments, None, &[3]);
}

/// Some cost a hundred times what others do, and some have no result.
fn items(folder: &Path, count: usize) {
    let row = |k: usize| match k % 40 {
        7 => format!("{k},1,nan\n"),
        _ => format!("{k},{},3\n", (k * k * 31) % 400),
    };
    let rows: String = (0..count).map(row).collect();
    fs::write(folder.join("items.csv"), format!("name,k,to\n{rows}")).expect("written");
}

const FORMULA: [&str; 6] = [
    "integrate",
    "--formula",
    "cos(k*x)*exp(-x)",
    "--from",
    "0",
    "--batch",
];

fn integrals() {
    let folder = folder();
    let folder = folder.path();
    items(folder, 7);
    let all = [&FORMULA[..], &["items.csv", "--derivative", "k"]].concat();
    assert_same(folder, &all, Some("out.csv"), &[2, 4]);
    fs::write(folder.join("p.csv"), "k\n1\n2.5\n3\n").expect("written");
    let over = [
        "integrate",
        "--formula",
        "exp(-k*(x^2+y^2))",
        "--over",
        "x=0..1,y=0..1",
    ];
    let rest = ["--batch", "p.csv", "--tolerance", "1e-3"];
    assert_same(folder, &[&over[..], &rest].concat(), None, &[2]);
    // One integral is the first process's.
    let one = ["integrate", "-i", "runge", "--from", "0", "--to", "1"];
    assert_same(folder, &one, None, &[2]);
}

fn refusals() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("x.csv"), "x\n1\ny\n").expect("written");
    for (arguments, sentence) in [
        (
            ["reduce", "x.csv", "--op", "mean"],
            "error: --op `mean` is unknown, ",
        ),
        (
            ["reduce", "x.csv", "--device", "emulator"],
            "error: FILE x.csv, line 3: `y` is not ",
        ),
        (
            ["scan", "-", "--device", "emulator"],
            "error: FILE - is standard input, ",
        ),
        (
            ["reduce", "x.csv", "--opp", "sum"],
            "error: unexpected argument '--opp' found",
        ),
        (
            ["bench", "scan", "--ranks", "--repeat=x"],
            "error: --repeat",
        ),
    ] {
        let outcome = ends(&mut mpirun(folder, 4, &arguments));
        assert_eq!((outcome.code, &*outcome.output), (2, ""), "{outcome:?}");
        let said = outcome
            .errors
            .lines()
            .filter(|line| line.starts_with("error: "));
        let said: Vec<&str> = said.collect();
        assert!(
            said.len() == 1 && said[0].starts_with(sentence),
            "{outcome:?}"
        );
    }
}

/// The emulator has no times: a line has the cell, and how many processes have measured it.
fn cells() {
    let folder = folder();
    let folder = folder.path();
    let bench = [
        "bench",
        "scan",
        "--ranks",
        "--operations",
        "inclusive_sum",
        "--types",
        "i32",
        "--sizes",
        "1000,2^11",
        "--device",
        "emulator",
        "--format",
        "csv",
        "--out",
        "records",
    ];
    let together = ends(&mut mpirun(folder, 3, &bench));
    assert_eq!(together.code, 0, "{together:?}");
    let lines = together.output.lines();
    let lines: Vec<&str> = lines
        .skip_while(|line| !line.starts_with("cell,"))
        .collect();
    assert_eq!(lines.len(), 3, "{together:?}");
    assert_eq!(lines[0], "cell,time,processes,ms_of_one,times_one");
    for line in &lines[1..] {
        assert!(
            line.starts_with("scan ") && line.ends_with(",,3,,"),
            "{line}"
        );
    }
    let alone = quadscan(folder, &bench);
    assert_eq!(alone.code, 2, "{alone:?}");
    let sentence = "error: --ranks is of one process, allowed with several: ";
    assert!(alone.errors.starts_with(sentence), "{alone:?}");
}

/// Processes whose working folder is this one.
fn processes_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().expect("a folder");
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let is_in = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == folder);
    let found = entries.map(|entry| entry.path()).filter(is_in);
    let number = |path: PathBuf| path.file_name()?.to_str()?.parse().ok();
    found.filter_map(number).collect()
}

/// Those that are ranks.
fn ranks_in(folder: &Path) -> Vec<u32> {
    let is_rank = |process: &u32| {
        let program = fs::read_link(format!("/proc/{process}/exe"));
        program.is_ok_and(|path| path.ends_with("quadscan"))
    };
    processes_in(folder).into_iter().filter(is_rank).collect()
}

/// Where the moments come from.
const SEED: u64 = 20_261_126;

/// Kills one of the processes of a run at a random moment, again and again: no row that was in the journal
/// is lost, and nobody stays behind. In the end the results are those of a run that nobody killed.
fn killed(folder: &Path, count: usize, processes: usize, start: impl Fn() -> Command) {
    let journal = || fs::read(folder.join("out.csv.journal")).unwrap_or_default();
    let out = folder.join("out.csv");
    items(folder, ITEMS);
    let whole = [
        &FORMULA[..],
        &["items.csv", "--device", "emulator", "--out", "out.csv"],
    ]
    .concat();
    let alone = quadscan(folder, &whole);
    let expected = fs::read(&out).expect("written");
    assert_eq!(alone.code, 1, "some have no limits: {alone:?}");
    fs::remove_file(&out).expect("it is there");
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut most = 0;
    for round in 0..count {
        let mut run = start();
        let run = run.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = run.spawn().expect("it starts");
        // At a time, or when some results more are there.
        let (then, time) = (Instant::now(), Duration::from_millis(random.u64(0..400)));
        let enough = journal().len() + random.usize(1..4000);
        let is_due = || match round % 3 {
            0 => then.elapsed() > time,
            _ => journal().len() >= enough,
        };
        let mut has_ended = || run.try_wait().is_ok_and(|ended| ended.is_some());
        // Open MPI 4's mpirun waits for ever where one dies while it still starts others.
        while !(has_ended() || is_due() && ranks_in(folder).len() == processes) {
            assert!(
                then.elapsed() < SOON,
                "not all of round {} start",
                round + 1
            );
            thread::sleep(Duration::from_millis(2));
        }
        let (kept, ranks) = (journal(), ranks_in(folder));
        if !ranks.is_empty() {
            let who = ranks[random.usize(0..ranks.len())].to_string();
            let mut killed = Command::new("kill");
            let killed = killed.args(["-9", &who]).stderr(Stdio::null()).status();
            assert!(killed.is_ok(), "there is a kill");
        }
        let killed = Instant::now();
        while !has_ended() || !processes_in(folder).is_empty() {
            let (round, left) = (round + 1, processes_in(folder));
            assert!(
                killed.elapsed() < SOON,
                "{left:?} stay behind in round {round}"
            );
            thread::sleep(Duration::from_millis(5));
        }
        most = most.max(kept.len());
        if out.exists() {
            // It was done before.
            assert!(fs::read(&out).expect("it is there") == expected);
            fs::remove_file(&out).expect("it is there");
        } else {
            assert!(
                journal().starts_with(&kept),
                "of {} bytes some are lost",
                kept.len()
            );
        }
    }
    assert!(most > 100, "none was killed in the middle");
    // More than a head.
    let is_left = journal().len() > 96;
    let last = ends(start().stdout(Stdio::null()).stderr(Stdio::piped()));
    assert_eq!(last.code, 1, "{last:?}");
    assert_eq!(last.errors.contains("rows were there"), is_left, "{last:?}");
    assert!(fs::read(&out).expect("it is there") == expected);
    assert!(journal().is_empty());
}

fn kills() {
    let folder = folder();
    let count = std::env::var("QUADSCAN_KILLS").ok();
    let count = count.map_or(3, |count| count.parse().expect("a number"));
    killed(folder.path(), count, 4, || {
        mpirun(folder.path(), 4, &resumed())
    });
}

fn one_process() {
    let folder = folder();
    killed(folder.path(), 3, 1, || command(folder.path(), &resumed()));
}

/// A run that goes on.
fn resumed() -> Vec<&'static str> {
    let rest = [
        "items.csv",
        "--device",
        "emulator",
        "--out",
        "out.csv",
        "--resume",
    ];
    [&FORMULA[..], &rest].concat()
}

fn no_library() {
    let folder = folder();
    let mut alone = command(folder.path(), &["reduce", "x.csv"]);
    alone
        .env("OMPI_COMM_WORLD_SIZE", "2")
        .env("QUADSCAN_MPI", "/nowhere/libmpi.so");
    let Outcome { code, errors, .. } = ends(alone.stderr(Stdio::piped()));
    assert_eq!(code, 2);
    let sentence = "error: MPI cannot be used: this is one of 2 processes, and its library could not be \
                    loaded (";
    assert!(errors.starts_with(sentence), "{errors}");
    assert!(
        errors.contains("QUADSCAN_MPI names the library, or is off"),
        "{errors}"
    );
}
