//! Loads and stores from their text.

use ptx_syntax::{Operand, Type};

use crate::exec::Group;
use crate::ir::{Access, Element, Op, Room, Slot, Source, Width};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::{Class, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "memory",
    forms: &[
        "ld: all spaces and generic; .weak .volatile .relaxed .acquire, .cta .cluster .gpu .sys, .nc, cache hints; ",
        "ldu: global and generic; .v2 .v4; b8 to b64, u, s, f32, f64",
        "st: global shared local param and generic; .weak .volatile .relaxed .release, scopes, cache hints; ",
        "prefetch: .global .local and generic; .L1 .L2 .L2::evict_last .L2::evict_normal; .tensormap; without effect",
        "prefetchu: .L1, without effect",
        "discard: .L2, without effect",
        "applypriority: .L2::evict_normal, without effect",
    ],
    decode,
};

/// Cache operators, which go with no order, of loads and of stores.
const OPERATORS: [[&str; 5]; 2] = [
    ["ca", "cg", "cs", "lu", "cv"],
    ["wb", "wt", "cg", "cs", "cs"],
];

/// Priorities and prefetch sizes, which global memory has.
const HINTS: [&str; 13] = [
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::evict_last",
    "L2::cache_hint",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "unified",
];

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
    if matches!(d.opcode(), "ld" | "ldu" | "st") {
        return access(d);
    }
    hint(d)
}

/// `prefetch`, `prefetchu`, `discard` and `applypriority`.
fn hint(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let (spaces, levels, operands): (&[&str], &[&str], _) = match d.opcode() {
        "prefetch" if d.take("tensormap") => (&["const", "param"], &[], 1),
        "prefetch" => (
            &["global", "local"],
            &["L1", "L2", "L2::evict_last", "L2::evict_normal"],
            1,
        ),
        "prefetchu" => (&[], &["L1"], 1),
        "discard" => (&["global"], &["L2"], 2),
        _ => (&["global"], &["L2::evict_normal"], 2),
    };
    d.take_any(spaces);
    if !levels.is_empty() {
        d.one_of(levels)?;
    }
    d.finish(operands)?;
    d.address(0, Room::Generic)?;
    Ok(Decoded::new(Op::Nothing, Class::Memory))
}

fn access(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let load = d.opcode() != "st";
    d.take("weak");
    let ordered = if load { "acquire" } else { "release" };
    let (order, scope) = semantics(d, &["volatile", "relaxed", ordered]);
    let room = room(d);
    let constant = load && d.take("nc");
    let operator = d.take_any(&OPERATORS[usize::from(!load)]);
    let mut hints = constant;
    let mut policy = false;
    while let Some(word) = d.take_any(&HINTS) {
        policy |= word == "L2::cache_hint";
        hints = true;
    }
    let unordered = order == Order::Weak;
    let scopes = ["cta", "cluster", "gpu", "sys"];
    if !matches!(order, Order::Weak | Order::Volatile)
        && !scopes.iter().any(|of| d.instruction.has(of))
    {
        return Err(format!(
            "`.relaxed`, `.acquire` and `.release` of `{}` need a scope",
            d.opcode()
        ));
    }
    if operator.is_some() && !unordered || constant && room != Room::Global {
        return Err("cache operators go with no order, and `.nc` with `.global`".into());
    }
    let global = matches!(room, Room::Global | Room::Generic);
    let shared = room == Room::Shared;
    if (d.opcode() == "ldu" || hints) && !global || !unordered && !global && !shared {
        return Err("hints are for global memory, orders for global and shared memory".into());
    }
    let count = d.vector(&["v2", "v4", "v8"]);
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
    let mut elements = Vec::new();
    for operand in registers(d.operand(usize::from(!load))?, count)? {
        if ty == Type::B128 {
            elements.extend(halves(d, operand, load)?);
        } else {
            elements.push(element(d, operand, ty, load)?);
        }
    }
    let access = Box::new(Access {
        room,
        address,
        bytes: ty.bytes().min(8),
        element: ty.bytes(),
        signed: ty.is_signed(),
        elements: elements.into(),
        order,
        scope,
    });
    let op = if load {
        Op::Load(access)
    } else {
        Op::Store(access)
    };
    Ok(Decoded::new(op, Class::Memory))
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

/// A register that is loaded or stored, which may be wider than the type.
fn element(
    d: &mut Decoder<'_, '_>,
    operand: &Operand,
    ty: Type,
    load: bool,
) -> Result<Element, Reason> {
    if load {
        let (slot, register) = d.written(operand, ty, true)?;
        return Ok(Element {
            width: Width::of(register),
            slot,
            source: Source::default(),
        });
    }
    let register = match operand {
        Operand::Name(name) => d.register(name).map_or(ty, |(_, register)| register),
        _ => ty,
    };
    Ok(Element {
        width: Width::of(register),
        slot: Slot::SINK,
        source: d.read(operand, ty, true)?,
    })
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
