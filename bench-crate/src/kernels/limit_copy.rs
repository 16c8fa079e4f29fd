//! The copy, whose rate the others are compared with: no kernel that reads and writes as
//! many bytes is faster.

use crate::limit::{self, COPIED_BY_A_THREAD};
use quadscan::Result;
use quadscan::device::{Buffer, Module};

use super::{Kernel, Prepared, first_difference};

/// Threads of a block.
const THREADS: u32 = 256;

/// Its rows in the table `kernels`: elements are of 4 bytes, and blocks are whole.
pub const KERNEL: Kernel = Kernel {
    name: "limit_copy",
    module: "main",
    bytes: |n| 2 * u64::from(blocks(n)) * u64::from(THREADS) * COPIED_BY_A_THREAD as u64,
    prepare: |module, n| {
        let vectors = blocks(n) as usize * THREADS as usize * COPIED_BY_A_THREAD / 16;
        let source: Vec<[u32; 4]> = (0..vectors as u32).map(|i| [i, !i, i << 8, 7]).collect();
        Ok(Box::new(Copy {
            module: module.clone(),
            blocks: blocks(n),
            input: module.device().upload(&source)?,
            output: module.device().alloc_zeroed(vectors)?,
            source,
        }))
    },
};

/// Blocks that copy `n` elements, or a few more.
fn blocks(n: u64) -> u32 {
    let of_a_block = u64::from(THREADS) * COPIED_BY_A_THREAD as u64 / 4;
    n.div_ceil(of_a_block) as u32
}

struct Copy {
    module: Module,
    blocks: u32,
    input: Buffer<[u32; 4]>,
    output: Buffer<[u32; 4]>,
    source: Vec<[u32; 4]>,
}

impl Prepared for Copy {
    fn launch(&mut self) -> Result<()> {
        let shape = (self.blocks, THREADS);
        limit::copy(&self.module, shape, &self.input, &mut self.output)
    }

    fn difference(&self) -> Result<Option<String>> {
        Ok(first_difference(&self.output.to_vec()?, &self.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_blocks_copy_what_is_asked_for() {
        // A block copies 4096 elements of 4 bytes.
        assert_eq!([1, 4096, 4097].map(blocks), [1, 1, 2]);
        assert_eq!((KERNEL.bytes)(1 << 20), 8 << 20);
    }
}
