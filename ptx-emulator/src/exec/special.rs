//! Moves and what has to do with places and time: `mov`, special registers,
//! `cvta`, `isspacep`, `nanosleep`, `pmevent`.

mod address;

use address::{decode_cvta, decode_isspacep};

use super::{Group, Value, lane_fn, lanes, predicate, write, write_predicate};
use crate::ast::{Number, Operand, Space, Type};
use crate::ir::{Class, FULL, LANES, Op, Operands, Row, Slot, Width};
use crate::lower::Symbol;
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::lower::scope::Entity;
use crate::machine::memory::{
    CONSTANT_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW,
};
use crate::machine::path::Path;
use crate::machine::warp::{Context, Lanes};
use crate::observe::Observer;

pub(crate) const GROUP: Group = Group {
    name: "special",
    opcodes: &[
        (
            "mov",
            "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64; packing and unpacking of b32 and b64; addresses; special registers",
        ),
        ("cvta", ".to; .global .shared .local .const .param; u64"),
        ("isspacep", ".global .shared .local .const .param"),
        ("nanosleep", "u32"),
        ("pmevent", ".mask"),
        ("griddepcontrol", ".launch_dependents .wait, without effect"),
    ],
    decode,
};

/// The special registers.
#[derive(Copy, Clone, Debug)]
enum Name {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    Warp,
    Warps,
    LaneMask(fn(u32) -> u32),
    Multiprocessor,
    Multiprocessors,
    Grid,
    Clock,
    ClockHigh,
    Time,
    TimeLow,
    TimeHigh,
    DynamicShared,
    TotalShared,
    Zero,
    One,
}

/// A special register, to a row of 32 or 64 bits.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Special {
    name: Name,
    wide: bool,
}

/// `prefix` and a number below `count`.
fn numbered(name: &str, prefix: &str, count: u32) -> bool {
    name.strip_prefix(prefix)
        .and_then(|number| number.parse::<u32>().ok())
        .is_some_and(|number| number < count)
}

impl Special {
    /// Whether its value depends on when it is read.
    pub(crate) fn is_clock(&self) -> bool {
        use Name::{Clock, ClockHigh, Time, TimeHigh, TimeLow};
        matches!(self.name, Clock | ClockHigh | Time | TimeLow | TimeHigh)
    }
}

