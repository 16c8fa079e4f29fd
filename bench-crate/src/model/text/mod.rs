//! The model's account in words. Every number comes from the fits, from their cells or from the
//! machine, so that another GPU is told about in other numbers.

mod gain;
mod span;

use super::machine::{LANES, Machine, warps};
use super::page::Page;
use super::{Constant, EXPLAINS, Fit, Predicted};
use crate::number::{self, count, milliseconds};
use gain::gain;
use span::copies;

/// A cell counts as bound by latency while it takes at most this much longer.
const NEAR: f64 = 0.1;

/// A best cell that takes this much longer than the floor does not show it.
const FAR: f64 = 2.0;

/// Paragraphs: of the measured sweep where there is one, then of the page's column.
pub(super) fn paragraphs(kernel: Option<&Fit>, span: Option<&Fit>, page: &Page) -> Vec<String> {
    let mut text = Vec::new();
    if let Some(kernel) = kernel {
        text.push(score(kernel, "the kernel's time"));
        if kernel.explains() {
            text.extend([latency(kernel), saturation(kernel), floor(kernel)]);
            text.extend([tail(kernel), occupancy(kernel)]);
            text.extend(span.map(|span| match span.explains() {
                true => copies(span, Some(kernel)),
                false => score(span, "the span's time"),
            }));
            text.extend(gain(kernel, None));
        }
    }
    if let Some(fit) = &page.fit {
        text.push(score(fit, "the page's span"));
        if fit.explains() {
            text.extend([
                latency(fit),
                tail(fit),
                data_sheet(fit, page),
                copies(fit, None),
            ]);
            text.extend(gain(fit, Some(page.processors)));
        }
    }
    text
}

/// A number with three significant digits, without an exponent.
fn three(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let spare = 2 - value.abs().log10().floor() as i32;
    if spare < 0 {
        let unit = 10f64.powi(-spare);
        return format!("{:.0}", (value / unit).round() * unit);
    }
    let decimals = spare.min(12) as usize;
    number::trimmed(&format!("{value:.decimals$}"))
}

fn percent(part: f64) -> String {
    format!("{} %", three((1e4 * part).round() / 1e2))
}

/// How a paragraph begins.
fn heading(fit: &Fit, what: &str) -> String {
    format!("{}, {what}.", machine(fit).name)
}

fn shape(cell: &Predicted) -> String {
    format!("{}x{}", cell.blocks, cell.threads)
}

fn machine(fit: &Fit) -> &Machine {
    &fit.law.machine
}

/// SMs.
fn sms(fit: &Fit) -> u32 {
    machine(fit).sms.count
}

fn partials(cell: &Predicted) -> u64 {
    u64::from(cell.blocks) * u64::from(cell.threads)
}

fn best(fit: &Fit) -> Option<&Predicted> {
    let faster = |a: &&Predicted, b: &&Predicted| a.measured_ms.total_cmp(&b.measured_ms);
    fit.cells.iter().min_by(faster)
}

fn measured(fit: &Fit, blocks: u32, threads: u32) -> Option<f64> {
    let is_it = |cell: &&Predicted| (cell.blocks, cell.threads) == (blocks, threads);
    fit.cells.iter().find(is_it).map(|cell| cell.measured_ms)
}

/// A constant with its value and unit.
fn named(constant: &Constant) -> String {
    let value = constant.told(|value| format!("{} {}", three(value), constant.unit));
    format!("{} {value}", constant.name).trim_end().to_owned()
}

/// The model's error and its constants.
fn score(fit: &Fit, what: &str) -> String {
    let (sms, cells) = (count(sms(fit) as usize, "SM"), fit.cells.len());
    let unseen = fit.cells.iter().filter(|cell| !cell.seen).count();
    let size = |cell: &&Predicted| cell.error().abs();
    let worst = fit.cells.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let worst = worst.map_or(String::new(), |cell| {
        let (error, at) = (percent(cell.error()), shape(cell));
        format!(", and {error} at {at}, the worst of all cells")
    });
    let rest = match fit.explains() {
        true => {
            let told = |c: &Constant| format!("{} ({})", named(c), c.meaning);
            let constants: Vec<String> = fit.constants.iter().map(told).collect();
            format!("The constants: {}.", constants.join("; "))
        }
        false => format!(
            "That is above {}: the model does not explain these times, and nothing else is said \
             by it.",
            percent(EXPLAINS)
        ),
    };
    let (heading, constants) = (heading(fit, "the model"), fit.constants.len());
    let error = fit.median_error.map(percent).unwrap_or_default();
    format!(
        "{heading} {sms}; {what} in {constants} constants, fitted to {} of {cells} cells. The \
         median error on the {unseen} cells that the fit did not see is {error}{worst}. {rest}",
        cells - unseen
    )
}

