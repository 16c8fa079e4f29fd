//! The law: how long a launch takes by blocks and threads.
//!
//! A thread does its terms one after the other, and waits a latency for each. An SM that has
//! enough warps is limited by its issue rate instead. The fullest SM determines the time; blocks
//! that it cannot hold at once come in waves.

use super::machine::{Machine, warps};

/// The law with its constants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Law {
    pub(super) machine: Machine,
    pub(super) strips: u64,
    /// Time of a term of a warp that is alone, ns.
    pub(super) latency_ns: f64,
    /// Time that an SM full of warps takes for a term of one warp, ns.
    pub(super) issue_ns: f64,
    /// How sharply the one bound takes over from the other: 1 is their sum,
    /// infinity the larger one.
    pub(super) sharpness: f64,
    /// What many blocks that share an SM lose, as a part of the bound of
    /// issue.
    pub(super) sharing: f64,
    /// What every launch costs, us.
    pub(super) fixed_us: f64,
    /// What every partial sum costs, ns.
    pub(super) partial_ns: f64,
}

impl Law {
    /// ms.
    pub(super) fn ms(&self, blocks: u32, threads: u32) -> f64 {
        let resident = self.machine.resident_blocks(threads);
        let most = self.machine.most_blocks(blocks);
        let terms = self.terms(blocks, threads);
        let (full, rest) = (most / resident, most % resident);
        let mut ns = f64::from(full) * self.wave_ns(resident, threads, terms);
        if rest > 0 {
            ns += self.wave_ns(rest, threads, terms);
        }
        let partials = f64::from(blocks) * f64::from(threads);
        (ns + self.partial_ns * partials) / 1e6 + self.fixed_us / 1e3
    }

    /// Terms of a thread.
    pub(super) fn terms(&self, blocks: u32, threads: u32) -> f64 {
        self.strips as f64 / (f64::from(blocks) * f64::from(threads))
    }

    /// Blocks that share an SM for their whole time.
    fn wave_ns(&self, blocks: u32, threads: u32, terms: f64) -> f64 {
        let together = f64::from(blocks);
        let latency = self.latency_ns * terms;
        let issue = self.issue_ns * together * f64::from(warps(threads)) * terms;
        let bound = latency.max(issue);
        // (latency^s + issue^s)^(1/s), of which a fit takes millions.
        let other = self.sharpness * (latency.min(issue) / bound).ln();
        let both = (other.exp().ln_1p() / self.sharpness).exp();
        let busy = issue / (latency + issue);
        bound * both * (1.0 + self.sharing * (1.0 - 1.0 / together) * busy)
    }

    /// Warps on one SM at which latency and issue bound alike.
    pub(super) fn saturating_warps(&self) -> f64 {
        self.latency_ns / self.issue_ns
    }

    /// The time in which all SMs, full of warps, would do the terms and
    /// nothing else, ms.
    pub(super) fn floor_ms(&self) -> f64 {
        let warp_terms = self.strips as f64 / f64::from(super::machine::LANES);
        warp_terms / f64::from(self.machine.sms.count) * self.issue_ns / 1e6
    }
}
