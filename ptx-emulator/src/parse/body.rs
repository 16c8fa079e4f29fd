//! Bodies: scopes, labels, instructions and their operands.

use super::{Parsed, Parser, limits};
use crate::ast::{Guard, Instruction, Linkage, Location, Operand, Prototype, Statement};
use crate::lexer::Kind;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.enter()?;
        self.expect('{')?;
        let mut statements = Vec::new();
        while !self.is_sign('}') {
            self.statement(&mut statements)?;
        }
        self.expect('}')?;
        self.leave();
        Ok(statements)
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        match self.current.kind {
            Kind::Sign(';') => {
                self.advance();
            }
            Kind::Sign('{') => {
                let block = self.block()?;
                statements.push(Statement::Block(block));
            }
            Kind::Dot("loc") => {
                let location = self.location()?;
                statements.push(Statement::Location(location));
            }
            Kind::Dot("pragma") => self.pragma()?,
            Kind::Dot("reg" | "shared" | "local" | "param" | "const" | "global") => {
                let Some(space) = self.space() else {
                    return self.expected("a state space");
                };
                self.variables(space, Linkage::Internal, &mut |variable| {
                    statements.push(Statement::Declaration(variable));
                })?;
            }
            Kind::Dot(_) => return self.expected("a directive of a body"),
            Kind::Name(_) if self.ahead.kind == Kind::Sign(':') => {
                let position = self.current.position;
                let name = self.name("a label")?;
                self.expect(':')?;
                let item = match self.current.kind {
                    Kind::Dot("branchtargets") => {
                        self.advance();
                        Statement::BranchTargets(position, name, self.names()?)
                    }
                    Kind::Dot("calltargets") => {
                        self.advance();
                        Statement::CallTargets(position, name, self.names()?)
                    }
                    Kind::Dot("callprototype") => {
                        self.advance();
                        Statement::CallPrototype(position, name, self.prototype()?)
                    }
                    _ => Statement::Label(position, name),
                };
                statements.push(item);
            }
            Kind::Name(_) | Kind::Sign('@') => {
                let instruction = self.instruction()?;
                statements.push(Statement::Instruction(instruction));
            }
            _ => return self.expected("an instruction, a label or a directive"),
        }
        Ok(())
    }

    fn names(&mut self) -> Parsed<Vec<String>> {
        let mut names = Vec::new();
        loop {
            names.push(self.name("a name")?);
            if !self.accept(',') {
                self.expect(';')?;
                return Ok(names);
            }
        }
    }

    /// `(.param .b32 _) _ (.param .b32 _, .param .b64 _);`
    fn prototype(&mut self) -> Parsed<Prototype> {
        let returns = if self.is_sign('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        self.name("`_`")?;
        let parameters = if self.is_sign('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        self.accept_dot("noreturn");
        self.expect(';')?;
        Ok(Prototype {
            returns,
            parameters,
        })
    }

    fn location(&mut self) -> Parsed<Location> {
        self.advance();
        let file = self.integer_u32("a file number")?;
        let line = self.integer_u32("a line")?;
        let column = self.integer_u32("a column")?;
        let mut location = Location {
            file,
            line,
            column,
            inlined_at: None,
            call: self.call_behind(),
        };
        while self.accept(',') {
            match self.name("function_name or inlined_at")?.as_str() {
                "function_name" => {
                    self.name("the label of a name")?;
                    self.offset()?;
                }
                "inlined_at" => {
                    let file = self.integer_u32("a file number")?;
                    let line = self.integer_u32("a line")?;
                    let column = self.integer_u32("a column")?;
                    location.inlined_at = Some((file, line, column));
                }
                _ => return self.error("expected function_name or inlined_at"),
            }
        }
        Ok(location)
    }

    /// The number in a comment directly behind the last token: `//17`.
    fn call_behind(&self) -> Option<u32> {
        let rest = self.text.get(self.previous_end..)?.lines().next()?;
        rest.trim().strip_prefix("//")?.parse().ok()
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let position = self.current.position;
        let start = self.current.start;
        let guard = if self.accept('@') {
            let negated = self.accept('!');
            Some(Guard {
                negated,
                register: self.name("a predicate register")?,
            })
        } else {
            None
        };
        let opcode = self.name("an opcode")?;
        let mut modifiers = Vec::new();
        while let Kind::Dot(word) = self.current.kind {
            if modifiers.len() >= 32 || word.len() > 64 {
                return self.error("more modifiers than any instruction has");
            }
            modifiers.push(word.to_owned());
            self.advance();
        }
        let mut operands = Vec::new();
        if !self.is_sign(';') {
            loop {
                if operands.len() >= limits::LIST {
                    return self.error(format!("more than {} operands", limits::LIST));
                }
                operands.push(self.operand()?);
                if !self.accept(',') {
                    break;
                }
            }
        }
        let end = self.current.end;
        if !self.is_sign(';') {
            return self.expected("`,` or `;` behind an operand");
        }
        self.advance();
        Ok(Instruction {
            position,
            text: (start, end),
            guard,
            opcode,
            modifiers,
            operands,
        })
    }

    fn operands_until(&mut self, close: char) -> Parsed<Vec<Operand>> {
        self.enter()?;
        let mut operands = Vec::new();
        while !self.is_sign(close) {
            if operands.len() >= limits::LIST {
                return self.error(format!("more than {} operands", limits::LIST));
            }
            operands.push(self.operand()?);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(close)?;
        self.leave();
        Ok(operands)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.current.kind {
            Kind::Sign('[') => {
                self.advance();
                self.address()
            }
            Kind::Sign('{') => {
                self.advance();
                Ok(Operand::Vector(self.operands_until('}')?))
            }
            Kind::Sign('(') => {
                self.advance();
                Ok(Operand::List(self.operands_until(')')?))
            }
            Kind::Sign('!') => {
                self.advance();
                Ok(Operand::Not(self.name("a predicate register")?))
            }
            Kind::Name(_) => self.named(),
            _ => Ok(Operand::Number(self.number()?)),
        }
    }

    /// A register name with its component: `%tid.x`.
    fn component_name(&mut self) -> Parsed<String> {
        let mut name = self.name("a name")?;
        if let Kind::Dot("x" | "y" | "z" | "w" | "r" | "g" | "b" | "a") = self.current.kind
            && let Some(component) = self.adjacent_dot()
        {
            name.push('.');
            name.push_str(component);
        }
        Ok(name)
    }

    fn named(&mut self) -> Parsed<Operand> {
        let name = self.component_name()?;
        let wrap = |name: String| {
            if name == "_" {
                Operand::Sink
            } else {
                Operand::Name(name)
            }
        };
        if self.accept('|') {
            let second = self.component_name()?;
            return Ok(Operand::Pair(Box::new(wrap(name)), Box::new(wrap(second))));
        }
        if self.is_sign('+') || self.is_sign('-') {
            let offset = self.offset()?;
            return Ok(Operand::NameOffset(name, offset));
        }
        Ok(wrap(name))
    }

    fn address(&mut self) -> Parsed<Operand> {
        let base = match self.current.kind {
            Kind::Name(_) => Some(self.component_name()?),
            _ => None,
        };
        let offset = if base.is_some() {
            self.offset()?
        } else {
            match self.number()? {
                crate::ast::Number::Integer(value) => value as i64,
                _ => return self.error("an address must be an integer"),
            }
        };
        let rest = if self.accept(',') {
            self.operands_until(']')?
        } else {
            self.expect(']')?;
            Vec::new()
        };
        Ok(Operand::Address { base, offset, rest })
    }
}
