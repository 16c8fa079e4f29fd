//! Runs a launch: which blocks are resident, which warp and which path runs
//! next, what waits and who is stuck.
//!
//! `launch` divides blocks among host threads, `worker` gives a thread's
//! resident blocks turns, `warp` runs the paths of one warp, `step` an
//! instruction, `waiting` lets go on who waited.

mod launch;
mod step;
mod waiting;
mod warp;
mod worker;
