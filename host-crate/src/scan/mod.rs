//! Prefix scan of any number of elements.

pub mod textbook;
