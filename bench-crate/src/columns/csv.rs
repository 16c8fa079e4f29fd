//! CSV (RFC 4180) with a header. Cells are divided by commas, semicolons or tabs, whichever the
//! header has most of; lines that begin with `#` are comments, and blank lines are nothing.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};

use csv::{ErrorKind, ReaderBuilder, StringRecord, Terminator, WriterBuilder};

use super::block::{Block, Column, Heading, Kind, Place, Places, Texts};
use super::form::{COMMA, Rows, Writer};
use super::{Problem, number};

/// What divides cells of `.tsv`.
pub(super) const TAB: u8 = b'\t';

/// What divides cells of a header where there are no more of another; the first counts.
const SEPARATORS: [u8; 3] = [COMMA, b';', TAB];

/// What comments begin with.
const COMMENT: u8 = b'#';

/// The mark of UTF-8, which a file may begin with.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The most bytes of a header that are looked at for what divides its cells.
const HEADER: u64 = 1 << 20;

/// A reading of a file.
pub(super) struct CsvRows<I> {
    reader: csv::Reader<io::Chain<I, &'static [u8]>>,
    headings: Vec<Heading>,
    separator: u8,
    /// The last row's first line, and the byte behind it.
    last: (u64, u64),
    /// What is wrong with the row behind the block that was read last.
    failed: Option<Problem>,
}

impl<I: Read + Seek> CsvRows<I> {
    /// Reads the header. `columns` are those that a user would give a file.
    pub(super) fn new(mut input: I, columns: &[&str]) -> Result<Self, Problem> {
        let separator = separator(&mut input)?;
        input.rewind()?;
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .comment(Some(COMMENT))
            // Carriage returns are ours. With the usual terminator the reader counts a line
            // that is blank but for one a time less.
            .terminator(Terminator::Any(b'\n'))
            // Every line ends, the last one too, and a blank one follows, but within a quote that is
            // not closed.
            .from_reader(input.chain(&b"\n\n"[..]));
        let mut rows = Self {
            reader,
            headings: Vec::new(),
            separator,
            last: (0, 0),
            failed: None,
        };
        let mut record = StringRecord::new();
        if rows.next(&mut record)?.is_none() {
            let names = match columns {
                [] => "names".to_owned(),
                names => names.join(","),
            };
            let problem = format!("is empty, allowed is a header of {names} and an item a line");
            return Err(Problem::Wrong(problem));
        }
        let heading = |name: &str| Heading {
            name: name.trim().to_owned(),
            kind: Kind::Text(0),
        };
        rows.headings = record.iter().map(heading).collect();
        Ok(rows)
    }

    /// Reads the next line that is not blank; its number.
    fn next(&mut self, record: &mut StringRecord) -> Result<Option<u64>, Problem> {
        loop {
            let read = self.reader.read_record(record);
            // Behind the line.
            let line = self.reader.position().line() - 1;
            let byte = self.reader.position().byte();
            match read {
                Ok(false) if byte > 0 && byte == self.last.1 => {
                    let problem = "a quote is not closed, allowed are pairs of quotes".to_owned();
                    return Err(Problem::At(Place::Line(self.last.0), problem));
                }
                Ok(false) => return Ok(None),
                Ok(true) if record.len() == 1 && record[0].trim().is_empty() => {}
                Ok(true) => {
                    let first = record.position().map_or(line, |start| start.line());
                    self.last = (first, byte);
                    return Ok(Some(line));
                }
                Err(error) => return Err(problem(error, line)),
            }
        }
    }

    /// The next row, with as many cells as the header.
    fn row(&mut self, record: &mut StringRecord) -> Result<Option<u64>, Problem> {
        let (line, allowed) = (self.next(record)?, self.headings.len());
        match (line, record.len()) {
            (Some(line), found) if found != allowed => {
                let names: Vec<&str> = self.headings.iter().map(|of| &*of.name).collect();
                let names = names.join(",");
                let problem = format!("there are {found} fields, allowed are {allowed}: {names}");
                Err(Problem::At(Place::Line(line), problem))
            }
            _ => Ok(line),
        }
    }
}

