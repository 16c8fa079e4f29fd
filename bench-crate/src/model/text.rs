//! The model's account in words. Every number comes from the fits, from their cells
//! or from the machine, so that another GPU is told about in other numbers.

mod gain;

use super::machine::{LANES, Machine, warps};
use super::page::Page;
use super::{Constant, EXPLAINS, Fit, Predicted};
use crate::number;
use gain::gain;

/// A cell counts as bound by latency while it takes at most this much longer.
const NEAR: f64 = 0.1;

/// A best cell that takes this much longer than the floor does not show it.
const FAR: f64 = 2.0;

/// Fewer cells than this do not show that they are alike.
const ALIKE: usize = 3;

/// Paragraphs: of the measured sweep where there is one, then of the page's column.
pub(super) fn paragraphs(kernel: Option<&Fit>, span: Option<&Fit>, page: &Page) -> Vec<String> {
    let mut text = Vec::new();
    if let Some(kernel) = kernel {
        text.push(score(kernel, "the kernel's time"));
        if kernel.explains() {
            text.extend(of_kernel(kernel, span));
        }
    }
    if let Some(fit) = &page.fit {
        text.push(score(fit, "the page's span"));
        if fit.explains() {
            text.push(latency(fit));
            text.push(tail(fit));
            text.push(multiprocessors(fit, page));
            text.push(copies(fit, None));
            text.extend(gain(fit, Some(page.processors)));
        }
    }
    text
}

/// What follows the score of a kernel that the model explains.
fn of_kernel(kernel: &Fit, span: Option<&Fit>) -> Vec<String> {
    let mut text = vec![
        latency(kernel),
        saturation(kernel),
        floor(kernel),
        tail(kernel),
        occupancy(kernel),
    ];
    text.extend(span.map(|span| match span.explains() {
        true => copies(span, Some(kernel)),
        false => score(span, "the span's time"),
    }));
    text.extend(gain(kernel, None));
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
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
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

fn count(fit: &Fit) -> u32 {
    machine(fit).multiprocessors.count
}

fn partials(cell: &Predicted) -> u64 {
    u64::from(cell.blocks) * u64::from(cell.threads)
}

fn best(fit: &Fit) -> Option<&Predicted> {
    let faster = |a: &&Predicted, b: &&Predicted| a.measured_ms.total_cmp(&b.measured_ms);
    fit.cells.iter().min_by(faster)
}

fn score(fit: &Fit, what: &str) -> String {
    let unseen = fit.cells.iter().filter(|cell| !cell.seen).count();
    let told = |c: &Constant| format!("{} ({})", named(c), c.meaning);
    let constants: Vec<String> = fit.constants.iter().map(told).collect();
    let worst = fit
        .cells
        .iter()
        .max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))
        .map(|cell| {
            format!(
                ", and {} at {}, the worst of all cells",
                percent(cell.error()),
                shape(cell)
            )
        })
        .unwrap_or_default();
    let rest = if fit.explains() {
        format!("The constants: {}.", constants.join("; "))
    } else {
        format!(
            "That is above {}: the model does not explain these times, and nothing else is said \
             by it.",
            percent(EXPLAINS)
        )
    };
    format!(
        "{} {}; {what} in {} constants, fitted to {} of {} cells. The median error \
         on the {unseen} cells that the fit did not see is {}{worst}. {rest}",
        heading(fit, "the model"),
        several(count(fit), "multiprocessor"),
        fit.constants.len(),
        fit.cells.len() - unseen,
        fit.cells.len(),
        fit.median_error.map(percent).unwrap_or_default()
    )
}

/// `1 thread`, `2 threads`.
fn several(number: u32, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A constant with its value and unit.
fn named(constant: &Constant) -> String {
    let value = constant.told(|value| format!("{} {}", three(value), constant.unit));
    format!("{} {value}", constant.name).trim_end().to_owned()
}

fn latency(fit: &Fit) -> String {
    let law = &fit.law;
    if !fit.tells("latency") {
        return format!(
            "{} What a thread waits for a term is not determined by these cells.",
            heading(fit, "latency")
        );
    }
    let alone_ms = law.latency_ns * law.strips as f64 / 1e6;
    let slow: Vec<&Predicted> = fit
        .cells
        .iter()
        .filter(|cell| {
            let part = cell.measured_ms * partials(cell) as f64 / alone_ms;
            (part - 1.0).abs() <= NEAR
        })
        .collect();
    let most = slow.iter().map(|cell| partials(cell)).max();
    let cells = match most {
        Some(most) => format!(
            "{} of the {} cells are within {} of that, up to blocks * threads = {most}.",
            slow.len(),
            fit.cells.len(),
            percent(NEAR)
        ),
        None => format!("No cell is within {} of that.", percent(NEAR)),
    };
    format!(
        "{} A thread adds its terms one after the other and waits {} ns for each, however \
         idle the rest of the device is. As long as nothing else binds, the time is {} ms / \
         (blocks * threads), so 1000 / (ms * blocks * threads) is {} throughout. {cells}",
        heading(fit, "latency"),
        three(law.latency_ns),
        three(alone_ms),
        three(1e3 / alone_ms)
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
            "{heading} How many threads a multiprocessor needs before it is bound by what it \
             issues is not determined by these cells."
        );
    };
    let threads = warps * f64::from(LANES);
    let work = format!(
        "{heading} A full multiprocessor finishes a term of one warp every {} ns. The latency of \
         one warp is therefore the work of {} warps",
        three(fit.law.issue_ns),
        three(warps)
    );
    let held = machine(fit).multiprocessors.max_threads;
    if threads > f64::from(held) {
        return format!(
            "{work}, or {} threads. A multiprocessor holds {}, so waiting binds however many \
             threads there are.",
            three(threads),
            several(held, "thread")
        );
    }
    format!(
        "{work}: with {} threads on a multiprocessor, or {} on all {}, waiting and working take \
         the same time, and threads beyond that gain little.",
        three(threads),
        three(threads * f64::from(count(fit))),
        count(fit)
    )
}

