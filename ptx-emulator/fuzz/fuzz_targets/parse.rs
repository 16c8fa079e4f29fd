//! Any text through the parser: a tree, whose print is the same tree, or an error with its place.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match ptx_syntax::parse(text) {
        Ok(module) => assert_eq!(ptx_syntax::parse(&module.to_string()).as_ref(), Ok(&module)),
        Err(error) => {
            let lines = text.split('\n').count() as u32;
            assert!((1..=lines).contains(&error.position.line), "{error}");
        }
    }
});
