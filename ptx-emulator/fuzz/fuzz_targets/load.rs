//! Any text through the loader, and what a program says of itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_emulator::Program;

fuzz_target!(|text: &str| {
    match Program::load(text) {
        Ok(program) => {
            for kernel in program.kernels() {
                assert!(program.parameters(kernel).is_some(), "{kernel}");
                let _ = program.shared(kernel);
            }
            for pc in 0..8 {
                let _ = (program.statement(pc), program.source_stack(pc));
                let _ = (program.authors_line(pc), program.line(pc));
            }
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            // All refusals are found, and the one of the loader among them.
            if let Ok(refusals) = ptx_emulator::refusals(text) {
                assert!(!refusals.is_empty(), "{error}");
            }
        }
    }
});