/// The register and its own width in bits.
fn special(name: &str) -> Option<(Name, u32)> {
    let (base, axis) = match name.split_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some(_) => return None,
        None => (name, 3),
    };
    if axis < 3 {
        return Some(match base {
            "%tid" => (Name::Thread(axis), 32),
            "%ntid" => (Name::Threads(axis), 32),
            "%ctaid" => (Name::Block(axis), 32),
            "%nctaid" => (Name::Blocks(axis), 32),
            // Without clusters, each block is one.
            "%clusterid" => (Name::Block(axis), 32),
            "%nclusterid" => (Name::Blocks(axis), 32),
            "%cluster_ctaid" => (Name::Zero, 32),
            "%cluster_nctaid" => (Name::One, 32),
            _ => return None,
        });
    }
    Some(match base {
        "%laneid" => (Name::Lane, 32),
        "%warpid" => (Name::Warp, 32),
        "%nwarpid" => (Name::Warps, 32),
        "%lanemask_eq" => (Name::LaneMask(|lane| 1 << lane), 32),
        "%lanemask_lt" => (Name::LaneMask(|lane| (1 << lane) - 1), 32),
        "%lanemask_le" => (Name::LaneMask(|lane| u32::MAX >> (31 - lane)), 32),
        "%lanemask_gt" => (Name::LaneMask(|lane| !(u32::MAX >> (31 - lane))), 32),
        "%lanemask_ge" => (Name::LaneMask(|lane| u32::MAX << lane), 32),
        "%smid" => (Name::Multiprocessor, 32),
        "%nsmid" => (Name::Multiprocessors, 32),
        "%gridid" => (Name::Grid, 64),
        "%clock" => (Name::Clock, 32),
        "%clock_hi" => (Name::ClockHigh, 32),
        "%clock64" => (Name::Clock, 64),
        "%globaltimer" => (Name::Time, 64),
        "%globaltimer_lo" => (Name::TimeLow, 32),
        "%globaltimer_hi" => (Name::TimeHigh, 32),
        "%dynamic_smem_size" => (Name::DynamicShared, 32),
        "%total_smem_size" | "%aggr_smem_size" => (Name::TotalShared, 32),
        "%cluster_ctarank" => (Name::Zero, 32),
        "%cluster_nctarank" => (Name::One, 32),
        _ if numbered(name, "%envreg", 32) => (Name::Zero, 32),
        // Nothing is counted by the hardware's performance monitor.
        _ if numbered(name, "%pm", 8) => (Name::Zero, 32),
        _ if name
            .strip_suffix("_64")
            .is_some_and(|name| numbered(name, "%pm", 8)) =>
        {
            (Name::Zero, 64)
        }
        "%current_graph_exec" => (Name::Zero, 64),
        _ => return None,
    })
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let done = |op, class| {
        Ok(Decoded {
            op,
            operands: Operands::default(),
            class,
        })
    };
    match d.opcode() {
        "mov" => decode_mov(d),
        "cvta" => decode_cvta(d),
        "isspacep" => decode_isspacep(d),
        "nanosleep" => {
            let ty = d.ty()?;
            if ty != Type::U32 {
                return Err(d.unsupported_type(ty));
            }
            d.finish(1)?;
            d.source(0, Type::U32)?;
            done(Op::Yield, Class::Other)
        }
        "pmevent" => {
            d.take("mask");
            d.finish(1)?;
            d.source(0, Type::U32)?;
            done(Op::Mark, Class::Other)
        }
        _ => {
            if d.take_any(&["launch_dependents", "wait"]).is_none() {
                return Err(d.unknown_modifier());
            }
            d.finish(0)?;
            done(Op::Nothing, Class::Other)
        }
    }
}

fn decode_mov(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    d.finish(2)?;
    let mut operands = Operands::default();
    if ty == Type::Predicate {
        operands.d[0] = d.destination(0, ty)?;
        if let Operand::Number(Number::Integer(value)) = d.operand(1)? {
            // The loop is chosen here, so that it has no branch: 0 is false,
            // anything else true.
            let run = if *value == 0 {
                lane_fn!(|f, o, m| write_predicate(f, o.d[0], 0, m))
            } else {
                lane_fn!(|f, o, m| write_predicate(f, o.d[0], FULL, m))
            };
            return Ok(Decoded::lanes(run, operands, Class::Move));
        }
        if matches!(d.operand(1)?, Operand::Name("%is_explicit_cluster")) {
            let run = lane_fn!(|f, o, m| write_predicate(f, o.d[0], 0, m));
            return Ok(Decoded::lanes(run, operands, Class::Move));
        }
        operands.s[0] = d.predicate(1)?;
        let run = lane_fn!(|f, o, m| write_predicate(f, o.d[0], predicate(f, o.s[0]), m));
        return Ok(Decoded::lanes(run, operands, Class::Move));
    }
    if ty == Type::B128 || ty.bytes() == 1 {
        return Err(d.unsupported_type(ty));
    }
    let (to, from) = (d.operand(0)?, d.operand(1)?);
    match (to, from) {
        (Operand::Vector(parts), _) => return unpack(d, ty, parts),
        (_, Operand::Vector(parts)) => return pack(d, ty, parts),
        _ => {}
    }
    operands.d[0] = d.destination(0, ty)?;
    if let Operand::Name(name) = from {
        if *name == "WARP_SZ" {
            operands.s[0] = if Width::of(ty) == Width::W64 {
                d.builder.immediate64(LANES as u64)
            } else {
                d.builder.immediate32(LANES as u32)
            };
            return Ok(move_row(operands, ty));
        }
        if d.scopes.find(name).is_none()
            && let Some((name, bits)) = special(name)
        {
            let wide = Width::of(ty) == Width::W64;
            if ty.bytes() == 2 && bits == 32 || ty.bytes() * 8 < bits && ty.bytes() != 4 {
                return Err(d.unsupported_type(ty));
            }
            return Ok(Decoded {
                op: Op::Special(Special { name, wide }),
                operands,
                class: Class::Move,
            });
        }
    }
    let (name, offset) = match from {
        Operand::Name(name) => (Some(name), 0),
        Operand::NameOffset(name, offset) => (Some(name), *offset),
        _ => (None, 0),
    };
    match name.and_then(|name| d.scopes.find(name)) {
        // The address of something in the frame is known when it runs.
        Some(Entity::Frame { offset: start, .. }) => {
            operands.aux = i64::from(*start).wrapping_add(offset) as u64;
            let wide = Width::of(ty) == Width::W64;
            if !matches!(ty.bytes(), 4 | 8) {
                return Err(d.unsupported_type(ty));
            }
            return Ok(Decoded {
                op: Op::FrameAddress {
                    wide,
                    generic: false,
                },
                operands,
                class: Class::Move,
            });
        }
        Some(Entity::Parameter(formal)) => {
            let address = i64::from(formal.offset).wrapping_add(offset) as u64;
            operands.s[0] = match ty.bytes() {
                8 => d.builder.immediate64(address),
                4 => d.builder.immediate32(address as u32),
                _ => return Err(d.unsupported_type(ty)),
            };
            return Ok(move_row(operands, ty));
        }
        _ => {}
    }
    operands.s[0] = d.source(1, ty)?;
    Ok(move_row(operands, ty))
}