fn floor(fit: &Fit) -> String {
    let heading = heading(fit, "floor");
    if !fit.tells("issue") {
        return format!(
            "{heading} What all multiprocessors, busy to the end, would take is not determined by \
             these cells."
        );
    }
    let floor = fit.law.floor_ms() + fit.law.fixed_us / 1e3;
    let reached = best(fit).map(|best| {
        let times = best.measured_ms / floor;
        let far = if times > FAR {
            ", so that no cell here is near the floor and its height is extrapolated"
        } else {
            ""
        };
        format!(
            " The best cell, {}, takes {} ms, {} times as long{far}.",
            shape(best),
            number::milliseconds(best.measured_ms),
            three(times)
        )
    });
    let launch = if fit.tells("launch") {
        format!(", {} us of it for the launch", three(fit.law.fixed_us))
    } else {
        String::new()
    };
    format!(
        "{heading} All multiprocessors, busy to the end, would take {} ms{launch}.{}",
        three(floor),
        reached.unwrap_or_default()
    )
}

/// How much longer the fullest multiprocessor has than an even share.
fn unevenness(machine: &Machine, blocks: u32) -> f64 {
    let even = f64::from(blocks) / f64::from(machine.multiprocessors.count);
    f64::from(machine.most_blocks(blocks)) / even - 1.0
}

fn tail(fit: &Fit) -> String {
    let count = count(fit);
    let uneven = |blocks: &u32| unevenness(machine(fit), *blocks);
    let numbers = || fit.cells.iter().map(|cell| cell.blocks);
    let over = numbers()
        .filter(|blocks| *blocks > count)
        .min_by(|a, b| uneven(b).total_cmp(&uneven(a)));
    let under = numbers().filter(|blocks| *blocks < count).max();
    let mut text = format!(
        "{} The fullest multiprocessor decides.",
        heading(fit, "tail")
    );
    match over {
        Some(blocks) if uneven(&blocks) > 0.0 => text.push_str(&format!(
            " Of the numbers of blocks here, {blocks} is shared out worst: {} for the fullest, \
             where {} would be even: up to {} more time.",
            machine(fit).most_blocks(blocks),
            three(f64::from(blocks) / f64::from(count)),
            percent(uneven(&blocks))
        )),
        Some(_) => text.push_str(" All numbers of blocks here are shared out evenly."),
        None => text.push_str(&format!(" No cell has more than {count} blocks.")),
    }
    if let Some(blocks) = under {
        text.push_str(&format!(
            " With fewer blocks than multiprocessors the others idle: {} of {count} at {blocks} \
             blocks.",
            count - blocks
        ));
    }
    text
}

fn occupancy(fit: &Fit) -> String {
    let machine = machine(fit);
    let limits = &machine.multiprocessors;
    let held = format!(
        "{} A multiprocessor holds {} threads and {} blocks at once.",
        heading(fit, "occupancy"),
        limits.max_threads,
        limits.max_blocks
    );
    let crowded = fit
        .cells
        .iter()
        .filter(|cell| machine.most_blocks(cell.blocks) > machine.resident_blocks(cell.threads))
        .max_by_key(|cell| (cell.blocks, u32::MAX - cell.threads));
    let Some(cell) = crowded else {
        return format!("{held} No cell here asks for more, so there is one wave everywhere.");
    };
    let resident = machine.resident_blocks(cell.threads);
    let most = machine.most_blocks(cell.blocks);
    let mut text = format!(
        "{held} Of the {most} blocks of {} that the fullest one gets, {resident} run at once ({} \
         warps), so they come in {} waves.",
        shape(cell),
        resident * warps(cell.threads),
        most.div_ceil(resident)
    );
    if !cell.threads.is_multiple_of(LANES) {
        let lanes = f64::from(warps(cell.threads) * LANES) / f64::from(cell.threads);
        text.push_str(&format!(
            " A block of {} threads takes {} lanes, so the floor there is {} times as high: \
             {} ms by the model, {} ms measured.",
            cell.threads,
            warps(cell.threads) * LANES,
            three(lanes),
            three(cell.predicted_ms),
            number::milliseconds(cell.measured_ms)
        ));
    }
    text
}

