//! CSV (RFC 4180) with a header. Cells are divided by commas, semicolons or tabs, whichever the
//! header has most of; lines that begin with `#` are comments, and blank lines are nothing.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Terminator, WriterBuilder};
use rayon::prelude::*;

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

/// Rows that a core reads or writes at a time.
const PIECE: usize = 1 << 11;

/// A reading of a file.
pub(super) struct CsvRows<I> {
    headings: Vec<Heading>,
    separator: u8,
    rest: Rest<I>,
    /// What is wrong with the row behind the block that was read last.
    failed: Option<Problem>,
}

/// What has not been read of a file.
enum Rest<I> {
    /// Without quotes so far: each line is a row, and all cores read them. Lines before it.
    Lines(I, u64),
    /// From the first quote on, which may hold lines together: one row after the other.
    Records(Records<I>),
    /// It could not be read.
    Lost,
}

impl<I: BufRead + Seek> CsvRows<I> {
    /// Reads the header. `columns` are those that a user would give a file.
    pub(super) fn new(mut input: I, columns: &[&str]) -> Result<Self, Problem> {
        let separator = separator(&mut input)?;
        input.rewind()?;
        let mut records = Records::new(&mut input, separator, 0);
        let mut record = StringRecord::new();
        let Some(line) = records.next(&mut record)? else {
            let names = match columns {
                [] => "names".to_owned(),
                names => names.join(","),
            };
            let problem = format!("is empty, allowed is a header of {names} and an item a line");
            return Err(Problem::Wrong(problem));
        };
        let behind = records.reader.position().byte();
        input.seek(SeekFrom::Start(behind))?;
        let heading = |name: &str| Heading {
            name: name.trim().to_owned(),
            kind: Kind::Text(0),
        };
        Ok(Self {
            headings: record.iter().map(heading).collect(),
            separator,
            rest: Rest::Lines(input, line),
            failed: None,
        })
    }

    /// Appends what is next, at most so many rows. Whether there was anything; Err with what is
    /// wrong with the row behind those that were appended.
    fn append(&mut self, most: usize, rows: &mut Cells) -> Result<bool, Problem> {
        let headings = &self.headings[..];
        match std::mem::replace(&mut self.rest, Rest::Lost) {
            Rest::Lines(mut input, before) => {
                let (text, starts) = lines(&mut input, most)?;
                if text.contains(&b'"') {
                    input.seek_relative(-(text.len() as i64))?;
                    let records = Records::new(input, self.separator, before);
                    self.rest = Rest::Records(records);
                    return Ok(true);
                }
                let count = starts.len() - 1;
                self.rest = Rest::Lines(input, before + count as u64);
                let pieces: Vec<_> = (0..count)
                    .into_par_iter()
                    .step_by(PIECE)
                    .map(|first| {
                        let mut rows = Cells::new(headings);
                        let mut lines = first..count.min(first + PIECE);
                        let read = lines.try_for_each(|k| {
                            let line = &text[starts[k]..starts[k + 1]];
                            rows.push_line(line, before + k as u64 + 1, self.separator, headings)
                        });
                        (rows, read)
                    })
                    .collect();
                for (piece, read) in pieces {
                    rows.append(&piece);
                    read?;
                }
                Ok(count > 0)
            }
            Rest::Records(mut records) => {
                let mut record = StringRecord::new();
                let line = records.next(&mut record);
                self.rest = Rest::Records(records);
                let Some(line) = line? else { return Ok(false) };
                rows.push(line, record.iter(), record.len(), headings)?;
                Ok(true)
            }
            Rest::Lost => Ok(false),
        }
    }
}

impl<I: BufRead + Seek> Rows for CsvRows<I> {
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
        let mut rows = Cells::new(&self.headings);
        while rows.lines.len() < most {
            match self.append(most - rows.lines.len(), &mut rows) {
                Ok(true) => {}
                Ok(false) => break,
                // What is wrong with an earlier row is said first.
                Err(problem) if rows.lines.is_empty() => return Err(problem),
                Err(problem) => {
                    self.failed = Some(problem);
                    break;
                }
            }
        }
        let columns = rows.texts.into_iter().map(Column::Text).collect();
        let places = Places::Lines(rows.lines);
        let block = Block { columns, places };
        Ok((block.rows() > 0).then_some(block))
    }
}

/// Up to so many lines, with what ends them, and where each begins and the last one ends.
fn lines(input: &mut impl BufRead, most: usize) -> io::Result<(Vec<u8>, Vec<usize>)> {
    let (mut text, mut starts) = (Vec::new(), vec![0]);
    while starts.len() <= most && input.read_until(b'\n', &mut text)? > 0 {
        starts.push(text.len());
    }
    Ok((text, starts))
}

/// Rows as they are read.
struct Cells {
    texts: Vec<Texts>,
    lines: Vec<u64>,
}

impl Cells {
    fn new(headings: &[Heading]) -> Self {
        Self {
            texts: vec![Texts::default(); headings.len()],
            lines: Vec::new(),
        }
    }

