//! The words that types, spaces and literals are made of, and where they stand in a text.

/// Where a token begins: line and column, both from 1, the column in bytes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where a part of the tree stands in its text.
///
/// All spans are equal: two trees are the same when they say the same, wherever it stands.
#[derive(Copy, Clone, Debug, Default)]
pub struct Span {
    /// Of the first token.
    pub position: Position,
    /// Byte of the text.
    pub start: u32,
    /// Byte behind the last token.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Span {
    /// What stands there; empty when `text` is not the text that was parsed.
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        let bytes = self.start as usize..self.end as usize;
        text.get(bytes).unwrap_or("")
    }
}

/// Words of PTX, each a value of an enum.
macro_rules! words {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $value:ident = $word:literal,)*) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// What a word stands for; it is written without its dot.
            pub fn parse(word: &str) -> Option<Self> {
                Some(match word {
                    $($word => $name::$value,)*
                    _ => return None,
                })
            }

            /// The word, without its dot.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$value => $word,)*
                }
            }
        }
    };
}

words! {
    /// The state spaces in which a declaration can stand.
    Space:
    /// Registers.
    Register = "reg",
    /// Shared memory of the block.
    Shared = "shared",
    /// Private memory of the thread.
    Local = "local",
    /// Parameters of entries, functions and calls.
    Parameter = "param",
    /// The constant bank.
    Constant = "const",
    /// Global memory.
    Global = "global",
}

words! {
    /// How a name of module scope is linked, where a directive says so.
    Linkage:
    Visible = "visible",
    Extern = "extern",
    Weak = "weak",
    Common = "common",
}

words! {
    /// The fundamental types.
    Type:
    Predicate = "pred",
    B8 = "b8",
    B16 = "b16",
    B32 = "b32",
    B64 = "b64",
    B128 = "b128",
    U8 = "u8",
    U16 = "u16",
    U32 = "u32",
    U64 = "u64",
    S8 = "s8",
    S16 = "s16",
    S32 = "s32",
    S64 = "s64",
    F16 = "f16",
    F16x2 = "f16x2",
    BF16 = "bf16",
    BF16x2 = "bf16x2",
    F32 = "f32",
    F64 = "f64",
}

impl Type {
    /// Width in memory, bytes; 1 for a predicate.
    pub fn bytes(self) -> u32 {
        match self {
            Type::Predicate | Type::B8 | Type::U8 | Type::S8 => 1,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::BF16 => 2,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::F16x2 | Type::BF16x2 => 4,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => 8,
            Type::B128 => 16,
        }
    }

    /// `.s8` to `.s64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Any floating-point type.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2 | Type::F32 | Type::F64
        )
    }
}

/// A literal.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Number {
    /// Two's complement, 64 bits.
    Integer(u64),
    /// `0f3F800000`
    F32(u32),
    /// `0d3FF0000000000000`, or a decimal fraction.
    F64(u64),
}

impl Number {
    /// The bit pattern that this literal has as a value of `ty`; `None` when
    /// an integer type is given a fraction.
    pub fn bits(self, ty: Type) -> Option<u64> {
        let width = |value: u64| match ty.bytes() {
            1 => value & 0xff,
            2 => value & 0xffff,
            4 => value & 0xffff_ffff,
            _ => value,
        };
        Some(match (self, ty) {
            (Number::Integer(value), Type::F32) => u64::from((value as i64 as f32).to_bits()),
            (Number::Integer(value), Type::F64) => (value as i64 as f64).to_bits(),
            (Number::Integer(value), _) => width(value),
            (Number::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
            (Number::F32(bits), _) if ty.bytes() == 4 && !ty.is_signed() => u64::from(bits),
            (Number::F64(bits), Type::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            (Number::F64(bits), Type::F64 | Type::B64 | Type::U64) => bits,
            _ => return None,
        })
    }
}
