//! Functions that the device runtime provides and compilers call by name:
//! `vprintf`, `malloc`, `free`, `__assertfail` (CUDA C++ Programming Guide,
//! "Formatted Output", "Dynamic Global Memory Allocation", "Assertion").

use super::format::{Arguments, format};
use crate::error::FaultKind;
use crate::ir::{LANES, Room};
use crate::lower::decoder::Reason;
use crate::machine::access::{each_lane, generic, interleaved};
use crate::machine::path::Path;
use crate::machine::warp::{Context, LaneFault, Lanes};
use crate::observe::Observer;

/// The longest text that is read, bytes.
const LONGEST: usize = 1 << 20;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Function {
    Print,
    Allocate,
    Free,
    Assert,
}

/// A call. Arguments and results are offset and bytes in the caller's frame.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    function: Function,
    arguments: Vec<(u32, u32)>,
    returns: Vec<(u32, u32)>,
}

/// A call of a function without a body; `None` when it is not one that is
/// provided.
pub(crate) fn provided(
    name: &str,
    arguments: &[(u32, u32)],
    returns: &[(u32, u32)],
) -> Result<Option<Call>, Reason> {
    let (function, takes, gives): (_, &[u32], &[u32]) = match name {
        "vprintf" => (Function::Print, &[8, 8], &[4]),
        "malloc" => (Function::Allocate, &[8], &[8]),
        "free" => (Function::Free, &[8], &[]),
        "__assertfail" => (Function::Assert, &[8, 8, 4, 8, 8], &[]),
        "cudaDeviceSynchronize" => {
            return Err(
                "kernels cannot wait for kernels: device-side launches are not supported".into(),
            );
        }
        _ => return Ok(None),
    };
    let sizes = |list: &[(u32, u32)]| list.iter().map(|&(_, bytes)| bytes).collect::<Vec<_>>();
    let no_result = returns.is_empty();
    if sizes(arguments) != takes || !no_result && sizes(returns) != gives {
        return Err(format!("`{name}` takes other parameters"));
    }
    Ok(Some(Call {
        function,
        arguments: arguments.to_vec(),
        returns: returns.to_vec(),
    }))
}

pub(super) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    call: &Call,
    lanes: u32,
) -> Result<(), LaneFault> {
    for lane in (0..LANES as u32).filter(|lane| lanes >> lane & 1 != 0) {
        let mut values = [0; 5];
        for (value, &(offset, bytes)) in values.iter_mut().zip(&call.arguments) {
            let at = interleaved(u64::from(path.bases.local + offset), lane as usize);
            let mut raw = [0; 8];
            warp.local.read(at, &mut raw[..bytes as usize]);
            *value = u64::from_le_bytes(raw);
        }
        let result =
            one(context, warp, call.function, values, lane).map_err(|kind| (lane, kind))?;
        for &(offset, bytes) in &call.returns {
            let at = interleaved(u64::from(path.bases.local + offset), lane as usize);
            warp.local
                .write(at, &result.to_le_bytes()[..bytes as usize]);
        }
    }
    if O::CONTROL && lanes != 0 {
        let site = context.block.site(path.pc, warp.index);
        for &(offset, bytes) in &call.returns {
            let start = path.bases.local + offset;
            context.observer.copies(site, lanes, start..start + bytes);
        }
    }
    Ok(())
}

/// One lane's call; its result.
fn one<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    function: Function,
    values: [u64; 5],
    lane: u32,
) -> Result<u64, FaultKind> {
    let mut memory = LaneMemory {
        context,
        warp,
        lane,
        next: values[1],
    };
    match function {
        Function::Print => {
            if values[0] == 0 {
                return Ok(u64::from(u32::MAX));
            }
            let pattern = memory.text(values[0])?;
            let (text, count) = format(&pattern, &mut memory)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            context.launch.printed.push(text);
            Ok(u64::from(count))
        }
        Function::Allocate => Ok(context.launch.heap.allocate(values[0])),
        Function::Free if values[0] == 0 => Ok(0),
        Function::Free => match context.launch.heap.free(values[0]) {
            Ok(()) => Ok(0),
            Err(text) => Err(FaultKind::Undefined(text)),
        },
        Function::Assert => {
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
struct LaneMemory<'m, 'c, O> {
    context: &'m mut Context<'c, O>,
    warp: &'m mut Lanes,
    lane: u32,
    /// Address of the next argument.
    next: u64,
}

impl<O: Observer> LaneMemory<'_, '_, O> {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, FaultKind> {
        let (room, address) = generic(address);
        let room = if room == Room::Generic {
            Room::Global
        } else {
            room
        };
        let mut value = 0;
        each_lane(
            self.context,
            self.warp,
            room,
            &[address; LANES],
            1 << self.lane,
            bytes,
            |_, cells, at| value = cells.load(at, bytes, std::sync::atomic::Ordering::Relaxed),
        )
        .map_err(|(_, kind)| kind)?;
        Ok(value)
    }
}

impl<O: Observer> Arguments for LaneMemory<'_, '_, O> {
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
