//! The syntax tree of a PTX module: what the text says, names unresolved.
//!
//! Nothing here knows what an instruction does. The shape follows the PTX ISA's chapters 4
//! (syntax), 5 (state spaces, types, variables) and 11 (directives). Names and words are
//! slices of the text, without the dot of a directive or modifier.

use crate::types::{Linkage, Number, Position, Space, Span, Type};

/// A whole PTX text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module<'t> {
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// `.target`, word by word: `sm_90`, `debug`.
    pub target: Vec<&'t str>,
    /// 64 or 32.
    pub address_size: u32,
    /// What stands at module scope, in order.
    pub items: Vec<Item<'t>>,
    /// `//.call` lines.
    pub calls: Vec<Call>,
}

/// What stands at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<'t> {
    /// `.file`
    File(File<'t>),
    /// The variables of one declaration.
    Variables(Vec<Variable<'t>>),
    /// An entry or a device function.
    Function(Function<'t>),
    /// `.alias name, of;`
    Alias {
        /// From the directive to the semicolon.
        span: Span,
        /// The new name.
        name: &'t str,
        /// The function that it stands for.
        of: &'t str,
    },
    /// `.pragma "text", "text";`
    Pragma(Vec<&'t str>),
    /// `.section .debug_str { ... }`, as it is written.
    Section(&'t str),
}

/// `.file index "path"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File<'t> {
    /// The number that `.loc` uses.
    pub index: u32,
    /// As written.
    pub path: &'t str,
    /// A timestamp and a size, where they are given.
    pub stamp: Vec<u64>,
}

/// `//.call number file line [caller]`: a call that was inlined, in the short form of debug
/// locations ([`crate::debug`]). To every other reader of PTX it is a comment.
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

/// A declared register, variable or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'t> {
    /// Of the whole declaration, which may declare others too.
    pub span: Span,
    /// Of the name.
    pub name_span: Span,
    /// Its linkage.
    pub linkage: Option<Linkage>,
    /// Its state space.
    pub space: Space,
    /// `.attribute(...)`: what stands in the parentheses.
    pub attribute: Option<&'t str>,
    /// `.align`, bytes; `None` for the natural one.
    pub align: Option<u32>,
    /// Its element type.
    pub ty: Type,
    /// 1, or 2, 4, 8 for `.v2`, `.v4`, `.v8`.
    pub vector: u32,
    /// `.ptr`, of a parameter.
    pub pointee: Option<Pointee>,
    /// Its name; of a register range, the prefix.
    pub name: &'t str,
    /// `%r<16>`: 16 registers `%r0` to `%r15`.
    pub range: Option<u32>,
    /// `[n][m]`: n*m elements; `None` for a scalar; `Some(0)` for `[]`.
    pub elements: Option<u64>,
    /// `= {...}`, flattened; an element each.
    pub initial: Vec<Initial<'t>>,
}

impl Variable<'_> {
    /// Of the name.
    pub fn position(&self) -> Position {
        self.name_span.position
    }

    /// Bytes that it occupies; 0 for `[]`.
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * u64::from(self.vector) * self.elements.unwrap_or(1)
    }

    /// Its alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(self.ty.bytes() * self.vector)
    }

    /// `.shared x[]`: the launch decides how many bytes it has.
    pub fn is_of_launch(&self) -> bool {
        self.space == Space::Shared && self.elements == Some(0)
    }
}

/// `.ptr .global .align 4`: what a parameter points to.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointee {
    /// Where it lies.
    pub space: Option<Space>,
    /// What its address is a multiple of, bytes.
    pub align: Option<u32>,
}

/// One element of an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial<'t> {
    /// A number.
    Number(Number),
    /// The address of a name plus an offset; `generic(name)` sets the flag.
    Address {
        /// The variable or function.
        name: &'t str,
        /// Added to its address, bytes.
        offset: i64,
        /// In the generic space.
        generic: bool,
        /// `0xFF00(name)`: the bits of it that the element is, moved to the lowest place.
        mask: Option<u64>,
    },
}

/// An entry or a device function; without a body, a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Function<'t> {
    /// From its linkage to its closing brace or semicolon.
    pub span: Span,
    /// Of the name.
    pub name_span: Span,
    /// `.entry` (true) or `.func`.
    pub entry: bool,
    /// Its linkage.
    pub linkage: Option<Linkage>,
    /// Its name.
    pub name: &'t str,
    /// `.func (returns) name`.
    pub returns: Vec<Variable<'t>>,
    /// In order.
    pub parameters: Vec<Variable<'t>>,
    /// In order.
    pub directives: Vec<Directive<'t>>,
    /// `None` for a declaration.
    pub body: Option<Block<'t>>,
}