/// The copies of a span; beside the kernel where that was timed alone.
fn copies(span: &Fit, kernel: Option<&Fit>) -> String {
    let law = &span.law;
    let fixed = law.fixed_us - kernel.map_or(0.0, |kernel| kernel.law.fixed_us);
    let mut text = format!(
        "{} The page's clock includes the copies of the partial sums: {}",
        heading(span, "copies"),
        match span.tells("fixed") {
            true => format!("{} us a span", three(fixed)),
            false => "a fixed time that these cells do not determine".to_owned(),
        }
    );
    let most = span.cells.iter().max_by_key(|cell| partials(cell));
    match most {
        Some(most) if span.tells("partial") => {
            let copy_ms = fixed / 1e3 + law.partial_ns * partials(most) as f64 / 1e6;
            text.push_str(&format!(
                ", and {} ns for each of the blocks * threads sums. At {} that is {} ms of the {} \
                 ms predicted ({} ms measured).",
                three(law.partial_ns),
                shape(most),
                three(copy_ms),
                three(most.predicted_ms),
                number::milliseconds(most.measured_ms)
            ));
            text.extend(alike(span));
        }
        _ => text.push_str("; no cell has sums enough to tell what one of them costs."),
    }
    if let Some(best) = best(span) {
        text.push_str(&format!(
            " The span is shortest at {}, {} ms",
            shape(best),
            number::milliseconds(best.measured_ms)
        ));
        match kernel.and_then(self::best) {
            Some(kernel) => text.push_str(&format!(", the kernel at {}.", shape(kernel))),
            None => text.push('.'),
        }
    }
    if let (Some(error), Some(_)) = (span.median_error, kernel) {
        text.push_str(&format!(
            " The median error of the span is {} on the cells that the fit did not see.",
            percent(error)
        ));
    }
    text
}

/// That cells with equally many sums take equally long, where there are many sums.
fn alike(span: &Fit) -> Option<String> {
    let of = |sums: u64| span.cells.iter().filter(move |cell| partials(cell) == sums);
    let sums = span.cells.iter().map(partials);
    let sums = sums.filter(|&sums| of(sums).count() >= ALIKE).max()?;
    let ms = || of(sums).map(|cell| cell.measured_ms);
    Some(format!(
        " The {} cells with {sums} sums take {} to {} ms, whatever their blocks and threads.",
        of(sums).count(),
        number::milliseconds(ms().fold(f64::INFINITY, f64::min)),
        number::milliseconds(ms().fold(0.0, f64::max))
    ))
}

/// Whether the page's column agrees with the data sheet.
fn multiprocessors(fit: &Fit, page: &Page) -> String {
    let sheet = count(fit);
    let tried = format!(
        "{} The data sheet has {sheet}. Of {} to {}, ",
        heading(fit, "multiprocessors"),
        page.tried().start(),
        page.tried().end()
    );
    let Some((found, other)) = page.best.as_ref().filter(|best| best.0 != sheet) else {
        return format!("{tried}the times themselves fit {sheet} best.");
    };
    let blocks = fit.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
    let least = if *found >= blocks { " or more" } else { "" };
    let mut text = format!(
        "{tried}{found}{least} fit the times best, with a median error of {} instead of {} and \
         these constants: {}.",
        other.median_error.map(percent).unwrap_or_default(),
        fit.median_error.map(percent).unwrap_or_default(),
        other
            .constants
            .iter()
            .map(named)
            .collect::<Vec<_>>()
            .join(", ")
    );
    if let Some(best) = best(fit)
        && let Some(one) = measured(fit, 1, best.threads)
    {
        let times =
            |fit: &Fit| fit.predict(1, best.threads) / fit.predict(best.blocks, best.threads);
        text.push_str(&format!(
            " {} blocks of {} threads were {} times as fast as one such block; with {found} the model \
             predicts {}, with {sheet} {}.",
            best.blocks,
            best.threads,
            three(one / best.measured_ms),
            three(times(other)),
            three(times(fit))
        ));
    }
    text
}

fn measured(fit: &Fit, blocks: u32, threads: u32) -> Option<f64> {
    fit.cells
        .iter()
        .find(|cell| (cell.blocks, cell.threads) == (blocks, threads))
        .map(|cell| cell.measured_ms)
}
