//! The attributes below `#[kernel]`: which ones are ours, what they hold, and which of the rest
//! go along to which part of the expansion.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Ident, Meta, Token};

/// What the attributes below `#[kernel]` say.
#[derive(Default)]
pub(crate) struct Options {
    /// `[max_threads, min_blocks, cluster x, y, z, max_registers]`; none is 0.
    pub(crate) bounds: [Option<Expr>; 6],
    /// The name in `#[part]`.
    pub(crate) part: Option<String>,
    /// The conditions of `#[launch_contract]`.
    pub(crate) contract: Option<Vec<Expr>>,
    /// `#[cfg]` and lint levels, wanted on everything that is generated.
    pub(crate) shared: Vec<Attribute>,
    /// Doc comments and `#[deprecated]`, wanted on what the user sees.
    pub(crate) visible: Vec<Attribute>,
    /// Everything else (`#[inline]`, other macros), wanted on the function.
    pub(crate) function: Vec<Attribute>,
}

impl Options {
    /// Sorts `attributes`; fails on a misused one of ours.
    pub(crate) fn parse(attributes: Vec<Attribute>) -> syn::Result<Self> {
        let mut options = Self::default();
        for attribute in attributes {
            let refused = |why: &str| Err(Error::new_spanned(&attribute, why));
            let name = attribute.path().segments.last();
            let name = name.map(|segment| segment.ident.to_string());
            match name.as_deref() {
                Some("launch_bounds") => {
                    let example = "#[launch_bounds(256)] or #[launch_bounds(256, 2)]";
                    options.place(&attribute, 0, 1..=2, example)?;
                }
                Some("cluster") => {
                    let example = "#[cluster(2)], #[cluster(2, 1)] or #[cluster(2, 1, 1)]";
                    options.place(&attribute, 2, 1..=3, example)?;
                }
                Some("max_registers") => {
                    options.place(&attribute, 5, 1..=1, "#[max_registers(64)]")?
                }
                Some("launch_contract") => {
                    let conditions = expressions(&attribute)?;
                    if conditions.is_empty() {
                        return refused(
                            "a launch contract needs at least one condition: #[launch_contract(out.len() >= 1)]",
                        );
                    }
                    if options.contract.is_some() {
                        return refused(
                            "one #[launch_contract] a kernel: separate its conditions by commas",
                        );
                    }
                    options.contract = Some(conditions);
                }
                Some("part") if options.part.is_some() => {
                    return refused("a kernel is in one part: keep one #[part(..)]");
                }
                Some("part") => options.part = Some(part(&attribute)?),
                Some("kernel") => {
                    return refused("this function is a kernel already: write #[kernel] once");
                }
                Some("no_mangle" | "export_name") => {
                    return refused(
                        "a kernel is exported under its own name already: remove this attribute",
                    );
                }
                Some("must_use") => return refused("a kernel returns nothing: remove #[must_use]"),
                Some("cfg" | "allow" | "expect" | "warn" | "deny" | "forbid") => {
                    options.shared.push(attribute)
                }
                Some("doc" | "deprecated") => options.visible.push(attribute),
                _ => options.function.push(attribute),
            }
        }
        if let (Some(_), Some(registers)) = (&options.bounds[0], &options.bounds[5]) {
            return Err(Error::new_spanned(
                registers,
                "PTX takes either #[launch_bounds] or #[max_registers] on one kernel, not both: keep one",
            ));
        }
        Ok(options)
    }

    fn place(
        &mut self,
        attribute: &Attribute,
        first: usize,
        count: core::ops::RangeInclusive<usize>,
        example: &str,
    ) -> syn::Result<()> {
        let refused = |why: &str| Err(Error::new_spanned(attribute, why));
        let values = expressions(attribute)?;
        if !count.contains(&values.len()) {
            return refused(&format!("wrong number of arguments: write {example}"));
        }
        if self.bounds[first].is_some() {
            return refused("this attribute is given twice: keep one");
        }
        let is_cluster = first == 2;
        for (slot, value) in self.bounds[first..].iter_mut().zip(values) {
            *slot = Some(value);
        }
        if is_cluster {
            for slot in &mut self.bounds[3..5] {
                slot.get_or_insert_with(|| syn::parse_quote!(1));
            }
        }
        Ok(())
    }

    /// The six numbers as expressions of type `u32`, 0 where nothing was said.
    pub(crate) fn bounds(&self) -> [TokenStream; 6] {
        core::array::from_fn(|i| match &self.bounds[i] {
            Some(value) => quote!({ #value }),
            None => quote!(0u32),
        })
    }
}

/// The name in `#[part(NAME)]`, which becomes part of the name of a file.
fn part(attribute: &Attribute) -> syn::Result<String> {
    let example =
        "a part is named by one identifier of ASCII letters, digits and _: write #[part(scan_f32)]";
    let wrong = |_| Error::new_spanned(attribute, example);
    let name: Ident = attribute.parse_args().map_err(wrong)?;
    let text = name.unraw().to_string();
    if !text.is_ascii() {
        return Err(Error::new_spanned(name, example));
    }
    Ok(text)
}

fn expressions(attribute: &Attribute) -> syn::Result<Vec<Expr>> {
    let Meta::List(list) = &attribute.meta else {
        let why = "this attribute takes arguments in parentheses";
        return Err(Error::new_spanned(attribute, why));
    };
    let parsed = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(list.tokens.clone())?;
    Ok(parsed.into_iter().collect())
}

/// The error of an attribute that stands above `#[kernel]` or on something else; the item stays.
pub(crate) fn misplaced(name: &str, item: TokenStream) -> TokenStream {
    let message = format!("#[{name}] belongs below #[kernel], on the same function");
    let span = proc_macro2::Span::call_site();
    let error = quote_spanned!(span=> ::core::compile_error!(#message););
    quote!(#error #item)
}
