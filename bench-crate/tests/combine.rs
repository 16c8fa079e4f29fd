//! `quadscan scan` and `quadscan reduce` from outside, on the emulator.
//!
//! Expected results are those of loops here, in wider numbers, or exact sums.

mod common;
#[path = "combine/refusals.rs"]
mod refusals;

use std::fmt::{Debug, Write as _};
use std::fs;
use std::path::Path;

use common::{Outcome, folder, quadscan};

/// More rows than a launch combines, twice.
const MANY: usize = 530_000;

/// Runs a command on the emulator, or the device that it names, in a folder.
#[track_caller]
fn run(folder: &Path, words: &str) -> String {
    let Outcome {
        code,
        output,
        errors,
        ..
    } = outcome(folder, words);
    assert_eq!(code, 0, "{words}: {errors}");
    output
}

fn outcome(folder: &Path, words: &str) -> Outcome {
    let words: Vec<&str> = words.split_whitespace().collect();
    let device: &[&str] = match words.contains(&"--device") {
        true => &[],
        false => &["--device", "emulator"],
    };
    quadscan(folder, &[&words[..], device].concat())
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    assert!(fs::write(folder.join(name), bytes).is_ok());
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap_or_default()
}

/// A `.npy` file.
fn npy(descr: &str, is_fortran: bool, shape: &str, elements: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

/// What follows a file's header.
fn elements(bytes: &[u8]) -> &[u8] {
    &bytes[10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))..]
}

/// The cells of a column of CSV.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let at = header.iter().position(|known| known == name).expect(name);
    reader
        .records()
        .map(|row| row.expect("a row")[at].to_owned())
        .collect()
}

const ITEMS: &str = "key,x,note\n# of two\na,1,one\na,2,two\nb,30,\nb,4,\"q,q\"\na,5,\n";

#[test]
fn a_scan_stands_beside_the_columns_of_its_file() {
    let folder = folder();
    write(folder.path(), "items.csv", ITEMS);
    for (words, name, expected) in [
        ("", "sum", "1 3 33 37 42"),
        ("--exclusive", "sum", "0 1 3 33 37"),
        ("--by-key key --as t", "t", "1 3 30 34 5"),
        ("--by-key key --exclusive", "sum", "0 1 0 30 0"),
        ("--op max", "max", "1 2 30 30 30"),
        ("--op min --by-key key", "min", "1 1 30 4 5"),
        ("--op product", "product", "1 2 60 240 1200"),
        ("--op product --exclusive", "product", "1 1 2 60 240"),
    ] {
        let text = run(
            folder.path(),
            &format!("scan items.csv --column x --type i32 {words}"),
        );
        let header = format!("key,x,note,{name}\n");
        assert!(text.starts_with(&header), "{text}");
        assert_eq!(column(&text, name).join(" "), expected, "{words}");
        assert_eq!(column(&text, "note"), ["one", "two", "", "q,q", ""]);
    }
}

#[test]
fn a_reduction_is_one_number_or_one_each_key() {
    let folder = folder();
    write(folder.path(), "items.csv", ITEMS);
    let reduce = |words: &str| {
        run(
            folder.path(),
            &format!("reduce items.csv --column x {words}"),
        )
    };
    assert_eq!(reduce(""), "42.0\n");
    assert_eq!(reduce("--type u64"), "42\n");
    assert_eq!(reduce("--op max"), "30.0\n");
    assert_eq!(reduce("--format csv"), "sum\n42.0\n");
    assert_eq!(reduce("--by-key key"), "key,sum\na,3.0\nb,34.0\na,5.0\n");
    let json = reduce("--by-key key --op min --type i32 --as least --format json");
    let rows: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(rows[1]["least"], 4);
    assert_eq!(reduce("--out total.csv"), "total.csv\n");
    assert_eq!(read(folder.path(), "total.csv"), b"sum\n42.0\n");
    // The only column is meant.
    write(folder.path(), "one.csv", "x\n1\n2\n");
    assert_eq!(run(folder.path(), "reduce one.csv"), "3.0\n");
    write(folder.path(), "two.tsv", "k\tx\n1\t1.5\n1\t2\n");
    assert_eq!(
        run(folder.path(), "reduce two.tsv --by-key k"),
        "k\tsum\n1\t3.5\n"
    );
}

