//! Any text through the loader, and what a program says of itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_emulator::Program;

fuzz_target!(|text: &str| {
    match Program::load(text) {
        Ok(program) => {
            for kernel in program.kernels() {
                assert!(program.parameters(kernel).is_some(), "{kernel}");
            }
            for pc in 0..8 {
                let _ = (program.statement(pc), program.source(pc), program.line(pc));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
