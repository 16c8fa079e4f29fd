//! The results of a file's rows so far, in a file of their own: what a run that ends early leaves to the
//! next one. Rows are computed in blocks, in any order.
//!
//! The file has a head and records, one behind the other, which are appended whole as blocks are done.
//! The head is [`MARK`], the digests of the request and of the kernels' PTX, the number of rows and the rows of a
//! block; a record
//! is its first row, its number of rows, the bytes of these, and the first bytes of the digest of all
//! that. A record that is cut off, as by the end of the program, is taken for not there, with all that
//! follows. Numbers are little-endian, of 8 bytes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash as Sha256;

use crate::error::{Error, Result};
use crate::table::list::refused;

/// The first bytes of such a file, which end with the version of its form.
const MARK: [u8; 8] = *b"quadjnl2";

/// Bytes of a digest behind a record.
const CHECK: usize = 8;

/// Bytes of a head.
const HEAD: usize = MARK.len() + 2 * 32 + 2 * 8;

/// What is asked of a journal.
pub(crate) struct Asked {
    /// The digest of the request.
    pub(crate) digest: [u8; 32],
    /// That of the kernels.
    pub(crate) kernels: [u8; 32],
    /// Rows of the file,
    pub(crate) rows: u64,
    /// those of a block where a new journal begins,
    pub(crate) block: u64,
    /// and bytes of a row.
    pub(crate) width: usize,
}

/// Rows that are done, and those that are not.
pub(crate) struct Journal {
    file: File,
    /// Where it is, unless it is gone with the program.
    path: Option<PathBuf>,
    /// Where the next record begins.
    end: u64,
    width: usize,
    /// By the first row of each record, the rows and where their bytes are.
    records: BTreeMap<u64, (u64, u64)>,
    /// Blocks that nobody has been given yet, the last one first.
    left: Vec<Range<u64>>,
    /// Rows that are done.
    pub(crate) done: u64,
}

/// The journal of results that go to this file.
pub(crate) fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

impl Journal {
    /// A journal without a name, of nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where no file can be made.
    pub(crate) fn unnamed(asked: &Asked) -> Result<Self> {
        let file = tempfile::tempfile().map_err(|error| unwritable("a temporary file", &error))?;
        Self::of(file, None, asked)
    }

