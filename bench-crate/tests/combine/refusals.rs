//! What `scan` and `reduce` refuse, each in one sentence.

use std::fs;
use std::path::Path;

use quadscan_bench::modules;

use crate::common::{Outcome, folder};
use crate::{ITEMS, npy, outcome, write};

/// The one sentence by which a command is refused.
#[track_caller]
fn refused(folder: &Path, words: &str) -> String {
    let Outcome {
        code,
        output,
        errors,
        ..
    } = outcome(folder, words);
    assert_eq!((code, output.as_str()), (2, ""), "{words}: {errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    let sentence = errors.trim_end().strip_prefix("error: ");
    sentence.map(str::to_owned).unwrap_or_default()
}

#[test]
fn what_cannot_be_combined_is_refused_in_one_sentence() {
    let folder = folder();
    write(folder.path(), "items.csv", ITEMS);
    write(folder.path(), "bad.csv", "x\n1\n\n2\n1e400\n");
    write(folder.path(), "open.csv", "x,n\n1,\"a\n2,b\n3,c\n");
    write(folder.path(), "point.csv", "x\n5.0\n");
    write(folder.path(), "empty.csv", "x\n# nothing\n");
    write(
        folder.path(),
        "x.npy",
        npy("'<f8'", false, "(2, 2, 2)", &[0; 64]),
    );
    write(
        folder.path(),
        "wide.npy",
        npy("'<i8'", false, "(1,)", &[255; 8]),
    );
    write(
        folder.path(),
        "nan.npy",
        npy("'<f4'", false, "(1,)", &f32::NAN.to_le_bytes()),
    );
    let wide = "(2, 20000)";
    write(
        folder.path(),
        "columns.npy",
        npy("'|u1'", false, wide, &[0; 40_000]),
    );
    write(
        folder.path(),
        "none.npy",
        npy("'<f8'", false, "(5, 0)", &[]),
    );
    write(folder.path(), "rows.csv", "a,b\n1,2\n1,x\ny,3\n");
    for (words, sentence) in [
        (
            "scan items.csv",
            "--column is missing, allowed are key, x, note",
        ),
        (
            "scan items.csv --column y",
            "--column `y` is unknown, allowed are key, x, note",
        ),
        (
            "reduce items.csv --column x --by-key z",
            "--by-key `z` is unknown, allowed are key, x, note",
        ),
        (
            "reduce items.csv --op mean --column x",
            "--op `mean` is unknown, allowed are sum, min, max, product",
        ),
        (
            "reduce items.csv --type f16 --column x",
            "--type `f16` is unknown, allowed are u8, u16, u32, u64, i8, i16, i32, i64, f32, f64",
        ),
        (
            "reduce items.csv --column x --format xml",
            "--format `xml` is unknown, allowed are table, csv, markdown, json",
        ),
        (
            "scan items.csv --column x --op max",
            "--type f64 has no max for scan, allowed are i32, f32",
        ),
        (
            "reduce items.csv --column x --op product",
            "--op product is none for reduce, allowed are sum, min, max",
        ),
        (
            "scan items.csv --column x --op product --type i64",
            "--type i64 has no product for scan, allowed are u32, i32, f32",
        ),
        (
            "reduce open.csv --column x",
            "FILE open.csv, line 2: a quote is not closed, allowed are pairs of quotes",
        ),
        (
            "reduce point.csv --column x --type i32",
            "FILE point.csv, line 2: `5.0` is not written as a whole number, allowed in x are \
             whole numbers from -2147483648 to 2147483647",
        ),
        (
            "scan items.csv --column note",
            "FILE items.csv, line 3: `one` is not a number, allowed in note are numbers, inf and \
             -inf",
        ),
        (
            "scan items.csv --column x --as note",
            "FILE items.csv has a column `note`, as the results are called, allowed is another \
             name by --as",
        ),
        (
            "scan bad.csv",
            "FILE bad.csv, line 5: `1e400` is too large for f64, allowed in x are numbers, inf \
             and -inf",
        ),
        (
            "scan empty.csv",
            "FILE empty.csv has no rows, allowed are 1 and more",
        ),
        (
            "scan items.csv --column x -o items.csv",
            "--out items.csv is the file of FILE, allowed is another one",
        ),
        (
            "scan x.npy",
            "FILE x.npy has the shape (2, 2, 2), allowed are (rows,) and (rows, columns), up to \
             16384 columns",
        ),
        (
            "scan columns.npy --axis 0",
            "FILE columns.npy has the shape (2, 20000), allowed are (rows,) and (rows, columns), \
             up to 16384 columns",
        ),
        (
            "scan none.npy --axis 0",
            "FILE none.npy has no columns, allowed are 1 and more",
        ),
        (
            "scan rows.csv --axis 1",
            "FILE rows.csv, line 3: `x` is not a number, allowed in b are numbers, inf and -inf",
        ),
        (
            "scan items.csv --axis 2",
            "--axis 2 is no axis of rows and columns, allowed are 0 and 1",
        ),
        (
            "scan items.csv --axis 0",
            "FILE items.csv, line 3: `a` is not a number, allowed in key are numbers, inf and \
             -inf",
        ),
        (
            "scan wide.npy --type u64",
            "FILE wide.npy, row 0: `-1` is too small for u64, allowed in value are whole numbers \
             from 0 to 18446744073709551615",
        ),
        (
            "scan nan.npy --type i32",
            "FILE nan.npy, row 0: `NaN` is not a whole number, allowed in value are whole \
             numbers from -2147483648 to 2147483647",
        ),
        (
            "scan items.txt",
            "FILE items.txt is neither CSV nor .npy, allowed are FILE.csv, FILE.tsv, FILE.npy, \
             and - for CSV on standard input",
        ),
        (
            "scan items.csv --column x --artifact nowhere",
            "--artifact nowhere has no manifest.json, allowed is a folder that cuda_builder wrote",
        ),
    ] {
        assert_eq!(refused(folder.path(), words), sentence, "{words}");
    }
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 11, "nothing is written");
}

#[test]
fn an_artifact_without_the_kernels_is_refused_before_anything_is_written() {
    let folder = folder();
    write(folder.path(), "items.csv", "a,b\n1,2\n");
    let artifact = modules::ours().expect("an artifact");
    let mut manifest = artifact.manifest().clone();
    for (module, listed) in artifact.modules().zip(&mut manifest.modules) {
        let part = module.parts().next().expect("a part");
        listed.parts.truncate(1);
        listed.sha256 = listed.parts[0].sha256.clone().unwrap_or_default();
        write(folder.path(), &listed.parts[0].file, part.ptx());
    }
    let manifest = serde_json::to_vec(&manifest).expect("a manifest");
    write(folder.path(), "manifest.json", manifest);
    for words in ["--column a", "--axis 0", "--axis 1"] {
        let command = format!("scan items.csv {words} --artifact .");
        let Outcome {
            code,
            output,
            errors,
            ..
        } = outcome(folder.path(), &command);
        assert_eq!((code, output.as_str()), (2, ""), "{words}: {errors}");
        let expected = "error: --artifact . has no kernel `one_block_sum_f64`, allowed is a folder \
                        with the kernels of sum_f64\n";
        assert!(errors.ends_with(expected), "{words}: {errors}");
    }
}
