//! Bodies: scopes, labels, instructions and their operands.

use super::expression::WARP_SIZE;
use super::{Parsed, Parser, limits};
use crate::lexer::Kind as Token;
use crate::tree::{
    Block, Guard, Instruction, Kind, Location, Operand, Place, Prototype, Statement,
};
use crate::types::Space;

/// What may stand behind a register's name: a component of a vector, or the halves and bytes of it
/// that an instruction takes: `.h1`, `.b3210`.
fn is_component(word: &str) -> bool {
    let parts = word.strip_prefix(['b', 'h']).unwrap_or_default();
    match parts.len() {
        0 => ["x", "y", "z", "w", "r", "g", "b", "a"].contains(&word),
        count => count <= 4 && parts.bytes().all(|digit| (b'0'..b'8').contains(&digit)),
    }
}

impl<'a> Parser<'a> {
    pub(super) fn block(&mut self) -> Parsed<Block<'a>> {
        self.enter()?;
        let first = self.current;
        self.expect('{')?;
        let mut statements = Vec::new();
        while !self.is_sign('}') {
            if !self.accept(';') {
                statements.push(self.statement()?);
            }
        }
        self.expect('}')?;
        self.leave();
        let span = self.span(&first);
        Ok(Block { span, statements })
    }

    fn statement(&mut self) -> Parsed<Statement<'a>> {
        let first = self.current;
        let mut end = None;
        let kind = match first.kind {
            Token::Sign('{') => Kind::Block(self.block()?),
            Token::Dot("loc") => {
                self.advance();
                let location = self.location()?;
                end = location.call.and(Some(self.end_of_line()));
                Kind::Location(location)
            }
            Token::Dot("pragma") => Kind::Pragma(self.pragma()?),
            Token::Dot(word) if Space::parse(word).is_some() => match self.space() {
                Some(space) => Kind::Variables(self.variables(&first, space, None)?),
                None => return self.expected("a state space"),
            },
            Token::Dot(_) => return self.expected("a directive of a body"),
            Token::Name(_) if self.ahead.kind == Token::Sign(':') => self.labelled()?,
            Token::Name(_) | Token::Sign('@') => Kind::Instruction(self.instruction()?),
            _ => return self.expected("an instruction, a label or a directive"),
        };
        let mut span = self.span(&first);
        span.end = end.unwrap_or(span.end);
        Ok(Statement { span, kind })
    }

    /// A label and what it may be the name of.
    fn labelled(&mut self) -> Parsed<Kind<'a>> {
        let name = self.name("a label")?;
        self.expect(':')?;
        Ok(if self.accept_dot("branchtargets") {
            Kind::BranchTargets(name, self.names()?)
        } else if self.accept_dot("calltargets") {
            Kind::CallTargets(name, self.names()?)
        } else if self.accept_dot("callprototype") {
            Kind::CallPrototype(name, self.prototype()?)
        } else {
            Kind::Label(name)
        })
    }

    fn names(&mut self) -> Parsed<Vec<&'a str>> {
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
    fn prototype(&mut self) -> Parsed<Prototype<'a>> {
        let returns = self.parameters_if_any()?;
        self.name("`_`")?;
        let parameters = self.parameters_if_any()?;
        let noreturn = self.accept_dot("noreturn");
        self.expect(';')?;
        Ok(Prototype {
            returns,
            parameters,
            noreturn,
        })
    }

    fn place(&mut self) -> Parsed<Place> {
        Ok([
            self.integer_u32("a file number")?,
            self.integer_u32("a line")?,
            self.integer_u32("a column")?,
        ])
    }

    /// What stands behind `.loc`.
    pub(super) fn location(&mut self) -> Parsed<Location<'a>> {
        let mut location = Location {
            at: self.place()?,
            ..Location::default()
        };
        while self.accept(',') {
            match self.name("function_name or inlined_at")? {
                "function_name" => {
                    let label = self.name("the label of a name")?;
                    location.function_name = Some((label, self.offset()?));
                }
                "inlined_at" => location.inlined_at = Some(self.place()?),
                _ => return self.error("expected function_name or inlined_at"),
            }
        }
        location.call = self.call_behind();
        Ok(location)
    }

    /// The number in a comment directly behind the last token: `//17`.
    fn call_behind(&self) -> Option<u32> {
        let rest = &self.text[self.previous_end..self.end_of_line() as usize];
        rest.trim().strip_prefix("//")?.parse().ok()
    }

    /// Where the line ends that the last token stands on.
    fn end_of_line(&self) -> u32 {
        let rest = &self.text[self.previous_end..];
        let length = rest.lines().next().map_or(0, str::len);
        (self.previous_end + length) as u32
    }

    fn instruction(&mut self) -> Parsed<Instruction<'a>> {
        let first = self.current;
        let guard = if self.accept('@') {
            let negated = self.accept('!');
            let register = self.name("a predicate register")?;
            Some(Guard { register, negated })
        } else {
            None
        };
        let opcode = self.name("an opcode")?;
        let mut modifiers = Vec::new();
        while let Token::Dot(word) = self.current.kind {
            if modifiers.len() >= 32 || word.len() > 64 {
                return self.error("more modifiers than any instruction has");
            }
            modifiers.push(word);
            self.advance();
        }
        let mut operands = Vec::new();
        if !self.is_sign(';') {
            // Those of a call stand in parentheses, those of others begin an expression.
            let is_call = opcode == "call";
            self.push_operand(&mut operands, is_call)?;
            while self.accept(',') {
                self.push_operand(&mut operands, is_call)?;
            }
        }
        if !self.accept(';') {
            return self.expected("`,` or `;` behind an operand");
        }
        Ok(Instruction {
            span: self.span(&first),
            guard,
            opcode,
            modifiers,
            operands,
        })
    }

    fn operands_until(&mut self, close: char) -> Parsed<Vec<Operand<'a>>> {
        self.enter()?;
        let mut operands = Vec::new();
        while !self.is_sign(close) {
            self.push_operand(&mut operands, false)?;
            if !self.accept(',') {
                break;
            }
        }
        self.expect(close)?;
        self.leave();
        Ok(operands)
    }

    /// `with_lists`: parentheses hold a list of operands.
    fn push_operand(&mut self, operands: &mut Vec<Operand<'a>>, with_lists: bool) -> Parsed<()> {
        if operands.len() >= limits::LIST {
            return self.error(format!("more than {} operands", limits::LIST));
        }
        operands.push(self.operand(with_lists)?);
        Ok(())
    }

    fn operand(&mut self, with_lists: bool) -> Parsed<Operand<'a>> {
        match self.current.kind {
            Token::Sign('[') => {
                self.advance();
                self.address()
            }
            Token::Sign('{') => {
                self.advance();
                Ok(Operand::Vector(self.operands_until('}')?))
            }
            Token::Sign('(') if with_lists => {
                self.advance();
                Ok(Operand::List(self.operands_until(')')?))
            }
            Token::Sign('!') if matches!(self.ahead.kind, Token::Name(_)) => {
                self.advance();
                Ok(Operand::Not(self.name("a predicate register")?))
            }
            Token::Name(name) if name != WARP_SIZE.0 => self.named(),
            _ => Ok(Operand::Number(self.constant("a number")?)),
        }
    }

    /// A register name with its component, `%tid.x`, or a part of a video instruction's operand,
    /// `%r1.b0`.
    fn component_name(&mut self) -> Parsed<&'a str> {
        let start = self.current.start;
        let name = self.name("a name")?;
        if let Token::Dot(word) = self.current.kind
            && is_component(word)
            && self.current.start == self.previous_end
        {
            self.advance();
            return Ok(&self.text[start..self.previous_end]);
        }
        Ok(name)
    }

    fn named(&mut self) -> Parsed<Operand<'a>> {
        let name = self.component_name()?;
        let wrap = |name| match name {
            "_" => Operand::Sink,
            _ => Operand::Name(name),
        };
        if self.accept('|') {
            let second = self.component_name()?;
            return Ok(Operand::Pair(Box::new(wrap(name)), Box::new(wrap(second))));
        }
        if self.accept('[') {
            let index = self.integer_constant("the index of an element")?;
            self.expect(']')?;
            return Ok(Operand::Element(name, index as i64));
        }
        if self.is_sign('+') || self.is_sign('-') {
            let offset = self.offset()?;
            return Ok(Operand::NameOffset(name, offset));
        }
        Ok(wrap(name))
    }

    fn address(&mut self) -> Parsed<Operand<'a>> {
        let base = match self.current.kind {
            Token::Name(_) => Some(self.component_name()?),
            _ => None,
        };
        let offset = if base.is_some() {
            self.offset()?
        } else {
            self.integer_constant("an address")? as i64
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
