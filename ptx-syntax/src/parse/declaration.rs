//! Variables, registers and parameters with their types and initialisers.

use super::{Parsed, Parser, limits};
use crate::lexer::{Kind, Token};
use crate::tree::{Initial, Pointee, Variable};
use crate::types::{Linkage, Number, Space, Span, Type};

impl<'a> Parser<'a> {
    /// Takes a state space, if one stands here. `.const[2]` banks are old and
    /// not taken.
    pub(super) fn space(&mut self) -> Option<Space> {
        let Kind::Dot(word) = self.current.kind else {
            return None;
        };
        let space = Space::parse(word)?;
        self.advance();
        Some(space)
    }

    /// `.attribute(...)`, if one stands here: none of them changes what a program computes.
    pub(super) fn attribute(&mut self) -> Parsed<Option<&'a str>> {
        if !self.accept_dot("attribute") {
            return Ok(None);
        }
        self.expect('(')?;
        let start = self.previous_end;
        self.balanced('(', ')', "`)`")?;
        Ok(Some(self.keep(start..self.previous_end - 1)))
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let token = self.current;
        let align = self.integer_u32("an alignment")?;
        if !align.is_power_of_two() || align > 1 << 16 {
            return self.error_at(token, "an alignment is a power of two up to 65536");
        }
        Ok(align)
    }

    /// What comes before the name: a variable without one.
    fn head(&mut self, space: Space, linkage: Option<Linkage>) -> Parsed<Variable<'a>> {
        let mut head = Variable {
            span: Span::default(),
            name_span: Span::default(),
            linkage,
            space,
            attribute: None,
            align: None,
            ty: Type::B8,
            vector: 1,
            pointee: None,
            name: "_",
            range: None,
            elements: None,
            initial: Vec::new(),
        };
        loop {
            let Kind::Dot(word) = self.current.kind else {
                return self.expected("a type such as `.b32`");
            };
            match (word, Type::parse(word)) {
                ("attribute", _) => head.attribute = self.attribute()?,
                (_, Some(ty)) => {
                    self.advance();
                    head.ty = ty;
                    return Ok(head);
                }
                ("align", _) => {
                    self.advance();
                    head.align = Some(self.alignment()?);
                }
                ("v2" | "v4" | "v8", _) => {
                    self.advance();
                    head.vector = u32::from(word.as_bytes()[1] - b'0');
                }
                _ => return self.expected("a type such as `.b32`"),
            }
        }
    }

    /// `name`, `name<n>`, `name[n][m]`, `= ...`.
    fn declarator(&mut self, mut variable: Variable<'a>) -> Parsed<Variable<'a>> {
        let token = self.current;
        variable.name = self.name("a name")?;
        variable.name_span = self.span(&token);
        if variable.space == Space::Register && self.accept('<') {
            let count = self.current;
            let range = self.integer_u32("a number of registers")?;
            if range > limits::RANGE {
                return self.error_at(
                    count,
                    format!("more than {} registers of one name", limits::RANGE),
                );
            }
            variable.range = Some(range);
            self.expect('>')?;
        }
        while self.is_sign('[') {
            let size = self.dimension()?;
            variable.elements = variable.elements.unwrap_or(1).checked_mul(size);
            let unit = u64::from(variable.ty.bytes() * variable.vector);
            let bytes = variable.elements.and_then(|n| n.checked_mul(unit));
            if bytes.is_none_or(|bytes| bytes > limits::VARIABLE) {
                return self.error_at(
                    token,
                    format!("a variable of more than {} bytes", limits::VARIABLE),
                );
            }
        }
        if self.accept('=') {
            self.enter()?;
            self.initial(&mut variable.initial)?;
            self.leave();
            let listed = variable.initial.len() as u64;
            // `x[] = {1, 2}` takes its size from the list.
            if variable.elements == Some(0) {
                variable.elements = Some(listed.div_ceil(u64::from(variable.vector)));
            }
            if listed > variable.elements.unwrap_or(1) * u64::from(variable.vector) {
                return self.error_at(token, "more initial values than elements");
            }
        }
        Ok(variable)
    }

    /// `[n]`, or `[]`, which is 0.
    fn dimension(&mut self) -> Parsed<u64> {
        self.expect('[')?;
        let size = if self.is_sign(']') {
            0
        } else {
            self.integer_constant("a number of elements")?
        };
        self.expect(']')?;
        Ok(size)
    }

    fn initial(&mut self, values: &mut Vec<Initial<'a>>) -> Parsed<()> {
        if self.accept('{') {
            self.enter()?;
            while !self.is_sign('}') {
                self.initial(values)?;
                if !self.accept(',') {
                    break;
                }
            }
            self.leave();
            return self.expect('}');
        }
        // Of packed values LLVM writes addresses a byte an element: `0xFF00(generic(x))`.
        let mask = match self.current.kind {
            Kind::Number(Number::Integer(mask)) if self.ahead.kind == Kind::Sign('(') => Some(mask),
            Kind::Name(_) => None,
            _ => {
                values.push(Initial::Number(self.constant("a number")?));
                return Ok(());
            }
        };
        if mask.is_some() {
            self.advance();
            self.expect('(')?;
        }
        values.push(self.address_of(mask)?);
        if mask.is_some() {
            self.expect(')')?;
        }
        Ok(())
    }

    /// `name+8`, `generic(name)+8`: an address as an initial value.
    fn address_of(&mut self, mask: Option<u64>) -> Parsed<Initial<'a>> {
        let word = self.current.kind;
        let generic = word == Kind::Name("generic") && self.ahead.kind == Kind::Sign('(');
        if generic {
            self.advance();
            self.expect('(')?;
        }
        let name = self.name("a variable")?;
        let mut offset = if generic { 0 } else { self.offset()? };
        if generic {
            self.expect(')')?;
            offset = self.offset()?;
        }
        Ok(Initial::Address {
            name,
            offset,
            generic,
            mask,
        })
    }

    /// `.align 4 .b8 a[16], b, %r<4>;` behind its state space; `first` begins the declaration.
    pub(super) fn variables(
        &mut self,
        first: &Token<'a>,
        space: Space,
        linkage: Option<Linkage>,
    ) -> Parsed<Vec<Variable<'a>>> {
        let head = self.head(space, linkage)?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator(head.clone())?);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(';')?;
        let span = self.span(first);
        variables
            .iter_mut()
            .for_each(|variable| variable.span = span);
        Ok(variables)
    }

    /// A list of parameters, where one begins here.
    pub(super) fn parameters_if_any(&mut self) -> Parsed<Vec<Variable<'a>>> {
        match self.is_sign('(') {
            true => self.parameters(),
            false => Ok(Vec::new()),
        }
    }

    /// `(.param .u64 .ptr .global .align 4 a, .reg .b32 b)`.
    fn parameters(&mut self) -> Parsed<Vec<Variable<'a>>> {
        let mut parameters = Vec::new();
        self.expect('(')?;
        while !self.is_sign(')') {
            let first = self.current;
            let Some(space) = self.space() else {
                return self.expected("`.param` or `.reg`");
            };
            if !matches!(space, Space::Parameter | Space::Register) {
                return self.error("a parameter is `.param` or `.reg`");
            }
            let mut head = self.head(space, None)?;
            head.pointee = self.pointee()?;
            if parameters.len() >= limits::LIST {
                return self.error(format!("more than {} parameters", limits::LIST));
            }
            let mut parameter = match self.current.kind {
                Kind::Name("_") => self.nameless(head)?,
                _ => self.declarator(head)?,
            };
            parameter.span = self.span(&first);
            parameters.push(parameter);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(parameters)
    }

    /// The pointee's space and alignment are promises to the compiler; `.ptr` itself changes
    /// nothing.
    fn pointee(&mut self) -> Parsed<Option<Pointee>> {
        if !self.accept_dot("ptr") {
            return Ok(None);
        }
        let mut pointee = Pointee::default();
        loop {
            if self.accept_dot("align") {
                pointee.align = Some(self.alignment()?);
            } else if self.current.kind != Kind::Dot("reg")
                && let Some(space) = self.space()
            {
                pointee.space = Some(space);
            } else {
                return Ok(Some(pointee));
            }
        }
    }

    /// `_`, `_[8]`: a parameter of a prototype.
    fn nameless(&mut self, mut parameter: Variable<'a>) -> Parsed<Variable<'a>> {
        let token = self.advance();
        parameter.name_span = self.span(&token);
        if self.is_sign('[') {
            parameter.elements = Some(self.dimension()?.min(1 << 16));
        }
        Ok(parameter)
    }
}
