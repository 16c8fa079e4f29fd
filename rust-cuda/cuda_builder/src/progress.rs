//! What a build says of itself while it works, to whoever asked for it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use crate::NvvmArch;

/// A step of a build, as [`CudaBuilder::progress`](crate::CudaBuilder::progress) is told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'p> {
    /// The crate and what it needs are compiled to bitcode for an architecture.
    Compiling(NvvmArch),
    /// The PTX of a part is there.
    Part {
        /// The architecture.
        arch: NvvmArch,
        /// The part's name.
        name: &'p str,
        /// How many parts of the architecture there are by now.
        done: usize,
        /// How many there will be.
        of: usize,
        /// Since the build began.
        elapsed: Duration,
    },
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::Compiling(arch) => write!(f, "compiling bitcode for {arch}"),
            Progress::Part {
                arch,
                name,
                done,
                of,
                elapsed,
            } => {
                let seconds = elapsed.as_secs_f64();
                write!(f, "{name} for {arch} done, {done} of {of}, {seconds:.1} s")?;
                // As long a part as before.
                match of.saturating_sub(*done) as f64 * seconds / (*done).max(1) as f64 {
                    left if left >= 1.0 => write!(f, ", about {left:.0} s left"),
                    _ => Ok(()),
                }
            }
        }
    }
}

type Listener = dyn Fn(Progress<'_>) + Send + Sync;

/// Who is told, where anybody is.
#[derive(Clone, Default)]
pub(crate) struct Report {
    listener: Option<Arc<Listener>>,
}

/// The parts of one architecture that are done.
pub(crate) struct Count<'r> {
    report: &'r Report,
    arch: NvvmArch,
    begin: SystemTime,
    done: AtomicUsize,
    of: usize,
}

impl Report {
    pub(crate) fn new(listener: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        Report {
            listener: Some(Arc::new(listener)),
        }
    }

    pub(crate) fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn say(&self, progress: Progress<'_>) {
        if let Some(listener) = &self.listener {
            listener(progress);
        }
    }

    pub(crate) fn count(&self, arch: NvvmArch, begin: SystemTime, of: usize) -> Count<'_> {
        Count {
            report: self,
            arch,
            begin,
            done: AtomicUsize::new(0),
            of,
        }
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").finish_non_exhaustive()
    }
}

impl Count<'_> {
    pub(crate) fn done(&self, name: &str) {
        self.report.say(Progress::Part {
            arch: self.arch,
            name,
            done: self.done.fetch_add(1, Ordering::Relaxed) + 1,
            of: self.of,
            elapsed: self.begin.elapsed().unwrap_or_default(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_how_long_the_others_may_take() {
        let of = |done, of| {
            let elapsed = Duration::from_secs(6);
            let name = "main";
            let arch = NvvmArch::Compute90;
            Progress::Part {
                arch,
                name,
                done,
                of,
                elapsed,
            }
            .to_string()
        };
        assert_eq!(
            of(2, 5),
            "main for sm_90 done, 2 of 5, 6.0 s, about 9 s left"
        );
        assert_eq!(of(5, 5), "main for sm_90 done, 5 of 5, 6.0 s");
    }
}
