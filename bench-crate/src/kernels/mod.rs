//! Kernels that are launched by themselves: a file each has the launch that applications
//! call, and what the table `kernels` times.
//!
//! [`ALL`] is the list of that table's rows; `cargo xtask new-kernel` adds to it, and a
//! kernel that is in it needs no table of its own. What is timed is the launch alone, on
//! arrays that are on the device already, and its result is compared with one from the host.

pub mod limit_copy;

use quadscan::Result;
use quadscan::device::Module;

/// A kernel that the table `kernels` has rows of.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its entry.
    pub name: &'static str,
    /// The module of PTX that has it.
    pub module: &'static str,
    /// Bytes that it reads and writes at least, of so many elements.
    pub bytes: fn(u64) -> u64,
    /// Its arrays of so many elements, which are not 0, on the device.
    pub prepare: fn(&Module, u64) -> Result<Box<dyn Prepared>>,
}

/// A kernel with its arrays.
pub trait Prepared {
    /// Launches it once. Asynchronous. Errors are the device's.
    fn launch(&mut self) -> Result<()>;

    /// What is wrong with the result of the launches so far, in one sentence, if anything
    /// is. Errors are the device's.
    fn difference(&self) -> Result<Option<String>>;
}

/// All of them, in the order of their rows.
pub const ALL: &[Kernel] = &[limit_copy::KERNEL];

/// The kernel of a name.
pub fn by_name(name: &str) -> Option<&'static Kernel> {
    ALL.iter().find(|kernel| kernel.name == name)
}

/// Where two arrays differ first, in words; none where they are the same.
pub fn first_difference<T: PartialEq + std::fmt::Debug>(
    found: &[T],
    expected: &[T],
) -> Option<String> {
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        return Some(format!("there are {found} results, not {expected}"));
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b)?;
    let (found, expected) = (&found[at], &expected[at]);
    Some(format!("result {at} is {found:?}, not {expected:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_kernels() {
        for kernel in ALL {
            let of_the_name = ALL.iter().filter(|other| other.name == kernel.name);
            assert_eq!(of_the_name.count(), 1, "{}", kernel.name);
            assert!(by_name(kernel.name).is_some());
        }
        assert!(by_name("no_such_kernel").is_none());
    }

    #[test]
    fn the_first_result_that_differs_is_told() {
        assert_eq!(first_difference(&[1, 2], &[1, 2]), None);
        let said = first_difference(&[1, 2, 3], &[1, 5, 6]);
        assert_eq!(said.as_deref(), Some("result 1 is 2, not 5"));
        let said = first_difference(&[1], &[1, 5]);
        assert_eq!(said.as_deref(), Some("there are 1 results, not 2"));
    }
}
