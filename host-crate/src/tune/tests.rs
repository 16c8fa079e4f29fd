//! Sweeps on the emulator, of the kernels that are in this program: their shapes as
//! candidates.

use quadscan_kernels::operator::Sum;
use quadscan_kernels::scan::sizes;

use super::*;
use crate::device::DeviceChoice;

fn module() -> Module {
    let device = Device::open(DeviceChoice::Emulator { schedule: None }).expect("there is one");
    let artifact = Artifact::embedded().expect("the program was built whole");
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
    let wrong = one_block("one_block_max_u32");
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
    // With the look-out more than the 1024 threads that a block has.
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
    assert!(matches!(unknown, Err(Error::UnknownKernel { .. })));
    let no_scan = swept(&[one_block("limit_copy")]);
    assert!(
        matches!(no_scan, Err(Error::SignatureMismatch { .. })),
        "{no_scan:?}"
    );
    let unchecked = Candidate {
        result: 2,
        ..one_block("one_block_sum_u32")
    };
    let error = swept(&[unchecked]).expect_err("nothing checks it");
    assert!(error.to_string().contains("4 to 2 bytes"), "{error}");
}

#[test]
fn a_record_that_cannot_be_written_is_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let nowhere = folder.path().join("none/record.json");
    for (out, what) in [
        (nowhere, "is in no folder that there is"),
        (folder.path().to_owned(), "is a folder"),
    ] {
        let arguments = TuneArguments {
            artifact: folder.path().to_owned(),
            out: out.clone(),
            quick: false,
            device: "emulator".to_owned(),
        };
        let error = tune(&arguments, &mut |_| {}).expect_err("it is refused");
        let sentence = format!("--out {} {what}, allowed is a file to write", out.display());
        assert_eq!((error.to_string(), error.exit_code()), (sentence, 2));
    }
}

#[test]
fn a_folder_without_a_list_is_refused_before_a_device_is_opened() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = TuneArguments {
        artifact: folder.path().to_owned(),
        out: folder.path().join("record.json"),
        quick: false,
        device: "no device".to_owned(),
    };
    let error = tune(&arguments, &mut |_| {}).expect_err("there is none");
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains("candidates.json"), "{error}");
    assert!(!arguments.out.exists());
}
