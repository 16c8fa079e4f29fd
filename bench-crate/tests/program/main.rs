//! The program `quadscan`, as processes: its command line, what it prints and keeps, and how it ends.
//! Other runners have what needs a file, several processes, or a driver in the driver's place.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../ptx-emulator/tests/cli/matrix.rs"]
mod matrix;
#[path = "../common/slower.rs"]
mod slower;

mod activity;
mod artifact;
mod cli;
mod emulator;
mod interruption;
mod readme;
mod report;
mod results;
mod timed;
mod worker;
