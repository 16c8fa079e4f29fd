//! CSV (RFC 4180) with a header: `from`, `to` and the integrand's parameters, in any order.

use std::io::Read;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Terminator, Trim};

use super::{Context, Problem};
use crate::integral::items::{Collector, Items, MAX_ITEMS, Place, column_names, number_of_items};
use crate::integral::number::{self, Number};

/// The items of a file.
pub(super) fn read<R: Number>(
    input: impl Read,
    context: Context<'_, R>,
) -> Result<Items<R>, Problem> {
    let names = column_names(context.of);
    let mut table = Table::new(input);
    let mut record = StringRecord::new();
    if table.next(&mut record)?.is_none() {
        let names = names.join(",");
        let problem = format!("is empty, allowed is a header of {names} and an item a line");
        return Err(Problem::Wrong(problem));
    }
    let header = record.clone();
    let columns: Vec<&str> = header.iter().collect();
    let collector = Collector::new(context.given, context.of, context.method, &columns)
        .map_err(Problem::Wrong)?;
    collect(table, &columns, collector)
}

/// The items of the lines below the header.
fn collect<R: Number>(
    mut table: Table<impl Read>,
    columns: &[&str],
    mut collector: Collector<'_, R>,
) -> Result<Items<R>, Problem> {
    let mut record = StringRecord::new();
    let mut row = Vec::with_capacity(columns.len());
    while let Some(line) = table.next(&mut record)? {
        let place = Place::Line(line);
        let at = |problem: String| Problem::At(place, problem);
        if record.len() != columns.len() {
            let (found, allowed, names) = (record.len(), columns.len(), columns.join(","));
            let problem = format!("there are {found} fields, allowed are {allowed}: {names}");
            return Err(at(problem));
        }
        row.clear();
        for (field, name) in record.iter().zip(columns) {
            let object = |problem| {
                at(format!(
                    "{problem}, allowed in {name} are numbers, inf and -inf"
                ))
            };
            row.push(number::parse::<R>(field).map_err(object)?);
        }
        collector.push(&row, place).map_err(at)?;
    }
    let none = || Problem::Wrong(number_of_items("no", MAX_ITEMS));
    collector.items().ok_or_else(none)
}

/// Lines that are not blank.
struct Table<I> {
    reader: csv::Reader<std::io::Chain<I, &'static [u8]>>,
}

impl<I: Read> Table<I> {
    fn new(input: I) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            // A carriage return before it is trimmed. With the usual terminator the reader
            // counts that line one time less.
            .terminator(Terminator::Any(b'\n'))
            .trim(Trim::All)
            // Every line ends, the last one too.
            .from_reader(input.chain(&b"\n"[..]));
        Self { reader }
    }

    /// Reads the next line; its number.
    fn next(&mut self, record: &mut StringRecord) -> Result<Option<u64>, Problem> {
        loop {
            let read = self.reader.read_record(record);
            // Behind the line.
            let line = self.reader.position().line() - 1;
            match read {
                Ok(false) => return Ok(None),
                Ok(true) if record.len() == 1 && record[0].is_empty() => {}
                Ok(true) => return Ok(Some(line)),
                Err(error) => return Err(problem(error, line)),
            }
        }
    }
}

fn problem(error: csv::Error, line: u64) -> Problem {
    match error.into_kind() {
        ErrorKind::Io(error) => Problem::Unreadable(error),
        ErrorKind::Utf8 { .. } => {
            let problem = "the text is not UTF-8".to_owned();
            Problem::At(Place::Line(line), problem)
        }
        other => Problem::Wrong(format!("is no CSV: {:?}", other)),
    }
}

#[cfg(test)]
mod tests {
    use quadscan_kernels::integrate::catalogue::GenzGaussian;

    use super::*;
    use crate::integral::given::Given;
    use crate::integral::method::Method;
    use quadscan::integrate::{IntegrandKernels, Options};

    const OF: quadscan::integrate::Kernels<f64> = GenzGaussian::KERNELS;

    fn items(text: &str) -> Result<Items<f64>, String> {
        let method = Method::Adaptive(Options::default());
        let given = Given::none(&OF);
        let context = Context {
            of: &OF,
            given,
            method: &method,
        };
        read(text.as_bytes(), context).map_err(|problem| match problem {
            Problem::Unreadable(error) => error.to_string(),
            Problem::Wrong(problem) => problem,
            Problem::At(place, problem) => format!("{place}: {problem}"),
        })
    }

    #[test]
    fn lines_are_counted_as_an_editor_does_whatever_ends_them() {
        for text in [
            "a,u\n1,2\n\n\n3,x\n",
            "a,u\r\n1,2\r\n\r\n\r\n3,x\r\n",
            "\u{feff}a,u\n1,2\n\n\n3,x",
            "\n\na,u\n1,2\n3,x",
            "a , u\n 1 , 2 \n  \n\n3, x",
        ] {
            let sentence = "line 5: `x` is not a number, allowed in u are numbers, inf and -inf";
            assert_eq!(items(text).err().as_deref(), Some(sentence), "{text:?}");
        }
        let Ok(found) = items("u,a\n2,1\n\n4,3\r\n6,5") else {
            panic!("refused")
        };
        assert_eq!(found.parameters, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let places: Vec<String> = (0..3).map(|item| found.place(item).to_string()).collect();
        assert_eq!(places, ["line 2", "line 4", "line 5"]);
    }

    #[test]
    fn a_line_has_as_many_fields_as_the_header() {
        for (line, count) in [("1", 1), ("1,2,", 3), ("1,2,3,4", 4)] {
            let sentence = format!("line 3: there are {count} fields, allowed are 2: a,u");
            assert_eq!(items(&format!("a,u\n0,0\n{line}\n")).err(), Some(sentence));
        }
        let sentence = "line 2: `` is not a number, allowed in u are numbers, inf and -inf";
        assert_eq!(items("a,u\n1,\n").err().as_deref(), Some(sentence));
    }

    #[test]
    fn a_file_has_at_most_so_many_items() {
        let method = Method::Adaptive(Options::default());
        let of = |text: &str| {
            let columns = ["a", "u"];
            let collector = Collector::new(Given::none(&OF), &OF, &method, &columns)?;
            let table = Table::new(text.as_bytes());
            collect(table, &columns, collector.with_most(2)).map_err(|problem| match problem {
                Problem::At(place, problem) => format!("{place}: {problem}"),
                _ => String::new(),
            })
        };
        assert_eq!(of("1,2\n3,4\n").map(|items| items.len()), Ok(2));
        let sentence = "line 3: has more than 2 items, allowed are 1 to 2";
        assert_eq!(of("1,2\n3,4\n5,6\n").err().as_deref(), Some(sentence));
    }
}
