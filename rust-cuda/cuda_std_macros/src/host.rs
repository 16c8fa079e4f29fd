//! The host half of `#[kernel]`: the body, type-checked and never run, and a function of the
//! kernel's name that stands for it in a launch. Where the body is the device's alone, by
//! `#[cfg]`, nothing uses the parameters.
//!
//! A function, because that is what the kernel is for name resolution: a module may have its
//! name, and a local variable may shadow it. A unit struct or a constant allows neither. The module of
//! its parameters' names is called otherwise, therefore.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::contract;
use crate::kernel::Kernel;

pub(crate) fn expand(kernel: &Kernel) -> TokenStream {
    let options = &kernel.options;
    let (shared, visible, attrs) = (&options.shared, &options.visible, &options.function);
    let vis = &kernel.function.vis;
    let (signature, body) = (&kernel.function.sig, &kernel.function.block);
    let ident = &signature.ident;
    let name = kernel.name();
    let definition = format_ident!("__cuda_kernel_{}", name, span = ident.span());
    let parameters = kernel.parameters.iter().map(|parameter| {
        let (attrs, name, text, kind) = (&parameter.attrs, parameter.name(), parameter.type_text(), parameter.kind.marker());
        quote! {
            #(#attrs)*
            ::cuda_std::launch::Parameter { name: #name, ty: #text, kind: ::cuda_std::launch::ParameterKind::#kind }
        }
    });
    let formals = kernel.parameters.iter().map(|parameter| parameter.formal());
    // What an error of the compiler calls a parameter.
    let module = format_ident!("parameters_of_{}", name);
    let types = kernel.parameters.iter().map(|parameter| &parameter.ident);
    let names = types
        .clone()
        .rfold(quote!(()), |others, name| quote!((#module::#name, #others)));
    let [max_threads, min_blocks, x, y, z, max_registers] = options.bounds();
    let contract = options.contract.as_ref();
    let contract =
        contract.map(|conditions| contract::expand(conditions, &kernel.parameters, &definition));
    quote! {
        #[cfg(not(target_os = "cuda"))]
        #(#shared)*
        const _: () = {
            #(#attrs)*
            #[allow(dead_code, unused_unsafe, unused_variables, clippy::missing_safety_doc, clippy::too_many_arguments)]
            #signature #body
        };

        #[cfg(not(target_os = "cuda"))]
        #(#shared)*
        #(#visible)*
        #[allow(dead_code, private_interfaces)]
        #[inline]
        #vis const fn #ident() -> #definition { #definition }

        #[cfg(not(target_os = "cuda"))]
        #(#shared)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #[derive(Clone, Copy, Debug)]
        #vis struct #definition;

        #[cfg(not(target_os = "cuda"))]
        #(#shared)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, unreachable_pub)]
        #vis mod #module {
            #(pub struct #types;)*
        }

        #[cfg(not(target_os = "cuda"))]
        #(#shared)*
        const _: () = {
            unsafe impl ::cuda_std::launch::Definition for #definition {
                const NAME: &'static str = #name;
                const PARAMETERS: &'static [::cuda_std::launch::Parameter] = &[#(#parameters),*];
                const BOUNDS: ::cuda_std::launch::LaunchBounds = ::cuda_std::launch::LaunchBounds {
                    max_threads: #max_threads,
                    min_blocks: #min_blocks,
                    cluster: [#x, #y, #z],
                    max_registers: #max_registers,
                };
                type Formals = (#(#formals,)*);
                type Names = #names;
            }
            #contract
        };
    }
}
