//! PTX text to tokens, each with where it stands.
//!
//! The lexer never fails on its own: a character it does not know is a token
//! that no rule of the parser takes, so that all errors are made in one place.

use crate::types::{Number, Position};

#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    /// `add`, `%r1`, `$L__BB0_1`
    Name(&'a str),
    /// `.global`, `.L1::no_allocate`: the text after the dot.
    Dot(&'a str),
    Number(Number),
    Text(&'a str),
    Sign(char),
    /// A number or a text that is not well formed; what is wrong with it.
    Bad(&'static str),
    End,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) position: Position,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Where the last token ended, when a value ends with it.
    value_end: Option<usize>,
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        // Some editors put a byte order mark in front.
        let begin = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer {
            text,
            at: begin,
            line: 1,
            line_start: begin,
            value_end: None,
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest
            .iter()
            .position(|&byte| !keep(byte))
            .unwrap_or(rest.len());
        let taken = &self.text[self.at..self.at + length];
        self.at += length;
        taken
    }

    fn new_line(&mut self) {
        self.line += 1;
        self.line_start = self.at;
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    self.at += 1;
                    self.new_line();
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    self.take_while(|byte| byte != b'\n');
                }
                (b'/', b'*') => {
                    self.at += 2;
                    while self.at < self.text.len() && (self.byte(0), self.byte(1)) != (b'*', b'/')
                    {
                        self.at += 1;
                        if self.text.as_bytes()[self.at - 1] == b'\n' {
                            self.new_line();
                        }
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                _ => return,
            }
        }
    }

    pub(crate) fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let start = self.at;
        let position = Position {
            line: self.line,
            column: (start - self.line_start).min(u32::MAX as usize - 1) as u32 + 1,
        };
        let kind = self.kind();
        let is_value = matches!(kind, Kind::Number(_) | Kind::Sign(')'));
        self.value_end = is_value.then_some(self.at);
        Token {
            kind,
            position,
            start,
            end: self.at,
        }
    }

    fn kind(&mut self) -> Kind<'a> {
        if self.at >= self.text.len() {
            return Kind::End;
        }
        let byte = self.byte(0);
        if begins_name(byte) && !self.is_remainder() {
            return Kind::Name(self.take_while(in_name));
        }
        if byte.is_ascii_digit() {
            return self.number();
        }
        if byte == b'.' && in_word(self.byte(1)) {
            self.at += 1;
            let start = self.at;
            self.take_while(in_word);
            while self.byte(0) == b':' && self.byte(1) == b':' && in_word(self.byte(2)) {
                self.at += 2;
                self.take_while(in_word);
            }
            return Kind::Dot(&self.text[start..self.at]);
        }
        if byte == b'"' {
            self.at += 1;
            let start = self.at;
            self.take_while(|byte| byte != b'"' && byte != b'\n');
            let text = &self.text[start..self.at];
            if self.byte(0) != b'"' {
                return Kind::Bad("a text without its closing quote");
            }
            self.at += 1;
            return Kind::Text(text);
        }
        let sign = self.text[self.at..].chars().next().unwrap_or('\0');
        self.at += sign.len_utf8();
        Kind::Sign(sign)
    }

    /// Whether a `%` is the operator: no name goes on behind it, or a value ends right before it.
    fn is_remainder(&self) -> bool {
        self.byte(0) == b'%' && (self.value_end == Some(self.at) || !in_name(self.byte(1)))
    }

    fn number(&mut self) -> Kind<'a> {
        let digits = |word: &str, radix: u32, bad| match u64::from_str_radix(word, radix) {
            Ok(value) => Kind::Number(Number::Integer(value)),
            Err(_) => Kind::Bad(bad),
        };
        if self.byte(0) == b'0'
            && matches!(
                self.byte(1),
                b'f' | b'F' | b'd' | b'D' | b'x' | b'X' | b'b' | b'B'
            )
        {
            let form = self.byte(1).to_ascii_lowercase();
            self.at += 2;
            let word = self.take_while(in_word);
            return match form {
                b'f' if word.len() == 8 => match u32::from_str_radix(word, 16) {
                    Ok(bits) => Kind::Number(Number::F32(bits)),
                    Err(_) => Kind::Bad("0f needs 8 hexadecimal digits"),
                },
                b'f' => Kind::Bad("0f needs 8 hexadecimal digits"),
                b'd' if word.len() == 16 => match u64::from_str_radix(word, 16) {
                    Ok(bits) => Kind::Number(Number::F64(bits)),
                    Err(_) => Kind::Bad("0d needs 16 hexadecimal digits"),
                },
                b'd' => Kind::Bad("0d needs 16 hexadecimal digits"),
                b'x' => digits(
                    word.trim_end_matches('U'),
                    16,
                    "not a hexadecimal number of at most 64 bits",
                ),
                _ => digits(
                    word.trim_end_matches('U'),
                    2,
                    "not a binary number of at most 64 bits",
                ),
            };
        }
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        let fraction = self.byte(0) == b'.' && self.byte(1).is_ascii_digit();
        if fraction {
            self.at += 1;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        let exponent = matches!(self.byte(0), b'e' | b'E')
            && (self.byte(1).is_ascii_digit()
                || (matches!(self.byte(1), b'+' | b'-') && self.byte(2).is_ascii_digit()));
        if exponent {
            self.at += 2;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        let word = &self.text[start..self.at];
        if fraction || exponent {
            return match word.parse::<f64>() {
                Ok(value) => Kind::Number(Number::F64(value.to_bits())),
                Err(_) => Kind::Bad("not a number"),
            };
        }
        if self.byte(0) == b'U' {
            self.at += 1;
        }
        if in_word(self.byte(0)) || self.byte(0) == b'$' {
            self.take_while(in_name);
            return Kind::Bad("a number runs into a name");
        }
        if word.len() > 1 && word.starts_with('0') {
            return digits(word, 8, "not an octal number of at most 64 bits");
        }
        digits(word, 10, "not a decimal number of at most 64 bits")
    }
}
