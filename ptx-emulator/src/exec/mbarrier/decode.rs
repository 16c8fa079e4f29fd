//! `mbarrier` instructions from their text.

use ptx_syntax::{Operand, Type};

use crate::ir::{Mbarrier, MbarrierKind as Kind, Op, Operands, Room, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::mbarrier::State;
use crate::observe::{Class, Order, Scope};

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.take("pending_count") {
        return decode_pending_count(d);
    }
    let words = [
        "init",
        "inval",
        "arrive",
        "arrive_drop",
        "expect_tx",
        "complete_tx",
        "test_wait",
        "try_wait",
    ];
    let word = d.one_of(&words)?;
    let arrives = matches!(word, "arrive" | "arrive_drop");
    let tests = matches!(word, "test_wait" | "try_wait");
    let kind = kind(d, word);
    let (order, scope) = semantics(d, arrives, tests);
    let room = match d.take_any(&["shared", "shared::cta", "shared::cluster"]) {
        Some(_) => Room::Shared,
        None => Room::Generic,
    };
    d.require("b64")?;
    let given = d.instruction.operands.len();
    let first = usize::from(arrives || tests);
    let (least, most) = match kind {
        Kind::Invalidate => (0, 0),
        Kind::Arrive {
            completes, expects, ..
        } => (usize::from(expects || !completes), 1),
        // A hint for how long to wait may follow.
        Kind::Test { blocks, .. } => (1, 1 + usize::from(blocks)),
        _ => (1, 1),
    };
    let numbers = given.saturating_sub(first + 1);
    d.finish(first + 1 + numbers.clamp(least, most))?;
    let mut operands = Operands::default();
    let returns = arrives && !matches!(d.operand(0)?, Operand::Sink);
    if tests {
        operands.d[0] = d.destination(0, Type::Predicate)?;
    } else if returns {
        operands.d[0] = d.destination(0, Type::B64)?;
    }
    let (at, room) = d.address(first, room)?;
    let ty = match kind {
        Kind::Test { parity: false, .. } => Type::B64,
        _ => Type::U32,
    };
    let number = (numbers > 0).then(|| d.source(first + 1, ty)).transpose()?;
    if numbers > 1 {
        d.source(first + 2, Type::U32)?;
    }
    let mbarrier = Mbarrier {
        kind,
        at,
        room,
        number,
        returns,
        order,
        scope,
    };
    let op = Op::Mbarrier(Box::new(mbarrier));
    Ok(Decoded::new(op, Class::Barrier).with(operands))
}

/// What an instruction does, by its word and the modifiers behind it.
fn kind(d: &mut Decoder<'_, '_>, word: &str) -> Kind {
    match word {
        "init" => Kind::Init,
        "inval" => Kind::Invalidate,
        "expect_tx" => Kind::ExpectBytes,
        "complete_tx" => Kind::CompleteBytes,
        "test_wait" | "try_wait" => Kind::Test {
            parity: d.take("parity"),
            blocks: word == "try_wait",
        },
        _ => {
            let expects = d.take("expect_tx");
            Kind::Arrive {
                drops: word == "arrive_drop",
                completes: expects || !d.take("noComplete"),
                expects,
            }
        }
    }
}

/// The order and scope as written, or those that the ISA gives without.
fn semantics(d: &mut Decoder<'_, '_>, arrives: bool, tests: bool) -> (Order, Scope) {
    let allowed: &[&str] = match (arrives, tests) {
        (true, _) => &["release", "relaxed"],
        (_, true) => &["acquire", "relaxed"],
        _ => &["relaxed"],
    };
    let order = match (d.take_any(allowed), arrives, tests) {
        (None, true, _) => Order::Release,
        (None, _, true) => Order::Acquire,
        (Some("release"), ..) => Order::Release,
        (Some("acquire"), ..) => Order::Acquire,
        _ => Order::Relaxed,
    };
    (order, crate::exec::memory::scope(d).unwrap_or(Scope::Block))
}

/// The arrivals that were missing before the arrival that gave the state.
fn decode_pending_count(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("b64")?;
    let run =
        lanes!(|state: u64| -> u32 { State::from_bits(state).map_or(0, |state| state.pending) });
    d.each_lane(run, 0, Class::Barrier, Type::U32, &[Type::B64])
}
