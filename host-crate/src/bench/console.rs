//! Where a run's words go. The run says what it has to say; `main.rs` decides
//! that results go to standard output and the rest to standard error.

/// What a run talks to.
pub trait Console {
    /// A part of the results, line ends included.
    fn result(&mut self, text: &str);
    /// One sentence for the person who runs it: a warning or a reason.
    fn notice(&mut self, sentence: &str);
    /// `done` of `total` cells are measured, `cell` is next.
    fn progress(&mut self, done: usize, total: usize, cell: &str);
    /// No more progress.
    fn finish(&mut self);
}