impl<I: Read + Seek> Rows for CsvRows<I> {
    fn headings(&self) -> &[Heading] {
        &self.headings
    }

    fn separator(&self) -> u8 {
        self.separator
    }

    fn block(&mut self, most: usize) -> Result<Option<Block>, Problem> {
        if let Some(problem) = self.failed.take() {
            return Err(problem);
        }
        let mut texts = vec![Texts::default(); self.headings.len()];
        let (mut lines, mut record) = (Vec::new(), StringRecord::new());
        while lines.len() < most {
            let line = match self.row(&mut record) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                // What is wrong with an earlier row is said first.
                Err(problem) if lines.is_empty() => return Err(problem),
                Err(problem) => {
                    self.failed = Some(problem);
                    break;
                }
            };
            lines.push(line);
            let last = texts.len() - 1;
            for (k, (texts, field)) in texts.iter_mut().zip(&record).enumerate() {
                let field = match k == last {
                    true => field.strip_suffix('\r').unwrap_or(field),
                    false => field,
                };
                texts.push(field);
            }
        }
        let columns = texts.into_iter().map(Column::Text).collect();
        let places = Places::Lines(lines);
        let block = Block { columns, places };
        Ok((block.rows() > 0).then_some(block))
    }
}

/// What divides the cells of the header.
fn separator(input: &mut (impl Read + Seek)) -> Result<u8, Problem> {
    let mut line = Vec::new();
    let mut start = BufReader::new(input.take(HEADER));
    loop {
        line.clear();
        if start.read_until(b'\n', &mut line)? == 0 {
            return Ok(COMMA);
        }
        if let Some(text) = line.strip_prefix(MARK) {
            line = text.to_vec();
        }
        if !line.starts_with(&[COMMENT]) && !line.trim_ascii().is_empty() {
            break;
        }
    }
    let mut is_quoted = false;
    let mut counts = [0_u32; 3];
    for byte in line {
        is_quoted ^= byte == b'"';
        if let Some(k) = SEPARATORS
            .iter()
            .position(|known| *known == byte && !is_quoted)
        {
            counts[k] += 1;
        }
    }
    let most = counts.into_iter().max().unwrap_or_default();
    let first = counts.into_iter().position(|count| count == most);
    Ok(SEPARATORS[first.unwrap_or_default()])
}

fn problem(error: csv::Error, line: u64) -> Problem {
    match error.into_kind() {
        ErrorKind::Io(error) => Problem::Unreadable(error),
        ErrorKind::Utf8 { .. } => {
            let problem = "the text is not UTF-8".to_owned();
            Problem::At(Place::Line(line), problem)
        }
        other => Problem::Wrong(format!(
            "is no CSV: {}",
            number::shown(&format!("{other:?}"))
        )),
    }
}

/// A file that is written.
pub(super) struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    pub(super) fn new(output: W, headings: &[Heading], separator: u8) -> io::Result<Self> {
        let names: Vec<&str> = headings.iter().map(|heading| &*heading.name).collect();
        let mut writer = WriterBuilder::new()
            .delimiter(separator)
            // Quotes cells that have it.
            .comment(Some(COMMENT))
            .from_writer(output);
        writer.write_record(names).map_err(system)?;
        Ok(Self { writer })
    }
}

impl<W: Write> Writer for CsvWriter<W> {
    fn write(&mut self, columns: &[&Column]) -> io::Result<()> {
        for row in 0..columns.first().map_or(0, |column| column.rows()) {
            for column in columns {
                let text: Cow<'_, str> = column.text(row);
                self.writer.write_field(text.as_bytes()).map_err(system)?;
            }
            self.writer.write_record(None::<&[u8]>).map_err(system)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// What the system said: a reader that has gone away is told from a full disk.
fn system(error: csv::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
