//! What is between a thread and the system around it: clusters (of one
//! block), cache policies, register counts, and calls of functions that the
//! device runtime provides.

pub(crate) mod calls;
mod format;

use super::{Group, Value, lanes, write};
use crate::ast::{Number, Operand, Type};
use crate::error::FaultKind;
use crate::ir::{Class, LANES, Op, Operands, Row};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::block::CLUSTER_BARRIER;
use crate::machine::path::{Path, Wait};
use crate::machine::warp::{Context, LaneFault, Lanes, Next, Warp};
use crate::observe::{BarrierArrival, Observer};

pub(crate) const GROUP: Group = Group {
    name: "system",
    opcodes: &[
        (
            "barrier",
            ".cluster .arrive .wait .aligned, .release .relaxed .acquire; a cluster is one block",
        ),
        ("mapa", ".shared::cluster and generic; u32 u64; rank 0"),
        ("getctarank", ".shared::cluster and generic; u32 u64"),
        (
            "createpolicy",
            ".fractional .range .cvt.L2; b64; without effect",
        ),
        ("setmaxnreg", ".inc .dec; u32; without effect"),
    ],
    decode,
};

/// What the machine has to do.
#[derive(Clone, Debug)]
pub(crate) enum System {
    ClusterArrive {
        aligned: bool,
        releases: bool,
    },
    ClusterWait,
    /// d0 = the address s0 in the block of rank s1.
    MapAddress {
        wide: bool,
    },
    Call(calls::Call),
}

/// `createpolicy` returns it: hints have no effect, so all are alike. Its bits
/// are opaque; these are what the hardware has for `evict_normal`.
const POLICY: u64 = 1 << 60;

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "barrier" => decode_cluster(d),
        "mapa" => {
            d.take("shared::cluster");
            let ty = address_type(d)?;
            d.finish(3)?;
            let mut operands = Operands::default();
            operands.d[0] = d.destination(0, ty)?;
            operands.s[0] = d.source(1, ty)?;
            operands.s[1] = d.source(2, Type::U32)?;
            Ok(done(
                System::MapAddress {
                    wide: ty == Type::U64,
                },
                operands,
                Class::Move,
            ))
        }
        "getctarank" => {
            d.take("shared::cluster");
            let ty = address_type(d)?;
            d.finish(2)?;
            let mut operands = Operands::default();
            operands.d[0] = d.destination(0, Type::U32)?;
            operands.s[0] = d.source(1, ty)?;
            let run = match ty {
                Type::U64 => lanes!(|_a: u64| -> u32 { 0 }),
                _ => lanes!(|_a: u32| -> u32 { 0 }),
            };
            Ok(Decoded::lanes(run, operands, Class::Move))
        }
        "createpolicy" => decode_policy(d),
        _ => {
            if d.take_any(&["inc", "dec"]).is_none() || !d.take("sync") || !d.take("aligned") {
                return Err(d.unknown_modifier());
            }
            if d.ty()? != Type::U32 {
                return Err("`setmaxnreg` is for .u32".into());
            }
            d.finish(1)?;
            match d.operand(0)? {
                Operand::Number(Number::Integer(n))
                    if (24..=256).contains(n) && n.is_multiple_of(8) => {}
                _ => return Err("setmaxnreg takes a multiple of 8 from 24 to 256".into()),
            }
            Ok(Decoded {
                op: Op::Nothing,
                operands: Operands::default(),
                class: Class::Other,
            })
        }
    }
}

fn done(system: System, operands: Operands, class: Class) -> Decoded {
    Decoded {
        op: Op::System(Box::new(system)),
        operands,
        class,
    }
}

fn address_type(d: &mut Decoder<'_, '_>) -> Result<Type, Reason> {
    match d.ty()? {
        ty @ (Type::U32 | Type::U64) => Ok(ty),
        ty => Err(d.unsupported_type(ty)),
    }
}

fn decode_cluster(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if !d.take("cluster") {
        return Err(d.unknown_modifier());
    }
    let system = match d.take_any(&["arrive", "wait"]) {
        Some("arrive") => {
            let releases = d.take_any(&["release", "relaxed"]) != Some("relaxed");
            System::ClusterArrive {
                aligned: d.take("aligned"),
                releases,
            }
        }
        Some(_) => {
            d.take("acquire");
            d.take("aligned");
            System::ClusterWait
        }
        None => return Err(d.unknown_modifier()),
    };
    d.finish(0)?;
    Ok(done(system, Operands::default(), Class::Barrier))
}

