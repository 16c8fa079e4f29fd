//! Atomics: `atom`, `red`, `fence`, `membar`. Lanes of a warp that meet in
//! one address take turns by rising lane.

use super::float32::{canonical, flush};
use super::float64::settle;
use super::memory::{self, Element};
use super::softfloat::{BF16, F16, Format, Mode};
use super::{Group, Value, write};
use crate::ast::{Operand, Type};
use crate::ir::{Address, Class, Op, Operands, Room, Row, Width};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::access::{Request, addresses, by_room, each_lane};
use crate::machine::path::Path;
use crate::machine::warp::{Context, LaneFault, Lanes};
use crate::observe::{AccessKind, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "atomic",
    opcodes: &[
        (
            "atom",
            "global shared and generic; all orders and scopes; .add u32 s32 u64 f32 f64, .add.noftz f16 f16x2 bf16 bf16x2, .min .max u32 s32 u64 s64, .and .or .xor b32 b64, .exch .cas b16 b32 b64, .inc .dec u32",
        ),
        (
            "red",
            "global shared and generic; all orders and scopes; .add u32 s32 u64 f32 f64, .add.noftz f16 f16x2 bf16 bf16x2, .min .max u32 s32 u64 s64, .and .or .xor b32 b64, .inc .dec u32",
        ),
        (
            "fence",
            ".sc .acq_rel .acquire .release; .cta .cluster .gpu .sys; .sync_restrict::shared::cluster .sync_restrict::shared::cta; .mbarrier_init; .proxy.alias .proxy.async .proxy.async::generic .proxy.tensormap::generic",
        ),
        ("membar", ".cta .gl .sys"),
    ],
    decode,
};

/// What an atomic makes of the old value and its operands.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Rule(fn(u64, u64, u64) -> u64);

impl Rule {
    /// The new value from the old one and the operands.
    pub(crate) fn apply(self, old: u64, a: u64, b: u64) -> u64 {
        (self.0)(old, a, b)
    }
}

/// The rule of a reduction without a second operand.
pub(crate) fn reduction(word: &str, ty: Type) -> Option<Rule> {
    if matches!(word, "exch" | "cas") {
        return None;
    }
    rule(word, ty).map(Rule)
}

#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    room: Room,
    address: Address,
    bytes: u32,
    /// Bytes of one element: packed ones are combined each for itself.
    element: u32,
    rule: Rule,
    /// The same in global memory.
    global_rule: Rule,
    a: Element,
    b: Option<Element>,
    /// False for `red`.
    returns: Option<Width>,
    order: Order,
    scope: Scope,
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let (order, scope) = match d.opcode() {
        "fence" if d.peek() == Some("proxy") => return proxy_fence(d),
        "fence" if d.take("mbarrier_init") => {
            if !d.take("release") || !d.take("cluster") {
                return Err(d.unknown_modifier());
            }
            (Order::Release, Scope::Cluster)
        }
        "fence" => {
            let order = match d.take_any(&["sc", "acq_rel", "acquire", "release"]) {
                Some("sc") => Order::SequentiallyConsistent,
                Some("acquire") => Order::Acquire,
                Some("release") => Order::Release,
                _ => Order::AcquireRelease,
            };
            // Orders fewer accesses; the emulator orders all.
            let restricted = match order {
                Order::Acquire => d.take("sync_restrict::shared::cluster"),
                Order::Release => d.take("sync_restrict::shared::cta"),
                _ => false,
            };
            if restricted && d.peek() != Some("cluster") {
                return Err(d.unknown_modifier());
            }
            match memory::scope(d) {
                Some(scope) => (order, scope),
                None => return Err(d.unknown_modifier()),
            }
        }
        // A synonym of `fence.sc` since PTX 6.0.
        "membar" => {
            let scope = match d.take_any(&["cta", "gl", "sys"]) {
                Some("cta") => Scope::Block,
                Some("gl") => Scope::Gpu,
                Some(_) => Scope::System,
                None => return Err(d.unknown_modifier()),
            };
            (Order::SequentiallyConsistent, scope)
        }
        _ => return atomic(d),
    };
    d.finish(0)?;
    Ok(Decoded {
        op: Op::Fence(order, scope),
        operands: Operands::default(),
        class: Class::Fence,
    })
}

