//! Variables, registers and parameters with their types and initialisers.

use super::{Parsed, Parser, limits};
use crate::ast::{Initial, Linkage, Space, Type, Variable};
use crate::lexer::Kind;

/// What comes before the name.
struct Head {
    align: Option<u32>,
    ty: Type,
    vector: u32,
}

impl Parser<'_> {
    /// Takes a state space, if one stands here. `.const[2]` banks are old and
    /// not taken.
    pub(super) fn space(&mut self) -> Option<Space> {
        let space = match self.current.kind {
            Kind::Dot("reg") => Space::Register,
            Kind::Dot("shared") => Space::Shared,
            Kind::Dot("local") => Space::Local,
            Kind::Dot("param") => Space::Parameter,
            Kind::Dot("const") => Space::Constant,
            Kind::Dot("global") => Space::Global,
            _ => return None,
        };
        self.advance();
        Some(space)
    }

    /// `.attribute(...)`: skipped; none of them changes what a program computes.
    pub(super) fn attribute(&mut self) -> Parsed<()> {
        while self.accept_dot("attribute") {
            self.expect('(')?;
            let mut open = 1usize;
            while open > 0 {
                match self.current.kind {
                    Kind::End => return self.expected("`)`"),
                    Kind::Sign('(') => open += 1,
                    Kind::Sign(')') => open -= 1,
                    _ => {}
                }
                self.advance();
            }
        }
        Ok(())
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let token = self.current;
        let align = self.integer_u32("an alignment")?;
        if !align.is_power_of_two() || align > 1 << 16 {
            return self.error_at(token, "an alignment is a power of two up to 65536");
        }
        Ok(align)
    }

    fn head(&mut self) -> Parsed<Head> {
        let mut head = Head {
            align: None,
            ty: Type::B8,
            vector: 1,
        };
        loop {
            match self.current.kind {
                Kind::Dot("align") => {
                    self.advance();
                    head.align = Some(self.alignment()?);
                }
                Kind::Dot("attribute") => self.attribute()?,
                Kind::Dot("v2") => {
                    self.advance();
                    head.vector = 2;
                }
                Kind::Dot("v4") => {
                    self.advance();
                    head.vector = 4;
                }
                Kind::Dot("v8") => {
                    self.advance();
                    head.vector = 8;
                }
                Kind::Dot(word) => match Type::parse(word) {
                    Some(ty) => {
                        self.advance();
                        head.ty = ty;
                        return Ok(head);
                    }
                    None => return self.expected("a type such as `.b32`"),
                },
                _ => return self.expected("a type such as `.b32`"),
            }
        }
    }

    /// `name`, `name<n>`, `name[n][m]`, `= ...`.
    fn declarator(&mut self, space: Space, linkage: Linkage, head: &Head) -> Parsed<Variable> {
        let token = self.current;
        let mut variable = Variable {
            position: token.position,
            space,
            linkage,
            align: head.align,
            ty: head.ty,
            vector: head.vector,
            name: self.name("a name")?,
            range: None,
            elements: None,
            initial: Vec::new(),
        };
        if space == Space::Register && self.accept('<') {
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
        while self.accept('[') {
            let size = if self.is_sign(']') {
                0
            } else {
                self.integer("a number of elements")?
            };
            self.expect(']')?;
            let elements = variable.elements.unwrap_or(1).checked_mul(size);
            let bytes =
                elements.and_then(|n| n.checked_mul(u64::from(head.ty.bytes() * head.vector)));
            match bytes {
                Some(bytes) if bytes <= limits::VARIABLE => variable.elements = elements,
                _ => {
                    return self.error_at(
                        token,
                        format!("a variable of more than {} bytes", limits::VARIABLE),
                    );
                }
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

    fn initial(&mut self, values: &mut Vec<Initial>) -> Parsed<()> {
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
        let Kind::Name(word) = self.current.kind else {
            values.push(Initial::Number(self.number()?));
            return Ok(());
        };
        let generic = word == "generic" && self.ahead.kind == crate::lexer::Kind::Sign('(');
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
        values.push(Initial::Address {
            name,
            offset,
            generic,
        });
        Ok(())
    }

    /// `.align 4 .b8 a[16], b, %r<4>;` behind its state space.
    pub(super) fn variables(
        &mut self,
        space: Space,
        linkage: Linkage,
        push: &mut dyn FnMut(Variable),
    ) -> Parsed<()> {
        let head = self.head()?;
        loop {
            push(self.declarator(space, linkage, &head)?);
            if !self.accept(',') {
                return self.expect(';');
            }
        }
    }

    /// `(.param .u64 .ptr .global .align 4 a, .reg .b32 b)`.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        let mut parameters = Vec::new();
        self.expect('(')?;
        while !self.is_sign(')') {
            let Some(space) = self.space() else {
                return self.expected("`.param` or `.reg`");
            };
            if !matches!(space, Space::Parameter | Space::Register) {
                return self.error("a parameter is `.param` or `.reg`");
            }
            let head = self.head()?;
            if self.accept_dot("ptr") {
                // The pointee's space and alignment are promises to the
                // compiler; `.ptr` itself changes nothing.
                while let Kind::Dot("global" | "shared" | "local" | "const" | "param" | "align") =
                    self.current.kind
                {
                    if self.accept_dot("align") {
                        self.alignment()?;
                    } else {
                        self.advance();
                    }
                }
            }
            if parameters.len() >= limits::LIST {
                return self.error(format!("more than {} parameters", limits::LIST));
            }
            parameters.push(if self.current.kind == Kind::Name("_") {
                let position = self.current.position;
                self.advance();
                let mut variable = Variable {
                    position,
                    space,
                    linkage: Linkage::Internal,
                    align: head.align,
                    ty: head.ty,
                    vector: head.vector,
                    name: "_".into(),
                    range: None,
                    elements: None,
                    initial: Vec::new(),
                };
                if self.accept('[') {
                    let size = if self.is_sign(']') {
                        0
                    } else {
                        self.integer("a number of elements")?
                    };
                    variable.elements = Some(size.min(1 << 16));
                    self.expect(']')?;
                }
                variable
            } else {
                self.declarator(space, Linkage::Internal, &head)?
            });
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(parameters)
    }
}
