//! The program `xtask`, which tests run.

use std::process::Command;

/// The one that runs the tests, which is of these sources; without one `cargo`, a command that begins with
/// `cargo run`, builds and runs it.
pub fn xtask(cargo: impl FnOnce() -> Command) -> Command {
    match std::env::var_os("QUADSCAN_XTASK") {
        Some(built) => Command::new(built),
        None => {
            let mut command = cargo();
            command.args(["--quiet", "--release", "--package", "xtask", "--"]);
            command
        }
    }
}
