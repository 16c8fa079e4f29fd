//! `mbarrier`: barriers in shared memory that count arrivals and bytes.
//! `machine::mbarrier` is the object; here are the instructions on it.
//!
//! `try_wait` holds its lanes back until the phase is over, or until nothing
//! else of the block can move: then it is false, as after its time limit. With
//! a seed it may be false at any time.

use super::{Group, Value, write, write_predicate};
use crate::ast::{Operand, Type};
use crate::error::FaultKind;
use crate::ir::{Address, Class, LANES, Op, Operands, Room, Row, Source};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::access::{addresses, each_lane, shared_offsets};
use crate::machine::launch::Schedule;
use crate::machine::mbarrier::{self, State};
use crate::machine::path::{Path, Wait};
use crate::machine::transfer;
use crate::machine::warp::{Context, LaneFault, Lanes, Next};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "mbarrier",
    opcodes: &[(
        "mbarrier",
        ".init .inval .arrive .arrive_drop .expect_tx .complete_tx .test_wait .try_wait .pending_count; .noComplete .parity, counts, orders and scopes; .shared::cluster of the own block; b64",
    )],
    decode,
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Init,
    Invalidate,
    /// Arrives with a count.
    Arrive {
        drops: bool,
        /// The phase may end with it.
        completes: bool,
        /// The count is bytes that are expected; one thread arrives.
        expects: bool,
    },
    ExpectBytes,
    CompleteBytes,
    Test {
        /// The number is a parity and not a state.
        parity: bool,
        /// `try_wait`
        blocks: bool,
    },
}

/// An instruction on an object. d0 is the state or the predicate that it
/// returns.
#[derive(Clone, Debug)]
pub(crate) struct Mbarrier {
    kind: Kind,
    at: Address,
    room: Room,
    /// A count, a parity (32 bits) or a state (64 bits).
    number: Option<Source>,
    returns: bool,
    order: Order,
    scope: Scope,
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
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
    let Some(word) = d.take_any(&words) else {
        return Err(d.unknown_modifier());
    };
    let arrives = matches!(word, "arrive" | "arrive_drop");
    let tests = matches!(word, "test_wait" | "try_wait");
    let kind = match word {
        "init" => Kind::Init,
        "inval" => Kind::Invalidate,
        "expect_tx" => Kind::ExpectBytes,
        "complete_tx" => Kind::CompleteBytes,
        _ if tests => Kind::Test {
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
    };
    let (order, scope) = semantics(d, arrives, tests);
    let room = match d.take_any(&["shared", "shared::cta", "shared::cluster"]) {
        Some(_) => Room::Shared,
        None => Room::Generic,
    };
    if !d.take("b64") {
        return Err(d.unknown_modifier());
    }
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
    let number = if numbers > 0 {
        Some(d.source(first + 1, ty)?)
    } else {
        None
    };
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
    Ok(Decoded {
        op: Op::Mbarrier(Box::new(mbarrier)),
        operands,
        class: Class::Barrier,
    })
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
    (order, super::memory::scope(d).unwrap_or(Scope::Block))
}

/// The arrivals that were missing before the arrival that gave the state.
fn decode_pending_count(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if !d.take("b64") {
        return Err(d.unknown_modifier());
    }
    d.finish(2)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, Type::U32)?;
    operands.s[0] = d.source(1, Type::B64)?;
    let run = super::lanes!(|state: u64| -> u32 {
        State::from_bits(state).map_or(0, |state| state.pending)
    });
    Ok(Decoded::lanes(run, operands, Class::Barrier))
}

pub(crate) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    mbarrier: &Mbarrier,
    operands: &Operands,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let next = Next::To(path.pc + 1);
    if let Kind::Test { blocks, .. } = mbarrier.kind {
        return test(context, warp, path, (mbarrier, blocks), operands, lanes);
    }
    let offsets = offsets(context, warp, path, mbarrier, lanes)?;
    let kind = match mbarrier.kind {
        Kind::Init | Kind::Invalidate => AccessKind::Store,
        _ => AccessKind::Atomic,
    };
    observe(context, warp, path.pc, mbarrier, (kind, &offsets, lanes));
    let numbers = match mbarrier.number {
        Some(source) => *u32::row(&warp.registers.frame(path, &context.launch.pool), source),
        None => Row([1; LANES]),
    };
    let mut before = Row::<u64>::default();
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let (offset, number) = (offsets[lane], numbers.0[lane]);
        before.0[lane] =
            apply(context, mbarrier.kind, offset, number).map_err(|kind| (lane as u32, kind))?;
    }
    if mbarrier.returns {
        let mut frame = warp.registers.frame(path, &context.launch.pool);
        write(u64::row_mut(&mut frame, operands.d[0]), &before, lanes);
    }
    Ok(next)
}

/// One lane's change of an object; the bits before it.
fn apply<O: Observer>(
    context: &mut Context<'_, O>,
    kind: Kind,
    offset: u64,
    number: u32,
) -> Result<u64, FaultKind> {
    let block = &mut *context.block;
    let change = |state: &mut State| match kind {
        Kind::ExpectBytes => state.expect_bytes(i64::from(number)),
        Kind::CompleteBytes => state.expect_bytes(-i64::from(number)),
        Kind::Arrive {
            drops,
            completes,
            expects,
        } => {
            let count = if expects { 1 } else { number };
            if expects {
                state.expect_bytes(i64::from(number))?;
            }
            if !completes && count == state.pending {
                return Err("an arrival with `.noComplete` that is the last one".into());
            }
            if drops {
                state.arrive_and_drop(count)
            } else {
                state.arrive(count)
            }
        }
        _ => Ok(()),
    };
    match kind {
        Kind::Init => mbarrier::init(block, offset, number).map(|()| 0),
        Kind::Invalidate => mbarrier::invalidate(block, offset).map(|()| 0),
        _ => mbarrier::update(block, offset, change).map(State::bits),
    }
}

