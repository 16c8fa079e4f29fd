//! The syntax tree of a PTX module: what the text says, names unresolved.
//!
//! Nothing here knows what an instruction does; that is `lower`'s. The shape
//! follows the PTX ISA's chapters 4 (syntax), 5 (state spaces, types,
//! variables) and 11 (directives).

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

/// A whole PTX file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// `.target`, word by word: `sm_90`, `debug`.
    pub target: Vec<String>,
    /// 64 or 32.
    pub address_size: u32,
    /// `.file` entries.
    pub files: Vec<File>,
    /// `//.call` entries.
    pub calls: Vec<Call>,
    /// Variables at module scope.
    pub variables: Vec<Variable>,
    /// Entries and device functions, declarations included.
    pub functions: Vec<Function>,
}

/// `.file index "path"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The number that `.loc` uses.
    pub index: u32,
    /// As written.
    pub path: String,
}

/// `//.call number file line [caller]`: a call that was inlined, in cuda_builder's
/// short form of positions. To every other reader of PTX it is a comment.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The number that stands as a comment behind `.loc`.
    pub number: u32,
    /// Index into the `.file` entries.
    pub file: u32,
    /// From 1; 0 when the compiler had none.
    pub line: u32,
    /// The number of the call that this one was inlined by, which stands above it.
    pub caller: Option<u32>,
}

/// The state spaces in which a declaration can stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Registers.
    Register,
    /// Shared memory of the block.
    Shared,
    /// Private memory of the thread.
    Local,
    /// Parameters of entries, functions and calls.
    Parameter,
    /// The constant bank.
    Constant,
    /// Global memory.
    Global,
}

/// The fundamental types.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Predicate,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    BF16,
    BF16x2,
    F32,
    F64,
}

impl Type {
    /// The type that a modifier word such as `u32` names.
    pub fn parse(word: &str) -> Option<Type> {
        Some(match word {
            "pred" => Type::Predicate,
            "b8" => Type::B8,
            "b16" => Type::B16,
            "b32" => Type::B32,
            "b64" => Type::B64,
            "b128" => Type::B128,
            "u8" => Type::U8,
            "u16" => Type::U16,
            "u32" => Type::U32,
            "u64" => Type::U64,
            "s8" => Type::S8,
            "s16" => Type::S16,
            "s32" => Type::S32,
            "s64" => Type::S64,
            "f16" => Type::F16,
            "f16x2" => Type::F16x2,
            "bf16" => Type::BF16,
            "bf16x2" => Type::BF16x2,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => return None,
        })
    }

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

/// How a module-level name is linked.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// No directive.
    #[default]
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A declared register, variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Of the name.
    pub position: Position,
    /// Its state space.
    pub space: Space,
    /// Its linkage.
    pub linkage: Linkage,
    /// `.align`, bytes; `None` for the natural one.
    pub align: Option<u32>,
    /// Its element type.
    pub ty: Type,
    /// 1, or 2, 4, 8 for `.v2`, `.v4`, `.v8`.
    pub vector: u32,
    /// Its name; of a register range, the prefix.
    pub name: String,
    /// `%r<16>`: 16 registers `%r0` to `%r15`.
    pub range: Option<u32>,
    /// `[n][m]`: n*m elements; `None` for a scalar; `Some(0)` for `[]`.
    pub elements: Option<u64>,
    /// `= {...}`, flattened; an element each.
    pub initial: Vec<Initial>,
}

impl Variable {
    /// Bytes that it occupies; 0 for `[]`.
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * u64::from(self.vector) * self.elements.unwrap_or(1)
    }

    /// Its alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(self.ty.bytes() * self.vector)
    }
}

/// One element of an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A number.
    Number(Number),
    /// The address of a name plus an offset; `generic(name)` sets the flag.
    Address {
        /// The variable or function.
        name: String,
        /// Added to its address, bytes.
        offset: i64,
        /// In the generic space.
        generic: bool,
    },
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

/// An entry or a device function; without a body, a declaration.
#[derive(Clone, Debug)]
pub struct Function {
    /// Of the name.
    pub position: Position,
    /// `.entry` (true) or `.func`.
    pub entry: bool,
    /// Its linkage.
    pub linkage: Linkage,
    /// Its name.
    pub name: String,
    /// `.func (returns) name`.
    pub returns: Vec<Variable>,
    /// In order.
    pub parameters: Vec<Variable>,
    /// `.maxntid 1024` is `("maxntid", [1024])`.
    pub directives: Vec<(String, Vec<u32>)>,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement>>,
}

/// One item of a body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `{ ... }`, a scope of its own.
    Block(Vec<Statement>),
    /// `.reg`, `.shared`, `.local`, `.param` ...
    Declaration(Variable),
    /// `name:`
    Label(Position, String),
    /// An instruction.
    Instruction(Instruction),
    /// `.loc`
    Location(Location),
    /// `name: .branchtargets a, b;`
    BranchTargets(Position, String, Vec<String>),
    /// `name: .callprototype ...;`
    CallPrototype(Position, String, Prototype),
    /// `name: .calltargets f, g;`
    CallTargets(Position, String, Vec<String>),
}

/// What an indirect call's function takes and gives.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Returned values.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub parameters: Vec<Variable>,
}

/// `.loc file line column [, function_name ..., inlined_at file line column]`, or
/// `.loc file line column //call`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Index into the `.file` entries.
    pub file: u32,
    /// From 1; 0 when the compiler had none.
    pub line: u32,
    /// From 1; 0 when the compiler had none.
    pub column: u32,
    /// The call site that this was inlined at: file, line, column.
    pub inlined_at: Option<(u32, u32, u32)>,
    /// The number of the call that this was inlined by, in the short form.
    pub call: Option<u32>,
}

/// One instruction as written.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Of the opcode (of the guard, when there is one).
    pub position: Position,
    /// Byte range of the text, guard to semicolon.
    pub text: (usize, usize),
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// `ld`
    pub opcode: String,
    /// `["global", "v2", "f32"]`
    pub modifiers: Vec<String>,
    /// In order.
    pub operands: Vec<Operand>,
}

/// `@p`, `@!p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: String,
    /// With `!`.
    pub negated: bool,
}

/// One operand as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, variable, label, function or special register such as
    /// `%tid.x`.
    Name(String),
    /// `name+8` outside of brackets.
    NameOffset(String, i64),
    /// `!p`
    Not(String),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// A literal.
    Number(Number),
    /// `[base+offset]`, and what follows in the brackets after a comma.
    Address {
        /// A register or a variable; `None` for a bare number.
        base: Option<String>,
        /// Bytes.
        offset: i64,
        /// `[map, {x, y}]`: the rest.
        rest: Vec<Operand>,
    },
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `_`
    Sink,
}
