//! Loads and stores: `ld`, `ldu`, `st`, `prefetch`, `prefetchu`, `discard`,
//! `applypriority`. Cache hints are taken and change nothing.

use std::sync::atomic::Ordering;

use super::{Group, Value, write};
use crate::ast::{Operand, Type};
use crate::ir::{Address, Class, LANES, Op, Operands, Room, Row, Slot, Source, Width};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::access::{Request, addresses, by_room, each_lane};
use crate::machine::path::{Path, Polls};
use crate::machine::warp::{Context, LaneFault, Lanes};
use crate::observe::{AccessKind, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "memory",
    opcodes: &[
        (
            "ld",
            "all spaces and generic; .weak .volatile .relaxed .acquire, .cta .cluster .gpu .sys, .nc, cache hints; ",
        ),
        (
            "ldu",
            "global and generic; .v2 .v4; b8 to b64, u, s, f32, f64",
        ),
        (
            "st",
            "global shared local param and generic; .weak .volatile .relaxed .release, scopes, cache hints; ",
        ),
        ("prefetch", "all forms, without effect"),
        ("prefetchu", "all forms, without effect"),
        ("discard", "all forms, without effect"),
        ("applypriority", "all forms, without effect"),
    ],
    decode,
};

/// A row that an element is loaded to or stored from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Element {
    pub(crate) width: Width,
    pub(crate) slot: Slot,
    pub(crate) source: Source,
}

/// A load or a store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) room: Room,
    pub(crate) address: Address,
    /// Bytes of one row of elements.
    pub(crate) bytes: u32,
    /// Bytes of one element; a b128 is one of two rows.
    pub(crate) element: u32,
    /// Loaded values are sign-extended.
    pub(crate) signed: bool,
    pub(crate) elements: Box<[Element]>,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
}

impl Access {
    fn request(&self, kind: AccessKind, pc: u32) -> Request {
        let Access {
            room, order, scope, ..
        } = *self;
        Request {
            room,
            kind,
            order,
            scope,
            bytes: self.total(),
            element: self.element,
            pc,
        }
    }

    /// Bytes of one lane.
    fn total(&self) -> u32 {
        self.bytes * self.elements.len() as u32
    }

    /// Where row `index` of the vector is, and the bytes to check there: the
    /// first one checks the whole vector.
    #[inline(always)]
    fn row(&self, index: usize, addresses: &[u64; LANES]) -> ([u64; LANES], u32) {
        if index == 0 {
            return (*addresses, self.total());
        }
        let shift = index as u64 * u64::from(self.bytes);
        let moved = std::array::from_fn(|lane| addresses[lane].wrapping_add(shift));
        (moved, self.bytes)
    }

    /// Whether a loop around this load may wait for another lane.
    pub(crate) fn polls(&self) -> Polls {
        match (self.room, self.order) {
            (Room::Parameter | Room::Constant | Room::Local, _) => Polls::Nothing,
            (_, Order::Weak) => Polls::Weakly,
            _ => Polls::Strongly,
        }
    }
}

/// Takes `.sc .relaxed ...` and the scope.
pub(crate) fn semantics(d: &mut Decoder<'_, '_>, allowed: &[&str]) -> (Order, Scope) {
    let order = match d.take_any(allowed) {
        Some("volatile") => return (Order::Volatile, Scope::System),
        Some("relaxed") => Order::Relaxed,
        Some("acquire") => Order::Acquire,
        Some("release") => Order::Release,
        Some("acq_rel") => Order::AcquireRelease,
        Some("sc") => Order::SequentiallyConsistent,
        _ => return (Order::Weak, Scope::None),
    };
    (order, scope(d).unwrap_or(Scope::System))
}

pub(crate) fn scope(d: &mut Decoder<'_, '_>) -> Option<Scope> {
    Some(match d.take_any(&["cta", "cluster", "gpu", "sys"])? {
        "cta" => Scope::Block,
        "cluster" => Scope::Cluster,
        "gpu" => Scope::Gpu,
        _ => Scope::System,
    })
}

