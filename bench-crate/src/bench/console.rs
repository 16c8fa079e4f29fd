//! Where the output of a run goes. `main.rs` decides that results go to standard output and
//! the rest to standard error.

use super::progress::Progress;

/// What a run talks to.
pub trait Console {
    /// A part of the results, line ends included.
    fn result(&mut self, text: &str);
    /// The columns of the terminal that shows the results, where they are known: the width that
    /// the environment's `COLUMNS` says, else the terminal's own.
    fn width(&self) -> Option<usize>;
    /// Whether a part of the results could not be written: what is left of the run
    /// would not be heard either.
    fn is_lost(&self) -> bool;
    /// One sentence for the person who runs it: a warning or a reason.
    fn notice(&mut self, sentence: &str);
    /// A table begins or has ended, in one sentence: for those who see no bar.
    fn milestone(&mut self, sentence: &str);
    /// How far the run is, before every cell.
    fn progress(&mut self, progress: &Progress<'_>);
    /// No more progress.
    fn finish(&mut self);
}