/// The object of each lane, after the checks of its address.
fn offsets<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    mbarrier: &Mbarrier,
    lanes: u32,
) -> Result<[u64; LANES], LaneFault> {
    let at = addresses(context, warp, path, &mbarrier.at);
    let offsets = shared_offsets(mbarrier.room, at, lanes)?;
    let bytes = mbarrier::BYTES;
    each_lane(
        context,
        warp,
        Room::Shared,
        &offsets,
        lanes,
        bytes,
        |_, _, _| (),
    )?;
    Ok(offsets)
}

fn observe<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &Lanes,
    pc: u32,
    mbarrier: &Mbarrier,
    (kind, addresses, lanes): (AccessKind, &[u64; LANES], u32),
) {
    if !O::MEMORY || lanes == 0 {
        return;
    }
    let site = context.block.site(pc, warp.index);
    let (order, scope) = match kind {
        AccessKind::Store => (Order::Weak, Scope::None),
        _ => (mbarrier.order, mbarrier.scope),
    };
    let access = MemoryAccess {
        kind,
        memory: Memory::Shared,
        addresses,
        lanes,
        bytes: mbarrier::BYTES,
        element: mbarrier::BYTES,
        order,
        scope,
    };
    context.observer.access(site, &access);
}

/// The parity of the phase that each lane asks about.
fn parities<O: Observer>(
    context: &Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    mbarrier: &Mbarrier,
    lanes: u32,
) -> Result<[bool; LANES], LaneFault> {
    let frame = warp.registers.frame(path, &context.launch.pool);
    let mut out = [false; LANES];
    let Some(source) = mbarrier.number else {
        return Ok(out);
    };
    let by_parity = matches!(mbarrier.kind, Kind::Test { parity: true, .. });
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let undefined = |text: String| (lane as u32, FaultKind::Undefined(text));
        out[lane] = if by_parity {
            match u32::row(&frame, source).0[lane] {
                0 => false,
                1 => true,
                other => {
                    return Err(undefined(format!(
                        "the parity of a phase is {other}; allowed are 0 and 1"
                    )));
                }
            }
        } else {
            let state = u64::row(&frame, source).0[lane];
            State::from_bits(state)
                .ok_or_else(|| undefined(format!("{state:#x} is no state of an mbarrier")))?
                .phase
        };
    }
    Ok(out)
}

/// `test_wait` and `try_wait`.
fn test<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    (mbarrier, blocks): (&Mbarrier, bool),
    operands: &Operands,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let offsets = offsets(context, warp, path, mbarrier, lanes)?;
    let parities = parities(context, warp, path, mbarrier, lanes)?;
    let first = lanes.trailing_zeros() as usize;
    let each = || (0..LANES).filter(|lane| lanes >> lane & 1 != 0);
    if context.launch.options.schedule == Schedule::Deterministic {
        for lane in each() {
            mbarrier::read(context.block, offsets[lane]).map_err(|kind| (lane as u32, kind))?;
            if !mbarrier::passed(context.block, offsets[lane], parities[lane]) {
                transfer::serve(context, offsets[lane])
                    .map_err(|failure| (lane as u32, failure.told(context.launch)))?;
            }
        }
    }
    let done = settled(context, (&offsets, &parities), lanes)?;
    let alike =
        each().all(|lane| (offsets[lane], parities[lane]) == (offsets[first], parities[first]));
    // With a seed the time limit is over at once now and then.
    let impatient = context.launch.now_and_then(warp.executed, path.pc);
    if blocks && done == 0 && alike && !impatient {
        return Ok(Next::Wait(Wait::Mbarrier {
            offset: offsets[first],
            parity: parities[first],
            expired: false,
        }));
    }
    answer(
        context,
        warp,
        path,
        mbarrier,
        operands,
        (&offsets, done, lanes),
    );
    Ok(if done == lanes {
        Next::To(path.pc + 1)
    } else {
        Next::Yield(path.pc + 1)
    })
}

/// Lanes whose phase is over.
fn settled<O: Observer>(
    context: &Context<'_, O>,
    (offsets, parities): (&[u64; LANES], &[bool; LANES]),
    lanes: u32,
) -> Result<u32, LaneFault> {
    let mut done = 0;
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let state =
            mbarrier::read(context.block, offsets[lane]).map_err(|kind| (lane as u32, kind))?;
        done |= u32::from(state.phase != parities[lane]) << lane;
    }
    Ok(done)
}

fn answer<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    mbarrier: &Mbarrier,
    operands: &Operands,
    (offsets, done, lanes): (&[u64; LANES], u32, u32),
) {
    observe(
        context,
        warp,
        path.pc,
        mbarrier,
        (AccessKind::Load, offsets, done),
    );
    let mut frame = warp.registers.frame(path, &context.launch.pool);
    write_predicate(&mut frame, operands.d[0], done, lanes);
}

/// Behind a `try_wait` that waited: its answer.
pub(crate) fn finish<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
) -> Result<(), LaneFault> {
    let instruction = &context.launch.instructions()[path.pc as usize];
    let Op::Mbarrier(mbarrier) = &instruction.op else {
        return Ok(());
    };
    let lanes = warp.guarded(context.launch, path);
    let offsets = offsets(context, warp, path, mbarrier, lanes)?;
    let parities = parities(context, warp, path, mbarrier, lanes)?;
    let done = settled(context, (&offsets, &parities), lanes)?;
    answer(
        context,
        warp,
        path,
        mbarrier,
        &instruction.operands,
        (&offsets, done, lanes),
    );
    Ok(())
}
