//! Moves and what has to do with places and time: `mov`, special registers,
//! `cvta`, `isspacep`, `nanosleep`, `pmevent`.

mod address;
mod moves;
mod register;

use ptx_syntax::Type;

use super::Group;
use crate::ir::{LANES, Op, Register, Row, Special};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Context, Issue, LOCAL_WINDOW};
use crate::observe::{Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "special",
    forms: &[
        "mov: pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64; packing and unpacking of b32 and b64; addresses; special registers",
        "cvta: .to; .global .shared .local .const .param; u64",
        "isspacep: .global .shared .local .const .param",
        "nanosleep: u32",
        "pmevent: .mask",
        "griddepcontrol: .launch_dependents .wait, without effect",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let op = match d.opcode() {
        "mov" => return moves::decode(d),
        "cvta" => return address::decode_cvta(d),
        "isspacep" => return address::decode_isspacep(d),
        "nanosleep" => {
            d.type_of(&[Type::U32])?;
            Op::Yield
        }
        "pmevent" => {
            d.take("mask");
            Op::Mark
        }
        _ => {
            d.one_of(&["launch_dependents", "wait"])?;
            d.finish(0)?;
            return Ok(Decoded::new(Op::Nothing, Class::Other));
        }
    };
    d.finish(1)?;
    d.source(0, Type::U32)?;
    Ok(Decoded::new(op, Class::Other))
}

pub(crate) fn run<O: Observer>(at: &mut Issue<'_, '_, O>, special: Special) {
    let Context {
        launch,
        block,
        time,
        ..
    } = &*at.context;
    let (index, executed, time) = (at.warp.index, at.warp.executed, *time);
    let first = index * LANES as u32;
    let uniform = |value: u64| Row([value; LANES]);
    let each = |f: &dyn Fn(u32) -> u32| Row(std::array::from_fn(|lane| u64::from(f(lane as u32))));
    let row = match special.register {
        Register::Thread(axis) => each(&|lane| launch.thread(first + lane)[axis]),
        Register::Threads(axis) => uniform(u64::from(launch.block[axis])),
        Register::Block(axis) => uniform(u64::from(block.index[axis])),
        Register::Blocks(axis) => uniform(u64::from(launch.grid[axis])),
        Register::Lane => each(&|lane| lane),
        Register::Warp => uniform(u64::from(index)),
        Register::Warps => uniform(u64::from(launch.model.threads_per_sm / LANES as u32)),
        Register::LaneMask(mask) => each(&|lane| mask(lane)),
        Register::Sm => uniform(u64::from(block.sm)),
        Register::Sms => uniform(u64::from(launch.model.sms)),
        Register::Grid => uniform(1),
        Register::Clock => uniform(executed.wrapping_add(time)),
        Register::ClockHigh => uniform(executed.wrapping_add(time) >> 32),
        Register::Time => uniform(time),
        Register::TimeLow => uniform(time & 0xffff_ffff),
        Register::TimeHigh => uniform(time >> 32),
        Register::DynamicShared => uniform(u64::from(launch.dynamic_shared_bytes)),
        Register::TotalShared => uniform(u64::from(launch.shared_bytes)),
        Register::Zero => uniform(0),
        Register::One => uniform(1),
    };
    at.put(special.wide, at.operands.d[0], &row, at.lanes);
}

/// d0 = the address of byte `aux` of the call frame.
pub(crate) fn frame_address<O: Observer>(at: &mut Issue<'_, '_, O>, wide: bool, generic: bool) {
    let window = if generic { LOCAL_WINDOW } else { 0 };
    let address = u64::from(at.path.bases.local)
        .wrapping_add(at.operands.aux)
        .wrapping_add(window);
    at.put(wide, at.operands.d[0], &Row([address; LANES]), at.lanes);
}
