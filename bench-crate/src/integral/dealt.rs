//! A file of integrals whose results are kept as they come, in a [journal](crate::journal): by one process
//! that can be resumed, or by several, to which blocks of rows are dealt as they ask for them, since one
//! integral may cost a thousand times what another does.
//!
//! The first process computes as all others do, by a thread a device. Beside that, one of its threads gives
//! out blocks and takes in results; while it is there, no other thread calls MPI.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::batch::Batch;
use super::number::Number;
use super::request::Request;
use super::results::{BYTES, Outputs, Row};
use super::{Both, Runners};
use crate::columns::{Reader, Watch};
use crate::error::Result;
use crate::journal::{Asked, Journal, beside};
use crate::ranks::{FIRST, Ranks};

/// Blocks that a process gets, where there are as many rows: the last ones end at about the same time.
const BLOCKS: u64 = 32;

/// How often it is told how far it is.
const PAUSE: Duration = Duration::from_millis(20);

/// Rows of results of an item: one of each output, and of each one's derivative.
fn rows_of_item<R: Number>(request: &Request<R>) -> usize {
    (1 + request.others.len()) * (1 + usize::from(request.derivative.is_some()))
}

/// The rows of each output of a block, and those of the derivatives behind them.
fn to_bytes<R: Number>((values, slopes): &Both<R>) -> Vec<u8> {
    let outputs = [values].into_iter().chain(slopes);
    let rows = outputs.flat_map(|outputs| outputs.rows.iter().flatten());
    rows.flat_map(|row| row.to_bytes()).collect()
}

/// What [`to_bytes`] made these of.
pub(super) fn from_bytes<R: Number>(bytes: &[u8], request: &Request<R>) -> Both<R> {
    let items = (bytes.len() / (BYTES * rows_of_item(request))).max(1);
    let rows: Vec<Row<R>> = bytes.chunks(BYTES).map(Row::from_bytes).collect();
    let mut rows: Vec<Vec<Row<R>>> = rows.chunks(items).map(<[_]>::to_vec).collect();
    let slopes = request.derivative.as_ref();
    let slopes = slopes.map(|_| rows.split_off(rows.len() / 2));
    let outputs = |rows| Outputs { rows };
    (outputs(rows), slopes.map(outputs))
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

/// Computes all items, each by one process; on the first one, their results. The digests are those of the
/// request and of the kernels.
pub(super) fn computed<R: Number>(
    request: &Request<R>,
    [digest, kernels]: [[u8; 32]; 2],
    batch: &Batch<'_, R>,
    runners: &mut [Runners<R>],
    ranks: &Ranks,
    watch: &mut dyn Watch,
) -> Result<Option<Journal>> {
    let most = runners[0].values[0].most() as u64;
    let shares = BLOCKS * (ranks.size() * runners.len()) as u64;
    let asked = Asked {
        digest,
        kernels,
        rows: batch.rows,
        block: (batch.rows / shares).clamp(1, most),
        width: BYTES * rows_of_item(request),
    };
    let opened = ranks.is_first().then(|| match &request.out {
        Some(path) => Journal::named(&beside(path), request.resumes, &asked),
        None => Journal::unnamed(&asked),
    });
    let Some(journal) = ranks.agree(opened.transpose())? else {
        // A process that is not alone has one device.
        work(&mut Worker::new(batch, &mut runners[0])?, ranks)?;
        return Ok(None);
    };
    if journal.done > 0 {
        let (done, all) = (journal.done, batch.rows);
        watch.say(&format!("resumed: {done} of {all} rows were there"));
    }
    let journal = Mutex::new(journal);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let started = runners.iter_mut().map(|runners| {
            let (journal, is_over) = (&journal, &is_over);
            scope.spawn(move || {
                let done = own(batch, runners, journal, is_over);
                is_over.fetch_or(done.is_err(), Ordering::Relaxed);
                done
            })
        });
        let mut started: Vec<_> = started.collect();
        if ranks.size() > 1 {
            started.push(scope.spawn(|| deal(ranks, &journal, &is_over)));
        }
        let mut told = None;
        loop {
            let is_done = started.iter().all(|thread| thread.is_finished());
            let journal = lock(&journal);
            if told.replace(journal.done) != Some(journal.done) {
                if let Some(sentence) = journal.farewell(batch.rows) {
                    watch.keeps(sentence);
                }
                watch.progress(journal.done, batch.rows);
            }
            drop(journal);
            if is_done {
                break;
            }
            thread::sleep(PAUSE);
        }
        let mut ended = started.into_iter().map(|thread| thread.join());
        ended.try_for_each(|of| of.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let journal = journal.into_inner();
    Ok(Some(journal.unwrap_or_else(PoisonError::into_inner)))
}

fn lock(journal: &Mutex<Journal>) -> MutexGuard<'_, Journal> {
    journal.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a device of the first process computes.
fn own<R: Number>(
    batch: &Batch<'_, R>,
    runners: &mut Runners<R>,
    journal: &Mutex<Journal>,
    is_over: &AtomicBool,
) -> Result<()> {
    let mut worker = Worker::new(batch, runners)?;
    while !is_over.load(Ordering::Relaxed) {
        let Some(block) = lock(journal).next() else {
            break;
        };
        let bytes = worker.bytes(&block)?;
        lock(journal).keep(&block, &bytes)?;
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
