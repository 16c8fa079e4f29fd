//! Constant expressions: C's operators on literals, evaluated where they are read.
//!
//! PTX ISA 8.8, sections "Constant Expressions" to "Summary of Constant Expression Evaluation
//! Rules". No name is a part of one but `WARP_SZ`: what is added to a name is its offset.

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::types::Number;

/// Binary operators by how tightly they bind, the longer ones first.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", PRODUCT),
    ("/", PRODUCT),
    ("%", PRODUCT),
];

/// The one name that is a constant.
pub(super) const WARP_SIZE: (&str, i64) = ("WARP_SZ", 32);

/// How tightly products bind.
const PRODUCT: u8 = 10;

/// What an expression is so far.
#[derive(Copy, Clone)]
struct Value {
    number: Number,
    /// An integer is `.u64`, not `.s64`.
    is_unsigned: bool,
}

impl Value {
    fn signed(value: impl Into<i64>) -> Self {
        let number = Number::Integer(value.into() as u64);
        Value {
            number,
            is_unsigned: false,
        }
    }

    fn unsigned(value: u64) -> Self {
        Value {
            number: Number::Integer(value),
            is_unsigned: true,
        }
    }

    fn f64(value: f64) -> Self {
        Value {
            number: Number::F64(value.to_bits()),
            is_unsigned: false,
        }
    }
}

impl<'a> Parser<'a> {
    /// A constant expression; `what` it is goes into the error where none begins here.
    pub(super) fn constant(&mut self, what: &str) -> Parsed<Number> {
        Ok(self.conditional(what)?.number)
    }

    /// A constant expression that is an integer.
    pub(super) fn integer_constant(&mut self, what: &str) -> Parsed<u64> {
        let token = self.current;
        match self.constant(what)? {
            Number::Integer(value) => Ok(value),
            _ => self.error_at(token, format!("{what} must be an integer")),
        }
    }

    /// `+8`, `-8`, `+-8`, `+4*2` behind a name, or nothing.
    pub(super) fn offset(&mut self) -> Parsed<i64> {
        let mut total = 0i64;
        while self.is_sign('+') || self.is_sign('-') {
            self.accept('+');
            match self.binary(PRODUCT, "a number")?.number {
                Number::Integer(value) => total = total.wrapping_add(value as i64),
                _ => return self.error("an offset must be an integer"),
            }
        }
        Ok(total)
    }

    fn conditional(&mut self, what: &str) -> Parsed<Value> {
        let condition = self.binary(0, what)?;
        if !self.is_sign('?') {
            return Ok(condition);
        }
        let Number::Integer(chosen) = condition.number else {
            return self.error("the condition of `?` must be an integer");
        };
        self.enter()?;
        self.expect('?')?;
        let first = self.conditional("a number")?;
        self.expect(':')?;
        let second = self.conditional("a number")?;
        self.leave();
        let is_unsigned = first.is_unsigned || second.is_unsigned;
        let number = if chosen != 0 { first } else { second }.number;
        Ok(Value {
            number,
            is_unsigned,
        })
    }

    /// Operators that bind as tightly as `least`, or more.
    fn binary(&mut self, least: u8, what: &str) -> Parsed<Value> {
        let mut left = self.unary(what)?;
        while let Some((operator, level)) = self.operator().filter(|found| found.1 >= least) {
            let token = self.current;
            for _ in operator.chars() {
                self.advance();
            }
            let right = self.binary(level + 1, "a number")?;
            left = match combined(operator, left, right) {
                Ok(value) => value,
                Err(reason) => return self.error_at(token, reason),
            };
        }
        Ok(left)
    }

    /// The binary operator that stands here: one sign, or two without a blank.
    fn operator(&self) -> Option<(&'static str, u8)> {
        let Kind::Sign(_) = self.current.kind else {
            return None;
        };
        let rest = &self.text[self.current.start..];
        let found = |(text, _): &&(&str, u8)| rest.starts_with(text);
        OPERATORS.iter().find(found).copied()
    }

