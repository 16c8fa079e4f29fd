//! A file of integrals whose results are kept as they come, in a [journal](crate::journal): by one process
//! that can be resumed, or by several, to which blocks of rows are dealt as they ask for them, since one
//! integral may cost a thousand times what another does.
//!
//! The first process computes as all others do. Beside that, one of its threads gives out blocks and
//! takes in results; while it is there, no other thread calls MPI.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::batch::Batch;
use super::number::Number;
use super::request::Request;
use super::results::{BYTES, Row};
use super::{Both, Runners};
use crate::columns::{Reader, Watch};
use crate::error::Result;
use crate::journal::{Asked, Journal, beside};
use crate::ranks::{FIRST, Ranks};

/// Blocks that a process gets, where there are as many rows: the last ones end at about the same time.
const BLOCKS: u64 = 32;

/// How often who waits is told how far it is.
const PAUSE: Duration = Duration::from_millis(20);

/// Bytes of a row's results.
fn width<R: Number>(request: &Request<R>) -> usize {
    BYTES * (1 + usize::from(request.derivative.is_some()))
}

/// The rows of a block, and those of the derivatives behind them.
fn to_bytes<R: Number>((rows, slopes): &Both<R>) -> Vec<u8> {
    let rows = rows.iter().chain(slopes.iter().flatten());
    rows.flat_map(|row| row.to_bytes()).collect()
}

/// What [`to_bytes`] made these of.
pub(super) fn from_bytes<R: Number>(bytes: &[u8], request: &Request<R>) -> Both<R> {
    let mut rows: Vec<Row<R>> = bytes.chunks(BYTES).map(Row::from_bytes).collect();
    let slopes = request.derivative.as_ref();
    let slopes = slopes.map(|_| rows.split_off(rows.len() / 2));
    (rows, slopes)
}

/// A message: a block, and what came of it.
fn message(block: &Range<u64>, bytes: &[u8]) -> Vec<u8> {
    let block = [block.start.to_le_bytes(), block.end.to_le_bytes()].concat();
    [&block, bytes].concat()
}

fn block_of(message: &[u8]) -> Option<(Range<u64>, &[u8])> {
    let (first, rest) = message.split_first_chunk()?;
    let (end, bytes) = rest.split_first_chunk()?;
    Some((u64::from_le_bytes(*first)..u64::from_le_bytes(*end), bytes))
}

/// What computes blocks, which it is given in the order of the rows.
struct Worker<'a, R: Number> {
    batch: &'a Batch<'a, R>,
    runners: &'a mut Runners<R>,
    reader: Reader<'a>,
    /// Rows that have been read.
    read: u64,
}

impl<'a, R: Number> Worker<'a, R> {
    fn new(batch: &'a Batch<'a, R>, runners: &'a mut Runners<R>) -> Result<Self> {
        let reader = batch.read()?;
        Ok(Self {
            batch,
            runners,
            reader,
            read: 0,
        })
    }

    fn bytes(&mut self, rows: &Range<u64>) -> Result<Vec<u8>> {
        self.reader.skip(rows.start - self.read)?;
        self.read = rows.end;
        let block = self.reader.block((rows.end - rows.start) as usize)?;
        let items = block.map(|block| self.batch.items(&block)).transpose()?;
        let both = items.map(|items| self.runners.rows(&items)).transpose()?;
        Ok(both.map_or(Vec::new(), |both| to_bytes(&both)))
    }
}

/// Computes all items, each by one process; on the first one, their results. `digest` is that of the
/// request.
pub(super) fn computed<R: Number>(
    request: &Request<R>,
    digest: [u8; 32],
    batch: &Batch<'_, R>,
    runners: &mut Runners<R>,
    ranks: &Ranks,
    watch: &mut dyn Watch,
) -> Result<Option<Journal>> {
    let most = runners.value.most() as u64;
    let asked = Asked {
        digest,
        rows: batch.rows,
        block: (batch.rows / (BLOCKS * ranks.size() as u64)).clamp(1, most),
        width: width(request),
    };
    let opened = ranks.is_first().then(|| match &request.out {
        Some(path) => Journal::named(&beside(path), request.resumes, &asked),
        None => Journal::unnamed(&asked),
    });
    let Some(journal) = ranks.agree(opened.transpose())? else {
        work(&mut Worker::new(batch, runners)?, ranks)?;
        return Ok(None);
    };
    if journal.done > 0 {
        let (done, all) = (journal.done, batch.rows);
        watch.say(&format!("resumed: {done} of {all} rows were there"));
    }
    let journal = Mutex::new(journal);
    let is_over = AtomicBool::new(false);
    let mut worker = Worker::new(batch, runners)?;
    thread::scope(|scope| {
        let others = ranks.size() - 1;
        let dealer = (others > 0).then(|| scope.spawn(|| deal(ranks, &journal, &is_over)));
        let mut told = None;
        let mut tell = || {
            let journal = lock(&journal);
            if told.replace(journal.done) == Some(journal.done) {
                return;
            }
            if let Some(sentence) = journal.farewell(batch.rows) {
                watch.keeps(sentence);
            }
            watch.progress(journal.done, batch.rows);
        };
        tell();
        let own = own(&mut worker, &journal, &is_over, &mut tell);
        is_over.fetch_or(own.is_err(), Ordering::Relaxed);
        let Some(dealer) = dealer else { return own };
        while !dealer.is_finished() {
            tell();
            thread::sleep(PAUSE);
        }
        let dealt = dealer.join();
        own.and(dealt.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let journal = journal.into_inner();
    Ok(Some(journal.unwrap_or_else(PoisonError::into_inner)))
}

fn lock(journal: &Mutex<Journal>) -> MutexGuard<'_, Journal> {
    journal.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the first process computes.
fn own<R: Number>(
    worker: &mut Worker<'_, R>,
    journal: &Mutex<Journal>,
    is_over: &AtomicBool,
    tell: &mut impl FnMut(),
) -> Result<()> {
    while !is_over.load(Ordering::Relaxed) {
        let Some(block) = lock(journal).next() else {
            break;
        };
        let bytes = worker.bytes(&block)?;
        lock(journal).keep(&block, &bytes)?;
        tell();
    }
    Ok(())
}

/// What each other process computes.
fn work<R: Number>(worker: &mut Worker<'_, R>, ranks: &Ranks) -> Result<()> {
    ranks.send(FIRST, &[]);
    while let Some((block, _)) = block_of(&ranks.receive(FIRST)) {
        let bytes = worker.bytes(&block)?;
        ranks.send(FIRST, &message(&block, &bytes));
    }
    Ok(())
}

/// Takes in results, and gives out blocks, until every other process knows that there are no more.
fn deal(ranks: &Ranks, journal: &Mutex<Journal>, is_over: &AtomicBool) -> Result<()> {
    let mut others = ranks.size() - 1;
    while others > 0 && !is_over.load(Ordering::Relaxed) {
        let Some((from, said)) = ranks.receive_any() else {
            continue;
        };
        let mut journal = lock(journal);
        if let Some((block, bytes)) = block_of(&said)
            && let Err(error) = journal.keep(&block, bytes)
        {
            is_over.store(true, Ordering::Relaxed);
            return Err(error);
        }
        let next = journal.next();
        drop(journal);
        others -= usize::from(next.is_none());
        ranks.send(from, &next.map_or(Vec::new(), |block| message(&block, &[])));
    }
    Ok(())
}
