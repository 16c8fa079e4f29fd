//! Module scope: headers, variables, functions, debug sections.

use super::{Parsed, Parser, limits};
use crate::ast::{Call, File, Function, Linkage, Module, Number, Space};
use crate::lexer::Kind;

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

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let mut module = Module {
            address_size: 64,
            calls: self.text.lines().filter_map(call).collect(),
            ..Module::default()
        };
        if self.current.kind != Kind::Dot("version") {
            return self.expected("`.version` at the beginning of a module");
        }
        self.version(&mut module)?;
        loop {
            if self.current.kind == Kind::End {
                break;
            }
            if !self.accept(';') {
                self.module_item(&mut module)?;
            }
        }
        Ok(module)
    }

    fn version(&mut self, module: &mut Module) -> Parsed<()> {
        self.advance();
        let token = self.current;
        let text = &self.text[token.start..token.end];
        let Kind::Number(Number::F64(_)) = token.kind else {
            return self.expected("a version such as 7.8");
        };
        let parts = text
            .split_once('.')
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let Some(version) = parts else {
            return self.expected("a version such as 7.8");
        };
        self.advance();
        module.version = version;
        Ok(())
    }

    fn module_item(&mut self, module: &mut Module) -> Parsed<()> {
        match self.current.kind {
            Kind::Dot("version") => self.version(module),
            Kind::Dot("target") => {
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
            Kind::Dot("address_size") => {
                self.advance();
                let token = self.current;
                module.address_size = self.integer_u32("32 or 64")?;
                if !matches!(module.address_size, 32 | 64) {
                    return self.error_at(token, "the address size is 32 or 64");
                }
                Ok(())
            }
            Kind::Dot("file") => self.file(module),
            Kind::Dot("section") => self.section(),
            Kind::Dot("pragma") => self.pragma(),
            Kind::Dot("alias") => self.error("`.alias` is not supported"),
            Kind::Name("@@DWARF") => self.expected("a directive"),
            _ => self.linked(module),
        }
    }

    fn file(&mut self, module: &mut Module) -> Parsed<()> {
        self.advance();
        let index = self.integer_u32("a file number")?;
        let Kind::Text(path) = self.current.kind else {
            return self.expected("a path in quotes");
        };
        self.advance();
        while self.accept(',') {
            self.integer("a timestamp or a size")?;
        }
        module.files.push(File {
            index,
            path: path.to_owned(),
        });
        Ok(())
    }

    /// Debug data: skipped as a whole, braces balanced.
    fn section(&mut self) -> Parsed<()> {
        self.advance();
        while matches!(self.current.kind, Kind::Dot(_) | Kind::Name(_)) {
            self.advance();
        }
        self.expect('{')?;
        let mut open = 1usize;
        while open > 0 {
            match self.current.kind {
                Kind::End => return self.expected("`}` at the end of a section"),
                Kind::Sign('{') => open += 1,
                Kind::Sign('}') => open -= 1,
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    /// `.pragma "text", "text";`: hints to ptxas, none of which changes what
    /// a program computes.
    pub(super) fn pragma(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let Kind::Text(_) = self.current.kind else {
                return self.expected("a text in quotes");
            };
            self.advance();
            if !self.accept(',') {
                return self.expect(';');
            }
        }
    }

    fn linked(&mut self, module: &mut Module) -> Parsed<()> {
        let mut linkage = Linkage::Internal;
        loop {
            linkage = match self.current.kind {
                Kind::Dot("visible") => Linkage::Visible,
                Kind::Dot("extern") => Linkage::Extern,
                Kind::Dot("weak") => Linkage::Weak,
                Kind::Dot("common") => Linkage::Common,
                Kind::Dot("entry") => {
                    self.advance();
                    return self.function(module, true, linkage);
                }
                Kind::Dot("func") => {
                    self.advance();
                    return self.function(module, false, linkage);
                }
                _ => break,
            };
            self.advance();
        }
        match self.space() {
            Some(Space::Register | Space::Parameter) => {
                self.error_at(self.current, "registers and parameters live in functions")
            }
            Some(space) => self.variables(space, linkage, &mut |variable| {
                module.variables.push(variable)
            }),
            None => self.expected("a directive such as `.visible .entry` or `.global`"),
        }
    }

    fn function(&mut self, module: &mut Module, entry: bool, linkage: Linkage) -> Parsed<()> {
        // `.attribute(.unified(..))` and its kin may stand before the name.
        self.attribute()?;
        let returns = if self.is_sign('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let position = self.current.position;
        let name = self.name("the name of a function")?;
        let parameters = if self.is_sign('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        loop {
            match self.current.kind {
                Kind::Dot("pragma") => self.pragma()?,
                Kind::Dot("attribute") => self.attribute()?,
                Kind::Dot(
                    word @ ("maxntid"
                    | "reqntid"
                    | "minnctapersm"
                    | "maxnctapersm"
                    | "maxnreg"
                    | "reqnctapercluster"
                    | "explicitcluster"
                    | "maxclusterrank"
                    | "blocksareclusters"
                    | "noreturn"
                    | "abi_preserve"
                    | "abi_preserve_control"),
                ) => {
                    self.advance();
                    let mut values = Vec::new();
                    while let Kind::Number(_) = self.current.kind {
                        values.push(self.integer_u32("a number")?);
                        if values.len() == 3 || !self.accept(',') {
                            break;
                        }
                    }
                    if directives.len() >= limits::LIST {
                        return self.error("too many directives");
                    }
                    directives.push((word.to_owned(), values));
                }
                _ => break,
            }
        }
        let body = if self.is_sign('{') {
            Some(self.block()?)
        } else if self.accept(';') {
            None
        } else {
            return self.expected("`{`, `;` or a directive");
        };
        module.functions.push(Function {
            position,
            entry,
            linkage,
            name,
            returns,
            parameters,
            directives,
            body,
        });
        Ok(())
    }
}
