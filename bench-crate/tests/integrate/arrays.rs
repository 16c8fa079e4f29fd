//! Files of NumPy's, as items and as results.
//!
//! Their bytes are written and read here by the format's description (NumPy Enhancement
//! Proposal 1, versions 1.0 to 3.0), not by the library that the program uses.

use std::fs;
use std::path::Path;

use crate::common::folder;
use crate::{Table, integrate_in, refused_in};

const GAUSSIAN: [&str; 4] = ["--integrand", "genz_gaussian", "--batch", "items.npy"];

/// An array in a file: a header of this dictionary, and the elements.
#[track_caller]
fn write(folder: &Path, dictionary: &str, elements: &[u8]) {
    let mut text = dictionary.to_owned();
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(elements);
    assert!(fs::write(folder.join("items.npy"), bytes).is_ok());
}

fn dictionary(descr: &str, is_fortran: bool, shape: &str) -> String {
    let order = if is_fortran { "True" } else { "False" };
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}")
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn singles(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
fn an_array_has_a_row_an_item_whether_it_is_plain_or_of_records() {
    let folder = folder();
    let csv = "from,to,a,u\n0,1,2,0.5\n-1,2,3,0.25\n2,-1,3,0.25\n";
    assert!(fs::write(folder.path().join("items.csv"), csv).is_ok());
    let of_csv = [&GAUSSIAN[..3], &["items.csv"]].concat();
    let expected = integrate_in(folder.path(), &of_csv);
    assert_eq!(expected.code, 0, "{expected:?}");
    let rows = [
        0.0, 1.0, 2.0, 0.5, -1.0, 2.0, 3.0, 0.25, 2.0, -1.0, 3.0, 0.25,
    ];
    let check = |rest: &[&str]| {
        let outcome = integrate_in(folder.path(), &[&GAUSSIAN[..], rest].concat());
        assert_eq!(
            (outcome.code, &outcome.output),
            (0, &expected.output),
            "{outcome:?}"
        );
    };
    write(
        folder.path(),
        &dictionary("'<f8'", false, "(3, 4)"),
        &doubles(&rows),
    );
    check(&[]);
    let narrow = rows.map(|value| value as f32);
    write(
        folder.path(),
        &dictionary("'<f4'", false, "(3, 4)"),
        &singles(&narrow),
    );
    check(&[]);
    // Either byte order, and either order of the elements.
    let big: Vec<u8> = rows.iter().flat_map(|value| value.to_be_bytes()).collect();
    write(folder.path(), &dictionary("'>f8'", false, "(3, 4)"), &big);
    check(&[]);
    let by_column = (0..4).flat_map(|column| rows.iter().skip(column).step_by(4));
    let by_column: Vec<f64> = by_column.copied().collect();
    write(
        folder.path(),
        &dictionary("'<f8'", true, "(3, 4)"),
        &doubles(&by_column),
    );
    check(&[]);
    // Fields in any order, of either size, with bytes between them as C aligns them; the
    // upper limit is the command line's.
    let records = "[('u', '<f4'), ('', '|V4'), ('to', '<f8'), ('from', '<f8')]";
    let mut elements = Vec::new();
    for row in rows.chunks(4) {
        elements.extend(singles(&[row[3] as f32, f32::NAN]));
        elements.extend(doubles(&[row[1], row[0]]));
    }
    let all = elements.len() / 3;
    write(
        folder.path(),
        &dictionary(records, false, "(2,)"),
        &elements[all..],
    );
    let outcome = integrate_in(
        folder.path(),
        &[&GAUSSIAN[..], &["--parameters", "a=3"]].concat(),
    );
    let (found, expected) = (Table::of(&outcome), Table::of(&expected));
    assert_eq!(found.rows, expected.rows[1..]);
}

#[test]
fn results_are_an_array_of_records_with_the_digits_of_the_text() {
    let folder = folder();
    let rows = [0.0, 1.0, 2.0, 0.5, f64::NAN, 2.0, 3.0, 0.25];
    write(
        folder.path(),
        &dictionary("'<f8'", false, "(2, 4)"),
        &doubles(&rows),
    );
    let text = Table::of(&integrate_in(folder.path(), &GAUSSIAN));
    let arguments = [&GAUSSIAN[..], &["--out", "results.npy"]].concat();
    let outcome = integrate_in(folder.path(), &arguments);
    assert_eq!(
        (outcome.code, outcome.output.as_str()),
        (1, "results.npy\n")
    );
    assert!(
        outcome.errors.contains("1 no_limits, first in row 1: "),
        "{outcome:?}"
    );
    let bytes = fs::read(folder.path().join("results.npy")).unwrap_or_default();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (header, elements) = bytes[10..].split_at(length);
    let header = String::from_utf8_lossy(header);
    for field in [
        "('from', '<f8')",
        "('u', '<f8')",
        "('error', '<f8')",
        "('evaluations', '<u8')",
        "('status', '|S16')",
        "('at', '<f8')",
        "(2,)",
        "False",
    ] {
        assert!(header.contains(field), "{field} in {header}");
    }
    // Six numbers, evaluations, status, and at.
    assert_eq!(elements.len(), 2 * (6 * 8 + 8 + 16 + 8));
    for (record, row) in elements.chunks(80).zip(&text.rows) {
        let number = |k: usize| {
            let bytes: [u8; 8] = std::array::from_fn(|byte| record[k * 8 + byte]);
            f64::from_le_bytes(bytes)
        };
        let texts: Vec<String> = (0..6).map(|k| format!("{:?}", number(k))).collect();
        assert_eq!(texts, row[..6]);
        assert_eq!(
            u64::from_le_bytes(std::array::from_fn(|k| record[48 + k])).to_string(),
            row[6]
        );
        let status = String::from_utf8_lossy(&record[56..72]);
        assert_eq!(status.trim_end_matches('\0'), row[7]);
        assert!(number(9).is_nan());
    }
}

#[test]
fn more_items_than_allowed_are_refused_before_they_are_read() {
    let folder = folder();
    // 2^24 + 1.
    write(
        folder.path(),
        &dictionary("'<f8'", false, "(16777217, 4)"),
        &[],
    );
    assert_eq!(
        refused_in(folder.path(), &GAUSSIAN),
        "--batch items.npy has 16777217 items, allowed are 1 to 16777216"
    );
}

#[test]
fn arrays_of_another_kind_are_refused() {
    let folder = folder();
    let four = doubles(&[0.0, 1.0, 2.0, 0.5]);
    let records = |fields: &str| dictionary(&format!("[{fields}]"), false, "(1,)");
    let [deep, deeper] = ["(", "["].map(|open| format!("{{'descr': {}", open.repeat(900)));
    for (text, elements, problem) in [
        (
            dictionary("'<f8'", false, "(0, 4)"),
            &four[..0],
            "has 0 items, allowed are 1 to ",
        ),
        (
            dictionary("'<f8'", false, "(1, 3)"),
            &four[..24],
            "has the shape (1, 3), allowed is (items, 4): from, to, a, u",
        ),
        (
            dictionary("'<f8'", false, "(4,)"),
            &four,
            "has the shape (4,), allowed is (items, 4)",
        ),
        (
            dictionary("'<f8'", false, "()"),
            &four[..8],
            "has the shape (), allowed is (items, 4)",
        ),
        (
            dictionary("'<f8'", true, "(2, 4)"),
            &four,
            "ends after 32 bytes of 64, allowed are whole arrays",
        ),
        (
            dictionary("'<c16'", false, "(1, 4)"),
            &four,
            "holds <c16, allowed are i1 to i8, u1 to u8, f4 and f8, and in records S and U",
        ),
        (
            dictionary("'|S8'", false, "(1, 4)"),
            &four,
            "holds |S8, allowed are i1 to i8, ",
        ),
        (
            dictionary("'<f8'", false, "(2, 4)"),
            &four,
            "ends in row 1 of 2, allowed are whole arrays",
        ),
        (
            dictionary("'<f8'", false, "(1, 4)"),
            &[&four[..], &[0]].concat(),
            "has data after its 1 rows, allowed are whole arrays",
        ),
        (
            records("('b', '<f8'), ('c', '<f8')"),
            &four,
            "has a column `b`, allowed are from, ",
        ),
        (
            records("('a', '|b1')"),
            &four,
            "holds |b1, allowed are i1 to i8, ",
        ),
        (records("('a', '<f8', (2,))"), &four, "holds "),
        (
            records("('a', '<f8')"),
            &four[..8],
            "has no u, genz_gaussian needs a, u",
        ),
        (
            deep,
            &four,
            "is not a .npy file, allowed is what numpy.save writes",
        ),
        (
            deeper,
            &four,
            "is not a .npy file, allowed is what numpy.save writes",
        ),
        (
            "{}".to_owned(),
            &four,
            "is not a .npy file, allowed is what numpy.save writes",
        ),
    ] {
        write(folder.path(), &text, elements);
        let sentence = refused_in(folder.path(), &GAUSSIAN);
        let start = format!("--batch items.npy {problem}");
        assert!(sentence.starts_with(&start), "{text}: {sentence}");
    }
    for bytes in [
        &b""[..],
        b"a,u\n1,2\n",
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        b"\x93NUMPY\x09",
    ] {
        assert!(fs::write(folder.path().join("items.npy"), bytes).is_ok());
        let sentence = refused_in(folder.path(), &GAUSSIAN);
        assert!(
            sentence.starts_with("--batch items.npy is not a .npy file"),
            "{sentence}"
        );
    }
}

#[test]
fn a_number_that_the_precision_cannot_say_is_named_by_its_row() {
    let folder = folder();
    let rows = [0.0, 1.0, 2.0, 0.5, 0.0, 1e39, 2.0, 0.5];
    write(
        folder.path(),
        &dictionary("'<f8'", false, "(2, 4)"),
        &doubles(&rows),
    );
    assert_eq!(
        refused_in(
            folder.path(),
            &[&GAUSSIAN[..], &["--precision", "f32"]].concat()
        ),
        "--batch items.npy, row 1: `1e39` is too large for f32, allowed in to are smaller \
         numbers"
    );
}