impl Function<'_> {
    /// Of the name.
    pub fn position(&self) -> Position {
        self.name_span.position
    }
}

/// What stands between the parameters of a function and its body.
#[derive(Clone, Debug, PartialEq)]
pub enum Directive<'t> {
    /// `.maxntid 32, 4, 1`
    Numbers(&'t str, Vec<u32>),
    /// `.attribute(...)`: what stands in the parentheses.
    Attribute(&'t str),
    /// `.pragma "text", "text";`
    Pragma(Vec<&'t str>),
}

/// `{ ... }`, a scope of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block<'t> {
    /// From brace to brace.
    pub span: Span,
    /// In order.
    pub statements: Vec<Statement<'t>>,
}

/// One item of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement<'t> {
    /// Up to its semicolon; of a label, to its colon, and of a `.loc`, to the number behind it.
    pub span: Span,
    /// What it is.
    pub kind: Kind<'t>,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'t> {
    /// `{ ... }`
    Block(Block<'t>),
    /// The variables of one declaration: `.reg`, `.shared`, `.local`, `.param` ...
    Variables(Vec<Variable<'t>>),
    /// `name:`
    Label(&'t str),
    /// An instruction.
    Instruction(Instruction<'t>),
    /// `.loc`
    Location(Location<'t>),
    /// `.pragma "text", "text";`
    Pragma(Vec<&'t str>),
    /// `name: .branchtargets a, b;`
    BranchTargets(&'t str, Vec<&'t str>),
    /// `name: .callprototype ...;`
    CallPrototype(&'t str, Prototype<'t>),
    /// `name: .calltargets f, g;`
    CallTargets(&'t str, Vec<&'t str>),
}

/// What an indirect call's function takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype<'t> {
    /// Returned values.
    pub returns: Vec<Variable<'t>>,
    /// Parameters.
    pub parameters: Vec<Variable<'t>>,
    /// `.noreturn`
    pub noreturn: bool,
}

/// File, line and column of a `.loc`.
pub type Place = [u32; 3];

/// `.loc file line column [, function_name ..., inlined_at file line column]`, or
/// `.loc file line column //call`. Lines and columns count from 1; 0 when the compiler had none.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location<'t> {
    /// Where.
    pub at: Place,
    /// The label of the name of the function that was inlined, and bytes behind it.
    pub function_name: Option<(&'t str, i64)>,
    /// The call site that this was inlined at.
    pub inlined_at: Option<Place>,
    /// The number of the call that this was inlined by, in the short form.
    pub call: Option<u32>,
}

/// One instruction as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'t> {
    /// Of the opcode (of the guard, when there is one), up to the semicolon.
    pub span: Span,
    /// `@p` or `@!p`.
    pub guard: Option<Guard<'t>>,
    /// `ld`
    pub opcode: &'t str,
    /// `["global", "v2", "f32"]`
    pub modifiers: Vec<&'t str>,
    /// In order.
    pub operands: Vec<Operand<'t>>,
}

/// `@p`, `@!p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard<'t> {
    /// The predicate register.
    pub register: &'t str,
    /// With `!`.
    pub negated: bool,
}

/// One operand as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'t> {
    /// A register, variable, label, function or special register such as
    /// `%tid.x`.
    Name(&'t str),
    /// `name+8` outside of brackets.
    NameOffset(&'t str, i64),
    /// `name[2]`: an element of an array, counted from 0. It stands for the address of the
    /// element, and in a load or a store for the element.
    Element(&'t str, i64),
    /// `!p`
    Not(&'t str),
    /// `p|q`
    Pair(Box<Operand<'t>>, Box<Operand<'t>>),
    /// A literal, or the value of a constant expression.
    Number(Number),
    /// `[base+offset]`, and what follows in the brackets after a comma.
    Address {
        /// A register or a variable; `None` for a bare number.
        base: Option<&'t str>,
        /// Bytes.
        offset: i64,
        /// `[map, {x, y}]`: the rest.
        rest: Vec<Operand<'t>>,
    },
    /// `{a, b}`
    Vector(Vec<Operand<'t>>),
    /// `(a, b)` of a call.
    List(Vec<Operand<'t>>),
    /// `_`
    Sink,
}
