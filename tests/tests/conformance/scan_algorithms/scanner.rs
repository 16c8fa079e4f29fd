//! A scan by one of the algorithms, with memory around its results that nobody may write;
//! and the sequential scan that it is compared with.

use std::fmt::Debug;

use bytemuck::Pod;
use quadscan::device::Buffer;
use quadscan::scan::textbook::{Algorithm, Scan};
use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::{EXCLUSIVE, HAS_INITIAL};
use quadscan_tests::suite::Bench;

/// Elements around an output that nobody writes.
const GUARD: usize = 4;

/// What a scan is asked for, beyond its elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<T> {
    pub(super) initial: Option<T>,
    pub(super) is_exclusive: bool,
    /// The output is the input.
    pub(super) in_place: bool,
    /// Elements by which input and output are off a vector.
    pub(super) offset: (usize, usize),
}

impl<T> Asked<T> {
    pub(super) const INCLUSIVE: Self = Self {
        initial: None,
        is_exclusive: false,
        in_place: false,
        offset: (0, 0),
    };

    pub(super) fn exclusive(initial: T) -> Self {
        Self {
            initial: Some(initial),
            is_exclusive: true,
            ..Self::INCLUSIVE
        }
    }

    fn flags(&self) -> u32 {
        let exclusive = if self.is_exclusive { EXCLUSIVE } else { 0 };
        exclusive
            | if self.initial.is_some() {
                HAS_INITIAL
            } else {
                0
            }
    }
}

/// Kernels of one operator, and scratch memory that every launch leaves to the next.
pub(super) struct Scanner<'a> {
    pub(super) bench: &'a Bench,
    pub(super) algorithm: Algorithm,
    pub(super) operator: &'static str,
    pub(super) scratch: Buffer<u64>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new<O: Operator>(
        bench: &'a Bench,
        algorithm: Algorithm,
        operator: &'static str,
        most: usize,
    ) -> quadscan::Result<Self> {
        let words = algorithm.scratch_words::<O>(most as u64) as usize;
        Ok(Self {
            bench,
            algorithm,
            operator,
            scratch: bench.device.alloc_zeroed(words.max(1))?,
        })
    }

    /// The scan of `input`; panics when anything is written around it.
    pub(super) fn scan<O, T>(&self, input: &[T], asked: Asked<T>) -> quadscan::Result<Vec<T>>
    where
        O: Operator<Input = T, Accumulator = T, Output = T>,
        T: Pod + PartialEq + Debug,
    {
        let device = &self.bench.device;
        let guard = vec![canary::<T>(); GUARD];
        let (from, to) = asked.offset;
        let source = device.upload(&[&guard[..from], input, &guard].concat())?;
        let target = device.upload(&vec![canary::<T>(); to + input.len() + GUARD])?;
        let of = |buffer: &Buffer<T>, offset: usize| {
            buffer.address() + size_of_val(&guard[..offset]) as u64
        };
        let (written, offset) = if asked.in_place {
            (&source, from)
        } else {
            (&target, to)
        };
        let scan = Scan {
            module: &self.bench.module,
            operator: self.operator,
            n: input.len() as u64,
            input: of(&source, from),
            output: of(written, offset),
            flags: asked.flags(),
            initial: asked.initial.unwrap_or(canary()),
            scratch: self.scratch.address(),
            words: self.scratch.len() as u64,
        };
        // SAFETY: the addresses are of buffers with room for the elements, which outlive
        // the launches; the scratch memory is this scanner's alone; the kernels are named
        // after the operator.
        unsafe { scan.launch::<O>(self.algorithm)? };
        let all = written.to_vec()?;
        let (before, rest) = all.split_at(offset);
        let (results, after) = rest.split_at(input.len());
        assert_eq!(
            (before, after),
            (&guard[..offset], &guard[..]),
            "{self:?} {asked:?}"
        );
        Ok(results.to_vec())
    }
}

impl Debug for Scanner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.algorithm.name(), self.operator)
    }
}

/// What nobody should read or write.
pub(super) fn canary<T: Pod>() -> T {
    bytemuck::pod_read_unaligned(&[0xa5; 16][..size_of::<T>()])
}

/// The scan, one element after the other.
pub(super) fn sequential<T: Copy>(input: &[T], asked: Asked<T>, plus: fn(T, T) -> T) -> Vec<T> {
    let mut running = asked.initial;
    let mut results = Vec::with_capacity(input.len());
    for &element in input {
        let earlier = running;
        let own = running.map_or(element, |running| plus(running, element));
        running = Some(own);
        results.push(match earlier {
            Some(earlier) if asked.is_exclusive => earlier,
            _ => own,
        });
    }
    results
}

pub(super) fn scrambled(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) ^ 0x5bd1_e995)
        .collect()
}
