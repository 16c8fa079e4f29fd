//! Parquet files of `quadscan scan`, `reduce` and `integrate`, written and read by the crate
//! `parquet` on the other side. Without the feature, the sentence that says so.

mod common;

use common::{folder, quadscan};

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_so() {
    let folder = folder();
    let outcome = quadscan(
        folder.path(),
        &["scan", "x.parquet", "--device", "emulator"],
    );
    assert_eq!((outcome.code, outcome.output.as_str()), (2, ""));
    assert_eq!(
        outcome.errors,
        "error: FILE x.parquet is Parquet, which this program was built without, allowed are the \
         other forms, and a build with `--features parquet`\n"
    );
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
    use parquet::errors::Result;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use parquet::schema::parser::parse_message_type;

    use super::{folder, quadscan};

    /// Runs a command on the emulator, in a folder.
    #[track_caller]
    fn run(folder: &Path, words: &str) -> (i32, String, String) {
        let words: Vec<&str> = words.split_whitespace().collect();
        let outcome = quadscan(folder, &[&words[..], &["--device", "emulator"]].concat());
        (outcome.code, outcome.output, outcome.errors)
    }

    fn column<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, File>,
        values: &[T::T],
        levels: Option<&[i16]>,
    ) -> Result<()> {
        let mut column = group.next_column()?.expect("another column");
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()
    }

    /// Two row groups, with nulls, and an unsigned number of 32 bits.
    fn write(path: &Path) -> Result<()> {
        let schema = "message schema {
            optional binary name (UTF8);
            required int32 count (INTEGER(32, false));
            optional double x;
        }";
        let schema = Arc::new(parse_message_type(schema)?);
        let mut file = SerializedFileWriter::new(File::create(path)?, schema, Default::default())?;
        for first in [0, 3] {
            let mut group = file.next_row_group()?;
            let names = ["a", "b"].map(ByteArray::from);
            column::<ByteArrayType>(&mut group, &names, Some(&[1, 0, 1]))?;
            column::<Int32Type>(&mut group, &[first, -1, first + 2], None)?;
            column::<DoubleType>(&mut group, &[0.5, 2.0], Some(&[1, 1, 0]))?;
            group.close()?;
        }
        file.close().map(drop)
    }

    #[test]
    fn rows_of_all_groups_are_read_and_written_with_their_nulls() {
        let folder = folder();
        write(&folder.path().join("x.parquet")).expect("it is written");
        let scan = "scan x.parquet --column count --type u64";
        let (code, output, errors) = run(folder.path(), scan);
        assert_eq!(code, 0, "{errors}");
        let expected = "name,count,x,sum\na,0,0.5,0\n,4294967295,2.0,4294967295\n\
                        b,2,,4294967297\na,3,0.5,4294967300\n,4294967295,2.0,8589934595\n\
                        b,5,,8589934600\n";
        assert_eq!(output, expected);
        let (code, _, errors) = run(folder.path(), &format!("{scan} --out sums.parquet"));
        assert_eq!(code, 0, "{errors}");
        let file = File::open(folder.path().join("sums.parquet")).expect("it is there");
        let reader = SerializedFileReader::new(file).expect("it is Parquet");
        let rows: Vec<String> = reader
            .get_row_iter(None)
            .expect("it has rows")
            .map(|row| row.expect("a row").to_string())
            .collect();
        assert_eq!(rows.len(), 6);
        assert_eq!(
            rows[1],
            "{name: \"\", count: 4294967295, x: 2.0, sum: 4294967295}"
        );
        assert_eq!(rows[5], "{name: \"b\", count: 5, x: null, sum: 8589934600}");
        // It is read again.
        let (_, again, _) = run(
            folder.path(),
            "scan sums.parquet --column count --type u64 --as t",
        );
        let again: String = again
            .lines()
            .map(|line| line.rsplit_once(',').expect("cells").0.to_owned() + "\n")
            .collect();
        assert_eq!(again, expected);
    }

    #[test]
    fn what_has_no_number_is_named_by_its_row() {
        let folder = folder();
        write(&folder.path().join("x.parquet")).expect("it is written");
        let (code, _, errors) = run(folder.path(), "reduce x.parquet --column x");
        assert_eq!(code, 2);
        let start = "error: FILE x.parquet, row 2: there is no number, allowed in x are numbers";
        assert!(errors.starts_with(start), "{errors}");
        std::fs::write(folder.path().join("no.parquet"), "PAR1 and no more").expect("written");
        let (code, _, errors) = run(folder.path(), "reduce no.parquet");
        assert_eq!(code, 2);
        let start = "error: FILE no.parquet is not a Parquet file that can be read: ";
        assert!(
            errors.starts_with(start) && errors.lines().count() == 1,
            "{errors}"
        );
    }

    /// The integral of 1 / (1 + x^2) from 0 to t is atan t.
    #[test]
    fn results_of_integrals_are_columns_too() {
        let folder = folder();
        std::fs::write(folder.path().join("items.csv"), "id,to\na,1\nb,0\n").expect("written");
        let integrate = "integrate --integrand runge --batch items.csv";
        let (code, text, errors) = run(folder.path(), integrate);
        assert_eq!(code, 0, "{errors}");
        let (code, _, errors) = run(folder.path(), &format!("{integrate} --out r.parquet"));
        assert_eq!(code, 0, "{errors}");
        let (code, sums, errors) = run(folder.path(), "scan r.parquet --column value");
        assert_eq!(code, 0, "{errors}");
        for (sum, row) in sums.lines().zip(text.lines()) {
            assert!(sum.starts_with(&format!("{row},")), "{sum}\n{row}");
        }
    }
}
