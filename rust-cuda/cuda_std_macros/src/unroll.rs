//! `unroll!`: a counted loop, written out.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Error, Expr, ExprForLoop, ExprLit, ExprRange, Lit, Pat, RangeLimits};

/// More copies than this are a mistake.
const MAX_COPIES: u64 = 1024;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    parse(input).unwrap_or_else(Error::into_compile_error)
}

fn parse(input: TokenStream) -> syn::Result<TokenStream> {
    let form = "write `unroll!(for i in 0..8 { .. })`, with literals for the range";
    let all: ExprForLoop = syn::parse2(input).map_err(|error| Error::new(error.span(), form))?;
    let Pat::Ident(index) = all.pat.as_ref() else {
        return Err(Error::new_spanned(&all.pat, form));
    };
    let Expr::Range(ExprRange {
        start: Some(start),
        limits,
        end: Some(end),
        ..
    }) = all.expr.as_ref()
    else {
        return Err(Error::new_spanned(&all.expr, form));
    };
    let (start, mut end) = (number(start, form)?, number(end, form)?);
    if matches!(limits, RangeLimits::Closed(_)) {
        end += 1;
    }
    if end.saturating_sub(start) > MAX_COPIES {
        return Err(Error::new_spanned(
            &all.expr,
            format!("at most {MAX_COPIES} copies: write a loop around a smaller one"),
        ));
    }
    let (name, body) = (&index.ident, &all.body);
    let copies = (start..end).map(|i| {
        let value = Literal::u64_unsuffixed(i);
        quote!({
            #[allow(non_upper_case_globals, dead_code)]
            const #name: usize = #value;
            #body
        })
    });
    Ok(quote!({ #(#copies)* }))
}

fn number(expr: &Expr, form: &str) -> syn::Result<u64> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => number.base10_parse(),
        other => Err(Error::new_spanned(other, form)),
    }
}