fn move_row(operands: Operands, ty: Type) -> Decoded {
    let run = match Width::of(ty) {
        Width::W64 => lanes!(|a: u64| -> u64 { a }),
        _ => lanes!(|a: u32| -> u32 { a }),
    };
    Decoded::lanes(run, operands, Class::Move)
}

/// The type of one part of a vector of `parts` that makes up `ty`.
fn part_type(d: &Decoder<'_, '_>, ty: Type, parts: usize) -> Result<Type, Reason> {
    match (ty.bytes(), parts) {
        (8, 2) => Ok(Type::B32),
        (8, 4) | (4, 2) => Ok(Type::B16),
        _ => Err(format!(
            "`{}` between {ty:?} and {parts} parts is not supported",
            d.opcode()
        )),
    }
}

fn pack(d: &mut Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Result<Decoded, Reason> {
    let part = part_type(d, ty, parts.len())?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    for (index, operand) in parts.iter().enumerate() {
        operands.s[index] = d.read(operand, part, false)?;
    }
    let run = match (ty.bytes(), parts.len()) {
        (8, 2) => lanes!(|a: u32, b: u32| -> u64 { u64::from(a) | u64::from(b) << 32 }),
        (4, 2) => lanes!(|a: u16, b: u16| -> u32 { u32::from(a) | u32::from(b) << 16 }),
        _ => lane_fn!(|f, o, m| {
            let rows: [&Row<u32>; 4] = std::array::from_fn(|index| u32::row(f, o.s[index]));
            let mut out = Row::<u64>::default();
            for lane in 0..LANES {
                for (index, row) in rows.iter().enumerate() {
                    out.0[lane] |= u64::from(row.0[lane] as u16) << (16 * index);
                }
            }
            write(u64::row_mut(f, o.d[0]), &out, m);
        }),
    };
    Ok(Decoded::lanes(run, operands, Class::Move))
}

fn unpack(d: &mut Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Result<Decoded, Reason> {
    let part = part_type(d, ty, parts.len())?;
    let mut operands = Operands::default();
    operands.s[0] = d.source(1, ty)?;
    for (index, operand) in parts.iter().enumerate() {
        operands.d[index] = d.written(operand, part, false)?.0;
    }
    // aux: parts, bits of one.
    operands.aux = parts.len() as u64 | u64::from(part.bytes() * 8) << 8;
    let run = if ty.bytes() == 8 {
        lane_fn!(|f, o, m| {
            let whole = *u64::row(f, o.s[0]);
            for index in 0..(o.aux & 0xff) as usize {
                let out = Row(whole
                    .0
                    .map(|value| (value >> (index as u64 * (o.aux >> 8))) as u32));
                write(u32::row_mut(f, o.d[index]), &out, m);
            }
        })
    } else {
        lane_fn!(|f, o, m| {
            let whole = *u32::row(f, o.s[0]);
            for index in 0..(o.aux & 0xff) as usize {
                let out = Row(whole.0.map(|value| value >> (index as u64 * (o.aux >> 8))));
                write(u32::row_mut(f, o.d[index]), &out, m);
            }
        })
    };
    Ok(Decoded::lanes(run, operands, Class::Move))
}

pub(crate) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    special: Special,
    operands: &Operands,
    lanes: u32,
) {
    let launch = context.launch;
    let first = warp.index * LANES as u32;
    let uniform = |value: u64| Row([value; LANES]);
    let each = |f: &dyn Fn(u32) -> u32| Row(std::array::from_fn(|lane| u64::from(f(lane as u32))));
    let time = context.time;
    let row = match special.name {
        Name::Thread(axis) => each(&|lane| launch.thread(first + lane)[axis]),
        Name::Threads(axis) => uniform(u64::from(launch.block[axis])),
        Name::Block(axis) => uniform(u64::from(context.block.index[axis])),
        Name::Blocks(axis) => uniform(u64::from(launch.grid[axis])),
        Name::Lane => each(&|lane| lane),
        Name::Warp => uniform(u64::from(warp.index)),
        Name::Warps => uniform(u64::from(
            launch.model.threads_per_multiprocessor / LANES as u32,
        )),
        Name::LaneMask(mask) => each(&|lane| mask(lane)),
        Name::Multiprocessor => uniform(u64::from(context.block.multiprocessor)),
        Name::Multiprocessors => uniform(u64::from(launch.model.multiprocessors)),
        Name::Grid => uniform(1),
        Name::Clock => uniform(warp.executed.wrapping_add(time)),
        Name::ClockHigh => uniform(warp.executed.wrapping_add(time) >> 32),
        Name::Time => uniform(time),
        Name::TimeLow => uniform(time & 0xffff_ffff),
        Name::TimeHigh => uniform(time >> 32),
        Name::DynamicShared => uniform(u64::from(launch.dynamic_shared_bytes)),
        Name::TotalShared => uniform(u64::from(launch.shared_bytes)),
        Name::Zero => uniform(0),
        Name::One => uniform(1),
    };
    put(
        context,
        warp,
        path,
        special.wide,
        operands.d[0],
        &row,
        lanes,
    );
}

fn put<O>(
    context: &Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    wide: bool,
    slot: Slot,
    row: &Row<u64>,
    lanes: u32,
) {
    let mut frame = warp.registers.frame(path, &context.launch.pool);
    if wide {
        write(u64::row_mut(&mut frame, slot), row, lanes);
    } else {
        let narrow = Row(row.0.map(|value| value as u32));
        write(u32::row_mut(&mut frame, slot), &narrow, lanes);
    }
}

/// d0 = the address of byte `aux` of the call frame.
pub(crate) fn frame_address<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    (wide, generic): (bool, bool),
    operands: &Operands,
    lanes: u32,
) {
    let offset = u64::from(path.bases.local).wrapping_add(operands.aux);
    let address = if generic {
        offset.wrapping_add(LOCAL_WINDOW)
    } else {
        offset
    };
    put(
        context,
        warp,
        path,
        wide,
        operands.d[0],
        &Row([address; LANES]),
        lanes,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_masks_follow_the_isa() {
        let mask = |name: &str, lane| match special(name) {
            Some((Name::LaneMask(f), 32)) => f(lane),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(mask("%lanemask_eq", 5), 0x20);
        assert_eq!(mask("%lanemask_lt", 5), 0x1f);
        assert_eq!(mask("%lanemask_le", 5), 0x3f);
        assert_eq!(mask("%lanemask_gt", 5), 0xffff_ffc0);
        assert_eq!(mask("%lanemask_ge", 5), 0xffff_ffe0);
        assert_eq!(mask("%lanemask_gt", 31), 0);
        assert_eq!(mask("%lanemask_le", 31), u32::MAX);
    }
}
