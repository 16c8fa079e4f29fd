//! Functions that the device runtime provides and compilers call by name:
//! `vprintf`, `malloc`, `free`, `__assertfail` (CUDA C++ Programming Guide,
//! "Formatted Output", "Dynamic Global Memory Allocation", "Assertion").

use std::sync::atomic::Ordering;

use super::format::{Arguments, format};
use crate::error::FaultKind;
use crate::ir::{LANES, Passed, Provided, RuntimeCall};
use crate::lower::Reason;
use crate::machine::{Issue, LaneFault, generic, interleaved};
use crate::observe::Observer;

/// The longest text that is read, bytes.
const LONGEST: usize = 1 << 20;

/// A call of a function without a body; `None` when it is not one that is
/// provided.
pub(crate) fn provided(
    name: &str,
    arguments: &[Passed],
    returns: &[Passed],
) -> Result<Option<RuntimeCall>, Reason> {
    let (function, takes, gives): (_, &[u32], &[u32]) = match name {
        "vprintf" => (Provided::Print, &[8, 8], &[4]),
        "malloc" => (Provided::Allocate, &[8], &[8]),
        "free" => (Provided::Free, &[8], &[]),
        "__assertfail" => (Provided::Assert, &[8, 8, 4, 8, 8], &[]),
        "cudaDeviceSynchronize" => {
            return Err(
                "kernels cannot wait for kernels: device-side launches are not supported".into(),
            );
        }
        _ => return Ok(None),
    };
    let sizes = |list: &[Passed]| list.iter().map(|of| of.bytes()).collect::<Vec<_>>();
    let no_result = returns.is_empty();
    if sizes(arguments) != takes || !no_result && sizes(returns) != gives {
        return Err(format!("`{name}` takes other parameters"));
    }
    let frames = |list: &[Passed]| {
        let offsets = list.iter().map(|of| match *of {
            Passed::Frame(offset, bytes) => Ok((offset, bytes)),
            Passed::Row(..) => Err(format!("`{name}` takes `.param` variables")),
        });
        offsets.collect::<Result<_, _>>()
    };
    Ok(Some(RuntimeCall {
        function,
        arguments: frames(arguments)?,
        returns: frames(returns)?,
    }))
}

pub(super) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    call: &RuntimeCall,
) -> Result<(), LaneFault> {
    let base = at.path.bases.local;
    let place = |offset: u32, lane: usize| interleaved(u64::from(base + offset), lane);
    at.each(|at, lane| {
        let mut values = [0; 5];
        for (value, &(offset, bytes)) in values.iter_mut().zip(&call.arguments) {
            let mut raw = [0; 8];
            let local = &at.warp.local;
            local.read(place(offset, lane), &mut raw[..bytes as usize]);
            *value = u64::from_le_bytes(raw);
        }
        let result = one(at, call.function, values, lane)?.to_le_bytes();
        for &(offset, bytes) in &call.returns {
            let local = &at.warp.local;
            local.write(place(offset, lane), &result[..bytes as usize]);
        }
        Ok(())
    })?;
    if O::CONTROL && at.lanes != 0 {
        let site = at.site();
        for &(offset, bytes) in &call.returns {
            let bytes = base + offset..base + offset + bytes;
            at.context.observer.copies(site, at.lanes, &bytes);
        }
    }
    Ok(())
}

/// One lane's call; its result.
fn one<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    function: Provided,
    values: [u64; 5],
    lane: usize,
) -> Result<u64, FaultKind> {
    let launch = at.context.launch;
    let mut memory = LaneMemory {
        at,
        lane,
        next: values[1],
    };
    match function {
        Provided::Print => {
            if values[0] == 0 {
                return Ok(u64::from(u32::MAX));
            }
            let pattern = memory.text(values[0])?;
            let (text, count) = format(&pattern, &mut memory)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            launch.printed.push(text);
            Ok(u64::from(count))
        }
        Provided::Allocate => Ok(launch.heap.allocate(values[0])),
        Provided::Free if values[0] == 0 => Ok(0),
        Provided::Free => match launch.heap.free(values[0]) {
            Ok(()) => Ok(0),
            Err(text) => Err(FaultKind::Undefined(text)),
        },
        Provided::Assert => {
            let mut text = |address| match address {
                0 => Ok(String::new()),
                _ => memory
                    .text(address)
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            };
            Err(FaultKind::Assertion {
                message: text(values[0])?,
                file: text(values[1])?,
                line: values[2] as u32,
                function: text(values[3])?,
            })
        }
    }
}

/// Memory as one lane sees it, by generic address, and a buffer of arguments.
struct LaneMemory<'m, 'i, 'l, O> {
    at: &'m mut Issue<'i, 'l, O>,
    lane: usize,
    /// Address of the next argument.
    next: u64,
}

impl<O: Observer> LaneMemory<'_, '_, '_, O> {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, FaultKind> {
        let (room, address) = generic(address);
        let mut value = 0;
        self.at
            .each_lane(
                room,
                &[address; LANES],
                1 << self.lane,
                bytes,
                |_, cells, at| {
                    value = cells.load(at, bytes, Ordering::Relaxed);
                },
            )
            .map_err(|(_, kind)| kind)?;
        Ok(value)
    }
}

impl<O: Observer> Arguments for LaneMemory<'_, '_, '_, O> {
    type Error = FaultKind;

    fn next(&mut self, bytes: u32) -> Result<u64, FaultKind> {
        let address = self.next.next_multiple_of(u64::from(bytes));
        self.next = address + u64::from(bytes);
        self.load(address, bytes)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, FaultKind> {
        let mut text = Vec::new();
        while text.len() < LONGEST {
            match self.load(address.wrapping_add(text.len() as u64), 1)? {
                0 => return Ok(text),
                byte => text.push(byte as u8),
            }
        }
        Err(FaultKind::Undefined(format!(
            "a text of more than {LONGEST} bytes at {address:#x}"
        )))
    }
}
