//! The device half of `#[kernel]`: an exported function whose slices are taken apart, and a
//! static in the section `.cuda_std.kernel` that describes it to the builder.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

use crate::kernel::Kernel;
use crate::only;
use crate::parameter::{Kind, Parameter};

pub(crate) fn expand(kernel: &Kernel) -> TokenStream {
    let function = function(kernel);
    let metadata = metadata(kernel);
    quote!(#function #metadata)
}

/// `extern "C"` and not `extern "ptx-kernel"`, which would need a feature gate in the user's
/// crate: the builder sets the calling convention of every function that the metadata names.
fn function(kernel: &Kernel) -> TokenStream {
    let signature = &kernel.function.sig;
    let (ident, generics) = (&signature.ident, &signature.generics);
    let (attrs, shared) = (&kernel.options.function, &kernel.options.shared);
    let body = &kernel.function.block;
    let (inputs, rebuilt): (Vec<_>, Vec<_>) = kernel.parameters.iter().map(flatten).unzip();
    if !only::is_wanted(kernel) {
        return quote! {
            #[cfg(target_os = "cuda")]
            #(#shared)*
            #(#attrs)*
            pub unsafe extern "C" fn #ident #generics (#(#inputs),*) {}
        };
    }
    quote! {
        #[cfg(target_os = "cuda")]
        #(#shared)*
        #(#attrs)*
        #[unsafe(no_mangle)]
        #[allow(improper_ctypes_definitions, private_interfaces, clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs, unreachable_pub)]
        pub unsafe extern "C" fn #ident #generics (#(#inputs),*) {
            #(#rebuilt)*
            #body
        }
    }
}

/// The parameters that `parameter` becomes, and the statement that puts it together again.
///
/// `&[T]` travels as `&[T; 0]`, not as `*const T`: a reference parameter is `noalias readonly` in
/// LLVM, so that loads through the slice can be `ld.global.nc`. `&mut` travels as a raw pointer:
/// `noalias` there would let LLVM keep a value across a barrier after which another thread has
/// written it.
fn flatten(parameter: &Parameter) -> (TokenStream, TokenStream) {
    let Parameter {
        ident,
        mutability,
        ty,
        kind,
        inner,
        attrs,
    } = parameter;
    let site = Span::mixed_site();
    let address = format_ident!("{}_address", parameter.name(), span = site);
    let length = format_ident!("{}_length", parameter.name(), span = site);
    match kind {
        _ if parameter.is_raw_slice() => {
            let (pointer, make) = match kind {
                Kind::Slice => (quote!(*const #inner), quote!(slice_from_raw_parts)),
                _ => (quote!(*mut #inner), quote!(slice_from_raw_parts_mut)),
            };
            (
                quote!(#(#attrs)* #address: #pointer, #(#attrs)* #length: usize),
                quote!(#(#attrs)* let #mutability #ident: #ty = ::core::ptr::#make(#address, #length);),
            )
        }
        Kind::Slice => {
            let lifetime = match ty {
                syn::Type::Reference(reference) => reference.lifetime.clone(),
                _ => None,
            };
            (
                quote!(#(#attrs)* #address: & #lifetime [#inner; 0], #(#attrs)* #length: usize),
                quote! {
                    #(#attrs)*
                    let #mutability #ident: #ty = unsafe {
                        ::core::slice::from_raw_parts(::core::ptr::from_ref(#address).cast::<#inner>(), #length)
                    };
                },
            )
        }
        Kind::SliceMut => (
            quote!(#(#attrs)* #address: *mut #inner, #(#attrs)* #length: usize),
            quote!(#(#attrs)* let #mutability #ident: #ty = unsafe { ::core::slice::from_raw_parts_mut(#address, #length) };),
        ),
        Kind::ReferenceMut => (
            quote!(#(#attrs)* #address: *mut #inner),
            quote!(#(#attrs)* let #mutability #ident: #ty = unsafe { &mut *#address };),
        ),
        _ => (
            quote!(#(#attrs)* #mutability #ident: #ty),
            TokenStream::new(),
        ),
    }
}

/// Eight words, then JSON; `cuda_builder` reads both and drops the static. Its name is the one
/// that the bounds, which are the author's expressions, can see: items have no hygiene.
fn metadata(kernel: &Kernel) -> TokenStream {
    let bounds = kernel.options.bounds();
    let shared = &kernel.options.shared;
    let head = format!(r#"{{"entry":{},"module":""#, quoted(&kernel.name()));
    let parameters = kernel
        .parameters
        .iter()
        .map(|parameter| {
            format!(
                r#"{{"name":{},"type":{},"kind":"{}"}}"#,
                quoted(&parameter.name()),
                quoted(&parameter.type_text()),
                parameter.kind.json()
            )
        })
        .collect::<Vec<_>>()
        .join(",");
    let part = match &kernel.options.part {
        Some(name) => format!(r#","part":{}"#, quoted(name)),
        None => String::new(),
    };
    let tail = format!(r#"","parameters":[{parameters}]{part}}}"#);
    let json = quote!(::core::concat!(#head, ::core::module_path!(), #tail));
    quote! {
        #[cfg(target_os = "cuda")]
        #(#shared)*
        const _: () = {
            #[used]
            #[unsafe(link_section = ".cuda_std.kernel")]
            static __CUDA_KERNEL_METADATA: [u8; 32 + #json.len()] =
                ::cuda_std::__private::metadata([1, #(#bounds),*, 0], #json);
        };
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if (c as u32) < 0x20 => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}
