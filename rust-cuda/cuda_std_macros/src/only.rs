//! Kernels that a build leaves out: `cuda_builder`'s `only` names those that it wants, in the
//! environment of the compiler, and the others are not worth compiling.
//!
//! What is left of another kernel is its name and its parameters, so that whatever imports it
//! compiles, and its description for the builder's manifest, which lists all. Nothing is left
//! out where nothing is named.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::kernel::Kernel;

/// The variable: the crate that it is about, `=`, and names with commas.
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
            names.split(',').any(|name| may_mean(name, entry, part))
        }
        // It is about another crate.
        _ => true,
    }
}

/// Whether a name may stand for a kernel: in any of the ways of `cuda_builder::names`, of which
/// the builder takes the first that finds one.
fn may_mean(name: &str, entry: &str, part: &str) -> bool {
    let is_behind_a_word = part.split_once('_').is_some_and(|(_, rest)| rest == name);
    let begins = entry
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with('_'));
    name == entry || name == part || is_behind_a_word || begins
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
    fn entries_parts_and_families_are_named_of_one_crate() {
        let is = |entry: &str, part: &str| is_named("kernels=scale,sums", "kernels", entry, part);
        assert!(is("scale", "main") && is("sum_f32", "sums"));
        assert!(is("scale_f32", "main") && is("add", "fast_sums"));
        assert!(!is("sum_f32", "main") && !is("scal", "sum") && !is("scaled", "main"));
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