    /// The journal in a file, which is made where it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where there is one and `goes_on` is false, for that of another request or of
    /// other kernels, for one that another program writes, and for a file that cannot be written.
    pub(crate) fn named(path: &Path, goes_on: bool, asked: &Asked) -> Result<Self> {
        let name = path.display().to_string();
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let file = opened.map_err(|error| unwritable(&name, &error))?;
        // Where files cannot be locked nobody knows.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let problem = format!("{name} is another run's, allowed is one run at a time");
            return Err(refused("--out", problem));
        }
        let journal = Self::of(file, Some(path.to_owned()), asked)?;
        if !goes_on && journal.done > 0 {
            let (done, rows) = (journal.done, asked.rows);
            let problem = format!(
                "is unfinished: {name} has {done} of {rows} rows, allowed are --resume, which goes on \
                 from them, and to remove that file"
            );
            return Err(refused("--out", problem));
        }
        Ok(journal)
    }

    fn of(file: File, path: Option<PathBuf>, asked: &Asked) -> Result<Self> {
        let name = path.as_ref().map(|path| path.display().to_string());
        let name = name.unwrap_or_default();
        let mut journal = Self {
            file,
            path,
            end: 0,
            width: asked.width,
            records: BTreeMap::new(),
            left: Vec::new(),
            done: 0,
        };
        let block = journal.read(asked).map_err(|error| match error.kind() {
            ErrorKind::Unsupported => {
                let allowed = "allowed are those that began it (the same program, --artifact and kind of \
                               device), and to remove the file";
                refused("--out", format!("{name} is of other kernels, {allowed}"))
            }
            ErrorKind::InvalidData => {
                let allowed =
                    "allowed are the command that began it, with --resume, and to remove the file";
                refused("--out", format!("{name} is of another request or version, {allowed}"))
            }
            _ => unwritable(&name, &error),
        })?;
        let mut first = 0;
        let done = journal
            .records
            .iter()
            .map(|(&at, &(rows, _))| at..at + rows);
        for done in done.chain(iter::once(asked.rows..asked.rows)) {
            while first < done.start {
                let end = done.start.min(first.saturating_add(block));
                journal.left.push(first..end);
                first = end;
            }
            first = done.end;
        }
        journal.left.reverse();
        Ok(journal)
    }

    /// Reads what is there, or writes the head; the rows of a block. What is no journal of this request
    /// is [`ErrorKind::InvalidData`], and one of other kernels [`ErrorKind::Unsupported`].
    fn read(&mut self, asked: &Asked) -> io::Result<u64> {
        let mut head = Vec::with_capacity(HEAD);
        (&self.file).take(HEAD as u64).read_to_end(&mut head)?;
        let of_request = [&MARK[..], &asked.digest].concat();
        let rows = asked.rows.to_le_bytes();
        let own = [&of_request[..], &asked.kernels, &rows].concat();
        let len = self.file.metadata()?.len();
        // One that was cut off has no records, and what has none is no loss.
        let is_begun = own.starts_with(&head[..head.len().min(own.len())]);
        let is_empty = len == HEAD as u64 && head.starts_with(&MARK);
        if head.len() < HEAD && is_begun || is_empty {
            self.file.set_len(0)?;
            self.file.rewind()?;
            self.file.write_all(&own)?;
            self.file.write_all(&asked.block.to_le_bytes())?;
            self.end = HEAD as u64;
            return Ok(asked.block);
        }
        let kernels = head.strip_prefix(&of_request[..]);
        if kernels.is_some_and(|kernels| !kernels.starts_with(&asked.kernels)) {
            return Err(ErrorKind::Unsupported.into());
        }
        let block = head
            .strip_prefix(&own[..])
            .and_then(word)
            .filter(|&block| block > 0);
        let block = block.ok_or(ErrorKind::InvalidData)?;
        self.end = HEAD as u64;
        while let Some((rows, end)) = self.record(asked.rows, len)? {
            let at = self.end + 16;
            self.records.insert(rows.start, (rows.end - rows.start, at));
            self.done += rows.end - rows.start;
            self.end = end;
        }
        self.file.set_len(self.end)?;
        Ok(block)
    }

    /// The rows of the record that begins at the end, and where that ends; nothing where none is whole.
    fn record(&mut self, all: u64, len: u64) -> io::Result<Option<(Range<u64>, u64)>> {
        self.file.seek(SeekFrom::Start(self.end))?;
        let mut bytes = Vec::new();
        (&self.file).take(16).read_to_end(&mut bytes)?;
        let (Some(first), Some(rows)) = (word(&bytes), bytes.get(8..).and_then(word)) else {
            return Ok(None);
        };
        let size = rows.checked_mul(self.width as u64);
        let end = size.and_then(|size| self.end.checked_add(16 + size + CHECK as u64));
        let last = first
            .checked_add(rows)
            .filter(|last| *last <= all && rows > 0);
        let (Some(size), Some(end), Some(last)) = (size, end.filter(|end| *end <= len), last)
        else {
            return Ok(None);
        };
        let mut rest = vec![0; size as usize + CHECK];
        self.file.read_exact(&mut rest)?;
        let (of_rows, check) = rest.split_at(size as usize);
        bytes.extend(of_rows);
        let before = self.records.range(..last).next_back();
        let is_new = before.is_none_or(|(&at, &(rows, _))| at + rows <= first);
        let is_whole = Sha256::hash(&bytes).starts_with(check) && is_new;
        Ok(is_whole.then_some((first..last, end)))
    }

    /// The next block to compute.
    pub(crate) fn next(&mut self) -> Option<Range<u64>> {
        self.left.pop()
    }

    /// Keeps the rows of a block.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where they cannot be written, and where the bytes are not those of so many
    /// rows.
    pub(crate) fn keep(&mut self, rows: &Range<u64>, bytes: &[u8]) -> Result<()> {
        let count = rows.end - rows.start;
        if bytes.len() as u64 != count * self.width as u64 {
            let problem =
                "has other rows than at first, allowed is a file that nobody changes meanwhile";
            return Err(refused("--batch", problem.to_owned()));
        }
        let mut record = [rows.start.to_le_bytes(), count.to_le_bytes()].concat();
        record.extend(bytes);
        let digest = Sha256::hash(&record);
        record.extend(&digest[..CHECK]);
        let written = self.file.seek(SeekFrom::Start(self.end));
        let written = written.and_then(|_| self.file.write_all(&record));
        written.map_err(|error| {
            let name = self.path.as_ref().map(|path| path.display().to_string());
            unwritable(
                &name.unwrap_or_else(|| "a temporary file".to_owned()),
                &error,
            )
        })?;
        self.records.insert(rows.start, (count, self.end + 16));
        self.end += record.len() as u64;
        self.done += count;
        Ok(())
    }

    /// The blocks that are done, in the order of the rows.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let rows = self
            .records
            .iter()
            .map(|(&first, &(rows, _))| first..first + rows);
        rows.collect::<Vec<_>>().into_iter()
    }

    /// The bytes of a block's rows.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where they cannot be read.
    pub(crate) fn bytes(&mut self, block: &Range<u64>) -> Result<Vec<u8>> {
        let (rows, at) = self.records.get(&block.start).copied().unwrap_or_default();
        let mut bytes = vec![0; rows as usize * self.width];
        let read = self.file.seek(SeekFrom::Start(at));
        let read = read.and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| unwritable("the file of results so far", &error))?;
        Ok(bytes)
    }

    /// What there is to say where the work ends early.
    pub(crate) fn farewell(&self, all: u64) -> Option<String> {
        let name = self.path.as_ref()?.display();
        let done = self.done;
        Some(format!(
            "{done} of {all} rows are kept in {name}; --resume goes on from them"
        ))
    }

    /// Removes the file: its results are where they belong.
    pub(crate) fn remove(self) {
        if let Some(path) = &self.path {
            // What cannot be removed is of the request, and of no harm.
            let _ = fs::remove_file(path);
        }
    }
}

