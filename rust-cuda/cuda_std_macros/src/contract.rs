//! `#[launch_contract]`: the conditions become a check that the host runs before every launch.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, Expr};

use crate::parameter::Parameter;
use crate::text;

/// Fails where a contract cannot make a launch safe or cannot be read.
pub(crate) fn check(conditions: &[Expr], parameters: &[Parameter], mut fail: impl FnMut(Error)) {
    for parameter in parameters {
        if parameter.kind.is_reference() {
            fail(Error::new_spanned(
                &parameter.ty,
                "a kernel with a launch contract cannot take a reference, since no condition can vouch for what it points to: take the struct by value, or a slice `&[T]`, or drop the contract and launch it unsafely",
            ));
        }
        if matches!(parameter.name().as_str(), "grid" | "block" | "shared_bytes") {
            fail(Error::new_spanned(
                &parameter.ident,
                "in a launch contract this name is the launch's own: rename the parameter",
            ));
        }
    }
    for condition in conditions {
        if let Expr::Lit(literal) = condition
            && !matches!(literal.lit, syn::Lit::Bool(_))
        {
            fail(Error::new_spanned(
                literal,
                "a condition is a `bool`: compare something, as in `out.len() >= 1`",
            ));
        }
    }
}

/// The conditions see the parameters and the launch's `grid`, `block` and `shared_bytes`; every
/// other local is of the macro's own hygiene, so that a parameter may have its name.
pub(crate) fn expand(
    conditions: &[Expr],
    parameters: &[Parameter],
    definition: &Ident,
) -> TokenStream {
    let idents: Vec<_> = parameters
        .iter()
        .map(|parameter| &parameter.ident)
        .collect();
    let own = |name| Ident::new(name, Span::mixed_site());
    let (shape, arguments, holds) = (own("shape"), own("arguments"), own("holds"));
    let wrong_count = format!("the kernel takes {} arguments", idents.len());
    let values = parameters.iter().map(|parameter| {
        let ident = &parameter.ident;
        if parameter.kind.is_buffer() {
            quote!(let #ident: ::cuda_std::launch::Extent = #ident.extent();)
        } else {
            let ty = parameter.static_type();
            quote!(let #ident: #ty = unsafe { #ident.value::<#ty>() };)
        }
    });
    let checks = conditions.iter().map(|condition| {
        let text = text::display(condition.to_token_stream());
        quote! {
            let #holds: bool = #condition;
            if !#holds {
                return ::core::result::Result::Err(#text);
            }
        }
    });
    quote! {
        unsafe impl ::cuda_std::launch::Contract for #definition {
            #[allow(unused_variables, unused_parens, clippy::all)]
            unsafe fn check(
                #shape: &::cuda_std::launch::LaunchShape,
                #arguments: &[::cuda_std::launch::Actual<'_>],
            ) -> ::core::result::Result<(), &'static str> {
                let [#(#idents),*] = #arguments else {
                    return ::core::result::Result::Err(#wrong_count);
                };
                #(#values)*
                let grid: ::cuda_std::launch::Dim3 = #shape.grid;
                let block: ::cuda_std::launch::Dim3 = #shape.block;
                let shared_bytes: u32 = #shape.shared_bytes;
                #(#checks)*
                ::core::result::Result::Ok(())
            }
        }
    }
}