/// `fence.proxy`: memory has one proxy here, so only those that acquire or
/// release in a scope do anything.
fn proxy_fence(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.take("proxy");
    let kinds = ["alias", "async", "async::generic", "tensormap::generic"];
    let Some(kind) = d.take_any(&kinds) else {
        return Err(d.unknown_modifier());
    };
    let mut op = Op::Nothing;
    let mut operands = 0;
    match kind {
        "async" => {
            d.take_any(&["global", "shared::cta", "shared::cluster"]);
        }
        "async::generic" | "tensormap::generic" => {
            let order = match d.take_any(&["acquire", "release"]) {
                Some("acquire") => Order::Acquire,
                Some(_) => Order::Release,
                None => return Err(d.unknown_modifier()),
            };
            if kind == "async::generic" {
                d.take_any(&[
                    "sync_restrict::shared::cluster",
                    "sync_restrict::shared::cta",
                ]);
            } else if order == Order::Acquire {
                operands = 2;
            }
            match memory::scope(d) {
                Some(scope) => op = Op::Fence(order, scope),
                None => return Err(d.unknown_modifier()),
            }
        }
        _ => {}
    }
    d.finish(operands)?;
    Ok(Decoded {
        op,
        operands: Operands::default(),
        class: Class::Fence,
    })
}

macro_rules! as_signed {
    ($bits:expr, |$old:ident, $a:ident| $body:expr) => {
        if $bits == 4 {
            |old, a, _| {
                let ($old, $a) = (old as u32 as i32, a as u32 as i32);
                u64::from(($body) as u32)
            }
        } else {
            |old, a, _| {
                let ($old, $a) = (old as i64, a as i64);
                ($body) as u64
            }
        }
    };
}

macro_rules! as_unsigned {
    ($bits:expr, |$old:ident, $a:ident| $body:expr) => {
        if $bits == 4 {
            |old, a, _| {
                let ($old, $a) = (old as u32, a as u32);
                u64::from($body)
            }
        } else {
            |$old, $a, _| $body
        }
    };
}

fn rule(word: &str, ty: Type) -> Option<fn(u64, u64, u64) -> u64> {
    let bytes = ty.bytes();
    let integer = matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64);
    let bits = matches!(ty, Type::B32 | Type::B64);
    Some(match word {
        "add" if integer => as_unsigned!(bytes, |old, a| old.wrapping_add(a)),
        // Sums are to nearest.
        "add" if ty == Type::F32 => |old, a, _| {
            let sum = f32::from_bits(old as u32) + f32::from_bits(a as u32);
            u64::from(canonical(sum))
        },
        "add" if ty == Type::F16 => |old, a, _| F16.add(old & 0xffff, a & 0xffff, Mode::Nearest),
        "add" if ty == Type::BF16 => |old, a, _| BF16.add(old & 0xffff, a & 0xffff, Mode::Nearest),
        "add" if ty == Type::F16x2 => |old, a, _| sum_of_pairs(F16, old, a),
        "add" if ty == Type::BF16x2 => |old, a, _| sum_of_pairs(BF16, old, a),
        "add" if ty == Type::F64 => |old, a, _| {
            let (old, a) = (f64::from_bits(old), f64::from_bits(a));
            settle(old + a, [old, a, 0.0])
        },
        "min" if integer && ty.is_signed() => as_signed!(bytes, |old, a| old.min(a)),
        "max" if integer && ty.is_signed() => as_signed!(bytes, |old, a| old.max(a)),
        "min" if integer => as_unsigned!(bytes, |old, a| old.min(a)),
        "max" if integer => as_unsigned!(bytes, |old, a| old.max(a)),
        "and" if bits => |old, a, _| old & a,
        "or" if bits => |old, a, _| old | a,
        "xor" if bits => |old, a, _| old ^ a,
        "exch" if bits || ty == Type::B16 => |_, a, _| a,
        "cas" if ty == Type::B16 => |old, a, b| if old & 0xffff == a & 0xffff { b } else { old },
        "cas" if ty == Type::B32 => |old, a, b| if old as u32 == a as u32 { b } else { old },
        "cas" if ty == Type::B64 => |old, a, b| if old == a { b } else { old },
        "inc" if ty == Type::U32 => |old, a, _| if old as u32 >= a as u32 { 0 } else { old + 1 },
        "dec" if ty == Type::U32 => |old, a, _| {
            if old as u32 == 0 || old as u32 > a as u32 {
                a
            } else {
                old - 1
            }
        },
        _ => return None,
    })
}

fn sum_of_pairs(format: Format, a: u64, b: u64) -> u64 {
    let sum = |shift: u32| {
        let part = |pair: u64| pair >> shift & 0xffff;
        format.add(part(a), part(b), Mode::Nearest) << shift
    };
    sum(0) | sum(16)
}

/// `add.f32` in global memory: PTX flushes subnormal operands and results
/// there, and not in shared memory.
fn flushed_sum(old: u64, a: u64, _: u64) -> u64 {
    let part = |bits: u64| flush(f32::from_bits(bits as u32));
    u64::from(canonical(flush(part(old) + part(a))))
}

