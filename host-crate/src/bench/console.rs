//! Where a run's words go. The run says what it has to say; `main.rs` decides
//! that results go to standard output and the rest to standard error.

/// What a run talks to.
pub trait Console {
    /// A part of the results, line ends included.
    fn result(&mut self, text: &str);
    /// Whether a part of the results could not be written: what is left of the run
    /// would not be heard either.
    fn is_lost(&self) -> bool;
    /// One sentence for the person who runs it: a warning or a reason.
    fn notice(&mut self, sentence: &str);
    /// `done` of `total` cells are measured, `cell` is next.
    fn progress(&mut self, done: usize, total: usize, cell: &str);
    /// No more progress.
    fn finish(&mut self);
}