/// Integers wrap, so that wider ones say what is expected. Keys change at irregular rows, and
/// go on from launch to launch, and from device to device.
#[test]
fn what_is_combined_goes_on_from_launch_to_launch() {
    let folder = folder();
    let value = |row: usize| (row as i64).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
    let key = |row: usize| row / 7777 + usize::from(row % 7777 > 5000);
    let mut text = "key,x\n".to_owned();
    for row in 0..MANY {
        assert!(writeln!(text, "{},{}", key(row), value(row)).is_ok());
    }
    write(folder.path(), "items.csv", &text);
    let (mut all, mut of_key) = (0_i64, 0_i64);
    let [mut scan, mut exclusive, mut by_key, mut before] = [const { Vec::new() }; 4];
    let mut keys: Vec<(usize, i64)> = Vec::new();
    for row in 0..MANY {
        if row == 0 || key(row) != key(row - 1) {
            of_key = 0;
            keys.push((key(row), 0));
        }
        exclusive.push(all);
        before.push(of_key);
        all = all.wrapping_add(value(row));
        of_key = of_key.wrapping_add(value(row));
        scan.push(all);
        by_key.push(of_key);
        keys.last_mut().expect("there is one").1 = of_key;
    }
    for (words, expected) in [
        ("", scan),
        ("--exclusive --device emulator:2", exclusive),
        ("--by-key key --device emulator:4", by_key),
        ("--by-key key --exclusive --device emulator:3", before),
    ] {
        let words = format!("scan items.csv --column x --type i64 {words} -o sums.csv");
        run(folder.path(), &words);
        let text = String::from_utf8(read(folder.path(), "sums.csv")).expect("text");
        let found = column(&text, "sum")
            .into_iter()
            .map(|cell| cell.parse::<i64>());
        assert!(found.eq(expected.into_iter().map(Ok)), "{words}");
    }
    assert_eq!(
        run(folder.path(), "reduce items.csv --column x --type i64"),
        format!("{all}\n")
    );
    let found = run(
        folder.path(),
        "reduce items.csv --by-key key --type i64 --device emulator:2",
    );
    let expected: String = keys
        .iter()
        .map(|(key, sum)| format!("{key},{sum}\n"))
        .collect();
    assert_eq!(found, format!("key,sum\n{expected}"));
}

