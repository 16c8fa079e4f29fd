//! The paragraph on the page's question: why one thread is so much slower than the best launch.

use super::super::machine::LANES;
use super::super::{Fit, Predicted};
use super::{best, heading, machine, measured, saturating_warps, shape, sms, three};
use crate::number::milliseconds;

/// Why one thread is so much slower than the best launch, as factors that multiply up to the
/// predicted gain. `None` where one thread was not measured.
pub(super) fn gain(fit: &Fit, processors: Option<u32>) -> Option<String> {
    let best = best(fit)?;
    let one = measured(fit, 1, 1)?;
    let gain = one / best.measured_ms;
    let (blocks, threads) = (best.blocks, best.threads);
    let steps = [
        (1, threads.min(LANES), "the lanes of a warp"),
        (1, threads, "the warps of a block"),
        (blocks.min(sms(fit)), threads, "the SMs"),
        (blocks, threads, "the blocks that share one"),
    ];
    let mut before = fit.predict(1, 1);
    let factors = steps.map(|(blocks, threads, what)| {
        let now = fit.predict(blocks, threads);
        let factor = std::mem::replace(&mut before, now) / now;
        format!("{} for {what}", three(factor))
    });
    let counted = processors.map_or(String::new(), |processors| {
        format!(
            " {processors} processors do not bound it, since one thread does not keep one \
             processor busy."
        )
    });
    let heading = heading(fit, &format!("why a gain of {gain:.0} is possible"));
    let (slow, at, fast) = (
        milliseconds(one),
        shape(best),
        milliseconds(best.measured_ms),
    );
    let (idle, factors) = (idle(fit).unwrap_or_default(), factors.join(", times "));
    let product = fit.predict(1, 1) / before;
    let way = measured_way(fit, best).unwrap_or_default();
    Some(format!(
        "{heading} One thread takes {slow} ms, {at} takes {fast} ms.{counted} One thread has one \
         of the {LANES} lanes of its warp{idle}. By the model the gain is {factors}, which \
         multiply to {product:.0}; {gain:.0} is measured{way}."
    ))
}

/// What one thread leaves unused; no more than what an SM holds.
fn idle(fit: &Fit) -> Option<String> {
    let held = machine(fit).sms.max_threads / LANES;
    let warps = saturating_warps(fit)?.min(f64::from(held));
    let of_one = f64::from(LANES) * warps;
    let (warps, of_all) = (three(warps), of_one * f64::from(sms(fit)));
    Some(format!(
        ", and while it waits, {warps} warps could be served: it uses 1/{of_one:.0} of its SM and \
         1/{of_all:.0} of the device"
    ))
}

/// The same way by the cells themselves, where they were measured.
fn measured_way(fit: &Fit, best: &Predicted) -> Option<String> {
    let one = measured(fit, 1, 1)?;
    let warp = measured(fit, 1, best.threads.min(LANES))?;
    let block = measured(fit, 1, best.threads)?;
    let [lanes, warps, blocks] = [one / warp, warp / block, block / best.measured_ms].map(three);
    Some(format!(
        " ({lanes} by lanes, {warps} by warps, {blocks} by blocks)"
    ))
}
