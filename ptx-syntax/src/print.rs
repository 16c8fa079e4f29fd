//! A tree to text, laid out as LLVM lays it out: a directive or instruction a line.
//!
//! What is printed parses to the same tree. It differs from the text that was parsed in blanks,
//! comments (`//.call` and the number behind a `.loc` stay), the order of what stands before a
//! name, and the spelling of numbers: integers are decimal, floats `0f` or `0d`, and of arrays
//! the number of all elements is printed.

use std::fmt::{self, Display, Formatter};

use crate::tree::{
    Block, Call, Directive, File, Function, Guard, Initial, Instruction, Item, Kind, Location,
    Module, Operand, Prototype, Statement, Variable,
};
use crate::types::{Number, Space};

/// Items, separated by a text.
struct List<'a, T>(&'a [T], &'static str);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { self.1 };
            write!(f, "{separator}{item}")?;
        }
        Ok(())
    }
}

/// `"text", "text"`
struct Texts<'a>(&'a [&'a str]);

impl Display for Texts<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let quoted: Vec<String> = self.0.iter().map(|text| format!("\"{text}\"")).collect();
        List(&quoted, ", ").fmt(f)
    }
}

/// `+8`, `+-8`, as LLVM has it, or nothing.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            offset => write!(f, "+{offset}"),
        }
    }
}

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.version;
        writeln!(f, ".version {major}.{minor}")?;
        if !self.target.is_empty() {
            writeln!(f, ".target {}", List(&self.target, ", "))?;
        }
        writeln!(f, ".address_size {}", self.address_size)?;
        for item in &self.items {
            writeln!(f, "{item}")?;
        }
        for call in &self.calls {
            writeln!(f, "{call}")?;
        }
        Ok(())
    }
}

impl Display for Item<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::File(file) => write!(f, "\t{file}"),
            Item::Variables(variables) => write_variables(f, variables),
            Item::Function(function) => function.fmt(f),
            Item::Alias { name, of, .. } => write!(f, ".alias {name}, {of};"),
            Item::Pragma(texts) => write!(f, ".pragma {};", Texts(texts)),
            Item::Section(text) => write!(f, "\t{text}"),
        }
    }
}

impl Display for File<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".file\t{} \"{}\"", self.index, self.path)?;
        self.stamp.iter().try_for_each(|part| write!(f, ", {part}"))
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "//.call {} {} {}", self.number, self.file, self.line)?;
        self.caller
            .iter()
            .try_for_each(|caller| write!(f, " {caller}"))
    }
}

/// The variables of one declaration.
fn write_variables(f: &mut Formatter<'_>, variables: &[Variable<'_>]) -> fmt::Result {
    let Some(first) = variables.first() else {
        return Ok(());
    };
    write_head(f, first)?;
    // As LLVM has it: only what a function declares, but for shared memory, stands behind a tab.
    if matches!(
        first.space,
        Space::Register | Space::Local | Space::Parameter
    ) {
        f.write_str("\t")?;
    }
    for (index, variable) in variables.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        write_declarator(f, variable)?;
    }
    f.write_str(";")
}

/// What stands before the name, with a blank behind it.
fn write_head(f: &mut Formatter<'_>, variable: &Variable<'_>) -> fmt::Result {
    if let Some(linkage) = variable.linkage {
        write!(f, ".{} ", linkage.word())?;
    }
    write!(f, ".{} ", variable.space.word())?;
    if let Some(attribute) = variable.attribute {
        write!(f, ".attribute({attribute}) ")?;
    }
    if let Some(align) = variable.align {
        write!(f, ".align {align} ")?;
    }
    if variable.vector > 1 {
        write!(f, ".v{} ", variable.vector)?;
    }
    write!(f, ".{} ", variable.ty.word())?;
    let Some(pointee) = variable.pointee else {
        return Ok(());
    };
    f.write_str(".ptr ")?;
    if let Some(space) = pointee.space {
        write!(f, ".{} ", space.word())?;
    }
    if let Some(align) = pointee.align {
        write!(f, ".align {align} ")?;
    }
    Ok(())
}

fn write_declarator(f: &mut Formatter<'_>, variable: &Variable<'_>) -> fmt::Result {
    f.write_str(variable.name)?;
    if let Some(range) = variable.range {
        write!(f, "<{range}>")?;
    }
    match variable.elements {
        None => {}
        Some(0) => f.write_str("[]")?,
        Some(count) => write!(f, "[{count}]")?,
    }
    match &variable.initial[..] {
        [] => Ok(()),
        [one] if variable.elements.is_none() => write!(f, " = {one}"),
        all => write!(f, " = {{{}}}", List(all, ", ")),
    }
}

