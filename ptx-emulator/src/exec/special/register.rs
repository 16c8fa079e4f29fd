//! The special registers by name.

use crate::ir::Register;

/// `prefix` and a number below `count`.
fn numbered(name: &str, prefix: &str, count: u32) -> bool {
    name.strip_prefix(prefix)
        .and_then(|number| number.parse::<u32>().ok())
        .is_some_and(|number| number < count)
}

/// The register and its own width in bits.
pub(super) fn special(name: &str) -> Option<(Register, u32)> {
    let (base, axis) = match name.split_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some(_) => return None,
        None => (name, 3),
    };
    if axis < 3 {
        return Some(match base {
            "%tid" => (Register::Thread(axis), 32),
            "%ntid" => (Register::Threads(axis), 32),
            "%ctaid" => (Register::Block(axis), 32),
            "%nctaid" => (Register::Blocks(axis), 32),
            // Without clusters, each block is one.
            "%clusterid" => (Register::Block(axis), 32),
            "%nclusterid" => (Register::Blocks(axis), 32),
            "%cluster_ctaid" => (Register::Zero, 32),
            "%cluster_nctaid" => (Register::One, 32),
            _ => return None,
        });
    }
    Some(match base {
        "%laneid" => (Register::Lane, 32),
        "%warpid" => (Register::Warp, 32),
        "%nwarpid" => (Register::Warps, 32),
        "%lanemask_eq" => (Register::LaneMask(|lane| 1 << lane), 32),
        "%lanemask_lt" => (Register::LaneMask(|lane| (1 << lane) - 1), 32),
        "%lanemask_le" => (Register::LaneMask(|lane| u32::MAX >> (31 - lane)), 32),
        "%lanemask_gt" => (Register::LaneMask(|lane| !(u32::MAX >> (31 - lane))), 32),
        "%lanemask_ge" => (Register::LaneMask(|lane| u32::MAX << lane), 32),
        "%smid" => (Register::Sm, 32),
        "%nsmid" => (Register::Sms, 32),
        "%gridid" => (Register::Grid, 64),
        "%clock" => (Register::Clock, 32),
        "%clock_hi" => (Register::ClockHigh, 32),
        "%clock64" => (Register::Clock, 64),
        "%globaltimer" => (Register::Time, 64),
        "%globaltimer_lo" => (Register::TimeLow, 32),
        "%globaltimer_hi" => (Register::TimeHigh, 32),
        "%dynamic_smem_size" => (Register::DynamicShared, 32),
        "%total_smem_size" | "%aggr_smem_size" => (Register::TotalShared, 32),
        "%cluster_ctarank" => (Register::Zero, 32),
        "%cluster_nctarank" => (Register::One, 32),
        _ if numbered(name, "%envreg", 32) => (Register::Zero, 32),
        // Nothing is counted by the hardware's performance monitor.
        _ if numbered(name, "%pm", 8) => (Register::Zero, 32),
        _ if name
            .strip_suffix("_64")
            .is_some_and(|name| numbered(name, "%pm", 8)) =>
        {
            (Register::Zero, 64)
        }
        "%current_graph_exec" => (Register::Zero, 64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_masks_follow_the_isa() {
        let mask = |name: &str, lane| match special(name) {
            Some((Register::LaneMask(f), 32)) => f(lane),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(mask("%lanemask_eq", 5), 0x20);
        assert_eq!(mask("%lanemask_lt", 5), 0x1f);
        assert_eq!(mask("%lanemask_le", 5), 0x3f);
        assert_eq!(mask("%lanemask_gt", 5), 0xffff_ffc0);
        assert_eq!(mask("%lanemask_ge", 5), 0xffff_ffe0);
        assert_eq!(mask("%lanemask_gt", 31), 0);
        assert_eq!(mask("%lanemask_le", 31), u32::MAX);
    }
}
