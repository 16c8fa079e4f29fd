//! What a program of the host takes from a file of kernels: its tokens, without what only a
//! device runs. Pure.
//!
//! Left out are
//!
//! - bodies of `#[kernel]` functions, which the host type-checks and never runs;
//! - private functions that nothing else in the file names but these bodies and each other.
//!   No other file can name them, unless the file has modules in files of their own or calls
//!   macros that make items, which may make names: then they stay;
//! - items under `#[cfg(test)]`, comments, and what documents an item.
//!
//! Where two versions of a file have the same interface, programs built from either run the
//! same code on the host. Whether the new one compiles there is another question.

use std::collections::BTreeSet;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use serde::{Deserialize, Serialize};

/// Words that make a body more than its kernel's: an `impl` in it holds everywhere.
const REACHES_OUT: [&str; 2] = ["impl", "macro_rules"];

/// Attributes of a private function that give it no other user.
const HARMLESS: [&str; 6] = ["inline", "doc", "allow", "expect", "must_use", "cold"];

/// What the host takes of a file of kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Interface {
    tokens: String,
}

impl Interface {
    /// `None` where the text is not made of Rust's tokens.
    pub(super) fn of(text: &str) -> Option<Self> {
        let items = items(TokenStream::from_str(text).ok()?);
        let unseen = unseen(&items);
        let mut tokens = String::new();
        for (place, item) in items.iter().enumerate() {
            if item.is_test || unseen.contains(&place) {
                continue;
            }
            tokens.push_str(&TokenStream::from_iter(item.seen.iter().cloned()).to_string());
            tokens.push('\n');
        }
        Some(Interface { tokens })
    }
}

/// An item of a file, as far as it matters.
#[derive(Debug, Default)]
struct Item {
    /// Its tokens, a kernel's without the body.
    seen: Vec<TokenTree>,
    is_test: bool,
    /// The name of a function.
    function: Option<String>,
    /// A function that only this file can name, at run time alone.
    is_private: bool,
    /// A module in another file, or a macro that makes items.
    hides_names: bool,
}

/// The tokens of a file, item by item; those of modules within the file stay together.
fn items(stream: TokenStream) -> Vec<Item> {
    let mut tokens = stream.into_iter().peekable();
    let mut items = Vec::new();
    let mut current = Vec::new();
    while let Some(token) = tokens.next() {
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            // Behind a `{N}` in a type or a value there is more of it.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let more = |next: &TokenTree| match next {
                    TokenTree::Punct(punct) => punct.as_char() != '#',
                    TokenTree::Group(_) => true,
                    TokenTree::Ident(word) => word == "else",
                    TokenTree::Literal(_) => false,
                };
                !tokens.peek().is_some_and(more)
            }
            _ => false,
        };
        current.push(token);
        if ends {
            items.push(item(std::mem::take(&mut current)));
        }
    }
    if !current.is_empty() {
        items.push(item(current));
    }
    items
}

fn item(tokens: Vec<TokenTree>) -> Item {
    let (attributes, rest) = attributes(&tokens);
    let before = &tokens[..tokens.len() - rest.len()];
    let named = |name: &str| attributes.iter().any(|attribute| path(attribute) == name);
    let words: Vec<String> = rest
        .iter()
        .map_while(|token| match token {
            TokenTree::Ident(word) => Some(word.to_string()),
            // The string of `extern "C"`.
            TokenTree::Literal(literal) => Some(literal.to_string()),
            // That of `pub(crate)`.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                Some(String::new())
            }
            _ => None,
        })
        .collect();
    let keyword = words.iter().position(|word| word == "fn");
    let function = keyword.and_then(|at| words.get(at + 1).cloned());
    let qualifiers = &words[..keyword.unwrap_or(0)];
    let is_macro = matches!(&rest, [TokenTree::Ident(word), TokenTree::Punct(punct), ..]
        if punct.as_char() == '!' && word != "macro_rules");
    let is_path_macro = words.len() < 2
        && matches!(rest.get(words.len()), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let is_module = matches!(tokens.last(), Some(TokenTree::Punct(_)))
        && words.iter().any(|word| word == "mod");
    let is_kernel = named("kernel") && function.is_some();
    let mut seen = undocumented(before);
    seen.extend_from_slice(rest);
    let body = match seen.last() {
        Some(TokenTree::Group(body)) if function.is_some() => Some(body.stream()),
        _ => None,
    };
    // Of a function that stays within its body.
    let is_contained =
        body.is_some_and(|body| !has_word(&body, &|word| REACHES_OUT.contains(&word)));
    if is_kernel && is_contained {
        let empty = Group::new(Delimiter::Brace, TokenStream::new());
        seen.pop();
        seen.push(TokenTree::Group(empty));
    }
    let is_test = attributes
        .iter()
        .any(|attribute| attribute.to_string().replace(' ', "") == "cfg(test)");
    let qualified = qualifiers.iter().any(|word| word != "unsafe");
    let marked = attributes
        .iter()
        .any(|attribute| !HARMLESS.contains(&path(attribute).as_str()));
    Item {
        seen,
        is_test,
        is_private: is_contained && !is_kernel && !qualified && !marked,
        function,
        hides_names: !is_test && (is_macro || is_path_macro || is_module),
    }
}

