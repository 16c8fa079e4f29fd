//! The numbers that files have: from text, from each other, and to text.

use std::fmt::Debug;
use std::str::FromStr;

use bytemuck::Pod;

use crate::named::named;

named! {
    /// A type of numbers.
    Scalar {
        /// 8 bits without a sign.
        U8 = "u8",
        /// 16 bits without a sign.
        U16 = "u16",
        /// 32 bits without a sign.
        U32 = "u32",
        /// 64 bits without a sign.
        U64 = "u64",
        /// 8 bits.
        I8 = "i8",
        /// 16 bits.
        I16 = "i16",
        /// 32 bits.
        I32 = "i32",
        /// 64 bits.
        I64 = "i64",
        /// Floats of 32 bits.
        F32 = "f32",
        /// Floats of 64 bits.
        F64 = "f64",
    }
}

/// Evaluates `$body` where `$T` is the type of the scalar.
macro_rules! with_type {
    ($scalar:expr, $T:ident => $body:expr) => {{
        macro_rules! body {
            ($type:ty) => {{
                type $T = $type;
                $body
            }};
        }
        match $scalar {
            $crate::columns::Scalar::U8 => body!(u8),
            $crate::columns::Scalar::U16 => body!(u16),
            $crate::columns::Scalar::U32 => body!(u32),
            $crate::columns::Scalar::U64 => body!(u64),
            $crate::columns::Scalar::I8 => body!(i8),
            $crate::columns::Scalar::I16 => body!(i16),
            $crate::columns::Scalar::I32 => body!(i32),
            $crate::columns::Scalar::I64 => body!(i64),
            $crate::columns::Scalar::F32 => body!(f32),
            $crate::columns::Scalar::F64 => body!(f64),
        }
    }};
}

pub(crate) use with_type;

impl Scalar {
    /// Bytes of a number.
    pub fn size(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }

    /// The number in so many bytes, in this machine's order.
    pub(super) fn value(self, bytes: &[u8]) -> Value {
        with_type!(self, T => bytemuck::pod_read_unaligned::<T>(bytes).value())
    }
}

/// A number of any type.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An integer.
    Whole(i128),
    /// Of 32 bits, whose digits are fewer.
    Single(f32),
    /// Any other float.
    Double(f64),
}

impl std::fmt::Display for Value {
    /// The fewest digits that are this number and no other of its type.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Whole(value) => write!(f, "{value}"),
            Value::Single(value) => write!(f, "{value:?}"),
            Value::Double(value) => write!(f, "{value:?}"),
        }
    }
}

/// A number as files have it.
pub trait Number: Pod + Debug + PartialEq + FromStr + Send + Sync {
    /// Its type.
    const SCALAR: Scalar;

    /// The number that a text is, which is infinite or NaN only where the text says so; or what
    /// is wrong with it.
    fn parse(text: &str) -> Result<Self, String>;

    /// The same number, of floats the nearest; or what is wrong with that.
    fn of(value: Value) -> Result<Self, String>;

    /// The number, of no type.
    fn value(self) -> Value;

    /// Texts that are such numbers, in words.
    fn allowed() -> String;
}

macro_rules! integers {
    ($($type:ident $scalar:ident)*) => {$(
        impl Number for $type {
            const SCALAR: Scalar = Scalar::$scalar;

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| match text.parse::<f64>() {
                    Ok(value) if text.contains(['.', 'e', 'E']) && value as $type as f64 == value => {
                        format!("`{}` is not written as a whole number", shown(text))
                    }
                    Ok(value) => unlike(value, &shown(text), stringify!($type)),
                    Err(_) => no_number(text),
                })
            }

            fn of(value: Value) -> Result<Self, String> {
                let float = match value {
                    Value::Whole(whole) => return whole
                        .try_into()
                        .map_err(|_| unlike(whole as f64, &whole.to_string(), stringify!($type))),
                    Value::Single(value) => f64::from(value),
                    Value::Double(value) => value,
                };
                // A conversion stops at the ends of the type, and makes 0 of NaN.
                let found = float as $type;
                let is_same = found as f64 == float && found as i128 == float as i128;
                is_same
                    .then_some(found)
                    .ok_or_else(|| unlike(float, &value.to_string(), stringify!($type)))
            }

            fn value(self) -> Value {
                Value::Whole(self.into())
            }

            fn allowed() -> String {
                format!("whole numbers from {} to {}", Self::MIN, Self::MAX)
            }
        }
    )*};
}

integers! { u8 U8 u16 U16 u32 U32 u64 U64 i8 I8 i16 I16 i32 I32 i64 I64 }

