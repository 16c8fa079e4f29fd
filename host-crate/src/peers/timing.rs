//! The time of one operation: memory for it, a check of each peer's result, and the
//! peers timed beside each other.
//!
//! Every launch works on the next part of more memory than the second-level cache
//! holds, so that inputs come from memory as they do in a program that has just got
//! them. (A graph holds 2000 launches at most: where those touch less than the cache,
//! below 2^13 elements of 4 bytes, the inputs of the next replay are still in it.)

use super::library::{Call, Peer};
use super::operation::{Operation, Sizes};
use super::values;
use crate::device::{Buffer, Device};
use crate::error::{Error, Result};
use crate::measure::Rule;
use crate::measure::device::{self as timing, Launch, Measured};

/// Bytes that are rotated through, in units of the second-level cache.
const ROTATION: u64 = 2;

/// The cache of a device that does not tell: larger than any known one (H200: 50 MiB).
const UNKNOWN_CACHE: u64 = 128 << 20;

/// Parts begin at multiples of this, as allocations do.
const ALIGNMENT: u64 = 256;

/// Elements whose results are compared before anything is timed.
const CHECKED: u64 = 1000;

/// Elements of a segment, or of one key, in the check.
const CHECKED_RUN: u64 = 7;

/// Bytes that launches have to go through before they come back to the same ones.
pub fn rotated_bytes(device: &Device) -> u64 {
    let cache = device.properties().l2_cache.map(u64::from);
    ROTATION * cache.filter(|&bytes| bytes > 0).unwrap_or(UNKNOWN_CACHE)
}

/// Parts of memory, one after the other and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    parts: u64,
    next: u64,
}

impl Rotation {
    /// As many parts of these sizes as have `bytes` bytes together.
    pub fn new(sizes: Sizes, bytes: u64) -> Self {
        Rotation {
            parts: bytes.div_ceil(sizes.moved().max(1)).max(1),
            next: 0,
        }
    }

    /// How many parts there are.
    pub fn parts(&self) -> u64 {
        self.parts
    }
}

impl Iterator for Rotation {
    type Item = u64;

    /// The number of the next part; there is always one.
    fn next(&mut self) -> Option<u64> {
        let part = self.next;
        self.next = (part + 1) % self.parts;
        Some(part)
    }
}

/// From one part of each array to the next, bytes.
fn strides(sizes: Sizes) -> Sizes {
    Sizes {
        input: sizes.input.next_multiple_of(ALIGNMENT),
        keys_or_offsets: sizes.keys_or_offsets.next_multiple_of(ALIGNMENT),
        output: sizes.output.next_multiple_of(ALIGNMENT),
    }
}

/// The arrays of an operation, `parts` times.
struct Arrays {
    input: Buffer<u8>,
    keys_or_offsets: Buffer<u32>,
    output: Buffer<u8>,
    /// From one part to the next.
    strides: Sizes,
    n: u64,
    segments: u64,
}

impl Arrays {
    /// n elements, `run` of them in a segment.
    fn new(device: &Device, operation: Operation, n: u64, run: u64, parts: u64) -> Result<Self> {
        let segments = if operation.has_offsets() {
            n.div_ceil(run)
        } else {
            0
        };
        let sizes = operation.sizes(n, segments);
        let strides = strides(sizes);
        let parts = parts as usize;
        let mut keys_or_offsets = values::keys_or_offsets(operation, n, run);
        keys_or_offsets.resize(strides.keys_or_offsets as usize / 4, 0);
        let input = values::input(operation, strides.input as usize);
        // One part may be most of the host's memory.
        let input = if parts == 1 {
            input
        } else {
            input.repeat(parts)
        };
        Ok(Arrays {
            input: device.upload(&input)?,
            keys_or_offsets: device.upload(&keys_or_offsets.repeat(parts))?,
            output: device.alloc_zeroed(strides.output as usize * parts)?,
            strides,
            n,
            segments,
        })
    }

    fn call(&self, part: u64) -> Call {
        Call {
            input: self.input.address() + part * self.strides.input,
            keys_or_offsets: self.keys_or_offsets.address() + part * self.strides.keys_or_offsets,
            output: self.output.address() + part * self.strides.output,
            n: self.n,
            segments: self.segments,
        }
    }
}