/// Takes a state space; generic when there is none.
pub(crate) fn room(d: &mut Decoder<'_, '_>) -> Room {
    let words = [
        "global",
        "shared",
        "shared::cta",
        "shared::cluster",
        "local",
        "const",
        "param",
        "param::entry",
        "param::func",
    ];
    match d.take_any(&words) {
        Some("global") => Room::Global,
        Some("shared" | "shared::cta" | "shared::cluster") => Room::Shared,
        Some("local") => Room::Local,
        Some("const") => Room::Constant,
        Some(_) => Room::Parameter,
        None => Room::Generic,
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "ld" | "ldu" | "st" => access(d),
        _ => {
            let words = [
                "global",
                "local",
                "const",
                "param",
                "tensormap",
                "L1",
                "L2",
                "L2::evict_last",
                "L2::evict_normal",
                "L2::128B",
            ];
            while d.take_any(&words).is_some() {}
            let operands = d.instruction.operands.len();
            d.finish(operands)?;
            Ok(Decoded {
                op: Op::Nothing,
                operands: Operands::default(),
                class: Class::Memory,
            })
        }
    }
}

fn access(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let load = d.opcode() != "st";
    d.take("weak");
    let (order, scope) = semantics(
        d,
        if load {
            &["volatile", "relaxed", "acquire"]
        } else {
            &["volatile", "relaxed", "release"]
        },
    );
    let mut room = room(d);
    if room == Room::Generic && d.take("weak") {
        room = self::room(d);
    }
    // ld.global.nc and cache operators, levels, prefetch sizes.
    let mut policy = false;
    while let Some(word) = d.peek() {
        let hint = matches!(
            word,
            "ca" | "cg"
                | "cs"
                | "lu"
                | "cv"
                | "wb"
                | "wt"
                | "nc"
                | "L1::evict_normal"
                | "L1::evict_unchanged"
                | "L1::evict_first"
                | "L1::evict_last"
                | "L1::no_allocate"
                | "L2::evict_normal"
                | "L2::evict_first"
                | "L2::evict_last"
                | "L2::cache_hint"
                | "L2::64B"
                | "L2::128B"
                | "L2::256B"
                | "unified"
        );
        if !hint || word == "nc" && !load {
            break;
        }
        policy |= word == "L2::cache_hint";
        d.take(word);
    }
    let count = match d.take_any(&["v2", "v4", "v8"]) {
        Some("v2") => 2,
        Some("v4") => 4,
        Some(_) => 8,
        None => 1,
    };
    let ty = d.ty()?;
    if ty == Type::Predicate || matches!(ty, Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2) {
        return Err(d.unsupported_type(ty));
    }
    if ty == Type::B128 && (count > 1 || !matches!(order, Order::Weak | Order::Volatile)) {
        return Err("b128 is loaded and stored alone and without an order".into());
    }
    if count * ty.bytes() > 32 {
        return Err("a vector of more than 32 bytes".into());
    }
    d.finish(if policy { 3 } else { 2 })?;
    let (address, room) = d.address(usize::from(load), room)?;
    if !load && matches!(room, Room::Constant) || !load && room == Room::Parameter && d.in_entry() {
        return Err("this state space cannot be written".into());
    }
    // In a function, parameters are in its frame.
    let room = if room == Room::Parameter && !d.in_entry() {
        Room::Local
    } else {
        room
    };
    let list = registers(d.operand(usize::from(!load))?, count)?;
    let mut elements = Vec::new();
    for operand in list {
        if ty == Type::B128 {
            elements.extend(halves(d, operand, load)?);
            continue;
        }
        let (slot, source, width) = if load {
            let (slot, register) = d.written(operand, ty, true)?;
            (slot, Source::default(), Width::of(register))
        } else {
            let width = match operand {
                Operand::Name(name) => d
                    .register(name)
                    .map_or(Width::of(ty), |(_, register)| Width::of(register)),
                _ => Width::of(ty),
            };
            (Slot::SINK, d.read(operand, ty, true)?, width)
        };
        elements.push(Element {
            width,
            slot,
            source,
        });
    }
    let access = Access {
        room,
        address,
        bytes: ty.bytes().min(8),
        element: ty.bytes(),
        signed: ty.is_signed(),
        elements: elements.into(),
        order,
        scope,
    };
    let op = if load {
        Op::Load(Box::new(access))
    } else {
        Op::Store(Box::new(access))
    };
    Ok(Decoded {
        op,
        operands: Operands::default(),
        class: Class::Memory,
    })
}

