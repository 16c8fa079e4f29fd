//! Module scope: headers, variables, functions, debug sections.

use super::{Parsed, Parser, limits};
use crate::lexer::{Kind, Token};
use crate::tree::{Call, Directive, File, Function, Item, Module};
use crate::types::{Linkage, Number, Space};

/// Directives of a function that have numbers, or nothing.
const DIRECTIVES: [&str; 12] = [
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "reqnctapercluster",
    "explicitcluster",
    "maxclusterrank",
    "blocksareclusters",
    "noreturn",
    "abi_preserve",
    "abi_preserve_control",
];

/// A line `//.call number file line [caller]`.
fn call(line: &str) -> Option<Call> {
    let mut numbers = line.strip_prefix("//.call ")?.split(' ').map(str::parse);
    let mut number = || numbers.next()?.ok();
    Some(Call {
        number: number()?,
        file: number()?,
        line: number()?,
        caller: number(),
    })
}

impl<'a> Parser<'a> {
    pub(super) fn module(&mut self) -> Parsed<Module<'a>> {
        let mut module = Module {
            address_size: 64,
            ..Module::default()
        };
        if self.current.kind != Kind::Dot("version") {
            return self.expected("`.version` at the beginning of a module");
        }
        while self.current.kind != Kind::End {
            if !self.accept(';') {
                self.module_item(&mut module)?;
            }
        }
        module.calls = self.calls();
        Ok(module)
    }

    /// The `//.call` lines, but those of texts that the tree has as they are written.
    fn calls(&self) -> Vec<Call> {
        let mut kept = self.kept.iter().peekable();
        let mut calls = Vec::new();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            while kept.next_if(|kept| kept.end <= start).is_some() {}
            if kept.peek().is_none_or(|kept| start < kept.start) {
                calls.extend(call(line.trim_end_matches(['\r', '\n'])));
            }
            start += line.len();
        }
        calls
    }

    /// `major.minor`, behind its directive.
    pub(super) fn version(&mut self) -> Parsed<(u32, u32)> {
        let text = &self.text[self.current.start..self.current.end];
        let parts = text.split_once('.');
        let version = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match (self.current.kind, version) {
            (Kind::Number(Number::F64(_)), Some(version)) => {
                self.advance();
                Ok(version)
            }
            _ => self.expected("a version such as 7.8"),
        }
    }

    fn module_item(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        let first = self.current;
        let item = match first.kind {
            Kind::Dot("version") => {
                self.advance();
                module.version = self.version()?;
                return Ok(());
            }
            Kind::Dot("target") => return self.target(module),
            Kind::Dot("address_size") => {
                self.advance();
                let token = self.current;
                module.address_size = self.integer_u32("32 or 64")?;
                return match module.address_size {
                    32 | 64 => Ok(()),
                    _ => self.error_at(token, "the address size is 32 or 64"),
                };
            }
            Kind::Dot("file") => Item::File(self.file()?),
            Kind::Dot("section") => Item::Section(self.section()?),
            Kind::Dot("pragma") => Item::Pragma(self.pragma()?),
            Kind::Dot("alias") => self.alias()?,
            _ => self.linked()?,
        };
        module.items.push(item);
        Ok(())
    }

    fn target(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        self.advance();
        loop {
            let word = self.name("a target such as sm_90")?;
            if module.target.len() >= limits::LIST {
                return self.error("too many targets");
            }
            module.target.push(word);
            if !self.accept(',') {
                return Ok(());
            }
        }
    }

    fn alias(&mut self) -> Parsed<Item<'a>> {
        let first = self.advance();
        let name = self.name("the name of a function")?;
        self.expect(',')?;
        let of = self.name("the name of a function")?;
        self.expect(';')?;
        let span = self.span(&first);
        Ok(Item::Alias { span, name, of })
    }

    fn file(&mut self) -> Parsed<File<'a>> {
        self.advance();
        let index = self.integer_u32("a file number")?;
        let Kind::Text(path) = self.current.kind else {
            return self.expected("a path in quotes");
        };
        self.advance();
        let mut stamp = Vec::new();
        while self.accept(',') {
            stamp.push(self.integer("a timestamp or a size")?);
        }
        Ok(File { index, path, stamp })
    }

    /// Debug data: taken as a whole, braces balanced.
    fn section(&mut self) -> Parsed<&'a str> {
        let first = self.advance();
        while matches!(self.current.kind, Kind::Dot(_) | Kind::Name(_)) {
            self.advance();
        }
        self.expect('{')?;
        self.balanced('{', '}', "`}` at the end of a section")?;
        Ok(self.keep(first.start..self.previous_end))
    }

    /// Takes all up to the sign that closes what is open, and that sign.
    pub(super) fn balanced(&mut self, opens: char, closes: char, what: &str) -> Parsed<()> {
        let mut open = 1usize;
        while open > 0 {
            match self.current.kind {
                Kind::End => return self.expected(what),
                Kind::Sign(sign) if sign == opens => open += 1,
                Kind::Sign(sign) if sign == closes => open -= 1,
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    /// `.pragma "text", "text";`: hints to ptxas, none of which changes what
    /// a program computes.
    pub(super) fn pragma(&mut self) -> Parsed<Vec<&'a str>> {
        self.advance();
        let mut texts = Vec::new();
        loop {
            let Kind::Text(text) = self.current.kind else {
                return self.expected("a text in quotes");
            };
            texts.push(text);
            self.advance();
            if !self.accept(',') {
                self.expect(';')?;
                return Ok(texts);
            }
        }
    }

    /// A function or variables, with the linkage before them.
    fn linked(&mut self) -> Parsed<Item<'a>> {
        let first = self.current;
        let mut linkage = None;
        while let Kind::Dot(word) = self.current.kind
            && let Some(named) = Linkage::parse(word)
        {
            linkage = Some(named);
            self.advance();
        }
        for (word, entry) in [("entry", true), ("func", false)] {
            if self.accept_dot(word) {
                return Ok(Item::Function(self.function(&first, entry, linkage)?));
            }
        }
        match self.space() {
            Some(Space::Register | Space::Parameter) => {
                self.error_at(self.current, "registers and parameters live in functions")
            }
            Some(space) => Ok(Item::Variables(self.variables(&first, space, linkage)?)),
            None => self.expected("a directive such as `.visible .entry` or `.global`"),
        }
    }

    fn function(
        &mut self,
        first: &Token<'a>,
        entry: bool,
        linkage: Option<Linkage>,
    ) -> Parsed<Function<'a>> {
        let mut directives = Vec::new();
        // `.attribute(.unified(..))` and its kin may stand before the name.
        self.directives(&mut directives)?;
        let returns = self.parameters_if_any()?;
        let token = self.current;
        let name = self.name("the name of a function")?;
        let name_span = self.span(&token);
        let parameters = self.parameters_if_any()?;
        self.directives(&mut directives)?;
        let body = if self.is_sign('{') {
            Some(self.block()?)
        } else if self.accept(';') {
            None
        } else {
            return self.expected("`{`, `;` or a directive");
        };
        Ok(Function {
            span: self.span(first),
            name_span,
            entry,
            linkage,
            name,
            returns,
            parameters,
            directives,
            body,
        })
    }

    fn directives(&mut self, directives: &mut Vec<Directive<'a>>) -> Parsed<()> {
        loop {
            directives.push(match self.current.kind {
                Kind::Dot("pragma") => Directive::Pragma(self.pragma()?),
                Kind::Dot("attribute") => match self.attribute()? {
                    Some(attribute) => Directive::Attribute(attribute),
                    None => return Ok(()),
                },
                Kind::Dot(word) if DIRECTIVES.contains(&word) => {
                    self.advance();
                    Directive::Numbers(word, self.numbers()?)
                }
                _ => return Ok(()),
            });
            if directives.len() > limits::LIST {
                return self.error("too many directives");
            }
        }
    }

    /// Up to three numbers, or none.
    fn numbers(&mut self) -> Parsed<Vec<u32>> {
        let mut values = Vec::new();
        while let Kind::Number(_) = self.current.kind {
            values.push(self.integer_u32("a number")?);
            if values.len() == 3 || !self.accept(',') {
                break;
            }
        }
        Ok(values)
    }
}