fn word(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|word| u64::from_le_bytes(*word))
}

fn unwritable(name: &str, error: &io::Error) -> Error {
    let allowed = "allowed is a file in an existing folder with room";
    refused(
        "--out",
        format!("{name} cannot be written: {error}, {allowed}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Asked = Asked {
        digest: [7; 32],
        kernels: [9; 32],
        rows: 10,
        block: 3,
        width: 2,
    };

    fn bytes(rows: &Range<u64>) -> Vec<u8> {
        rows.clone().flat_map(|row| [row as u8, 100]).collect()
    }

    /// However many bytes of the file there are, the rows that are in it are right, and all others are
    /// given out again.
    #[test]
    fn what_was_kept_is_there_again_and_the_rest_is_left_to_do() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = beside(&folder.path().join("out.csv"));
        let mut journal = Journal::named(&path, false, &ASKED)?;
        for block in [9..10, 0..3, 6..9] {
            journal.keep(&block, &bytes(&block))?;
        }
        drop(journal);
        let whole = fs::read(&path).expect("it is there");
        for (len, done) in (0..=whole.len())
            .rev()
            .zip([7, 4].into_iter().chain([4; 99]))
        {
            assert!(fs::write(&path, &whole[..len]).is_ok());
            let mut journal = Journal::named(&path, true, &ASKED)?;
            assert!(journal.done <= done, "{len}");
            while let Some(block) = journal.next() {
                assert!(block.end - block.start <= 3);
                journal.keep(&block, &bytes(&block))?;
            }
            let mut all = Vec::new();
            for block in journal.blocks() {
                all.extend(journal.bytes(&block)?);
            }
            assert_eq!((journal.done, all), (10, bytes(&(0..10))));
        }
        Ok(())
    }

    #[test]
    fn journals_of_other_requests_and_those_in_use_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv.journal");
        let said = |goes_on, asked: &Asked| match Journal::named(&path, goes_on, asked) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.to_string(),
        };
        let mut journal = Journal::named(&path, false, &ASKED).expect("it is new");
        journal.keep(&(0..3), &bytes(&(0..3))).expect("kept");
        assert!(said(true, &ASKED).contains("allowed is one run at a time"));
        drop(journal);
        assert!(said(false, &ASKED).contains("has 3 of 10 rows, allowed are --resume"));
        for other in [
            Asked {
                digest: [8; 32],
                ..ASKED
            },
            Asked { rows: 11, ..ASKED },
        ] {
            assert!(said(true, &other).contains("is of another request"));
        }
        let other = Asked {
            kernels: [8; 32],
            ..ASKED
        };
        assert!(
            said(true, &other).contains("is of other kernels, allowed are those that began it")
        );
        assert_eq!(said(true, &ASKED), "none");
        assert!(fs::write(&path, "x,y\n1,2\n").is_ok());
        assert!(said(true, &ASKED).contains("is of another request"));
        assert_eq!(fs::read(&path).ok().as_deref(), Some(&b"x,y\n1,2\n"[..]));
    }
}
