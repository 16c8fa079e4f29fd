//! Tokens back to text, spaced as rustfmt would: for metadata and for the conditions of contracts,
//! which a user reads. Stable rustc has no source text for a range of tokens.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// `out . len () as u64 > = 1` becomes `out.len() as u64 >= 1`.
pub(crate) fn display(tokens: TokenStream) -> String {
    let mut writer = Writer::default();
    writer.stream(tokens);
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// The next token follows without a space.
    glued: bool,
    /// The last token can end an operand, so that an operator after it is binary.
    operand: bool,
}

impl Writer {
    fn stream(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) => {
                    let ident = ident.to_string();
                    self.word(&ident);
                    self.operand = !matches!(
                        ident.as_str(),
                        "as" | "mut" | "const" | "dyn" | "in" | "if" | "else" | "return" | "match"
                    );
                }
                TokenTree::Literal(literal) => {
                    self.word(&literal.to_string());
                    self.operand = true;
                }
                TokenTree::Punct(first) if first.as_char() == '\'' => {
                    self.space();
                    self.text.push('\'');
                    self.glued = true;
                    if let Some(TokenTree::Ident(name)) = tokens.peek() {
                        let name = name.to_string();
                        self.word(&name);
                        tokens.next();
                    }
                    self.operand = false;
                }
                TokenTree::Punct(first) => {
                    let mut operator = String::from(first.as_char());
                    let mut spacing = first.spacing();
                    while spacing == Spacing::Joint {
                        match tokens.peek() {
                            Some(TokenTree::Punct(next)) if joins(&operator, next.as_char()) => {
                                operator.push(next.as_char());
                                spacing = next.spacing();
                                tokens.next();
                            }
                            _ => break,
                        }
                    }
                    self.operator(&operator);
                }
                TokenTree::Group(group) => self.group(group.delimiter(), group.stream()),
            }
        }
    }

    fn group(&mut self, delimiter: Delimiter, stream: TokenStream) {
        let (open, close) = match delimiter {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace => ("{ ", " }"),
            Delimiter::None => return self.stream(stream),
        };
        // A call or an index stays with its operand.
        if !(self.operand && delimiter != Delimiter::Brace) {
            self.space();
        }
        self.text.push_str(open);
        self.glued = true;
        self.operand = false;
        self.stream(stream);
        self.text.push_str(close);
        self.glued = false;
        self.operand = true;
    }

    fn word(&mut self, word: &str) {
        self.space();
        self.text.push_str(word);
        self.glued = false;
    }

    fn operator(&mut self, operator: &str) {
        let (before, after) = match operator {
            "." | "::" | ".." | "..=" => (false, false),
            "," | ";" | ":" => (false, true),
            "?" => (false, true),
            // Generic arguments are read as such: a comparison is not told apart, which only
            // costs it its spaces.
            "!" | "#" | "$" => (!self.glued, false),
            "&" | "*" | "-" | "&&" if !self.operand => (!self.glued, false),
            "<" | ">"
                if self.text.ends_with("::")
                    || operator == ">" && self.text.contains('<') && !self.text.contains(" < ") =>
            {
                (false, false)
            }
            "<" if starts_type(&self.text) => (false, false),
            _ => (true, true),
        };
        if before {
            self.space();
        }
        self.text.push_str(operator);
        self.glued = !after;
        self.operand = matches!(operator, "?") || (operator == ">" && !after);
        if operator == ">" && !after {
            self.glued = false;
        }
    }

    fn space(&mut self) {
        if !self.glued && !self.text.is_empty() {
            self.text.push(' ');
        }
    }
}

/// `Name` before `<` is a type, `name` is a value.
fn starts_type(text: &str) -> bool {
    let word = text
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or("");
    word.starts_with(|c: char| c.is_uppercase()) && word.chars().any(char::is_lowercase)
}

/// Whether `operator` and `next` are one operator: `->`, `&&`, `>=`, `..=`, but not `&` `*`.
fn joins(operator: &str, next: char) -> bool {
    matches!(
        (operator, next),
        (":", ':')
            | (".", '.')
            | ("..", '=')
            | (
                "=" | "!" | "<" | ">" | "+" | "-" | "*" | "/" | "%" | "^" | "&" | "|",
                '='
            )
            | ("&", '&')
            | ("|", '|')
            | ("<", '<')
            | ("=" | "-", '>')
    )
}

#[cfg(test)]
mod tests {
    use super::display;

    fn round_trip(text: &str) {
        let tokens: proc_macro2::TokenStream = text.parse().unwrap();
        assert_eq!(display(tokens), text);
    }

    #[test]
    fn types_are_spaced_as_an_author_writes_them() {
        round_trip("&[f32]");
        round_trip("&mut [f32]");
        round_trip("*const u8");
        round_trip("*mut [u8; 32]");
        round_trip("Pair<u32, f32>");
        round_trip("crate::scan::Status");
        round_trip("&'a [f32]");
        round_trip("Vec<Option<u32>>");
    }

    #[test]
    fn conditions_are_spaced_as_an_author_writes_them() {
        round_trip("out.len() as u64 >= grid.count().saturating_mul(block.count())");
        round_trip("u64::from(count) * 2 <= MAX");
        round_trip("n > 0 && n % 2 == 0");
        round_trip("!input.is_empty()");
        round_trip("block.x <= 1024 || shared_bytes == 4 * block.x");
        round_trip("(1..=1024).contains(&block.x)");
        round_trip("-x < y");
    }
}