/// The attributes in front of an item, and what is behind them.
fn attributes(tokens: &[TokenTree]) -> (Vec<TokenStream>, &[TokenTree]) {
    let mut found = Vec::new();
    let mut rest = tokens;
    loop {
        rest = match rest {
            [
                TokenTree::Punct(hash),
                TokenTree::Punct(bang),
                TokenTree::Group(_),
                behind @ ..,
            ] if hash.as_char() == '#' && bang.as_char() == '!' => behind,
            [TokenTree::Punct(hash), TokenTree::Group(group), behind @ ..]
                if hash.as_char() == '#' =>
            {
                found.push(group.stream());
                behind
            }
            _ => return (found, rest),
        };
    }
}

/// Attributes without those that document.
fn undocumented(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut begun = Vec::new();
    for token in tokens {
        begun.push(token.clone());
        if let TokenTree::Group(group) = token {
            let attribute = std::mem::take(&mut begun);
            if path(&group.stream()) != "doc" {
                kept.extend(attribute);
            }
        }
    }
    kept
}

/// `kernel` of `kernel`, and of `cuda_std::kernel`.
fn path(attribute: &TokenStream) -> String {
    let mut last = String::new();
    for token in attribute.clone() {
        match token {
            TokenTree::Ident(word) => last = word.to_string(),
            TokenTree::Punct(punct) if punct.as_char() == ':' => {}
            _ => break,
        }
    }
    last
}

fn has_word(stream: &TokenStream, fits: &dyn Fn(&str) -> bool) -> bool {
    stream.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => fits(&word.to_string()),
        TokenTree::Group(group) => has_word(&group.stream(), fits),
        _ => false,
    })
}

