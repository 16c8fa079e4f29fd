//! Sweeps on the emulator, of the kernels that are in this program: their shapes as
//! candidates.

use std::path::PathBuf;

use quadscan_kernels::operator::Sum;
use quadscan_kernels::scan::{sizes, tuned};

use super::*;
use quadscan::device::DeviceChoice;

fn module() -> Module {
    let device = Device::open(DeviceChoice::Emulator { schedule: None }).expect("there is one");
    let artifact = crate::modules::ours().expect("the program was built whole");
    device.load(&artifact).expect("it runs its own PTX")
}

fn one_block(entry: &str) -> Candidate {
    let of = sizes::one_block::<Sum<u32>>();
    Candidate {
        entry: entry.to_owned(),
        algorithm: Algorithm::OneBlock,
        element: 4,
        result: 4,
        warps: of.warps,
        rows: of.rows,
        delay: 0,
        ahead: 0,
        items: of.each,
        vectors: of.vectors,
        results: of.results,
    }
}

fn lookahead() -> Candidate {
    let of = sizes::lookahead::<Sum<u32>>();
    Candidate {
        entry: "lookahead_sum_u32".to_owned(),
        algorithm: Algorithm::Lookahead,
        element: 4,
        result: 4,
        warps: of.workers,
        rows: of.items / 4,
        delay: of.delay,
        ahead: of.ahead,
        items: of.items,
        vectors: of.vectors,
        results: of.results,
    }
}

fn swept(candidates: &[Candidate]) -> Result<Record> {
    sweep(&module(), candidates, false, &mut |_| {})
}

#[test]
fn on_the_emulator_results_are_checked_and_there_are_no_times() {
    let record = swept(&[one_block("one_block_sum_u32"), lookahead()]).expect("a record");
    assert_eq!(record.candidates.len(), 2);
    for one in &record.candidates {
        assert_eq!(one.times.len(), 1, "{}", one.candidate.entry);
        assert_eq!(one.times[0].wrong, None);
        assert_eq!(one.times[0].median_us, None);
    }
    assert!(record.ptx.values().all(|hash| hash.len() == 64));
}

#[test]
fn a_candidate_that_gives_something_else_is_wrong_in_the_record() {
    let wrong = one_block("one_block_product_u32");
    let record = swept(&[wrong, one_block("one_block_sum_u32")]).expect("a record");
    let first = &record.candidates[0].times[0];
    let sentence = first.wrong.as_deref().unwrap_or_default();
    assert!(sentence.starts_with("result "), "{sentence}");
    assert_eq!(
        record.candidates[1].times[0].wrong, None,
        "after a wrong one"
    );
}

#[test]
fn a_candidate_that_the_device_cannot_launch_is_left_out_with_the_reason() {
    // With the lookahead warp more than the 1024 threads that a block has.
    let large = Candidate {
        warps: 32,
        ..lookahead()
    };
    let record = swept(&[large, one_block("one_block_sum_u32")]).expect("a record");
    assert_eq!(record.candidates.len(), 1);
    assert_eq!(record.left_out.len(), 1);
    assert!(record.left_out[0].contains("1056"), "{:?}", record.left_out);
}

#[test]
fn a_list_that_does_not_belong_to_the_ptx_is_refused() {
    let unknown = swept(&[one_block("one_block_of_nothing")]);
    assert!(matches!(
        unknown,
        Err(Error::Quadscan(quadscan::Error::UnknownKernel { .. }))
    ));
    let no_scan = swept(&[one_block("limit_copy")]);
    assert!(
        matches!(
            no_scan,
            Err(Error::Quadscan(quadscan::Error::SignatureMismatch { .. }))
        ),
        "{no_scan:?}"
    );
    let unchecked = Candidate {
        result: 2,
        ..one_block("one_block_sum_u32")
    };
    let error = swept(&[unchecked]).expect_err("nothing checks it");
    assert!(error.to_string().contains("4 to 2 bytes"), "{error}");
}

/// What `--table` of a record says.
fn table(record: &str) -> Result<Option<String>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("some.json");
    fs::write(&path, record).expect("written");
    text(&arguments(None, Some(path)))
}

fn arguments(artifact: Option<&Path>, table: Option<PathBuf>) -> TuneArguments {
    TuneArguments {
        artifact: artifact.map(Path::to_owned),
        out: None,
        kernels: false,
        table,
        quick: false,
        device: "emulator".to_owned(),
    }
}

#[test]
fn a_record_that_cannot_be_written_is_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let nowhere = folder.path().join("none/record.json");
    for (out, what) in [
        (nowhere, "is in a folder that does not exist"),
        (folder.path().to_owned(), "is a folder"),
    ] {
        let arguments = arguments(Some(folder.path()), None);
        let error = tune(folder.path(), &out, &arguments, &mut |_| {}).expect_err("it is refused");
        let sentence = format!("--out {} {what}, allowed is a file to write", out.display());
        assert_eq!((error.to_string(), error.exit_code()), (sentence, 2));
    }
}

#[test]
fn what_is_no_record_gives_no_table() {
    let error = table("{}").expect_err("it is none");
    assert!(
        error.to_string().contains("some.json: is not a record"),
        "{error}"
    );
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn a_record_of_one_class_gives_its_row_where_it_was_quick_and_else_no_table() {
    let mut record = choose::tests::record();
    let json = |record: &Record| serde_json::to_string(record).expect("it is JSON");
    let error = table(&json(&record)).expect_err("it lacks classes");
    let end = "has no candidates of 1 to 1, 1 to 4, 1 to 8, 2 to 2, 8 to 8, 16 to 16 bytes, and \
               the table has a row of each: a record of all classes is needed";
    assert!(error.to_string().ends_with(end), "{error}");
    record.quick = true;
    let table = table(&json(&record)).expect("a row").expect("a text");
    assert!(table.contains("\"a GPU, 2026-11-22T00:00:00Z\""), "{table}");
    assert!(
        table.contains("[Row; 1] = [") && table.contains("Row { element: 4, result: 4,"),
        "{table}"
    );
}

#[test]
fn the_table_is_what_the_command_would_write() {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-crate/src/scan/tuned.rs");
    let there = fs::read_to_string(there).expect("it can be read");
    assert_eq!(source(tuned::SWEPT, &ROWS), there);
}
