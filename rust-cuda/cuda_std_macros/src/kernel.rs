//! `#[kernel]`: what a kernel may look like, and what it expands to.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, GenericParam, ItemFn, ReturnType, Safety};

use crate::attributes::Options;
use crate::parameter::{Kind, Parameter};
use crate::{device, host};

/// The most parameters of a kernel, so that tuples of them have trait implementations.
const MAX_PARAMETERS: usize = 16;

/// A kernel that passed the checks.
pub(crate) struct Kernel {
    pub(crate) function: ItemFn,
    pub(crate) options: Options,
    pub(crate) parameters: Vec<Parameter>,
}

impl Kernel {
    /// The entry's name.
    pub(crate) fn name(&self) -> String {
        let name = self.function.sig.ident.to_string();
        name.strip_prefix("r#").unwrap_or(&name).to_owned()
    }
}

/// `#[kernel]` in full: errors become `compile_error!`s, all of them at once.
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
    match check(function) {
        Ok(kernel) => {
            let checks = match crate::only::is_wanted(&kernel) {
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

fn check(mut function: ItemFn) -> syn::Result<Kernel> {
    let mut errors = Errors::default();
    let signature = &function.sig;
    if let ReturnType::Type(arrow, ty) = &signature.output {
        let unit = matches!(ty.as_ref(), syn::Type::Tuple(tuple) if tuple.elems.is_empty());
        if !unit {
            let result = crate::text::display(quote!(#ty));
            errors.push(Error::new(
                arrow.spans[0].join(ty.span()).unwrap_or_else(|| ty.span()),
                format!("a kernel returns nothing: take `out: *mut {result}` or `out: &mut [{result}]` and write the result through it"),
            ));
        }
    }
    match &signature.safety {
        Safety::Unsafe(_) => {}
        _ => errors.push(Error::new(
            signature.fn_token.span,
            "a kernel is unsafe, since every thread runs it at once: write `unsafe fn`",
        )),
    }
    if let Some(token) = &signature.asyncness {
        errors.push(Error::new(
            token.span,
            "a kernel cannot be async: write `unsafe fn`, and wait on the host",
        ));
    }
    if let Some(token) = &signature.constness {
        errors.push(Error::new(token.span, "a kernel cannot be const: move the constant part into a `const fn` that the kernel calls"));
    }
    if let Some(variadic) = &signature.variadic {
        errors.push(Error::new_spanned(
            variadic,
            "a kernel cannot be variadic: pass a slice, `&[T]`",
        ));
    }
    if let Some(abi) = &signature.abi {
        errors.push(Error::new_spanned(
            abi,
            "#[kernel] chooses the calling convention: write `unsafe fn`",
        ));
    }
    for generic in &signature.generics.params {
        match generic {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(_) => errors.push(Error::new_spanned(
                generic,
                "a kernel cannot be generic: call a generic `#[inline(always)]` function from one kernel a type (a macro can write them)",
            )),
            GenericParam::Const(_) => errors.push(Error::new_spanned(
                generic,
                "a kernel cannot have const parameters: call a const-generic `#[inline(always)]` function from one kernel a value, or take a parameter",
            )),
        }
    }
    if signature.inputs.len() > MAX_PARAMETERS {
        errors.push(Error::new_spanned(
            &signature.inputs[MAX_PARAMETERS],
            format!("a kernel takes at most {MAX_PARAMETERS} parameters: put scalars into a `#[repr(C)]` `Copy` struct and pass it by value"),
        ));
    }
    let mut parameters = Vec::new();
    for argument in &signature.inputs {
        match Parameter::parse(argument) {
            Ok(parameter) => parameters.push(parameter),
            Err(error) => errors.push(error),
        }
    }
    let options = match Options::parse(core::mem::take(&mut function.attrs)) {
        Ok(options) => options,
        Err(error) => {
            errors.push(error);
            Options::default()
        }
    };
    if let Some(conditions) = &options.contract {
        crate::contract::check(conditions, &parameters, |error| errors.push(error));
    }
    errors.finish()?;
    Ok(Kernel {
        function,
        options,
        parameters,
    })
}

#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
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