fn latency(fit: &Fit) -> String {
    let (heading, law) = (heading(fit, "latency"), &fit.law);
    if !fit.tells("latency") {
        return format!(
            "{heading} What a thread waits for a term is not determined by these cells."
        );
    }
    let alone_ms = law.latency_ns * law.strips as f64 / 1e6;
    let part = |cell: &&Predicted| cell.measured_ms * partials(cell) as f64 / alone_ms;
    let slow = fit
        .cells
        .iter()
        .filter(|cell| (part(cell) - 1.0).abs() <= NEAR);
    let slow: Vec<u64> = slow.map(partials).collect();
    let (near, number, all) = (percent(NEAR), slow.len(), fit.cells.len());
    let cells = match slow.iter().max() {
        Some(most) => format!(
            "{number} of the {all} cells are within {near} of that, up to blocks * threads = \
             {most}."
        ),
        None => format!("No cell is within {near} of that."),
    };
    let [wait, alone, inverse] = [law.latency_ns, alone_ms, 1e3 / alone_ms].map(three);
    format!(
        "{heading} A thread adds its terms one after the other and waits {wait} ns for each, \
         however idle the rest of the device is. As long as nothing else binds, the time is \
         {alone} ms / (blocks * threads), so 1000 / (ms * blocks * threads) is {inverse} \
         throughout. {cells}"
    )
}

/// Warps whose work is the latency of one; `None` where the cells do not tell it.
fn saturating_warps(fit: &Fit) -> Option<f64> {
    (fit.tells("latency") && fit.tells("issue")).then(|| fit.law.saturating_warps())
}

fn saturation(fit: &Fit) -> String {
    let heading = heading(fit, "saturation");
    let Some(warps) = saturating_warps(fit) else {
        return format!(
            "{heading} How many threads an SM needs before it is bound by what it issues is not \
             determined by these cells."
        );
    };
    let (threads, sms) = (warps * f64::from(LANES), sms(fit));
    let held = machine(fit).sms.max_threads;
    let [issue, warps, of_one, of_all] =
        [fit.law.issue_ns, warps, threads, threads * f64::from(sms)].map(three);
    let work = format!(
        "{heading} A full SM finishes a term of one warp every {issue} ns. The latency of one \
         warp is therefore the work of {warps} warps"
    );
    if threads > f64::from(held) {
        let held = count(held as usize, "thread");
        return format!(
            "{work}, or {of_one} threads. An SM holds {held}, so waiting binds however many \
             threads there are."
        );
    }
    format!(
        "{work}: with {of_one} threads on an SM, or {of_all} on all {sms}, waiting and working \
         take the same time, and threads beyond that gain little."
    )
}

fn floor(fit: &Fit) -> String {
    let heading = heading(fit, "floor");
    if !fit.tells("issue") {
        return format!(
            "{heading} What all SMs, busy to the end, would take is not determined by these cells."
        );
    }
    let floor = fit.law.floor_ms() + fit.law.fixed_us / 1e3;
    let reached = best(fit).map_or(String::new(), |best| {
        let times = best.measured_ms / floor;
        let far = match times > FAR {
            true => ", so that no cell here is near the floor and its height is extrapolated",
            false => "",
        };
        let (at, ms, times) = (shape(best), milliseconds(best.measured_ms), three(times));
        format!(" The best cell, {at}, takes {ms} ms, {times} times as long{far}.")
    });
    let launch = match fit.tells("launch") {
        true => format!(", {} us of it for the launch", three(fit.law.fixed_us)),
        false => String::new(),
    };
    let floor = three(floor);
    format!("{heading} All SMs, busy to the end, would take {floor} ms{launch}.{reached}")
}

