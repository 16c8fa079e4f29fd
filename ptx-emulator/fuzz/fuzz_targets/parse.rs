//! Any text through the parser: a tree, or an error with its place.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = ptx_emulator::parse(text) {
        let lines = text.split('\n').count() as u32;
        assert!((1..=lines).contains(&error.position.line), "{error}");
    }
});
