//! How an integral adapts: what is believed of its sums, where regions are cut, and what nodes they get.
//!
//! A host decides for one integral with any number of regions, a thread of the device for each of many
//! with few ([`members`]): both run this code, whose outcomes have the same bits there.

use core::ops::DerefMut;

use bytemuck::{Pod, Zeroable};

use super::region::MAX_DIMENSIONS;

mod axis;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod decide;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod fixed;
pub mod members;
mod nodes;
pub mod part;
mod refine;
pub mod rounds;

pub use refine::goal_of_whole;

/// Where a region is cut, axis by axis.
pub type Places = [Option<f64>; MAX_DIMENSIONS];

/// What is asked of integrals.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Question {
    /// A lower and an upper limit of each dimension, the lower one first.
    pub limits: [[f64; 2]; MAX_DIMENSIONS],
    /// Of these there are
    pub dimensions: u64,
    /// The absolute tolerance,
    pub absolute: f64,
    /// and that relative to the integral's magnitude; the larger one counts.
    pub relative: f64,
    /// The most regions,
    pub regions: u64,
    /// and evaluations in rules.
    pub evaluations: u64,
}

// SAFETY: zeros are a value of every field.
unsafe impl Zeroable for Question {}
// SAFETY: 25 numbers of 8 bytes.
unsafe impl Pod for Question {}

/// What grows while an integral adapts: a vector of the host, or memory of the device that has an end.
pub trait List<T>: DerefMut<Target = [T]> {
    /// Puts an item behind the others.
    fn push(&mut self, item: T);
    /// Takes all of them away.
    fn clear(&mut self);
    /// Puts them in order.
    fn sort(&mut self)
    where
        T: Ord;
    /// Whether an item was pushed for which there was no place.
    fn is_over(&self) -> bool;
}

#[cfg(not(target_os = "cuda"))]
impl<T> List<T> for alloc::vec::Vec<T> {
    fn push(&mut self, item: T) {
        self.push(item);
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn sort(&mut self)
    where
        T: Ord,
    {
        self.sort_unstable();
    }

    fn is_over(&self) -> bool {
        false
    }
}