macro_rules! floats {
    ($($type:ident $scalar:ident $value:ident)*) => {$(
        impl Number for $type {
            const SCALAR: Scalar = Scalar::$scalar;

            fn parse(text: &str) -> Result<Self, String> {
                let Ok(value) = text.parse::<Self>() else {
                    return Err(no_number(text));
                };
                let has_digits = || text.bytes().any(|byte| byte.is_ascii_digit());
                if !value.is_finite() && has_digits() {
                    return Err(too_large(text, stringify!($type)));
                }
                Ok(value)
            }

            fn of(value: Value) -> Result<Self, String> {
                let (nearest, is_finite) = match value {
                    Value::Whole(value) => (value as Self, true),
                    Value::Single(value) => (value as Self, value.is_finite()),
                    Value::Double(value) => (value as Self, value.is_finite()),
                };
                if is_finite && !nearest.is_finite() {
                    return Err(too_large(&value.to_string(), stringify!($type)));
                }
                Ok(nearest)
            }

            fn value(self) -> Value {
                Value::$value(self)
            }

            fn allowed() -> String {
                "numbers, inf and -inf".to_owned()
            }
        }
    )*};
}

floats! { f32 F32 Single f64 F64 Double }

fn no_number(text: &str) -> String {
    format!("`{}` is not a number", shown(text))
}

fn too_large(text: &str, type_name: &str) -> String {
    format!("`{}` is too large for {type_name}", shown(text))
}

/// Why a number is no integer of a type.
fn unlike(value: f64, text: &str, type_name: &str) -> String {
    match value.is_finite() && value.fract() == 0.0 {
        true if value < 0.0 => format!("`{text}` is too small for {type_name}"),
        true => too_large(text, type_name),
        false => format!("`{text}` is not a whole number"),
    }
}

/// A text of a file as a sentence can have it: on one line, and not too long.
pub(crate) fn shown(text: &str) -> String {
    const LENGTH: usize = 40;
    let plain = text.chars().map(|character| match character {
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    });
    let mut shown: String = plain.take(LENGTH).collect();
    if text.chars().nth(LENGTH).is_some() {
        shown += "...";
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_infinite_only_where_its_text_says_so() {
        assert_eq!(f64::parse("-1.5e3"), Ok(-1500.0));
        assert_eq!(f64::parse("-inf"), Ok(f64::NEG_INFINITY));
        assert_eq!(f32::parse("+infinity"), Ok(f32::INFINITY));
        assert!(f64::parse("nan").is_ok_and(f64::is_nan));
        for text in ["", "x", "1,5", "0x10", "pi", "1 2"] {
            assert_eq!(f64::parse(text), Err(format!("`{text}` is not a number")));
        }
        let sentence = "`1e39` is too large for f32";
        assert_eq!(f32::parse("1e39"), Err(sentence.to_owned()));
        assert_eq!(f32::of(Value::Double(1e39)), Err(sentence.to_owned()));
        assert_eq!(f64::parse("1e39"), Ok(1e39));
        assert!(f64::parse("-1e309").is_err());
        assert_eq!(f32::of(Value::Double(f64::INFINITY)), Ok(f32::INFINITY));
    }

    #[test]
    fn an_integer_is_no_other_number() {
        assert_eq!(u8::parse("255"), Ok(255));
        assert_eq!(i64::parse("-9223372036854775808"), Ok(i64::MIN));
        for (text, problem) in [
            ("256", "too large for u8"),
            ("-1", "too small for u8"),
            ("1.5", "not a whole number"),
            ("nan", "not a whole number"),
            ("x", "not a number"),
        ] {
            assert_eq!(u8::parse(text), Err(format!("`{text}` is {problem}")));
        }
        assert_eq!(u8::of(Value::Double(255.0)), Ok(255));
        assert_eq!(i64::of(Value::Single(-0.0)), Ok(0));
        for value in [256.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(u8::of(Value::Double(value)).is_err(), "{value}");
        }
        // 2^63, which as an i64 would be one less.
        assert!(i64::of(Value::Double(9_223_372_036_854_775_808.0)).is_err());
        assert_eq!(
            u8::of(Value::Whole(-1)),
            Err("`-1` is too small for u8".to_owned())
        );
        assert!(u8::of(Value::Whole(256)).is_err());
    }

    /// 0.1 and 16777216 are known to have these shortest forms; 2^-1074 is the least number.
    #[test]
    fn text_has_the_digits_that_are_needed_and_no_more() {
        let text = |value: Value| value.to_string();
        assert_eq!([text(0.1f32.value()), text(0.1f64.value())], ["0.1", "0.1"]);
        assert_eq!(text(f64::from(0.1f32).value()), "0.10000000149011612");
        assert_eq!(
            [1e300, 5e-324].map(|x: f64| text(x.value())),
            ["1e300", "5e-324"]
        );
        assert_eq!(
            [f64::NEG_INFINITY, f64::NAN].map(|x| text(x.value())),
            ["-inf", "NaN"]
        );
        assert_eq!(text(u64::MAX.value()), "18446744073709551615");
    }
}
