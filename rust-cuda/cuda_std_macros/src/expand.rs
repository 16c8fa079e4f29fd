//! `#[kernel]` in full: the kernel's checks, and its two halves.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, ItemFn};

use crate::kernel::Kernel;
use crate::parameter::Kind;
use crate::{device, host, only};

/// Errors become `compile_error!`s, all of them at once.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return Error::new_spanned(arguments, "#[kernel] takes no arguments: write #[launch_bounds(..)], #[cluster(..)] or #[max_registers(..)] below it").into_compile_error();
    }
    let function = match syn::parse2::<ItemFn>(item) {
        Ok(function) => function,
        Err(error) => {
            return Error::new(
                error.span(),
                format!("#[kernel] belongs on an `unsafe fn`: {error}"),
            )
            .into_compile_error();
        }
    };
    match Kernel::checked(function) {
        Ok(kernel) => {
            let checks = match only::is_wanted(&kernel) {
                true => parameter_checks(&kernel),
                false => TokenStream::new(),
            };
            let device = device::expand(&kernel);
            let host = host::expand(&kernel);
            quote!(#checks #device #host)
        }
        Err(error) => error.into_compile_error(),
    }
}

/// What only the type checker knows: `Copy`, thin references, no slice behind an alias, no
/// zero-sized value. The same on the device and on the host.
fn parameter_checks(kernel: &Kernel) -> TokenStream {
    let shared = &kernel.options.shared;
    let generics = &kernel.function.sig.generics;
    let checks = kernel.parameters.iter().map(|parameter| {
        let ty = &parameter.ty;
        let span = ty.span().resolved_at(Span::mixed_site());
        let fixed = parameter.static_type();
        let attrs = &parameter.attrs;
        match parameter.kind {
            Kind::Value => quote_spanned!(span=>
                #(#attrs)*
                ::cuda_std::__private::require_copy::<#ty>();
                #(#attrs)*
                const _: () = {
                    #[allow(unused_imports)]
                    use ::cuda_std::__private::NotASlice as _;
                    ::core::assert!(
                        !::cuda_std::__private::Probe::<#fixed>::IS_SLICE,
                        "this type is an alias of a slice: write the slice itself, `&[T]` or `&mut [T]`, as the kernel's parameter",
                    );
                    ::core::assert!(
                        ::core::mem::size_of::<#fixed>() != 0,
                        "a zero-sized value cannot be a kernel's parameter: remove it",
                    );
                };
            ),
            Kind::Slice | Kind::SliceMut => {
                let inner = &parameter.inner;
                quote_spanned!(span=> #(#attrs)* ::cuda_std::__private::require_element::<#inner>();)
            }
            _ => quote_spanned!(span=>
                #(#attrs)*
                const _: () = ::core::assert!(
                    ::core::mem::size_of::<#fixed>() == ::core::mem::size_of::<usize>(),
                    "a kernel's reference or pointer must be thin: pass a slice as `&[T]`, text as `&[u8]`",
                );
            ),
        }
    });
    quote! {
        #(#shared)*
        const _: () = {
            #[allow(dead_code, non_snake_case, clippy::extra_unused_lifetimes)]
            fn __cuda_kernel_parameters #generics () { #(#checks)* }
        };
    }
}