/// `add.f64` in global memory: on an H200 a NaN stays as it is, and that of
/// the operand goes before the old one.
fn global_sum64(old: u64, a: u64, _: u64) -> u64 {
    if f64::from_bits(a).is_nan() {
        a
    } else if f64::from_bits(old).is_nan() {
        old
    } else {
        settle(f64::from_bits(old) + f64::from_bits(a), [0.0; 3])
    }
}

fn atomic(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let returns = d.opcode() == "atom";
    // The modifiers' order is loose in practice: semantics, scope, space.
    let orders = ["relaxed", "acquire", "release", "acq_rel"];
    let (mut order, mut scope) = memory::semantics(d, &orders);
    if order == Order::Weak {
        (order, scope) = (Order::Relaxed, memory::scope(d).unwrap_or(Scope::Gpu));
    }
    let room = memory::room(d);
    let words = [
        "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec",
    ];
    let Some(word) = d.take_any(&words) else {
        return Err(d.unknown_modifier());
    };
    let unflushed = d.take("noftz");
    let policy = d.take("L2::cache_hint");
    let ty = d.ty()?;
    let half = matches!(ty, Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2);
    if unflushed != half {
        return Err("`.noftz` goes with additions of f16 and bf16, and they with it".into());
    }
    let swaps = matches!(word, "exch" | "cas");
    let Some(rule) = rule(word, ty).filter(|_| returns || !swaps) else {
        return Err(format!(
            "`{}.{word}` on {ty:?} is not supported",
            d.opcode()
        ));
    };
    let first = usize::from(returns);
    let sources = if word == "cas" { 2 } else { 1 };
    d.finish(first + 1 + sources + usize::from(policy))?;
    let (address, room) = d.address(first, room)?;
    if !matches!(room, Room::Global | Room::Shared | Room::Generic) {
        return Err("atomics are for global and shared memory".into());
    }
    let mut operands = Operands::default();
    let mut kept = None;
    if returns && !matches!(d.operand(0)?, Operand::Sink) {
        operands.d[0] = d.destination(0, ty)?;
        kept = Some(Width::of(ty));
    }
    let element = |d: &mut Decoder<'_, '_>, index: usize| -> Result<Element, Reason> {
        Ok(Element {
            width: Width::of(ty),
            slot: Default::default(),
            source: d.source(index, ty)?,
        })
    };
    let a = element(d, first + 1)?;
    let b = if sources == 2 {
        Some(element(d, first + 2)?)
    } else {
        None
    };
    let atomic = Atomic {
        room,
        address,
        bytes: ty.bytes(),
        element: match ty {
            Type::F16x2 | Type::BF16x2 => 2,
            _ => ty.bytes(),
        },
        rule: Rule(rule),
        global_rule: Rule(match (word, ty) {
            ("add", Type::F32) => flushed_sum,
            ("add", Type::F64) => global_sum64,
            _ => rule,
        }),
        a,
        b,
        returns: kept,
        order,
        scope,
    };
    Ok(Decoded {
        op: Op::Atomic(Box::new(atomic)),
        operands,
        class: Class::Atomic,
    })
}

pub(crate) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    atomic: &Atomic,
    operands: &Operands,
    lanes: u32,
) -> Result<(), LaneFault> {
    let addresses = addresses(context, warp, path, &atomic.address);
    let a = memory::element_row(context, warp, path, &atomic.a);
    let b = match &atomic.b {
        Some(element) => memory::element_row(context, warp, path, element),
        None => Row::default(),
    };
    let request = Request {
        room: atomic.room,
        kind: AccessKind::Atomic,
        order: atomic.order,
        scope: atomic.scope,
        bytes: atomic.bytes,
        element: atomic.element,
        pc: path.pc,
    };
    let mut old = Row::<u64>::default();
    by_room(
        context,
        warp,
        &request,
        addresses,
        lanes,
        &mut |context, warp, room, addresses, lanes| {
            let Rule(rule) = if room == Room::Global {
                atomic.global_rule
            } else {
                atomic.rule
            };
            each_lane(
                context,
                warp,
                room,
                addresses,
                lanes,
                atomic.bytes,
                |lane, cells, offset| {
                    let (a, b) = (a.0[lane], b.0[lane]);
                    old.0[lane] = cells.update(offset, atomic.bytes, |old| rule(old, a, b));
                },
            )
        },
    )?;
    let mut frame = warp.registers.frame(path, &context.launch.pool);
    match atomic.returns {
        Some(Width::W64) => write(u64::row_mut(&mut frame, operands.d[0]), &old, lanes),
        Some(_) => {
            let narrow = Row(old.0.map(|value| value as u32));
            write(u32::row_mut(&mut frame, operands.d[0]), &narrow, lanes);
        }
        None => {}
    }
    Ok(())
}