fn tail(fit: &Fit) -> String {
    let (machine, sms) = (machine(fit), sms(fit));
    let even = |blocks: u32| f64::from(blocks) / f64::from(sms);
    // How much longer the fullest SM has than an even share.
    let uneven = |blocks: u32| f64::from(machine.most_blocks(blocks)) / even(blocks) - 1.0;
    let numbers = || fit.cells.iter().map(|cell| cell.blocks);
    let over = numbers().filter(|blocks| *blocks > sms);
    let worst = match over.min_by(|a, b| uneven(*b).total_cmp(&uneven(*a))) {
        Some(blocks) if uneven(blocks) > 0.0 => {
            let (most, even) = (machine.most_blocks(blocks), three(even(blocks)));
            let more = percent(uneven(blocks));
            format!(
                " Of the numbers of blocks here, {blocks} is shared out worst: {most} for the \
                 fullest, where {even} would be even: up to {more} more time."
            )
        }
        Some(_) => " All numbers of blocks here are shared out evenly.".to_owned(),
        None => format!(" No cell has more than {sms} blocks."),
    };
    let under = numbers().filter(|blocks| *blocks < sms).max();
    let idle = under.map_or(String::new(), |blocks| {
        let idle = sms - blocks;
        format!(" With fewer blocks than SMs the others idle: {idle} of {sms} at {blocks} blocks.")
    });
    format!(
        "{} The fullest SM decides.{worst}{idle}",
        heading(fit, "tail")
    )
}

fn occupancy(fit: &Fit) -> String {
    let (heading, machine) = (heading(fit, "occupancy"), machine(fit));
    let (threads, blocks) = (machine.sms.max_threads, machine.sms.max_blocks);
    let held = format!("{heading} An SM holds {threads} threads and {blocks} blocks at once.");
    let of = |cell: &Predicted| {
        (
            machine.most_blocks(cell.blocks),
            machine.resident_blocks(cell.threads),
        )
    };
    let crowded = fit.cells.iter().filter(|cell| of(cell).0 > of(cell).1);
    let Some(cell) = crowded.max_by_key(|cell| (cell.blocks, u32::MAX - cell.threads)) else {
        return format!("{held} No cell here asks for more, so there is one wave everywhere.");
    };
    let ((most, resident), at, threads) = (of(cell), shape(cell), cell.threads);
    let (warps, waves) = (warps(threads), most.div_ceil(resident));
    let text = format!(
        "{held} Of the {most} blocks of {at} that the fullest one gets, {resident} run at once \
         ({} warps), so they come in {waves} waves.",
        resident * warps
    );
    if threads.is_multiple_of(LANES) {
        return text;
    }
    let lanes = warps * LANES;
    let times = three(f64::from(lanes) / f64::from(threads));
    let (model, ms) = (three(cell.predicted_ms), milliseconds(cell.measured_ms));
    format!(
        "{text} A block of {threads} threads takes {lanes} lanes, so the floor there is {times} \
         times as high: {model} ms by the model, {ms} ms measured."
    )
}

/// Whether the page's column agrees with the data sheet.
fn data_sheet(fit: &Fit, page: &Page) -> String {
    let (heading, sheet) = (heading(fit, "SMs"), sms(fit));
    let (first, last) = (
        page.tried().start().to_owned(),
        page.tried().end().to_owned(),
    );
    let tried = format!("{heading} The data sheet has {sheet}. Of {first} to {last}, ");
    let Some((found, other)) = page.best.as_ref().filter(|best| best.0 != sheet) else {
        return format!("{tried}the times themselves fit {sheet} best.");
    };
    let blocks = fit.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
    let least = if *found >= blocks { " or more" } else { "" };
    let [error, instead] =
        [other, fit].map(|fit| fit.median_error.map(percent).unwrap_or_default());
    let constants: Vec<String> = other.constants.iter().map(named).collect();
    let constants = constants.join(", ");
    let text = format!(
        "{tried}{found}{least} fit the times best, with a median error of {error} instead of \
         {instead} and these constants: {constants}."
    );
    let compared = best(fit).and_then(|best| {
        let Predicted {
            blocks,
            threads,
            measured_ms,
            ..
        } = *best;
        let one = measured(fit, 1, threads)?;
        let times = |fit: &Fit| three(fit.predict(1, threads) / fit.predict(blocks, threads));
        let (were, by_other, by_sheet) = (three(one / measured_ms), times(other), times(fit));
        Some(format!(
            " {blocks} blocks of {threads} threads were {were} times as fast as one such block; \
             with {found} the model predicts {by_other}, with {sheet} {by_sheet}."
        ))
    });
    text + &compared.unwrap_or_default()
}
