//! Tokens to the syntax tree, by recursive descent.
//!
//! No input makes this panic, recurse deeply or take memory out of proportion
//! to its length: see `limits`. `module` reads what stands at module scope,
//! `declaration` variables and parameters, `body` statements and operands, `expression` constants.

mod body;
mod declaration;
mod expression;
mod module;

use std::ops::Range;

use crate::lexer::{Kind, Lexer, Token};
use crate::tree::{Location, Module};
use crate::types::{Number, Position, Span};

/// What a module may ask for at most.
pub(crate) mod limits {
    /// Bytes of text.
    pub(crate) const TEXT: usize = 256 << 20;
    /// Bytes of one name.
    pub(crate) const NAME: usize = 16 << 10;
    /// Braces in braces.
    pub(crate) const DEPTH: usize = 64;
    /// Registers of one `%r<n>`.
    pub(crate) const RANGE: u32 = 1 << 17;
    /// Bytes of one variable.
    pub(crate) const VARIABLE: u64 = 1 << 36;
    /// Operands of one instruction, parameters of one function.
    pub(crate) const LIST: usize = 4096;
}

/// The text is not PTX: where, what, and the line itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}: `{line}`")]
pub struct ParseError {
    /// Of the token that does not fit.
    pub position: Position,
    /// What was expected or is wrong.
    pub message: String,
    /// The text of the line, trimmed, at most 120 characters.
    pub line: String,
}

/// Parses PTX text.
///
/// # Errors
///
/// The first place at which the text is not PTX.
pub fn parse(text: &str) -> Result<Module<'_>, ParseError> {
    if text.len() > limits::TEXT {
        return Err(ParseError {
            position: Position { line: 1, column: 1 },
            message: format!("the text has more than {} bytes", limits::TEXT),
            line: String::new(),
        });
    }
    Parser::new(text).module()
}

/// The version that a text declares where a module begins, `.version major.minor`; `None` when it
/// begins otherwise. What follows is not looked at.
///
/// A module begins with this directive: only blanks and comments may stand before it (PTX ISA 8.8,
/// section "PTX Module Directives: .version").
pub fn version(text: &str) -> Option<(u32, u32)> {
    let mut parser = Parser::new(text);
    parser
        .accept_dot("version")
        .then(|| parser.version().ok())?
}

/// Reads one `.loc`, with the number behind it; `None` when the text begins otherwise.
pub fn location(text: &str) -> Option<Location<'_>> {
    let mut parser = Parser::new(text);
    parser.accept_dot("loc").then(|| parser.location().ok())?
}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    current: Token<'a>,
    ahead: Token<'a>,
    depth: usize,
    previous_end: usize,
    /// Bytes of the text that the tree has as they are written.
    kept: Vec<Range<usize>>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next();
        let ahead = lexer.next();
        Parser {
            text,
            lexer,
            current,
            ahead,
            depth: 0,
            previous_end: 0,
            kept: Vec::new(),
        }
    }

    /// Text that the tree has as it is written.
    fn keep(&mut self, bytes: Range<usize>) -> &'a str {
        self.kept.push(bytes.clone());
        &self.text[bytes]
    }

    /// From a token to the last one that was taken.
    fn span(&self, from: &Token<'a>) -> Span {
        // A text has less than 2^32 bytes: `limits::TEXT`.
        Span {
            position: from.position,
            start: from.start as u32,
            end: self.previous_end as u32,
        }
    }

    fn advance(&mut self) -> Token<'a> {
        let token = self.current;
        self.previous_end = token.end;
        self.current = self.ahead;
        self.ahead = self.lexer.next();
        token
    }

    fn error_at<T>(&self, token: Token<'a>, message: impl Into<String>) -> Parsed<T> {
        let start = self.text[..token.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or("").trim();
        Err(ParseError {
            position: token.position,
            message: message.into(),
            line: line.chars().take(120).collect(),
        })
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        match self.current.kind {
            Kind::Bad(what) => self.error_at(self.current, what),
            _ => self.error_at(self.current, message),
        }
    }

    fn describe(&self) -> String {
        match self.current.kind {
            Kind::End => "the end of the text".into(),
            _ => {
                let text = &self.text[self.current.start..self.current.end];
                format!("`{}`", text.chars().take(40).collect::<String>())
            }
        }
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.describe()))
    }

    fn is_sign(&self, sign: char) -> bool {
        self.current.kind == Kind::Sign(sign)
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: char) -> Parsed<()> {
        if self.accept(sign) {
            Ok(())
        } else {
            self.expected(&format!("`{sign}`"))
        }
    }

    fn accept_dot(&mut self, word: &str) -> bool {
        let found = self.current.kind == Kind::Dot(word);
        if found {
            self.advance();
        }
        found
    }

    fn name(&mut self, what: &str) -> Parsed<&'a str> {
        match self.current.kind {
            Kind::Name(name) if name.len() > limits::NAME => {
                self.error(format!("a name has more than {} bytes", limits::NAME))
            }
            Kind::Name(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    fn integer(&mut self, what: &str) -> Parsed<u64> {
        match self.current.kind {
            Kind::Number(Number::Integer(value)) => {
                self.advance();
                Ok(value)
            }
            _ => self.expected(what),
        }
    }

    fn integer_u32(&mut self, what: &str) -> Parsed<u32> {
        let token = self.current;
        let value = self.integer(what)?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.error_at(token, format!("{what} has more than 32 bits")),
        }
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            return self.error(format!("more than {} levels of nesting", limits::DEPTH));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