    /// Appends the row of a line without quotes; nothing for comments and blank lines.
    fn push_line(
        &mut self,
        bytes: &[u8],
        line: u64,
        separator: u8,
        headings: &[Heading],
    ) -> Result<(), Problem> {
        if bytes.starts_with(&[COMMENT]) {
            return Ok(());
        }
        let text = std::str::from_utf8(bytes).map_err(|_| not_utf8(line))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let found = 1 + bytes.iter().filter(|byte| **byte == separator).count();
        if found == 1 && text.trim().is_empty() {
            return Ok(());
        }
        self.push(line, text.split(char::from(separator)), found, headings)
    }

    /// Appends a row of so many cells, which has as many as the header.
    fn push<'f>(
        &mut self,
        line: u64,
        cells: impl Iterator<Item = &'f str>,
        found: usize,
        headings: &[Heading],
    ) -> Result<(), Problem> {
        let allowed = headings.len();
        if found != allowed {
            let names: Vec<&str> = headings.iter().map(|of| &*of.name).collect();
            let names = names.join(",");
            let problem = format!("there are {found} fields, allowed are {allowed}: {names}");
            return Err(Problem::At(Place::Line(line), problem));
        }
        self.lines.push(line);
        for (k, (texts, cell)) in self.texts.iter_mut().zip(cells).enumerate() {
            let end = if k + 1 == allowed { "\r" } else { "" };
            texts.push(cell.strip_suffix(end).unwrap_or(cell));
        }
        Ok(())
    }

    fn append(&mut self, rows: &Self) {
        self.lines.extend(&rows.lines);
        for (texts, more) in self.texts.iter_mut().zip(&rows.texts) {
            texts.append(more);
        }
    }
}

/// Rows one after the other, whose cells may have quotes.
struct Records<I> {
    reader: csv::Reader<io::Chain<I, &'static [u8]>>,
    /// Lines of the file before them.
    before: u64,
    /// The last row's first line, and the byte behind it.
    last: (u64, u64),
}

impl<I: Read> Records<I> {
    fn new(input: I, separator: u8, before: u64) -> Self {
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
        Self {
            reader,
            before,
            last: (0, 0),
        }
    }

    /// Reads the next row that is not blank; the number of its last line.
    fn next(&mut self, record: &mut StringRecord) -> Result<Option<u64>, Problem> {
        loop {
            let read = self.reader.read_record(record);
            // Behind the line.
            let line = self.before + self.reader.position().line() - 1;
            let byte = self.reader.position().byte();
            match read {
                Ok(false) if byte > 0 && byte == self.last.1 => {
                    let problem = "a quote is not closed, allowed are pairs of quotes".to_owned();
                    return Err(Problem::At(Place::Line(self.last.0), problem));
                }
                Ok(false) => return Ok(None),
                Ok(true) if record.len() == 1 && record[0].trim().is_empty() => {}
                Ok(true) => {
                    let first = record.position().map(|start| self.before + start.line());
                    self.last = (first.unwrap_or(line), byte);
                    return Ok(Some(line));
                }
                Err(error) => return Err(problem(error, line)),
            }
        }
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
        ErrorKind::Utf8 { .. } => not_utf8(line),
        other => Problem::Wrong(format!(
            "is no CSV: {}",
            number::shown(&format!("{other:?}"))
        )),
    }
}

fn not_utf8(line: u64) -> Problem {
    Problem::At(Place::Line(line), "the text is not UTF-8".to_owned())
}

/// A file that is written.
pub(super) struct CsvWriter<W: Write> {
    output: W,
    separator: u8,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    pub(super) fn new(mut output: W, headings: &[Heading], separator: u8) -> io::Result<Self> {
        let names = headings.iter().map(|heading| &*heading.name);
        let mut writer = writer(separator);
        writer.write_record(names).map_err(system)?;
        output.write_all(&writer.into_inner().map_err(|error| error.into_error())?)?;
        Ok(Self { output, separator })
    }
}

impl<W: Write> Writer for CsvWriter<W> {
    /// All cores make text, which is written in order.
    fn write(&mut self, columns: &[&Column]) -> io::Result<()> {
        let count = columns.first().map_or(0, |column| column.rows());
        let (pieces, separator) = ((0..count).into_par_iter().step_by(PIECE), self.separator);
        let texts: Vec<_> = pieces
            .map(|first| text(columns, first..count.min(first + PIECE), separator))
            .collect();
        texts
            .into_iter()
            .try_for_each(|text| self.output.write_all(&text?))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// These rows as text.
fn text(columns: &[&Column], rows: Range<usize>, separator: u8) -> io::Result<Vec<u8>> {
    let (mut writer, mut cell) = (writer(separator), String::new());
    for row in rows {
        for column in columns {
            cell.clear();
            column.write_text(row, &mut cell);
            writer.write_field(&cell).map_err(system)?;
        }
        writer.write_record(None::<&[u8]>).map_err(system)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// What makes text of rows.
fn writer(separator: u8) -> csv::Writer<Vec<u8>> {
    WriterBuilder::new()
        .delimiter(separator)
        // Quotes cells that have it.
        .comment(Some(COMMENT))
        .from_writer(Vec::new())
}

/// What the system said: a reader that has gone away is told from a full disk.
fn system(error: csv::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