impl Display for Initial<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Initial::Number(number) => number.fmt(f),
            Initial::Address {
                name,
                offset,
                generic,
                mask,
            } => {
                if let Some(mask) = mask {
                    write!(f, "0x{mask:X}(")?;
                }
                match generic {
                    true => write!(f, "generic({name}){}", Offset(offset))?,
                    false => write!(f, "{name}{}", Offset(offset))?,
                }
                f.write_str(if mask.is_some() { ")" } else { "" })
            }
        }
    }
}

/// A parameter, or a value that is returned.
impl Display for Variable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_head(f, self)?;
        write_declarator(f, self)
    }
}

impl Display for Function<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, ".{} ", linkage.word())?;
        }
        f.write_str(if self.entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            write!(f, " ({}) ", List(&self.returns, ", "))?;
        }
        f.write_str(self.name)?;
        match self.parameters.is_empty() {
            true => f.write_str("()")?,
            false => write!(f, "(\n\t{}\n)", List(&self.parameters, ",\n\t"))?,
        }
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        match &self.body {
            None => f.write_str("\n;"),
            Some(body) => write!(f, "\n{body}"),
        }
    }
}

impl Display for Directive<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Directive::Numbers(name, values) => {
                let blank = if values.is_empty() { "" } else { " " };
                write!(f, ".{name}{blank}{}", List(values, ", "))
            }
            Directive::Attribute(text) => write!(f, ".attribute({text})"),
            Directive::Pragma(texts) => write!(f, ".pragma {};", Texts(texts)),
        }
    }
}

impl Display for Block<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("{\n")?;
        for statement in &self.statements {
            let indent = match statement.kind {
                Kind::Label(_) => "",
                _ => "\t",
            };
            writeln!(f, "{indent}{statement}")?;
        }
        f.write_str("}")
    }
}

impl Display for Statement<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |f: &mut Formatter<'_>, name: &str, directive: &str, targets: &[&str]| {
            write!(f, "{name}: .{directive}\n\t\t{};", List(targets, ",\n\t\t"))
        };
        match &self.kind {
            Kind::Block(block) => block.fmt(f),
            Kind::Variables(variables) => write_variables(f, variables),
            Kind::Label(name) => write!(f, "{name}:"),
            Kind::Instruction(instruction) => instruction.fmt(f),
            Kind::Location(location) => location.fmt(f),
            Kind::Pragma(texts) => write!(f, ".pragma {};", Texts(texts)),
            Kind::BranchTargets(name, targets) => list(f, name, "branchtargets", targets),
            Kind::CallTargets(name, targets) => list(f, name, "calltargets", targets),
            Kind::CallPrototype(name, prototype) => write!(f, "{name}: {prototype};"),
        }
    }
}

impl Display for Prototype<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".callprototype ")?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", List(&self.returns, ", "))?;
        }
        write!(f, "_ ({})", List(&self.parameters, ", "))?;
        f.write_str(if self.noreturn { " .noreturn" } else { "" })
    }
}

impl Display for Location<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc\t{}", List(&self.at, " "))?;
        if let Some((label, offset)) = self.function_name {
            write!(f, ", function_name {label}{}", Offset(offset))?;
        }
        if let Some(at) = &self.inlined_at {
            write!(f, ", inlined_at {}", List(at, " "))?;
        }
        self.call.iter().try_for_each(|call| write!(f, " //{call}"))
    }
}

impl Display for Guard<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let negated = if self.negated { "!" } else { "" };
        write!(f, "@{negated}{}", self.register)
    }
}

impl Display for Instruction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        f.write_str(self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        match self.operands.is_empty() {
            true => f.write_str(";"),
            false => write!(f, " \t{};", List(&self.operands, ", ")),
        }
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::NameOffset(name, 0) => write!(f, "{name}+0"),
            Operand::NameOffset(name, offset) => write!(f, "{name}{}", Offset(*offset)),
            Operand::Element(name, index) => write!(f, "{name}[{index}]"),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::Number(number) => number.fmt(f),
            Operand::Address { base, offset, rest } => {
                match base {
                    Some(base) => write!(f, "[{base}{}", Offset(*offset))?,
                    None => write!(f, "[{offset}")?,
                }
                rest.iter()
                    .try_for_each(|operand| write!(f, ", {operand}"))?;
                f.write_str("]")
            }
            Operand::Vector(inner) => write!(f, "{{{}}}", List(inner, ", ")),
            Operand::List(inner) => write!(f, "({})", List(inner, ", ")),
            Operand::Sink => f.write_str("_"),
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Integer(value) => write!(f, "{}", value as i64),
            Number::F32(bits) => write!(f, "0f{bits:08X}"),
            Number::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}
