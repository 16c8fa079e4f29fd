//! A formula's tokens.

use crate::error::FormulaError;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'t> {
    Number(&'t str),
    Name(&'t str),
    /// An operator, a parenthesis, a comma or a semicolon.
    Sign(&'static str),
    End,
}

/// A token, and the byte where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) at: usize,
}

/// Longer ones first.
const SIGNS: [&str; 17] = [
    "<=", ">=", "==", "!=", "**", "+", "-", "*", "/", "^", "(", ")", ",", ";", "<", ">", "=",
];

/// All tokens, of which the last is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, FormulaError> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push(Token {
                kind: Kind::End,
                at,
            });
            return Ok(tokens);
        };
        let (kind, length) = if first.is_ascii_digit() || first == '.' {
            let length = number(rest);
            if length == 0 {
                return Err(FormulaError::new(
                    text,
                    at,
                    "a point stands alone, allowed are numbers such as 0.5",
                ));
            }
            (Kind::Number(&rest[..length]), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            (Kind::Name(&rest[..length]), length)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Kind::Sign(sign), sign.len())
        } else {
            let instead = match first {
                '\u{b7}' | '\u{d7}' | '\u{22c5}' => ", the product is `*`",
                '\u{f7}' => ", the quotient is `/`",
                '\u{2212}' | '\u{2013}' => ", the minus is `-`",
                '\u{3c0}' => ", the number is `pi`",
                '\u{221a}' => ", the root is `sqrt(x)`",
                '\u{2264}' => ", the comparison is `<=`",
                '\u{2265}' => ", the comparison is `>=`",
                '\u{b2}' => ", the square is `x^2`",
                '|' => ", the magnitude is `abs(x)`",
                '[' | '{' => ", parentheses are `(` and `)`",
                '%' => ", the rest of a quotient is `mod(a, b)`",
                _ => "",
            };
            let shown = first.escape_debug();
            return Err(FormulaError::new(
                text,
                at,
                format!("`{shown}` has no meaning{instead}"),
            ));
        };
        tokens.push(Token { kind, at });
        at += length;
    }
}

/// The length of the number that a text begins with.
fn number(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text[from..];
        rest.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let whole = digits(0);
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}
