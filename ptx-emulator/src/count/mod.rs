//! Counters: observers that count instructions, lanes, bank conflicts and
//! sectors. A counter is a file here and an `Observer`.

mod classes;

pub use classes::Classes;
