//! What is between a thread and the system around it: clusters (of one
//! block), cache policies, register counts, and calls of functions that the
//! device runtime provides.

pub(crate) mod calls;
mod format;

use ptx_syntax::{Number, Operand, Type};

use super::decode::is_wide;
use super::{Group, matrix, product};
use crate::error::FaultKind;
use crate::ir::{Op, Operands, Row, System, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{CLUSTER_BARRIER, Issue, LaneFault, Next, Wait};
use crate::observe::{BarrierArrival, Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "system",
    forms: &[
        "barrier: .cluster .arrive .wait .aligned, .release .relaxed .acquire; a cluster is one block",
        "mapa: .shared::cluster and generic; u32 u64; rank 0",
        "getctarank: .shared::cluster and generic; u32 u64",
        "createpolicy: .fractional .range .cvt.L2; b64; without effect",
        "setmaxnreg: .inc .dec; u32; without effect",
    ],
    decode,
};

/// `createpolicy` returns it: hints have no effect, so all are alike. Its bits
/// are opaque; these are what the hardware has for `evict_normal`.
const POLICY: u64 = 1 << 60;

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "barrier" => decode_cluster(d),
        "mapa" => {
            d.take("shared::cluster");
            let ty = d.type_of(&[Type::U32, Type::U64])?;
            let operands = d.rows(0, ty, &[ty, Type::U32])?;
            let wide = is_wide(ty);
            Ok(done(System::MapAddress { wide }, Class::Move).with(operands))
        }
        "getctarank" => {
            d.take("shared::cluster");
            let ty = d.type_of(&[Type::U32, Type::U64])?;
            let run = match ty {
                Type::U64 => lanes!(|_a: u64| -> u32 { 0 }),
                _ => lanes!(|_a: u32| -> u32 { 0 }),
            };
            d.each_lane(run, 0, Class::Move, Type::U32, &[ty])
        }
        "createpolicy" => decode_policy(d),
        _ => {
            d.one_of(&["inc", "dec"])?;
            d.require("sync")?;
            d.require("aligned")?;
            if d.ty()? != Type::U32 {
                return Err("`setmaxnreg` is for .u32".into());
            }
            d.finish(1)?;
            match d.operand(0)? {
                Operand::Number(Number::Integer(n))
                    if (24..=256).contains(n) && n.is_multiple_of(8) => {}
                _ => return Err("setmaxnreg takes a multiple of 8 from 24 to 256".into()),
            }
            Ok(Decoded::new(Op::Nothing, Class::Other))
        }
    }
}

fn done(system: System, class: Class) -> Decoded {
    Decoded::new(Op::System(Box::new(system)), class)
}

fn decode_cluster(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("cluster")?;
    let system = match d.one_of(&["arrive", "wait"])? {
        "arrive" => {
            let releases = d.take_any(&["release", "relaxed"]) != Some("relaxed");
            System::ClusterArrive {
                aligned: d.take("aligned"),
                releases,
            }
        }
        _ => {
            d.take("acquire");
            d.take("aligned");
            System::ClusterWait
        }
    };
    d.finish(0)?;
    Ok(done(system, Class::Barrier))
}

fn decode_policy(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    const LEVELS: [&str; 4] = [
        "L2::evict_last",
        "L2::evict_normal",
        "L2::evict_first",
        "L2::evict_unchanged",
    ];
    let kind = d.one_of(&["fractional", "range", "cvt"])?;
    if kind == "cvt" {
        d.require("L2")?;
    } else {
        if kind == "range" {
            d.take("global");
        }
        d.one_of(&LEVELS)?;
        d.take_any(&LEVELS);
    }
    let ty = d.type_of(&[Type::B64])?;
    let given = d.instruction.operands.len();
    d.finish(match kind {
        "fractional" => given.clamp(1, 2),
        "range" => 4,
        _ => 2,
    })?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.builder.immediate64(POLICY);
    let run = lanes!(|a: u64| -> u64 { a });
    Ok(Decoded::lanes(run, operands, Class::Move))
}

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    system: &System,
) -> Result<Next, LaneFault> {
    match system {
        System::ClusterArrive { aligned, releases } => cluster_arrive(at, *aligned, *releases)?,
        System::ClusterWait => return cluster_wait(at),
        System::MapAddress { wide } => map_address(at, *wide)?,
        System::Call(call) => calls::run(at, call)?,
        System::Matrix(matrix) => matrix::run(at, matrix)?,
        System::Product(product) => product::run(at, product)?,
        System::Tile(tile) => product::tile::run(at, tile)?,
    }
    Ok(at.next())
}

fn cluster_arrive<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    aligned: bool,
    releases: bool,
) -> Result<(), LaneFault> {
    at.each(|at, lane| {
        let thread = at.thread(lane);
        let cluster = &mut at.context.block.cluster;
        if cluster.threads.insert(thread, cluster.phase).is_some() {
            let text = "barrier.cluster.arrive a second time without barrier.cluster.wait";
            return Err(FaultKind::Undefined(text.into()));
        }
        Ok(())
    })?;
    let (site, lanes) = (at.site(), at.lanes);
    let context = &mut *at.context;
    context.block.cluster.arrived += lanes.count_ones();
    let complete = context.block.cluster.check(context.block.live);
    if O::CONTROL {
        let arrival = BarrierArrival {
            id: CLUSTER_BARRIER,
            lanes,
            live: at.paths.live,
            expected: 0,
            waits: false,
            aligned,
            releases,
        };
        context.observer.barrier(site, &arrival);
        if complete {
            let block = context.block.linear;
            context.observer.barrier_completes(block, CLUSTER_BARRIER);
        }
    }
    Ok(())
}

fn cluster_wait<O: Observer>(at: &mut Issue<'_, '_, O>) -> Result<Next, LaneFault> {
    let phase = at.context.block.cluster.phase;
    let mut waits = false;
    at.each(|at, lane| {
        let thread = at.thread(lane);
        let Some(arrived) = at.context.block.cluster.threads.get(&thread) else {
            let text = "barrier.cluster.wait without barrier.cluster.arrive";
            return if waits {
                Ok(())
            } else {
                Err(FaultKind::Undefined(text.into()))
            };
        };
        waits |= *arrived == phase;
        Ok(())
    })?;
    if waits {
        return Ok(Next::Wait(Wait::Cluster { phase }));
    }
    finish_cluster_wait(at)?;
    Ok(at.next())
}

/// The phase is over: the lanes may arrive again.
pub(crate) fn finish_cluster_wait<O: Observer>(at: &mut Issue<'_, '_, O>) -> Result<(), LaneFault> {
    at.each(|at, lane| {
        let thread = at.thread(lane);
        at.context.block.cluster.threads.remove(&thread);
        Ok(())
    })?;
    if O::CONTROL && at.lanes != 0 {
        let site = at.site();
        at.context.observer.barrier_passed(site, at.lanes);
    }
    Ok(())
}

fn map_address<O: Observer>(at: &mut Issue<'_, '_, O>, wide: bool) -> Result<(), LaneFault> {
    let operands = at.operands;
    let ranks = at.row::<u32>(operands.s[1]);
    at.each(|_, lane| match ranks.0[lane] {
        0 => Ok(()),
        rank => {
            let text = format!("mapa to rank {rank} of a cluster of one block");
            Err(FaultKind::Undefined(text))
        }
    })?;
    let row = match wide {
        true => at.row::<u64>(operands.s[0]),
        false => Row(at.row::<u32>(operands.s[0]).0.map(u64::from)),
    };
    at.put(wide, operands.d[0], &row, at.lanes);
    Ok(())
}
