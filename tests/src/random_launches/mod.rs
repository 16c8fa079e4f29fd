//! Random launches: a seed makes a program, its launch shape and its input, and the emulator
//! gives the bits of a GPU.
//!
//! - [`program`]: a program as a tree, and its PTX;
//! - `instructions`, `memory`: lines of it; `generate`: the tree from a seed;
//! - [`run`]: launches on a device; [`shrink`]: the least program on which two devices differ;
//! - [`command`]: `fixtures random`, both devices on any number of seeds; `limit`: no launch holds it
//!   up.

pub mod command;
mod generate;
mod instructions;
mod limit;
mod memory;
pub mod program;
pub mod run;
pub mod shrink;
#[cfg(test)]
mod tests;

use crate::probes::operands::{Domain, Random};
use instructions::Forms;
use program::{CELLS, INPUTS, Program, THREADS};

/// A launch that a seed makes.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What it was made of.
    pub seed: u64,
    /// Blocks of the grid and threads of a block.
    pub shape: (u32, u32),
    /// The last parameter, the same for all threads.
    pub flags: u32,
    /// Words of each thread.
    pub inputs: Vec<u64>,
    /// Words of all threads, before the launch.
    pub cells: [u64; CELLS],
    /// What is run.
    pub program: Program,
}

/// Makes launches.
pub struct Generator(Forms);

impl Default for Generator {
    fn default() -> Self {
        Generator(Forms::new())
    }
}

impl Generator {
    /// The launch of a seed.
    pub fn launch(&self, seed: u64) -> Launch {
        let mut random = Random::named(seed, "random launches");
        let shape = (
            random.pick(&[1, 2, 3]),
            random.pick(&[32, 64, 96, THREADS, 40, 17]),
        );
        let flags = random.bits() as u32;
        let domains: [Domain; INPUTS] = std::array::from_fn(|place| domain(&mut random, place));
        let threads = (shape.0 * shape.1) as usize;
        let mut inputs = Vec::with_capacity(threads * INPUTS);
        for _ in 0..threads {
            inputs.extend(domains.iter().map(|domain| domain.random(&mut random)));
        }
        Launch {
            seed,
            shape,
            flags,
            inputs,
            cells: std::array::from_fn(|_| random.bits()),
            program: generate::program(&mut random, &self.0, shape.1.is_multiple_of(32)),
        }
    }
}

/// What the values of a register are: 10 of 32 bits, 6 of 64 and 5 of 16.
fn domain(random: &mut Random, place: usize) -> Domain {
    use Domain::{Angle, BF16, BF16x2, F16, F16x2, F32, F64, Few, I16, I32, I64};
    match place {
        0..10 => random.pick(&[F32, F32, I32, I32, F16x2, BF16x2, Angle, Few]),
        10..16 => random.pick(&[F64, I64]),
        _ => random.pick(&[F16, BF16, I16]),
    }
}
