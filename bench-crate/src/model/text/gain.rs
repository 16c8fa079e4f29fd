//! The paragraph on the page's question: why one thread is so much slower than the
//! best launch.

use super::super::machine::LANES;
use super::super::{Fit, Predicted};
use super::{best, count, heading, machine, measured, saturating_warps, shape, three};
use crate::number;

/// Why one thread is so much slower than the best launch, as factors that multiply
/// up to the predicted gain. `None` where one thread was not measured.
pub(super) fn gain(fit: &Fit, processors: Option<u32>) -> Option<String> {
    let best = best(fit)?;
    let one = measured(fit, 1, 1)?;
    let gain = one / best.measured_ms;
    let (blocks, threads) = (best.blocks, best.threads);
    let steps = [
        (1, threads.min(LANES), "the lanes of a warp"),
        (1, threads, "the warps of a block"),
        (blocks.min(count(fit)), threads, "the multiprocessors"),
        (blocks, threads, "the blocks that share one"),
    ];
    let mut before = fit.predict(1, 1);
    let mut factors = Vec::new();
    for (blocks, threads, what) in steps {
        let now = fit.predict(blocks, threads);
        factors.push(format!("{} for {what}", three(before / now)));
        before = now;
    }
    let counted = processors.map(|processors| {
        format!(
            " {processors} processors do not bound it, since one thread does not keep one \
             processor busy."
        )
    });
    Some(format!(
        "{} One thread takes {} ms, {} takes {} ms.{} One thread \
         has one of the {LANES} lanes of its warp{}. By the model the \
         gain is {}, which multiply to {:.0}; {gain:.0} is measured{}.",
        heading(fit, &format!("why a gain of {gain:.0} is possible")),
        number::milliseconds(one),
        shape(best),
        number::milliseconds(best.measured_ms),
        counted.unwrap_or_default(),
        idle(fit).unwrap_or_default(),
        factors.join(", times "),
        fit.predict(1, 1) / before,
        measured_way(fit, best).unwrap_or_default(),
    ))
}

/// What one thread leaves unused; no more than what a multiprocessor holds.
fn idle(fit: &Fit) -> Option<String> {
    let held = machine(fit).multiprocessors.max_threads / LANES;
    let warps = saturating_warps(fit)?.min(f64::from(held));
    let of_one = f64::from(LANES) * warps;
    Some(format!(
        ", and while it waits, {} warps could be served: it uses 1/{of_one:.0} of its \
         multiprocessor and 1/{:.0} of the device",
        three(warps),
        of_one * f64::from(count(fit))
    ))
}

/// The same way by the cells themselves, where they were measured.
fn measured_way(fit: &Fit, best: &Predicted) -> Option<String> {
    let one = measured(fit, 1, 1)?;
    let warp = measured(fit, 1, best.threads.min(LANES))?;
    let block = measured(fit, 1, best.threads)?;
    Some(format!(
        " ({} by lanes, {} by warps, {} by blocks)",
        three(one / warp),
        three(warp / block),
        three(block / best.measured_ms)
    ))
}
