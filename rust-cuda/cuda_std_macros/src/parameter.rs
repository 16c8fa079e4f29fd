//! One kernel parameter: what kind it is, and how it is named in the metadata and in the types of
//! the launch.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Error, FnArg, Ident, Lifetime, Pat, PointerMutability, Token, Type};

use crate::text;

/// How a parameter reaches the device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `&[T]`, `*const [T]`: address and length.
    Slice,
    /// `&mut [T]`, `*mut [T]`: address and length.
    SliceMut,
    /// `*const T`: address.
    Pointer,
    /// `*mut T`: address.
    PointerMut,
    /// `&T`: address.
    Reference,
    /// `&mut T`: address.
    ReferenceMut,
    /// Anything else: its bytes.
    Value,
}

impl Kind {
    /// Its name in Rust, and in the metadata's JSON.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Slice => ("Slice", "slice"),
            Self::SliceMut => ("SliceMut", "slice_mut"),
            Self::Pointer => ("Pointer", "pointer"),
            Self::PointerMut => ("PointerMut", "pointer_mut"),
            Self::Reference => ("Reference", "reference"),
            Self::ReferenceMut => ("ReferenceMut", "reference_mut"),
            Self::Value => ("Value", "value"),
        }
    }

    /// The name in the metadata's JSON.
    pub(crate) fn json(self) -> &'static str {
        self.names().1
    }

    /// The name of the variant of `ParameterKind` and of the marker type, which are the same.
    pub(crate) fn marker(self) -> Ident {
        Ident::new(self.names().0, proc_macro2::Span::call_site())
    }

    /// Of a pointer to a slice: a raw slice.
    fn of_slice(self) -> Self {
        match self {
            Self::Pointer => Self::Slice,
            _ => Self::SliceMut,
        }
    }

    pub(crate) fn is_slice(self) -> bool {
        matches!(self, Self::Slice | Self::SliceMut)
    }

    pub(crate) fn is_reference(self) -> bool {
        matches!(self, Self::Reference | Self::ReferenceMut)
    }

    /// Whether the launch passes a buffer for it.
    pub(crate) fn is_buffer(self) -> bool {
        self.is_slice() || matches!(self, Self::Pointer | Self::PointerMut)
    }
}

/// A parameter of a kernel.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
    /// The element type of a slice, the pointee of a pointer, the type itself of a value.
    pub(crate) inner: Type,
    /// Lint levels on the parameter.
    pub(crate) attrs: Vec<syn::Attribute>,
}

impl Parameter {
    /// The parameter at `index`, by which `_` gets a name.
    pub(crate) fn parse((index, argument): (usize, &FnArg)) -> syn::Result<Self> {
        let typed = match argument {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(
                    receiver,
                    "a kernel is a free function: pass what `self` holds as a parameter of its own",
                ));
            }
        };
        if let Some(attribute) = typed.attrs.iter().find(|attribute| {
            attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
        }) {
            return Err(Error::new_spanned(
                attribute,
                "a kernel's parameter cannot be conditional, since every launch passes it: write one kernel for each case, with #[cfg] above its #[kernel]",
            ));
        }
        let (ident, mutability) = match typed.pat.as_ref() {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                (name.ident.clone(), name.mutability)
            }
            Pat::Wild(wild) => (format_ident!("_{index}", span = wild.span()), None),
            other => {
                return Err(Error::new_spanned(
                    other,
                    "a kernel's parameter is one name: write `name: Type` and take it apart in the body",
                ));
            }
        };
        let (kind, inner) = classify(&typed.ty)?;
        Ok(Self {
            ident,
            mutability,
            ty: (*typed.ty).clone(),
            kind,
            inner,
            attrs: typed.attrs.clone(),
        })
    }

    /// `name` without `r#`.
    pub(crate) fn name(&self) -> String {
        let name = self.ident.to_string();
        name.strip_prefix("r#").unwrap_or(&name).to_owned()
    }

    /// The type as the author wrote it, evenly spaced.
    pub(crate) fn type_text(&self) -> String {
        text::display(self.ty.to_token_stream())
    }

    /// Whether it is `*const [T]` or `*mut [T]`, of which no reference is made.
    pub(crate) fn is_raw_slice(&self) -> bool {
        self.kind.is_slice() && matches!(peel(&self.ty), Type::Ptr(_))
    }

    /// The type in a place where lifetimes cannot be elided.
    pub(crate) fn static_type(&self) -> Type {
        with_static_lifetimes(&self.ty)
    }

    /// `Slice<T>`, `Value<T>`, ...: the parameter as a type.
    pub(crate) fn formal(&self) -> TokenStream {
        let marker = self.kind.marker();
        let inner = with_static_lifetimes(&self.inner);
        quote!(::cuda_std::launch::#marker<#inner>)
    }
}

fn classify(ty: &Type) -> syn::Result<(Kind, Type)> {
    let refused = |why: &str| Err(Error::new_spanned(ty, why));
    let text = |element: &Type| text::display(element.to_token_stream());
    match ty {
        Type::Paren(_) | Type::Group(_) => classify(peel(ty)),
        Type::Reference(reference) => {
            let (slice, other) = match reference.mutability {
                Some(_) => (Kind::SliceMut, Kind::ReferenceMut),
                None => (Kind::Slice, Kind::Reference),
            };
            match peel(&reference.elem) {
                Type::Slice(of) => Ok((slice, (*of.elem).clone())),
                Type::TraitObject(_) => refused(
                    "a trait object's methods live in the host's memory: pass a `Copy` enum or struct by value",
                ),
                Type::Path(path) if path.path.is_ident("str") => {
                    refused("pass text as its bytes: `&[u8]`")
                }
                thin => Ok((other, thin.clone())),
            }
        }
        Type::Ptr(pointer) => {
            let kind = match pointer.mutability {
                PointerMutability::Const(_) => Kind::Pointer,
                PointerMutability::Mut(_) => Kind::PointerMut,
            };
            match peel(&pointer.elem) {
                Type::Slice(slice) => Ok((kind.of_slice(), (*slice.elem).clone())),
                Type::Path(path) if path.path.is_ident("str") => {
                    refused("pass text as its bytes: `&[u8]`")
                }
                thin => Ok((kind, thin.clone())),
            }
        }
        Type::ImplTrait(_) => refused(
            "a kernel cannot be generic: name the type, and write one kernel a type (a macro can do it)",
        ),
        Type::Slice(slice) => {
            let element = text(&slice.elem);
            refused(&format!("pass a slice by reference: `&[{element}]`"))
        }
        other => Ok((Kind::Value, other.clone())),
    }
}

fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => peel(&inner.elem),
        Type::Group(inner) => peel(&inner.elem),
        other => other,
    }
}

fn with_static_lifetimes(ty: &Type) -> Type {
    struct Static;
    impl VisitMut for Static {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
        fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
            reference.lifetime = Some(Lifetime::new("'static", reference.and_token.span));
            syn::visit_mut::visit_type_reference_mut(self, reference);
        }
        // A function pointer's own lifetimes are its business.
        fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}
    }
    let mut ty = ty.clone();
    Static.visit_type_mut(&mut ty);
    ty
}
