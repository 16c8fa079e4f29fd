//! One kernel parameter: what kind it is, and how it is named in the metadata and in the types of
//! the launch.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Error, FnArg, Ident, Lifetime, Pat, PointerMutability, Token, Type};

use crate::text;

/// How a parameter reaches the device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `&[T]`: address and length.
    Slice,
    /// `&mut [T]`: address and length.
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
    /// The name in the metadata's JSON.
    pub(crate) fn json(self) -> &'static str {
        match self {
            Self::Slice => "slice",
            Self::SliceMut => "slice_mut",
            Self::Pointer => "pointer",
            Self::PointerMut => "pointer_mut",
            Self::Reference => "reference",
            Self::ReferenceMut => "reference_mut",
            Self::Value => "value",
        }
    }

    /// The name of the variant of `ParameterKind` and of the marker type, which are the same.
    pub(crate) fn marker(self) -> Ident {
        let name = match self {
            Self::Slice => "Slice",
            Self::SliceMut => "SliceMut",
            Self::Pointer => "Pointer",
            Self::PointerMut => "PointerMut",
            Self::Reference => "Reference",
            Self::ReferenceMut => "ReferenceMut",
            Self::Value => "Value",
        };
        Ident::new(name, proc_macro2::Span::call_site())
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
    pub(crate) fn parse(argument: &FnArg) -> syn::Result<Self> {
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
        let Pat::Ident(name) = typed.pat.as_ref() else {
            return Err(Error::new_spanned(
                &typed.pat,
                "a kernel's parameter is one name: write `name: Type` and take it apart in the body",
            ));
        };
        if name.by_ref.is_some() || name.subpat.is_some() {
            return Err(Error::new_spanned(
                name,
                "a kernel's parameter is one name: write `name: Type` and take it apart in the body",
            ));
        }
        let (kind, inner) = classify(&typed.ty)?;
        Ok(Self {
            ident: name.ident.clone(),
            mutability: name.mutability,
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
    match ty {
        Type::Paren(inner) => classify(&inner.elem),
        Type::Group(inner) => classify(&inner.elem),
        Type::Reference(reference) => {
            let exclusive = reference.mutability.is_some();
            match peel(&reference.elem) {
                Type::Slice(slice) => Ok((
                    if exclusive {
                        Kind::SliceMut
                    } else {
                        Kind::Slice
                    },
                    (*slice.elem).clone(),
                )),
                Type::TraitObject(_) => Err(Error::new_spanned(
                    ty,
                    "a trait object's methods live in the host's memory: pass a `Copy` enum or struct by value",
                )),
                Type::Path(path) if path.path.is_ident("str") => {
                    Err(Error::new_spanned(ty, "pass text as its bytes: `&[u8]`"))
                }
                other => Ok((
                    if exclusive {
                        Kind::ReferenceMut
                    } else {
                        Kind::Reference
                    },
                    other.clone(),
                )),
            }
        }
        Type::Ptr(pointer) => {
            let kind = match pointer.mutability {
                PointerMutability::Const(_) => Kind::Pointer,
                PointerMutability::Mut(_) => Kind::PointerMut,
            };
            match peel(&pointer.elem) {
                Type::Slice(slice) => {
                    let element = text::display(slice.elem.to_token_stream());
                    Err(Error::new_spanned(
                        ty,
                        format!(
                            "pass a slice as `&[{element}]` or `&mut [{element}]`, or a raw pointer and a length as two parameters"
                        ),
                    ))
                }
                other => Ok((kind, other.clone())),
            }
        }
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "a kernel cannot be generic: name the type, and write one kernel a type (a macro can do it)",
        )),
        Type::Slice(slice) => {
            let element = text::display(slice.elem.to_token_stream());
            Err(Error::new_spanned(
                ty,
                format!("pass a slice by reference: `&[{element}]`"),
            ))
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