/// The places of functions that only bodies of kernels and each other name.
fn unseen(items: &[Item]) -> BTreeSet<usize> {
    if items.iter().any(|item| item.hides_names) {
        return BTreeSet::new();
    }
    let private = items.iter().enumerate().filter(|(_, item)| item.is_private);
    let mut unseen: BTreeSet<usize> = private.map(|(place, _)| place).collect();
    loop {
        let others = items.iter().enumerate();
        let others = others.filter(|(place, item)| !item.is_test && !unseen.contains(place));
        let text: TokenStream = others.flat_map(|(_, item)| item.seen.clone()).collect();
        let named = |place: &usize| {
            let name = items[*place].function.as_deref();
            has_word(&text, &|word| Some(word) == name)
        };
        let named: Vec<usize> = unseen.iter().copied().filter(named).collect();
        if named.is_empty() {
            return unseen;
        }
        for place in named {
            unseen.remove(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
        //! A kernel.
        use cuda_std::prelude::*;
        /// Threads of a block.
        pub const THREADS: u32 = 256;
        const TILE: usize = 4;
        fn twice(x: f32) -> f32 { half(x) * 4.0 }
        #[inline(always)]
        fn half(x: f32) -> f32 { x / 2.0 }
        pub fn blocks(n: usize) -> usize { tiles(n) }
        fn tiles(n: usize) -> usize { n.div_ceil(TILE) }
        #[kernel]
        #[launch_contract(output.len() >= input.len())]
        pub unsafe fn scale(input: &[f32], output: *mut f32) {
            let i = thread::index_1d() as usize;
            unsafe { *output.add(i) = twice(input[i]) };
        }
        #[cfg(test)]
        mod tests { fn it() { super::half(1.0); } }
    ";

    /// Whether the host takes the same from the file when `before` has become `after`.
    fn keeps(before: &str, after: &str) -> bool {
        assert!(FILE.contains(before), "{before}");
        let changed = FILE.replace(before, after);
        assert_ne!(changed, FILE);
        Interface::of(FILE) == Interface::of(&changed)
    }

    #[test]
    fn bodies_of_kernels_and_their_private_functions_are_the_devices() {
        for (before, after) in [
            ("twice(input[i])", "half(input[i]) + 1.0"),
            ("half(x) * 4.0", "half(x) * 8.0"),
            ("x / 2.0", "x * 0.5"),
            ("fn half(x: f32)", "fn half( x : f32 )"),
            ("/// Threads of a block.", "// No more than 1024."),
            ("//! A kernel.", "//! The kernel."),
            ("super::half(1.0)", "super::half(2.0)"),
        ] {
            assert!(keeps(before, after), "{before} -> {after}");
        }
    }

    #[test]
    fn whatever_the_host_can_see_is_its() {
        for (before, after) in [
            ("THREADS: u32 = 256", "THREADS: u32 = 128"),
            ("TILE: usize = 4", "TILE: usize = 8"),
            ("n.div_ceil(TILE)", "n / TILE"),
            ("output.len() >= input.len()", "output.len() > input.len()"),
            ("input: &[f32]", "input: &[u32]"),
            ("unsafe fn scale", "unsafe fn scales"),
            ("#[kernel]", ""),
            ("pub fn blocks", "pub(crate) fn blocks"),
        ] {
            assert!(!keeps(before, after), "{before} -> {after}");
        }
    }

    #[test]
    fn what_a_body_can_make_elsewhere_is_the_hosts() {
        let reaching = |text: &str| FILE.replace("let i =", &format!("{text} let i ="));
        let of = |text: &str| Interface::of(&reaching(text));
        let half = "impl Half for f32 { const HALF: f32 = 0.5; }";
        let other = half.replace("0.5", "0.25");
        assert_ne!(of(half), of(&other));
        let private = |text: &str| Interface::of(&format!("{FILE} fn f() {{ {text} }}"));
        assert_ne!(private(half), private(&other));
        assert_eq!(of("let j = 1;"), of("let j = 2;"));
    }

    #[test]
    fn private_functions_are_the_hosts_where_names_can_be_made_or_children_see_them() {
        for more in ["mod child;", "make! { a }", "cuda_std::make! { a }"] {
            let of = |text: &str| Interface::of(&format!("{text}{more}"));
            let changed = FILE.replace("x / 2.0", "x * 0.5");
            assert_ne!(of(FILE), of(&changed), "{more}");
            let body = FILE.replace("twice(input[i])", "input[i]");
            assert_eq!(of(FILE), of(&body), "{more}");
        }
    }

    #[test]
    fn a_function_that_others_share_by_attribute_or_constant_is_the_hosts() {
        let with = |text: &str| Interface::of(&format!("{FILE}{text}"));
        for (one, other) in [
            ("#[no_mangle] fn f() { 1; }", "#[no_mangle] fn f() { 2; }"),
            ("const fn f() -> u32 { 1 }", "const fn f() -> u32 { 2 }"),
            ("extern \"C\" fn f() { 1; }", "extern \"C\" fn f() { 2; }"),
        ] {
            assert_ne!(with(one), with(other), "{one}");
        }
        assert_eq!(with("fn f() { 1; }"), with("fn f() { 2; }"));
    }

    #[test]
    fn braces_in_a_signature_are_no_body() {
        let of =
            |n: u32| Interface::of(&format!("#[kernel] unsafe fn k(a: A<{{ {n} }}>) {{ {n} }}"));
        assert_ne!(of(1), of(2));
        let of = |n: u32| {
            Interface::of(&format!(
                "#[kernel] unsafe fn k() where A<{{ {n} }}>: B {{ }}"
            ))
        };
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn what_is_no_rust_has_no_interface() {
        assert_eq!(Interface::of("fn f( {"), None);
    }
}