/// The `count` registers of a vector, or the one that is none.
pub(crate) fn registers<'o, 't>(
    operand: &'o Operand<'t>,
    count: u32,
) -> Result<&'o [Operand<'t>], Reason> {
    let list = match operand {
        Operand::Vector(list) => list.as_slice(),
        single => std::slice::from_ref(single),
    };
    if list.len() != count as usize {
        let found = list.len();
        return Err(format!("{count} registers are expected, not {found}"));
    }
    Ok(list)
}

/// A b128 register is two rows of 64 bits, the low half first.
fn halves(d: &Decoder<'_, '_>, operand: &Operand, load: bool) -> Result<[Element; 2], Reason> {
    let (first, _) = d.written(operand, Type::B128, false)?;
    if !load && first == Slot::SINK {
        return Err("a b128 register is expected".into());
    }
    Ok([0, 1].map(|half| {
        let slot = if first == Slot::SINK {
            first
        } else {
            Slot(first.0 + half)
        };
        Element {
            width: Width::W64,
            slot,
            source: Source::register(slot),
        }
    }))
}

fn host_order(order: Order, load: bool) -> Ordering {
    match (order, load) {
        (Order::Weak, _) => Ordering::Relaxed,
        (_, true) => Ordering::Acquire,
        (_, false) => Ordering::Release,
    }
}

pub(crate) fn load<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    access: &Access,
    lanes: u32,
) -> Result<(), LaneFault> {
    let addresses = addresses(context, warp, path, &access.address);
    let request = access.request(AccessKind::Load, path.pc);
    let order = host_order(access.order, true);
    by_room(
        context,
        warp,
        &request,
        addresses,
        lanes,
        &mut |context, warp, room, addresses, lanes| {
            for (index, element) in access.elements.iter().enumerate() {
                let mut out = Row::<u64>::default();
                let (moved, bytes) = access.row(index, addresses);
                each_lane(
                    context,
                    warp,
                    room,
                    &moved,
                    lanes,
                    bytes,
                    |lane, cells, offset| {
                        out.0[lane] = cells.load(offset, access.bytes, order);
                    },
                )?;
                if access.signed {
                    let up = 64 - access.bytes * 8;
                    for value in &mut out.0 {
                        *value = ((*value << up) as i64 >> up) as u64;
                    }
                }
                let mut frame = warp.registers.frame(path, &context.launch.pool);
                if element.width == Width::W64 {
                    write(u64::row_mut(&mut frame, element.slot), &out, lanes);
                } else {
                    let narrow = Row(out.0.map(|value| value as u32));
                    write(u32::row_mut(&mut frame, element.slot), &narrow, lanes);
                }
            }
            Ok(())
        },
    )
}

pub(crate) fn store<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    access: &Access,
    lanes: u32,
) -> Result<(), LaneFault> {
    let addresses = addresses(context, warp, path, &access.address);
    let request = access.request(AccessKind::Store, path.pc);
    let order = host_order(access.order, false);
    by_room(
        context,
        warp,
        &request,
        addresses,
        lanes,
        &mut |context, warp, room, addresses, lanes| {
            for (index, element) in access.elements.iter().enumerate() {
                let values = element_row(context, warp, path, element);
                let (moved, bytes) = access.row(index, addresses);
                each_lane(
                    context,
                    warp,
                    room,
                    &moved,
                    lanes,
                    bytes,
                    |lane, cells, offset| {
                        cells.store(offset, access.bytes, values.0[lane], order);
                    },
                )?;
            }
            Ok(())
        },
    )
}

/// The values of a row, as 64 bits.
pub(crate) fn element_row<O>(
    context: &Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    element: &Element,
) -> Row<u64> {
    let frame = warp.registers.frame(path, &context.launch.pool);
    if element.width == Width::W64 {
        *u64::row(&frame, element.source)
    } else {
        Row(u32::row(&frame, element.source).0.map(u64::from))
    }
}
