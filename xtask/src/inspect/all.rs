//! `cargo xtask inspect --all`: a line for every kernel.

use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use cuda_builder::manifest::Part;
use cuda_inspect::figures::{Figures, Request};
use cuda_inspect::tools::Tools;
use serde::Serialize;

use super::artifact::Built;
use super::choose::{self, Target};
use super::{Format, Options, show};
use crate::terminal;

/// The columns.
const COLUMNS: [&str; 9] = [
    "kernel",
    "registers",
    "spill bytes",
    "stack bytes",
    "shared bytes",
    "barriers",
    "threads",
    "occupancy",
    "limited by",
];

/// One kernel.
#[derive(Debug, Serialize)]
struct Line {
    kernel: String,
    part: String,
    figures: Figures,
}

pub(super) fn run(built: &Built, options: &Options, tools: &Tools) -> anyhow::Result<ExitCode> {
    let mut targets = choose::targets(&built.manifest, &options.archs)?;
    if options.archs.is_empty() {
        targets.drain(..targets.len().saturating_sub(1));
    }
    for target in targets {
        let start = Instant::now();
        let parts = &built.manifest.modules[target.module].parts;
        terminal::begin(&format!("{} parts for {}", parts.len(), target.arch));
        let lines = lines(built, target, parts, options, tools)?;
        terminal::note(&terminal::duration(start.elapsed()));
        match options.format {
            Format::Json => println!("{}", show::pretty(&lines)),
            Format::Text => print!("{}", text(&lines)),
        }
    }
    if tools.ptxas.is_none()
        && let Some(sentence) = tools.missing()
    {
        terminal::note(&sentence);
    }
    Ok(ExitCode::SUCCESS)
}

/// The kernels of all parts, in the order of their names; the parts on all cores.
fn lines(
    built: &Built,
    target: Target,
    parts: &[Part],
    options: &Options,
    tools: &Tools,
) -> anyhow::Result<Vec<Line>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(part_lines(built, target, part, options, tools)?);
        }
        anyhow::Ok(found)
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for worker in workers {
            let panicked = |_| Err(anyhow::anyhow!("inspecting a part panicked"));
            all.extend(worker.join().unwrap_or_else(panicked)?);
        }
        anyhow::Ok(all)
    })?;
    all.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    Ok(all)
}

fn part_lines(
    built: &Built,
    target: Target,
    part: &Part,
    options: &Options,
    tools: &Tools,
) -> anyhow::Result<Vec<Line>> {
    let path = built.path(part);
    let ptx = std::fs::read_to_string(&path)
        .with_context(|| format!("{} could not be read", path.display()))?;
    let arch = target.arch.target();
    let usages = if part.kernels.is_empty() {
        Vec::new()
    } else {
        tools.usages(&path, arch)?.unwrap_or_default()
    };
    let line = |kernel| {
        let request = Request {
            kernel,
            ptx: &ptx,
            ptx_arch: &built.manifest.modules[target.module].arch,
            arch,
            capability: target.arch.compute_capability(),
            block: options.block,
            dynamic_shared: options.shared,
        };
        choose::check_block(&request)?;
        let usage = usages.iter().find(|usage| usage.entry == kernel.entry);
        Ok(Line {
            kernel: kernel.entry.clone(),
            part: part.name.clone(),
            figures: Figures::new(&request, usage.cloned(), None)?,
        })
    };
    part.kernels.iter().map(line).collect()
}

fn text(lines: &[Line]) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    rows.extend(lines.iter().map(row));
    show::table(&rows)
}

fn row(line: &Line) -> Vec<String> {
    let Figures {
        usage, occupancy, ..
    } = &line.figures;
    let said = |value: &dyn Fn(&cuda_inspect::ptxas::Usage) -> u32| {
        usage
            .as_ref()
            .map_or(String::new(), |usage| value(usage).to_string())
    };
    let shared = line.figures.static_shared() + u64::from(line.figures.dynamic_shared);
    let mut cells = vec![
        line.kernel.clone(),
        said(&|usage| usage.registers),
        said(&|usage| usage.spill_stores + usage.spill_loads),
        said(&|usage| usage.stack),
        shared.to_string(),
        said(&|usage| usage.barriers),
    ];
    match occupancy {
        Some(found) => {
            let limits: Vec<&str> = found.limited_by.iter().map(|limit| limit.name()).collect();
            let bound = if found.is_exact { "" } else { "<= " };
            cells.push(found.threads.to_string());
            cells.push(format!("{bound}{:.0} %", found.percent()));
            cells.push(limits.join(", "));
        }
        None => cells.extend([String::new(), String::new(), String::new()]),
    }
    cells
}