fn decode_policy(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    const LEVELS: [&str; 4] = [
        "L2::evict_last",
        "L2::evict_normal",
        "L2::evict_first",
        "L2::evict_unchanged",
    ];
    let kind = d.take_any(&["fractional", "range", "cvt"]);
    match kind {
        Some("cvt") => {
            if !d.take("L2") {
                return Err(d.unknown_modifier());
            }
        }
        Some(kind) => {
            if kind == "range" {
                d.take("global");
            }
            if d.take_any(&LEVELS).is_none() {
                return Err(d.unknown_modifier());
            }
            d.take_any(&LEVELS);
        }
        None => return Err(d.unknown_modifier()),
    }
    let ty = d.ty()?;
    if ty != Type::B64 {
        return Err(d.unsupported_type(ty));
    }
    let given = d.instruction.operands.len();
    d.finish(match kind {
        Some("fractional") => given.clamp(1, 2),
        Some("range") => 4,
        _ => 2,
    })?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.builder.immediate64(POLICY);
    let run = lanes!(|a: u64| -> u64 { a });
    Ok(Decoded::lanes(run, operands, Class::Move))
}

pub(crate) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Warp,
    path: &Path,
    system: &System,
    operands: &Operands,
    lanes: u32,
) -> Result<Next, LaneFault> {
    match system {
        System::ClusterArrive { aligned, releases } => {
            cluster_arrive(context, warp, path, (*aligned, *releases), lanes)?;
        }
        System::ClusterWait => return cluster_wait(context, warp, path, lanes),
        System::MapAddress { wide } => {
            map_address(context, &mut warp.lanes, path, *wide, operands, lanes)?;
        }
        System::Call(call) => calls::run(context, &mut warp.lanes, path, call, lanes)?,
    }
    Ok(Next::To(path.pc + 1))
}

fn threads(warp: &Lanes, lanes: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
    let first = warp.index * LANES as u32;
    (0..LANES as u32)
        .filter(move |lane| lanes >> lane & 1 != 0)
        .map(move |lane| (lane, first + lane))
}

fn cluster_arrive<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &Warp,
    path: &Path,
    (aligned, releases): (bool, bool),
    lanes: u32,
) -> Result<(), LaneFault> {
    let live = context.block.live;
    let cluster = &mut context.block.cluster;
    for (lane, thread) in threads(&warp.lanes, lanes) {
        if cluster.threads.insert(thread, cluster.phase).is_some() {
            let text = "barrier.cluster.arrive a second time without barrier.cluster.wait";
            return Err((lane, FaultKind::Undefined(text.into())));
        }
    }
    cluster.arrived += lanes.count_ones();
    let complete = cluster.check(live);
    if O::CONTROL {
        let arrival = BarrierArrival {
            id: CLUSTER_BARRIER,
            lanes,
            live: warp.paths.live,
            expected: 0,
            waits: false,
            aligned,
            releases,
        };
        let site = warp.site(context.block, path.pc);
        context.observer.barrier(site, &arrival);
        if complete {
            let block = context.block.linear;
            context.observer.barrier_completes(block, CLUSTER_BARRIER);
        }
    }
    Ok(())
}

fn cluster_wait<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &Warp,
    path: &Path,
    lanes: u32,
) -> Result<Next, LaneFault> {
    let cluster = &mut context.block.cluster;
    for (lane, thread) in threads(&warp.lanes, lanes) {
        match cluster.threads.get(&thread) {
            Some(&phase) if phase == cluster.phase => {
                let phase = cluster.phase;
                return Ok(Next::Wait(Wait::Cluster { phase }));
            }
            Some(_) => {}
            None => {
                let text = "barrier.cluster.wait without barrier.cluster.arrive";
                return Err((lane, FaultKind::Undefined(text.into())));
            }
        }
    }
    finish_cluster_wait(context, &warp.lanes, path.pc, lanes);
    Ok(Next::To(path.pc + 1))
}

/// The phase is over: these lanes may arrive again.
pub(crate) fn finish_cluster_wait<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &Lanes,
    pc: u32,
    lanes: u32,
) {
    for (_, thread) in threads(warp, lanes) {
        context.block.cluster.threads.remove(&thread);
    }
    if O::CONTROL && lanes != 0 {
        let site = context.block.site(pc, warp.index);
        context.observer.barrier_passed(site, lanes);
    }
}

fn map_address<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    wide: bool,
    operands: &Operands,
    lanes: u32,
) -> Result<(), LaneFault> {
    let mut frame = warp.registers.frame(path, &context.launch.pool);
    let ranks = *u32::row(&frame, operands.s[1]);
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        if ranks.0[lane] != 0 {
            let text = format!("mapa to rank {} of a cluster of one block", ranks.0[lane]);
            return Err((lane as u32, FaultKind::Undefined(text)));
        }
    }
    if wide {
        let row: Row<u64> = *u64::row(&frame, operands.s[0]);
        write(u64::row_mut(&mut frame, operands.d[0]), &row, lanes);
    } else {
        let row: Row<u32> = *u32::row(&frame, operands.s[0]);
        write(u32::row_mut(&mut frame, operands.d[0]), &row, lanes);
    }
    Ok(())
}
