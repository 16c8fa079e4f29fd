use cuda_std::kernel;
use cuda_std::warp::{self, WarpReductionOp};

#[kernel]
pub unsafe fn warp_lanes(out: *mut u32) {
    let masks = warp::lanemask_lt()
        ^ warp::lanemask_le()
        ^ warp::lanemask_eq()
        ^ warp::lanemask_ge()
        ^ warp::lanemask_gt();
    warp::sync_warp(u32::MAX);
    *out.add(warp::lane_id() as usize) =
        masks ^ warp::activemask() ^ u32::from(warp::elect(u32::MAX));
}

#[kernel]
pub unsafe fn warp_shuffles(out: *mut f64) {
    let lane = warp::lane_id();
    let (a, ok) = warp::warp_shuffle_xor(u32::MAX, lane as i8, 1, 32);
    let (b, _) = warp::warp_shuffle_up(u32::MAX, lane as u16, 1, 16);
    let (c, _) = warp::warp_shuffle_down(u32::MAX, lane as f32, 2, 32);
    let (d, _) = warp::warp_shuffle_idx(u32::MAX, lane as f64, 3, 8);
    let (e, _) = warp::warp_shuffle_xor(u32::MAX, i64::from(lane), 4, 32);
    let (f, _) = warp::warp_shuffle_down(u32::MAX, u128::from(lane), 8, 32);
    let g = warp::shuffle_up(u32::MAX, lane, 1);
    *out.add(lane as usize) = f64::from(a)
        + f64::from(b)
        + f64::from(c)
        + d
        + e as f64
        + f as f64
        + f64::from(g)
        + f64::from(ok);
}

#[kernel]
pub unsafe fn warp_votes(out: *mut u32) {
    let lane = warp::lane_id();
    let votes = u32::from(warp::warp_vote_all(u32::MAX, lane < 40))
        + u32::from(warp::warp_vote_any(u32::MAX, lane == 7));
    let ballot = warp::warp_vote_ballot(u32::MAX, lane % 3 == 0);
    let same = warp::warp_match_any(u32::MAX, lane / 4)
        ^ warp::warp_match_any(u32::MAX, u64::from(lane & 1));
    let all = warp::warp_match_all(u32::MAX, 5.0f64).unwrap_or(0);
    *out.add(lane as usize) = votes + ballot + same + all;
}

#[kernel]
pub unsafe fn warp_reductions(out: *mut u32) {
    let lane = warp::lane_id();
    let sum = warp::warp_reduce(u32::MAX, lane, WarpReductionOp::Add);
    let least = warp::warp_reduce(u32::MAX, lane as i32 - 16, WarpReductionOp::Min);
    let bits = warp::warp_reduce(u32::MAX, 1 << lane, WarpReductionOp::Or);
    *out = sum + least as u32 + bits;
}