/// Compares a peer's results of a small input with those of the host, bit for bit.
/// The inner Err says which result is another one.
///
/// # Errors
///
/// Those of [`Peer::enqueue`] and of memory.
pub fn check(
    device: &Device,
    peer: &Peer,
    operation: Operation,
) -> Result<std::result::Result<(), String>> {
    let arrays = Arrays::new(device, operation, CHECKED, CHECKED_RUN, 1)?;
    launch(
        device,
        peer,
        operation,
        &arrays,
        &mut Rotation { parts: 1, next: 0 },
    )?()?;
    let expected = values::results(operation, CHECKED, CHECKED_RUN);
    let found = &arrays.output.to_vec()?[..expected.len()];
    let differs = |(found, expected): (&u8, &u8)| found != expected;
    Ok(match found.iter().zip(&expected).position(differs) {
        None => Ok(()),
        Some(byte) => Err(format!(
            "{operation} of {} is wrong and not timed: byte {byte} of {} is {} and not {}",
            peer.name(),
            expected.len(),
            found[byte],
            expected[byte]
        )),
    })
}

/// A closure that asks the device for the operation on the next part. It can be
/// recorded, and what it works on lives as long as it.
fn launch<'a>(
    device: &'a Device,
    peer: &'a Peer,
    operation: Operation,
    arrays: &'a Arrays,
    rotation: &'a mut Rotation,
) -> Result<impl FnMut() -> Result<()> + 'a> {
    let bytes = peer.scratch_bytes(device, operation, arrays.n, arrays.segments)?;
    let scratch = device.alloc::<u8>(bytes)?;
    Ok(move || {
        let call = arrays.call(rotation.next().unwrap_or_default());
        // SAFETY: `Arrays` has every part in the operation's sizes, its offsets ascend
        // to n, and the scratch is this launch's own, as large as was asked for. A
        // device gives nothing back while one of its graphs lives.
        unsafe { peer.enqueue(device, operation, (scratch.address(), bytes), call) }
    })
}

/// The times of an operation on n elements by each of `peers`, which all have it;
/// `run` elements are a segment or have one key.
///
/// # Errors
///
/// [`Error::OutOfMemory`] where the arrays do not fit; as [`check`].
pub fn times(
    device: &Device,
    peers: &[&Peer],
    operation: Operation,
    (n, run): (u64, u64),
    rule: &Rule,
) -> Result<Vec<Measured>> {
    let segments = if operation.has_offsets() {
        n.div_ceil(run)
    } else {
        0
    };
    let sizes = operation.sizes(n, segments);
    let rotation = Rotation::new(sizes, rotated_bytes(device));
    let free = device.memory_info()?.free;
    let wanted = rotation.parts() * strides(sizes).moved();
    if wanted > free / 10 * 9 {
        return Err(Error::OutOfMemory {
            wanted,
            free,
            device: device.properties().name.clone(),
        });
    }
    let arrays = Arrays::new(device, operation, n, run, rotation.parts())?;
    let mut rotations = vec![rotation; peers.len()];
    let mut works = Vec::with_capacity(peers.len());
    for (peer, rotation) in peers.iter().zip(&mut rotations) {
        works.push(launch(device, peer, operation, &arrays, rotation)?);
    }
    let mut launches: Vec<Launch<'_>> = works.iter_mut().map(|work| work as Launch<'_>).collect();
    timing::kernels_and_methods(rule, device, &mut launches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::operation::{Element, Form, Operator};

    #[test]
    fn a_rotation_comes_back_after_more_than_the_cache() {
        let sizes = |n| Operation::Of(Form::Inclusive, Operator::Sum, Element::I32).sizes(n, 0);
        let cache = 50 << 20;
        // 8 bytes an element.
        let rotation = Rotation::new(sizes(1 << 10), 2 * cache);
        assert_eq!(rotation.parts(), 12_800);
        assert_eq!(Rotation::new(sizes(1 << 30), 2 * cache).parts(), 1);
        assert_eq!(Rotation::new(sizes(0), 10).parts(), 10);
        let first: Vec<u64> = Rotation::new(sizes(1 << 23), 2 * cache).take(5).collect();
        assert_eq!(first, [0, 1, 0, 1, 0]);
    }
}