    fn unary(&mut self, what: &str) -> Parsed<Value> {
        let token = self.current;
        let Kind::Sign(sign @ ('+' | '-' | '!' | '~' | '(')) = token.kind else {
            return self.literal(what);
        };
        self.enter()?;
        self.advance();
        let value = match (sign, self.current.kind) {
            ('(', Kind::Dot(word @ ("s64" | "u64"))) => {
                self.advance();
                self.expect(')')?;
                match self.unary(what)?.number {
                    number @ Number::Integer(_) => Value {
                        number,
                        is_unsigned: word == "u64",
                    },
                    _ => return self.error_at(token, "a fraction has no cast to an integer"),
                }
            }
            ('(', _) => {
                let inner = self.conditional(what)?;
                self.expect(')')?;
                inner
            }
            _ => match changed(sign, self.unary(what)?) {
                Some(value) => value,
                None => return self.error_at(token, format!("`{sign}` takes an integer")),
            },
        };
        self.leave();
        Ok(value)
    }

    fn literal(&mut self, what: &str) -> Parsed<Value> {
        if self.current.kind == Kind::Name(WARP_SIZE.0) {
            self.advance();
            return Ok(Value::signed(WARP_SIZE.1));
        }
        let Kind::Number(number) = self.current.kind else {
            return self.expected(what);
        };
        let token = self.advance();
        let is_large = matches!(number, Number::Integer(value) if value > i64::MAX as u64);
        Ok(Value {
            number,
            is_unsigned: is_large || self.text[token.start..token.end].ends_with('U'),
        })
    }
}

/// What an operator in front makes of a value; `None` where it takes no fraction.
fn changed(sign: char, value: Value) -> Option<Value> {
    let number = match (sign, value.number) {
        ('+', number) => number,
        ('-', Number::Integer(value)) => Number::Integer(value.wrapping_neg()),
        ('-', Number::F32(bits)) => Number::F32(bits ^ 1 << 31),
        ('-', Number::F64(bits)) => Number::F64(bits ^ 1 << 63),
        ('!', Number::Integer(value)) => return Some(Value::signed(value == 0)),
        ('~', Number::Integer(value)) => return Some(Value::unsigned(!value)),
        _ => return None,
    };
    Some(Value { number, ..value })
}

/// What a binary operator makes of two values, or why they are not its own.
fn combined(operator: &str, left: Value, right: Value) -> Result<Value, String> {
    match (left.number, right.number) {
        (Number::Integer(a), Number::Integer(b)) => of_integers(operator, left, right, a, b),
        (Number::F64(a), Number::F64(b)) => {
            of_fractions(operator, f64::from_bits(a), f64::from_bits(b))
                .ok_or_else(|| format!("`{operator}` takes integers"))
        }
        _ => Err(format!(
            "`{operator}` takes two integers or two fractions of 64 bits"
        )),
    }
}

/// Where the types differ, both are `.u64`. Results are computed with more bits, and cut.
fn of_integers(operator: &str, left: Value, right: Value, a: u64, b: u64) -> Result<Value, String> {
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let wide = |value: u64, is_unsigned| match is_unsigned {
        true => i128::from(value),
        false => i128::from(value as i64),
    };
    let (x, y) = (wide(a, is_unsigned), wide(b, is_unsigned));
    let cut = |value: i128| Value {
        number: Number::Integer(value as u64),
        is_unsigned,
    };
    Ok(match operator {
        "/" | "%" if b == 0 => return Err("a constant is divided by 0".to_owned()),
        "+" => cut(x + y),
        "-" => cut(x - y),
        "*" => cut(x.wrapping_mul(y)),
        "/" => cut(x / y),
        "%" => Value::signed((a % b) as i64),
        "&" => Value::unsigned(a & b),
        "^" => Value::unsigned(a ^ b),
        "|" => Value::unsigned(a | b),
        "&&" => Value::signed(a != 0 && b != 0),
        "||" => Value::signed(a != 0 || b != 0),
        "<<" | ">>" => {
            let (value, places) = (wide(a, left.is_unsigned), b.min(64));
            let moved = if operator == "<<" {
                value << places
            } else {
                value >> places
            };
            Value {
                number: Number::Integer(moved as u64),
                ..left
            }
        }
        _ => Value::signed(compared(operator, x, y)),
    })
}

fn of_fractions(operator: &str, a: f64, b: f64) -> Option<Value> {
    Some(match operator {
        "+" => Value::f64(a + b),
        "-" => Value::f64(a - b),
        "*" => Value::f64(a * b),
        "/" => Value::f64(a / b),
        "<" | ">" | "<=" | ">=" | "==" | "!=" => Value::signed(compared(operator, a, b)),
        _ => return None,
    })
}

fn compared<T: PartialOrd>(operator: &str, a: T, b: T) -> bool {
    match operator {
        "<" => a < b,
        ">" => a > b,
        "<=" => a <= b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}
