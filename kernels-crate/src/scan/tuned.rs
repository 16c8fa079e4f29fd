//! What `cargo xtask tune scan` found: the constants of scans, a row a width class.
//!
//! The whole file is written by that command; what a row means, and which one holds for a class
//! that has none, is in [`tuning`](super::tuning).

use super::tuning::{Row, Stream, Thresholds, Tile};

/// Where and when they were measured.
pub const SWEPT: &str = "NVIDIA H200, 2026-11-23T02:29:14Z";

/// The rows.
#[rustfmt::skip]
pub const ROWS: [Row; 7] = [
    Row { element: 1, result: 1, one_block: Tile { warps: 32, rows: 1 }, one_wave_small: Tile { warps: 8, rows: 2 }, one_wave: Tile { warps: 8, rows: 4 },
        lookahead: Stream { workers: 9, times: 7, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 2929458, one_wave: 8388608 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 1, result: 4, one_block: Tile { warps: 8, rows: 1 }, one_wave_small: Tile { warps: 4, rows: 1 }, one_wave: Tile { warps: 16, rows: 2 },
        lookahead: Stream { workers: 9, times: 3, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 414539, one_wave: 0 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 1, result: 8, one_block: Tile { warps: 8, rows: 1 }, one_wave_small: Tile { warps: 4, rows: 1 }, one_wave: Tile { warps: 16, rows: 2 },
        lookahead: Stream { workers: 7, times: 1, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 102505, one_wave: 0 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 2, result: 2, one_block: Tile { warps: 32, rows: 2 }, one_wave_small: Tile { warps: 8, rows: 2 }, one_wave: Tile { warps: 8, rows: 4 },
        lookahead: Stream { workers: 9, times: 7, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 2532799, one_wave: 16777216 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 4, result: 4, one_block: Tile { warps: 32, rows: 2 }, one_wave_small: Tile { warps: 8, rows: 2 }, one_wave: Tile { warps: 8, rows: 4 },
        lookahead: Stream { workers: 9, times: 7, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 2325325, one_wave: 16777216 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 8, result: 8, one_block: Tile { warps: 32, rows: 1 }, one_wave_small: Tile { warps: 8, rows: 2 }, one_wave: Tile { warps: 16, rows: 4 },
        lookahead: Stream { workers: 9, times: 7, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 2724184, one_wave: 16777216 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
    Row { element: 16, result: 16, one_block: Tile { warps: 32, rows: 1 }, one_wave_small: Tile { warps: 8, rows: 1 }, one_wave: Tile { warps: 16, rows: 1 },
        lookahead: Stream { workers: 9, times: 7, delay: 4, ahead: 2 },
        sm_90: Thresholds { one_wave_small: 420056, one_wave: 1683624 }, older: Thresholds { one_wave_small: 524288, one_wave: 8388608 } },
];
