//! A limit on the time of a launch: neither a GPU nor a driver's compiler lets go of one that does not
//! end, so the process ends, and says which launch it was.

use std::process;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Most launches take a thousandth of it, and most modules a tenth.
const LIMIT: Duration = Duration::from_secs(30);

/// The exit code of a process with a launch that does not end.
pub(super) const STUCK: i32 = 3;

/// What this process does, and since when.
static STEP: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// Says what is done next: of the launch of this seed, or of a module that begins with it.
pub(super) fn begin(seed: u64, what: &str) {
    *step() = Some((line(seed, what), Instant::now()));
}

/// Ends the process when a step takes longer than the limit.
pub(super) fn watch() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            if let Some((name, since)) = &*step()
                && since.elapsed() > LIMIT
            {
                println!("{name}");
                process::exit(STUCK);
            }
        }
    });
}

fn step() -> std::sync::MutexGuard<'static, Option<(String, Instant)>> {
    STEP.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn line(seed: u64, what: &str) -> String {
    format!(
        "seed {seed}: {what} does not end within {} s",
        LIMIT.as_secs()
    )
}

/// The seed of such a line.
pub(super) fn stuck(line: &str) -> Option<u64> {
    let (seed, rest) = line.strip_prefix("seed ")?.split_once(": ")?;
    rest.contains("does not end within")
        .then(|| seed.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_of_a_launch_that_does_not_end_is_read_from_its_line() {
        assert_eq!(stuck(&line(5437, "its launch on the GPU")), Some(5437));
        assert_eq!(stuck("seed 5437: 3 words differ"), None);
        assert_eq!(stuck("9 of 10 launches have the same bits"), None);
    }
}
