//! `#[address_space]`, `#[externally_visible]` and `#[gpu_only]`: attributes on statics and on
//! functions that are not kernels.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Error, Ident, Item, ItemFn, ItemStatic, Meta};

/// The sections that the builder turns into address spaces.
pub(crate) fn address_space(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<ItemStatic>(item) {
        Ok(item) => item,
        Err(error) => {
            return Error::new(
                error.span(),
                "#[address_space] belongs on a `static` or `static mut` with an initialiser",
            )
            .into_compile_error();
        }
    };
    let span = if arguments.is_empty() {
        item.ident.span()
    } else {
        arguments_span(&arguments)
    };
    let section = match syn::parse2::<Ident>(arguments).map(|space| space.to_string()).as_deref() {
        Ok("shared") => ".shared",
        Ok("constant") => ".constant",
        Ok("global") => ".global",
        Ok("local") => return Error::new(span, "a static cannot be local to a thread: use a `let` in the kernel").into_compile_error(),
        _ => return Error::new(span, "write #[address_space(shared)], #[address_space(constant)] or #[address_space(global)]").into_compile_error(),
    };
    quote! {
        #[cfg_attr(target_os = "cuda", unsafe(link_section = #section))]
        #item
    }
}

fn arguments_span(arguments: &TokenStream) -> Span {
    arguments
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}

/// The item, and on the device a note to the builder that the name is to stay.
pub(crate) fn externally_visible(item: TokenStream) -> TokenStream {
    let parsed = match syn::parse2::<Item>(item) {
        Ok(parsed) => parsed,
        Err(error) => return error.into_compile_error(),
    };
    let (attributes, ident) = match &parsed {
        Item::Fn(function) => (&function.attrs, &function.sig.ident),
        Item::Static(item) => (&item.attrs, &item.ident),
        other => {
            return Error::new_spanned(
                other,
                "#[externally_visible] belongs on a function or a static",
            )
            .into_compile_error();
        }
    };
    if !attributes.iter().any(is_no_mangle) {
        let error = Error::new(
            ident.span(),
            "an externally visible item keeps its own name: write #[unsafe(no_mangle)] below #[externally_visible]",
        );
        return error.into_compile_error();
    }
    let name = ident.to_string();
    quote! {
        #parsed
        #[cfg(target_os = "cuda")]
        const _: () = {
            #[used]
            #[unsafe(link_section = ".cuda_std.external")]
            static NAME: [u8; #name.len()] = ::cuda_std::__private::bytes(#name);
        };
    }
}

fn is_no_mangle(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::Path(path) => path.is_ident("no_mangle"),
        Meta::List(list) if list.path.is_ident("unsafe") => list.tokens.to_string() == "no_mangle",
        _ => false,
    }
}

/// The body on the device; on the host a panic that names the function.
pub(crate) fn gpu_only(item: TokenStream) -> TokenStream {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = match syn::parse2::<ItemFn>(item) {
        Ok(function) => function,
        Err(error) => {
            return Error::new(
                error.span(),
                format!("#[gpu_only] belongs on a function with a body: {error}"),
            )
            .into_compile_error();
        }
    };
    let message = format!(
        "`{}` runs on the GPU only: call it from a kernel",
        sig.ident
    );
    let mut host = sig.clone();
    host.constness = None;
    let host = host.into_token_stream();
    quote! {
        #[cfg(target_os = "cuda")]
        #(#attrs)*
        #vis #sig #block

        #[cfg(not(target_os = "cuda"))]
        #[allow(unused_variables, unused_mut, clippy::needless_pass_by_value)]
        #(#attrs)*
        #vis #host { ::core::panic!(#message) }
    }
}
