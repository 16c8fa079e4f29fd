//! Atomics: `atom`, `red`, `fence`, `membar`. Lanes of a warp that meet in
//! one address take turns by rising lane.

mod rule;

pub(crate) use rule::reduction;

use ptx_syntax::{Operand, Type};

use super::Group;
use super::memory::{self, element_row};
use crate::error::FaultKind;
use crate::ir::{Atomic, Element, Op, Operands, Room, Row, Slot, Width};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Issue, LaneFault, Polls, Request};
use crate::observe::{AccessKind, Class, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "atomic",
    forms: &[
        "atom: global shared and generic; all orders and scopes; .add u32 s32 u64 f32 f64, .add.noftz f16 f16x2 bf16 bf16x2, .min .max u32 s32 u64 s64, .and .or .xor b32 b64, .exch b32 b64, .cas b16 b32 b64, .inc .dec u32",
        "red: global shared and generic; .relaxed .release and all scopes; .add u32 s32 u64 f32 f64, .add.noftz f16 f16x2 bf16 bf16x2, .min .max u32 s32 u64 s64, .and .or .xor b32 b64, .inc .dec u32",
        "fence: .sc .acq_rel .acquire .release; .cta .cluster .gpu .sys; .sync_restrict::shared::cluster .sync_restrict::shared::cta; .mbarrier_init; .proxy.alias .proxy.async .proxy.async::generic .proxy.tensormap::generic",
        "membar: .cta .gl .sys",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let (order, scope) = match d.opcode() {
        "fence" if d.peek() == Some("proxy") => return proxy_fence(d),
        "fence" if d.take("mbarrier_init") => {
            d.require("release")?;
            d.require("cluster")?;
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
            (order, fence_scope(d)?)
        }
        // A synonym of `fence.sc` since PTX 6.0.
        "membar" => {
            let scope = match d.one_of(&["cta", "gl", "sys"])? {
                "cta" => Scope::Block,
                "gl" => Scope::Gpu,
                _ => Scope::System,
            };
            (Order::SequentiallyConsistent, scope)
        }
        _ => return atomic(d),
    };
    d.finish(0)?;
    Ok(Decoded::new(Op::Fence(order, scope), Class::Fence))
}

/// `fence.proxy`: memory has one proxy here, so only those that acquire or
/// release in a scope do anything.
fn proxy_fence(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.take("proxy");
    let kinds = ["alias", "async", "async::generic", "tensormap::generic"];
    let kind = d.one_of(&kinds)?;
    let mut op = Op::Nothing;
    let mut operands = 0;
    match kind {
        "async" => {
            d.take_any(&["global", "shared::cta", "shared::cluster"]);
        }
        "async::generic" | "tensormap::generic" => {
            let order = match d.one_of(&["acquire", "release"])? {
                "acquire" => Order::Acquire,
                _ => Order::Release,
            };
            if kind == "async::generic" {
                d.take_any(&[
                    "sync_restrict::shared::cluster",
                    "sync_restrict::shared::cta",
                ]);
            } else if order == Order::Acquire {
                operands = 2;
            }
            op = Op::Fence(order, fence_scope(d)?);
        }
        _ => {}
    }
    d.finish(operands)?;
    Ok(Decoded::new(op, Class::Fence))
}

/// The scope of a fence, which has to have one.
fn fence_scope(d: &mut Decoder<'_, '_>) -> Result<Scope, Reason> {
    memory::scope(d).ok_or_else(|| d.unknown_modifier())
}

fn atomic(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let returns = d.opcode() == "atom";
    // The modifiers' order is loose in practice: semantics, scope, space.
    let orders: &[&str] = match returns {
        true => &["relaxed", "acquire", "release", "acq_rel"],
        false => &["relaxed", "release"],
    };
    let (mut order, mut scope) = memory::semantics(d, orders);
    if order == Order::Weak {
        (order, scope) = (Order::Relaxed, memory::scope(d).unwrap_or(Scope::Gpu));
    }
    let room = memory::room(d);
    let words = [
        "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec",
    ];
    let word = d.one_of(&words)?;
    let unflushed = d.take("noftz");
    let policy = d.take("L2::cache_hint");
    let ty = d.ty()?;
    let half = matches!(ty, Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2);
    if unflushed != half {
        return Err("`.noftz` goes with additions of f16 and bf16, and they with it".into());
    }
    let swaps = matches!(word, "exch" | "cas");
    let Some((rule, global_rule)) = rule::rules(word, ty).filter(|_| returns || !swaps) else {
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
    let mut element = |index: usize| -> Result<Element, Reason> {
        Ok(Element {
            width: Width::of(ty),
            slot: Slot::SINK,
            source: d.source(index, ty)?,
        })
    };
    let a = element(first + 1)?;
    let b = (sources == 2).then(|| element(first + 2)).transpose()?;
    let atomic = Atomic {
        room,
        address,
        bytes: ty.bytes(),
        element: match ty {
            Type::F16x2 | Type::BF16x2 => 2,
            _ => ty.bytes(),
        },
        rule,
        global_rule,
        a,
        b,
        returns: kept,
        order,
        scope,
    };
    Ok(Decoded::new(Op::Atomic(Box::new(atomic)), Class::Atomic).with(operands))
}

/// PTX ISA, "atom": a generic address is to point to global or shared memory.
fn elsewhere(room: Room) -> FaultKind {
    let room = room.name();
    FaultKind::Undefined(format!(
        "an atomic operation on {room} memory: PTX has them for global and shared memory"
    ))
}

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    atomic: &Atomic,
) -> Result<(), LaneFault> {
    at.path.polls = Polls::Strongly;
    let addresses = at.addresses(&atomic.address);
    let a = element_row(at, &atomic.a);
    let b = atomic.b.map_or(Row::default(), |b| element_row(at, &b));
    let request = Request {
        room: atomic.room,
        kind: AccessKind::Atomic,
        order: atomic.order,
        scope: atomic.scope,
        bytes: atomic.bytes,
        element: atomic.element,
        values: true,
    };
    let mut old = Row::<u64>::default();
    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
        let rule = match room {
            Room::Global => atomic.global_rule,
            Room::Shared => atomic.rule,
            _ => return Err((lanes.trailing_zeros(), elsewhere(room))),
        };
        at.each_lane(
            room,
            addresses,
            lanes,
            atomic.bytes,
            |lane, cells, offset| {
                let (a, b) = (a.0[lane], b.0[lane]);
                old.0[lane] = cells.update(offset, atomic.bytes, |old| rule.apply(old, a, b));
            },
        )?;
        if at.explores(room) {
            let new = |lane| rule.apply(old.0[lane], a.0[lane], b.0[lane]);
            let new = Row(std::array::from_fn(new));
            at.stored(&request, room, addresses, lanes, (&old, &new));
        }
        Ok(())
    })?;
    if let Some(width) = atomic.returns {
        at.put(width == Width::W64, at.operands.d[0], &old, at.lanes);
    }
    Ok(())
}
