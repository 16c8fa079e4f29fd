//! What a kernel may look like.

use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Error, GenericParam, ItemFn, ReturnType, Safety, Signature};

use crate::attributes::Options;
use crate::parameter::Parameter;
use crate::{contract, text};

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

    /// The kernel that `function` is; all that no kernel may be, in one error.
    pub(crate) fn checked(mut function: ItemFn) -> syn::Result<Self> {
        let mut errors = Errors::default();
        errors.check_signature(&function.sig);
        // The device's half has its own, and the host's has none.
        function.sig.abi = None;
        let parameters = function.sig.inputs.iter().enumerate().map(Parameter::parse);
        let parameters: Vec<_> = parameters.filter_map(|it| errors.unless(it)).collect();
        let options = Options::parse(core::mem::take(&mut function.attrs));
        let options = errors.unless(options).unwrap_or_default();
        if let Some(conditions) = &options.contract {
            contract::check(conditions, &parameters, |error| errors.push(error));
        }
        errors.finish()?;
        Ok(Self {
            function,
            options,
            parameters,
        })
    }
}

/// All errors of a kernel, as one.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn check_signature(&mut self, signature: &Signature) {
        if let ReturnType::Type(arrow, ty) = &signature.output {
            let unit = matches!(ty.as_ref(), syn::Type::Tuple(tuple) if tuple.elems.is_empty());
            if !unit {
                let result = text::display(quote!(#ty));
                self.push(Error::new(
                    arrow.spans[0].join(ty.span()).unwrap_or_else(|| ty.span()),
                    format!("a kernel returns nothing: take `out: *mut {result}` or `out: &mut [{result}]` and write the result through it"),
                ));
            }
        }
        let mut refuse = |what: &dyn ToTokens, why: &str| self.push(Error::new_spanned(what, why));
        if !matches!(signature.safety, Safety::Unsafe(_)) {
            let why = "a kernel is unsafe, since every thread runs it at once: write `unsafe fn`";
            refuse(&signature.fn_token, why);
        }
        if let Some(token) = &signature.asyncness {
            let why = "a kernel cannot be async: write `unsafe fn`, and wait on the host";
            refuse(token, why);
        }
        if let Some(token) = &signature.constness {
            refuse(
                token,
                "a kernel cannot be const: move the constant part into a `const fn` that the kernel calls",
            );
        }
        if let Some(variadic) = &signature.variadic {
            let why = "a kernel cannot be variadic: pass a slice, `&[T]`";
            refuse(variadic, why);
        }
        if let Some(abi) = &signature.abi
            && abi.name.as_ref().is_some_and(|name| name.value() != "C")
        {
            let why = "#[kernel] chooses the calling convention: write `unsafe fn`";
            refuse(abi, why);
        }
        for generic in &signature.generics.params {
            match generic {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(_) => refuse(
                    generic,
                    "a kernel cannot be generic: call a generic `#[inline(always)]` function from one kernel a type (a macro can write them)",
                ),
                GenericParam::Const(_) => refuse(
                    generic,
                    "a kernel cannot have const parameters: call a const-generic `#[inline(always)]` function from one kernel a value, or take a parameter",
                ),
            }
        }
    }

    /// What was read, or nothing and an error more.
    fn unless<T>(&mut self, read: syn::Result<T>) -> Option<T> {
        read.map_err(|error| self.push(error)).ok()
    }

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
