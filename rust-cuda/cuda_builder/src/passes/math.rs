//! How exact floating-point arithmetic has to be.
//!
//! Said instruction by instruction and function by function, never by LLVM's
//! process-wide options: two builds in one process may differ.

use crate::llvm::{Module, Opcode};
use crate::options::Options;

/// LLVM's fast-math flags.
const ALLOW_CONTRACT: u32 = 1 << 5;
const APPROXIMATE: u32 = 1 << 6;

/// Applies contraction, flushing of denormals, and approximate division and
/// square root.
pub(crate) fn apply(module: &Module, options: &Options) {
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        if options.ftz {
            function.flush_f32_denormals();
        }
        for instruction in function.instructions() {
            match instruction.opcode() {
                Opcode::FAdd | Opcode::FSub | Opcode::FMul if options.fma_contraction => {
                    instruction.add_fast_math(ALLOW_CONTRACT);
                }
                Opcode::FDiv if options.fast_div && instruction.is_f32() => {
                    instruction.add_fast_math(APPROXIMATE);
                }
                Opcode::Call if options.fast_sqrt && instruction.is_f32() => {
                    let callee = instruction.callee().map(|callee| callee.name());
                    if callee.is_some_and(|name| name.starts_with("llvm.sqrt.")) {
                        instruction.add_fast_math(APPROXIMATE);
                    }
                }
                _ => {}
            }
        }
    }
}
