//! The least part of a program of which something still holds: parts are taken away while it does
//! (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions
//! on Software Engineering 28(2), 2002, without the complements of small parts).

use super::program::Program;

/// Programs that are tried: each is compiled by a driver.
const TRIALS: usize = 400;

/// The program without all that can be spared while `holds` says so of it.
pub fn shrink(program: &Program, mut holds: impl FnMut(&Program) -> bool) -> Program {
    let mut least = program.clone();
    let mut trials = TRIALS;
    let mut size = least.count().div_ceil(2);
    while size > 0 && trials > 0 {
        let mut is_smaller = false;
        let mut at = least.count();
        while at > 0 && trials > 0 {
            let start = at.saturating_sub(size);
            let parts = match size {
                1 => vec![least.without(&(start..at)), least.unwrapped(start)],
                _ => vec![least.without(&(start..at))],
            };
            for part in parts {
                if part.count() < least.count() && trials > 0 {
                    trials -= 1;
                    if holds(&part) {
                        least = part;
                        is_smaller = true;
                        break;
                    }
                }
            }
            // What was behind `start` may be gone.
            at = start.min(least.count());
        }
        if !is_smaller || size > 1 {
            size /= 2;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_launches::Generator;

    /// The lines of an entry that come of nodes.
    fn has(program: &Program, word: &str) -> bool {
        let text = program.text("k");
        text.lines().any(|line| line.starts_with(word))
    }

    #[test]
    fn what_does_not_matter_is_taken_away() {
        let generator = Generator::default();
        let launches = (1..60).map(|seed| generator.launch(seed));
        let mut tried = 0;
        for launch in launches {
            if launch.program.count() < 20 || !has(&launch.program, "redux.sync") {
                continue;
            }
            let least = shrink(&launch.program, |program| has(program, "redux.sync"));
            assert_eq!(least.count(), 1, "{}", least.text("k"));
            tried += 1;
        }
        assert!(tried > 3, "{tried} programs");
    }
}
