//! Kernels that a build leaves out: `cuda_builder`'s `only` names those that it wants, in the
//! environment of the compiler, and the others are not worth compiling.
//!
//! What is left of another kernel is its name and its parameters, so that whatever imports it
//! compiles. Nothing is left out where nothing is named.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::kernel::Kernel;

/// The variable: the crate that it is about, `=`, and names of entries and parts with commas.
const VARIABLE: &str = "CUDA_BUILDER_ONLY";

/// The part of kernels that name none.
const MAIN: &str = "main";

/// Words that make a body more than its kernel's: an `impl` in it holds everywhere.
const REACHES_OUT: [&str; 2] = ["impl", "macro_rules"];

/// Whether a kernel's body is compiled for the device.
pub(crate) fn is_wanted(kernel: &Kernel) -> bool {
    let Ok(named) = std::env::var(VARIABLE) else {
        return true;
    };
    let this_crate = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    let part = kernel.options.part.as_deref().unwrap_or(MAIN);
    is_named(&named, &this_crate, &kernel.name(), part)
        || reaches_out(kernel.function.block.to_token_stream())
}

fn is_named(named: &str, this_crate: &str, entry: &str, part: &str) -> bool {
    match named.split_once('=') {
        Some((of, names)) if of == this_crate => {
            names.split(',').any(|name| name == entry || name == part)
        }
        // It is about another crate.
        _ => true,
    }
}

fn reaches_out(body: TokenStream) -> bool {
    body.into_iter().any(|token| match token {
        TokenTree::Ident(word) => REACHES_OUT.iter().any(|name| word == name),
        TokenTree::Group(group) => reaches_out(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_parts_are_named_of_one_crate() {
        let is = |entry: &str, part: &str| is_named("kernels=scale,sums", "kernels", entry, part);
        assert!(is("scale", "main") && is("sum_f32", "sums"));
        assert!(!is("sum_f32", "main") && !is("scal", "sum"));
        assert!(is_named("kernels=scale", "library", "other", "main"));
    }

    #[test]
    fn a_body_that_others_see_is_wanted() {
        let of = |text: &str| reaches_out(text.parse().expect("tokens"));
        assert!(of("{ { impl Trait for Type {} } }"));
        assert!(of("{ macro_rules! own { () => {} } }"));
        assert!(!of("{ let implied = 1; }"));
    }
}