/// Sums of 2^-10 times whole numbers are exact, whatever the order. Others differ from the exact
/// sum by less than the number of additions times half a last bit of it, and by the same bits
/// from form to form, and on one device and three.
#[test]
fn sums_of_floats_have_the_same_bits_whatever_form_the_file_has() {
    let folder = folder();
    let exact: Vec<f64> = (0..MANY)
        .map(|row| ((row * 37) % 1001) as f64 / 1024.0)
        .collect();
    let bytes = |values: &[f64]| {
        values
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    write(
        folder.path(),
        "x.npy",
        npy("'<f8'", false, &format!("({MANY},)"), &bytes(&exact)),
    );
    run(folder.path(), "scan x.npy --out sums.npy");
    let mut sum = 0.0;
    let sums: Vec<f64> = exact
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    assert!(elements(&read(folder.path(), "sums.npy")) == bytes(&sums));
    assert_eq!(run(folder.path(), "reduce x.npy"), format!("{sum:?}\n"));
    let thirds: Vec<f64> = exact.iter().map(|x| x / 3.0).collect();
    write(
        folder.path(),
        "x.npy",
        npy("'<f8'", false, &format!("({MANY},)"), &bytes(&thirds)),
    );
    let found = run(folder.path(), "reduce x.npy");
    let text: String = thirds.iter().map(|x| format!("{x:?}\n")).collect();
    write(folder.path(), "x.csv", format!("x\n{text}"));
    assert_eq!(
        run(folder.path(), "reduce x.csv --device emulator:3"),
        found
    );
    let error: f64 = found.trim().parse::<f64>().expect("a number") - sum / 3.0;
    assert!(
        error.abs() <= MANY as f64 * sum / 3.0 * f64::EPSILON,
        "{error}"
    );
}

/// Every operation on every type that there are kernels of, on numbers that each type has, and the
/// sentence about every other.
#[test]
fn every_operation_there_is_gives_what_the_host_gives() {
    let folder = folder();
    let values = [3_i64, 1, 7, 2, 2, 9, 1];
    let text: String = values.iter().map(|x| format!("{x}\n")).collect();
    write(folder.path(), "x.csv", format!("x\n{text}"));
    let of = |name: &str, a: i64, b: i64| match name {
        "sum" => a + b,
        "product" => a * b,
        "min" => a.min(b),
        _ => a.max(b),
    };
    let types = [
        "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64",
    ];
    let mut there = Vec::new();
    for (command, operation) in ["scan", "reduce"]
        .iter()
        .flat_map(|command| ["sum", "min", "max", "product"].map(|of| (command, of)))
    {
        for element in types {
            let words = format!("{command} x.csv --op {operation} --type {element}");
            let found = outcome(folder.path(), &words);
            if found.code == 2 {
                let start = match (*command, operation) {
                    ("reduce", "product") => {
                        "error: --op product is none for reduce, allowed are ".to_owned()
                    }
                    _ => format!("error: --type {element} has no {operation} for {command}, "),
                };
                assert!(found.errors.starts_with(&start), "{}", found.errors);
                continue;
            }
            let mut sum = values[0];
            let mut all = vec![sum];
            for x in &values[1..] {
                sum = of(operation, sum, *x);
                all.push(sum);
            }
            let cells = match *command {
                "scan" => column(&found.output, operation),
                _ => found.output.lines().map(str::to_owned).collect(),
            };
            let cells: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
            let expected: Vec<f64> = match *command {
                "scan" => all.iter().map(|x| *x as f64).collect(),
                _ => vec![sum as f64],
            };
            assert_eq!(cells, expected, "{words}: {found:?}");
            there.push(words);
        }
    }
    // Those of `quadscan_kernels::instances!` for both commands.
    assert_eq!(there.len(), 17 + 12, "{there:?}");
}

#[track_caller]
fn array<const N: usize, T: Debug + PartialEq>(bytes: &[u8], of: fn([u8; N]) -> T, expected: &[T]) {
    let found: Vec<T> = bytes
        .chunks_exact(N)
        .map(|chunk| of(std::array::from_fn(|k| chunk[k])))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn arrays_of_either_order_are_scanned_in_their_own_type() {
    let folder = folder();
    let big: Vec<u8> = [1_u16, 256, 65_000, 600]
        .iter()
        .flat_map(|x| x.to_be_bytes())
        .collect();
    write(folder.path(), "x.npy", npy("'>u2'", false, "(4,)", &big));
    run(folder.path(), "scan x.npy --out sums.npy");
    let found = read(folder.path(), "sums.npy");
    assert!(String::from_utf8_lossy(&found).contains("'descr': '<u2'"));
    // 65,857 is 321 more than 2^16.
    array(elements(&found), u16::from_le_bytes, &[1, 257, 65_257, 321]);
    // In a wider type it does not wrap.
    let wide = run(folder.path(), "scan x.npy --type u32");
    assert_eq!(wide, "sum\n1\n257\n65257\n65857\n");
    let rows: Vec<u8> = [1_i32, 2, 3, 10, 20, 30]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    for (is_fortran, shape) in [(true, "(3, 2)"), (false, "(2, 3)")] {
        write(
            folder.path(),
            "x.npy",
            npy("'<i4'", is_fortran, shape, &rows),
        );
        let sums = run(folder.path(), "scan x.npy --column 1");
        let expected = match is_fortran {
            true => "0,1,sum\n1,10,10\n2,20,30\n3,30,60\n",
            false => "0,1,2,sum\n1,2,3,2\n10,20,30,22\n",
        };
        assert_eq!(sums, expected);
    }
}

#[test]
fn all_columns_are_scanned_along_an_axis() {
    let folder = folder();
    write(folder.path(), "grid.csv", "a,b,c\n3,1,4\n1,5,9\n");
    for (words, rows) in [
        ("0", "3,1,4\n4,6,13\n"),
        ("0 --exclusive", "0,0,0\n3,1,4\n"),
        ("1", "3,4,8\n1,6,15\n"),
        ("1 --exclusive", "0,3,4\n0,1,6\n"),
        ("1 --op max", "3,3,4\n1,5,9\n"),
    ] {
        let sums = run(
            folder.path(),
            &format!("scan grid.csv --type i32 --axis {words}"),
        );
        assert_eq!(sums, format!("a,b,c\n{rows}"), "{words}");
    }
    // More rows than a launch combines; a column counts them, the other has twice as many.
    let rows = (1 << 18) + 3;
    let (shape, elements_of) = (format!("({rows}, 2)"), [1_u8, 2].repeat(rows));
    write(
        folder.path(),
        "x.npy",
        npy("'|u1'", false, &shape, &elements_of),
    );
    let of_row = |row: usize| [row as u8, (2 * row) as u8];
    for (words, first) in [("", 1), ("--exclusive", 0)] {
        let words = format!("scan x.npy --axis 0 {words} --device emulator:2 --out sums.npy");
        run(folder.path(), &words);
        let found = read(folder.path(), "sums.npy");
        assert!(String::from_utf8_lossy(&found).contains(&shape));
        let expected: Vec<u8> = (first..first + rows).flat_map(of_row).collect();
        assert!(elements(&found) == expected, "{words}");
    }
}

#[test]
fn one_long_column_has_the_bits_of_its_scan_along_the_axis() {
    let folder = folder();
    let rows = 60_000;
    let numbers: Vec<u8> = (0..rows)
        .flat_map(|row| f64::from(row).sin().to_le_bytes())
        .collect();
    let shape = format!("({rows},)");
    write(
        folder.path(),
        "x.npy",
        npy("'<f8'", false, &shape, &numbers),
    );
    let sums = |words: &str| {
        run(folder.path(), &format!("scan x.npy --out sums.npy {words}"));
        elements(&read(folder.path(), "sums.npy")).to_vec()
    };
    assert!(sums("--axis 0") == sums(""));
}

#[test]
fn records_keep_their_fields() {
    let folder = folder();
    let mut rows = Vec::new();
    for (name, x) in [(*b"ab\0", 1.5_f32), (*b"abc", 2.0), (*b"abc", 4.0)] {
        rows.extend(name);
        rows.extend(x.to_le_bytes());
    }
    let descr = "[('name', '|S3'), ('x', '<f4')]";
    write(folder.path(), "x.npy", npy(descr, false, "(3,)", &rows));
    let sums = run(folder.path(), "scan x.npy --column x");
    assert_eq!(sums, "name,x,sum\nab,1.5,1.5\nabc,2.0,3.5\nabc,4.0,7.5\n");
    let sums = run(folder.path(), "reduce x.npy --by-key name --out sums.npy");
    assert_eq!(sums, "sums.npy\n");
    let found = read(folder.path(), "sums.npy");
    let header = String::from_utf8_lossy(&found);
    assert!(
        header.contains("('name', '|S3'), ('sum', '<f4')"),
        "{header}"
    );
    assert_eq!(
        elements(&found),
        [
            b"ab\0",
            &1.5_f32.to_le_bytes()[..],
            b"abc",
            &6_f32.to_le_bytes()
        ]
        .concat()
    );
    // Characters of four bytes, the first byte the highest.
    let text = "é".chars().flat_map(|c| u32::from(c).to_be_bytes());
    let row: Vec<u8> = text.chain([0; 4]).chain([7]).collect();
    let descr = "[('name', '>U2'), ('x', '|u1')]";
    write(folder.path(), "x.npy", npy(descr, false, "(1,)", &row));
    assert_eq!(
        run(folder.path(), "scan x.npy --column x"),
        "name,x,sum\né,7,7\n"
    );
}

/// A column without a name is called as NumPy calls it, unless another is called so.
#[test]
fn fields_have_names_of_their_own() {
    let folder = folder();
    let rows: Vec<u8> = [1_i32, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    write(
        folder.path(),
        "x.npy",
        npy("[('x', '<i4')]", false, "(2,)", &rows),
    );
    assert_eq!(run(folder.path(), "scan x.npy"), "x,sum\n1,1\n2,3\n");
    write(folder.path(), "x.csv", ",f0,f1\n1,2,3\n");
    run(folder.path(), "scan x.csv --column f1 --out sums.npy");
    let header = read(folder.path(), "sums.npy");
    let header = String::from_utf8_lossy(&header);
    let fields = "('f2', '|S1'), ('f0', '|S1'), ('f1', '|S1'), ('sum', '<f8')";
    assert!(header.contains(fields), "{header}");
}

#[test]
fn csv_comes_on_standard_input_too() {
    let folder = folder();
    let output = assert_cmd::Command::new(common::PROGRAM)
        .args(["reduce", "-", "--device", "emulator", "--column", "x"])
        .current_dir(folder.path())
        .write_stdin(ITEMS)
        .output()
        .expect("it is started");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42.0\n");
}
