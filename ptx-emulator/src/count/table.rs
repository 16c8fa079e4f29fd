//! Counts as text.

use std::fmt;

use super::{Counts, LineCounts, Step, Tally};
use crate::program::Program;

/// Lines that are shown of each kind.
const LINES: usize = 8;
/// Steps that are shown.
const STEPS: usize = 64;

/// Counts with the source lines of their program, ready to print: the classes,
/// the lines with the most wavefronts, sectors and instructions, the steps.
#[derive(Debug)]
pub struct Table<'a> {
    counts: &'a Counts,
    lines: Vec<LineCounts>,
}

impl Counts {
    /// The counts as a table. `program` is the one that ran.
    pub fn table(&self, program: &Program) -> Table<'_> {
        Table {
            counts: self,
            lines: self.by_line(program),
        }
    }
}

/// The classes and the steps; `Counts::table` shows the lines too.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        classes(f, self)?;
        steps(f, self)
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        classes(f, self.counts)?;
        self.most(
            f,
            "wavefronts of shared memory",
            |tally| {
                let shared = tally.shared.total();
                (shared.wavefronts, shared.ideal, shared.requests)
            },
            ["wavefronts", "ideal", "requests"],
        )?;
        self.most(
            f,
            "sectors of global memory",
            |tally| {
                let global = tally.global.total();
                (global.sectors, global.ideal, global.requests)
            },
            ["sectors", "ideal", "requests"],
        )?;
        self.most(
            f,
            "warp instructions",
            |tally| {
                let ran = tally.instructions;
                (ran.warps, ran.lanes, ran.diverged)
            },
            ["warps", "lanes", "diverged"],
        )?;
        steps(f, self.counts)
    }
}

impl Table<'_> {
    /// The lines with the most of the first of three numbers.
    fn most(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        numbers: impl Fn(&Tally) -> (u64, u64, u64),
        heads: [&str; 3],
    ) -> fmt::Result {
        let mut rows: Vec<(&LineCounts, (u64, u64, u64))> = self
            .lines
            .iter()
            .map(|line| (line, numbers(&line.tally)))
            .filter(|(_, numbers)| numbers.0 > 0)
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        // Lines with the same number stay in their order.
        rows.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.0));
        let [a, b, c] = heads;
        writeln!(f, "\nlines with the most {title}")?;
        writeln!(f, "{a:>12} {b:>12} {c:>12}  line")?;
        for (line, (a, b, c)) in rows.iter().take(LINES) {
            writeln!(
                f,
                "{a:>12} {b:>12} {c:>12}  {} in {}",
                line.place(),
                line.function
            )?;
        }
        if rows.len() > LINES {
            writeln!(f, "{:>39} and {} more", "", rows.len() - LINES)?;
        }
        Ok(())
    }
}

fn classes(f: &mut fmt::Formatter<'_>, counts: &Counts) -> fmt::Result {
    writeln!(
        f,
        "{:<12} {:>12} {:>12} {:>10} {:>12} {:>12}",
        "class", "warps", "lanes", "lanes/warp", "predicated", "diverged"
    )?;
    let classes = counts.classes.by_class();
    let named = classes
        .iter()
        .map(|(class, ran)| (format!("{class:?}"), *ran));
    for (name, ran) in named.chain([("all".to_owned(), counts.classes.total())]) {
        writeln!(
            f,
            "{name:<12} {:>12} {:>12} {:>10.2} {:>12} {:>12}",
            ran.warps,
            ran.lanes,
            ran.lanes as f64 / ran.warps.max(1) as f64,
            ran.predicated_off,
            ran.diverged
        )?;
    }
    let total = counts.total();
    let (shared, global) = (total.shared, total.global);
    writeln!(
        f,
        "divergent branches {}",
        total.instructions.divergent_branches
    )?;
    for (kind, shared, global) in [
        ("loads", shared.loads, global.loads),
        ("stores", shared.stores, global.stores),
        ("atomics", shared.atomics, global.atomics),
    ] {
        if shared.requests + global.requests > 0 {
            writeln!(
                f,
                "{kind}: shared {} requests, {} wavefronts (ideal {}); \
                 global {} requests, {} sectors (ideal {})",
                shared.requests,
                shared.wavefronts,
                shared.ideal,
                global.requests,
                global.sectors,
                global.ideal
            )?;
        }
    }
    Ok(())
}

fn steps(f: &mut fmt::Formatter<'_>, counts: &Counts) -> fmt::Result {
    let steps = &counts.steps.steps;
    if steps.is_empty() {
        return Ok(());
    }
    writeln!(f, "\nsteps between barriers and marks: threads/warps")?;
    writeln!(
        f,
        "{:>5} {:>8} {:>13} {:>13} {:>13} {:>13} {:>13} {:>13} {:>6}",
        "step", "blocks", "ran", "load shared", "store shared", "combine", "load", "store", "worst"
    )?;
    for (index, step) in steps.iter().take(STEPS).enumerate() {
        row(f, index + 1, step)?;
    }
    if steps.len() > STEPS {
        writeln!(f, "{:>5} and {} more", "", steps.len() - STEPS)?;
    }
    if counts.steps.beyond > 0 {
        writeln!(
            f,
            "the last step holds {} later ones of blocks",
            counts.steps.beyond
        )?;
    }
    Ok(())
}

fn row(f: &mut fmt::Formatter<'_>, number: usize, step: &Step) -> fmt::Result {
    write!(f, "{number:>5} {:>8}", step.blocks)?;
    for activity in [
        step.ran,
        step.shared_loads,
        step.shared_stores,
        step.combines,
        step.global_loads,
        step.global_stores,
    ] {
        let text = format!("{}/{}", activity.threads, activity.warps);
        write!(f, " {text:>13}")?;
    }
    writeln!(f, " {:>6}", step.shared.total().worst)
}
