//! A formula's text to its graph: operators by their binding power (Pratt, Top down operator
//! precedence, 1973).

mod scope;

use std::collections::HashMap;

use super::graph::{Graph, Id, Node};
use super::lexer::{Kind, Token, tokens};
use super::names::{arity, called, functions, is_reserved, near, number};
use super::operation::{Constant, Operation};
use crate::error::FormulaError;

/// How deep expressions may be within each other, and how many nodes a formula may have.
const MAX_DEPTH: u32 = 200;
const MAX_NODES: usize = 4096;
/// The longest text, bytes.
const MAX_TEXT: usize = 1 << 16;
/// The largest whole power that is made of products.
const MAX_POWER: f64 = 64.0;

/// Binding powers.
const COMPARISON: u32 = 1;
const SUM: u32 = 3;
const PRODUCT: u32 = 5;
const SIGN: u32 = 7;
const POWER: u32 = 9;

/// What a formula says.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) graph: Graph,
    /// Of each output.
    pub(super) roots: Vec<Id>,
    pub(super) parameters: Vec<String>,
}

/// Reads a formula of `x` or, where there are any, of these variables, with up to `most` outputs. With
/// `names`, which are then its parameters, others are refused.
pub(super) fn parse(
    text: &str,
    variables: &[&str],
    names: Option<&[&str]>,
    most: usize,
) -> Result<Parsed, FormulaError> {
    if text.len() > MAX_TEXT {
        let problem = format!(
            "the formula has {} bytes, allowed are 1 to {MAX_TEXT}",
            text.len()
        );
        return Err(FormulaError::new(text, 0, problem));
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        place: 0,
        depth: 0,
        graph: Graph::default(),
        known: HashMap::new(),
        parameters: Vec::new(),
        is_open: names.is_none(),
    };
    parser.know_constants();
    match variables {
        [] => parser.know_x(),
        _ => parser.know_axes(variables)?,
    }
    for name in names.unwrap_or_default() {
        parser.parameter(name, 0)?;
    }
    let roots = parser.outputs(most)?;
    Ok(Parsed {
        roots,
        graph: parser.graph,
        parameters: parser.parameters,
    })
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    place: usize,
    depth: u32,
    graph: Graph,
    known: HashMap<String, Id>,
    parameters: Vec<String>,
    /// Whether an unknown name is a parameter.
    is_open: bool,
}

/// A value, and whether it is a number as it is written.
type Value = (Id, bool);

impl<'t> Parser<'t> {
    /// Expressions divided by `;`, and bindings before each of them.
    fn outputs(&mut self, most: usize) -> Result<Vec<Id>, FormulaError> {
        let mut roots = vec![self.output()?];
        while most > 1 && self.peek() == Kind::Sign(";") {
            if roots.len() == most {
                return Err(self.wrong(format!("allowed are 1 to {most} outputs")));
            }
            self.place += 1;
            roots.push(self.output()?);
        }
        self.end().map(|()| roots)
    }

    fn output(&mut self) -> Result<Id, FormulaError> {
        while self.peek() == Kind::Name("let") {
            self.binding()?;
        }
        self.expression(0).map(|(root, _)| root)
    }

    fn end(&self) -> Result<(), FormulaError> {
        match self.peek() {
            Kind::End => Ok(()),
            Kind::Sign(")") => Err(self.wrong("a `)` has no `(`")),
            Kind::Sign("=") => Err(self.wrong("`=` has no place here, the comparison is `==`")),
            Kind::Sign("**") => Err(self.wrong("`**` has no meaning, the power is `^`")),
            Kind::Sign(sign @ ("," | ";")) => {
                let allowed = "allowed is one expression, behind `let NAME = EXPRESSION;`";
                Err(self.wrong(format!("`{sign}` has no place here, {allowed}")))
            }
            _ => Err(self.beside()),
        }
    }

    /// `let NAME = EXPRESSION;`
    fn binding(&mut self) -> Result<(), FormulaError> {
        self.place += 1;
        let at = self.place;
        let Kind::Name(name) = self.peek() else {
            return Err(self.wrong("a name is missing behind `let`"));
        };
        self.place += 1;
        self.expect("=", "behind the name")?;
        let (id, _) = self.expression(0)?;
        self.expect(";", "behind what a name stands for")?;
        if self.known.contains_key(name) || is_reserved(name) {
            let problem = format!("`{name}` has a meaning already, allowed are other names");
            return Err(self.wrong_at(at, problem));
        }
        self.known.insert(name.to_owned(), id);
        Ok(())
    }

    fn expression(&mut self, least: u32) -> Result<Value, FormulaError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let problem = format!("expressions are more than {MAX_DEPTH} deep within each other");
            return Err(self.wrong(problem));
        }
        let mut left = self.operand()?;
        let mut is_compared = false;
        loop {
            if self.graph.len() > MAX_NODES {
                let problem = format!("the formula has more than {MAX_NODES} parts");
                return Err(self.wrong(problem));
            }
            let is_implicit = left.1 && matches!(self.peek(), Kind::Name(_) | Kind::Sign("("));
            let (sign, power) = match self.peek() {
                Kind::Sign(sign @ ("<" | "<=" | ">" | ">=" | "==" | "!=")) => (sign, COMPARISON),
                Kind::Sign(sign @ ("+" | "-")) => (sign, SUM),
                Kind::Sign(sign @ ("*" | "/")) => (sign, PRODUCT),
                Kind::Sign("^") => ("^", POWER),
                _ if is_implicit => ("", PRODUCT),
                _ => break,
            };
            if power < least {
                break;
            }
            if power == COMPARISON && std::mem::replace(&mut is_compared, true) {
                let problem = "comparisons do not follow each other, both at once are \
                               `(a < b)*(b < c)`";
                return Err(self.wrong(problem));
            }
            self.place += usize::from(!sign.is_empty());
            // A power's right side is the longest one.
            let right = self.expression(if sign == "^" { power } else { power + 1 })?;
            let is_number = sign == "*" && right.1;
            left = (self.combined(sign, left.0, right.0), is_number);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn combined(&mut self, sign: &str, a: Id, b: Id) -> Id {
        let (operation, a, b) = match sign {
            "+" => (Operation::Add, a, b),
            "-" => (Operation::Subtract, a, b),
            "/" => (Operation::Divide, a, b),
            "^" => return self.power(a, b),
            "<" => (Operation::Less, a, b),
            ">" => (Operation::Less, b, a),
            "<=" => (Operation::AtMost, a, b),
            ">=" => (Operation::AtMost, b, a),
            "==" => (Operation::Equal, a, b),
            "!=" => (Operation::Unequal, a, b),
            _ => (Operation::Multiply, a, b),
        };
        self.graph.of(operation, &[a, b])
    }

    /// Products for whole powers, exponential functions for what they are, `pow` for all else.
    fn power(&mut self, base: Id, exponent: Id) -> Id {
        if let Node::Constant(constant) = self.graph.node(exponent) {
            let power = f64::from_bits(constant.double);
            if power.fract() == 0.0 && power.abs() <= MAX_POWER {
                return self.graph.power(base, power as i32);
            }
        }
        if base == self.known["e"] {
            return self.graph.of(Operation::Call(number("exp")), &[exponent]);
        }
        if self.graph.is(base, 2.0) {
            return self.graph.of(Operation::Call(number("exp2")), &[exponent]);
        }
        self.graph
            .of(Operation::Call(number("pow")), &[base, exponent])
    }

    fn operand(&mut self) -> Result<Value, FormulaError> {
        match self.peek() {
            Kind::Number(digits) => {
                let (Ok(single), Ok(double)) = (digits.parse(), digits.parse()) else {
                    return Err(self.wrong(format!("`{digits}` is no number")));
                };
                self.place += 1;
                if let Kind::Number(_) = self.peek() {
                    return Err(
                        self.wrong("two numbers stand beside each other, an operator is missing")
                    );
                }
                let constant = Constant::new(single, double);
                Ok((self.graph.add(Node::Constant(constant)), true))
            }
            Kind::Sign("-") => {
                self.place += 1;
                let (operand, is_number) = self.expression(SIGN)?;
                Ok((self.graph.of(Operation::Negate, &[operand]), is_number))
            }
            Kind::Sign("+") => {
                self.place += 1;
                self.expression(SIGN)
            }
            Kind::Sign("(") => {
                self.place += 1;
                let (inside, _) = self.expression(0)?;
                self.expect(")", "behind what stands in parentheses")?;
                Ok((inside, false))
            }
            Kind::Name(name) => {
                let at = self.place;
                self.place += 1;
                match self.peek() {
                    Kind::Sign("(") => self.function(name, at),
                    _ => self.name(name, at),
                }
                .map(|id| (id, false))
            }
            Kind::End if self.place == 0 => Err(self.wrong("the formula is empty")),
            Kind::End => {
                Err(self.wrong("the formula ends where a number, a name or `(` is needed"))
            }
            Kind::Sign("**") => Err(self.wrong("`**` has no meaning, the power is `^`")),
            Kind::Sign(sign) => {
                let problem = format!("`{sign}` stands where a number, a name or `(` is needed");
                Err(self.wrong(problem))
            }
        }
    }

    /// A function with its arguments; the parenthesis is next.
    fn function(&mut self, name: &str, at: usize) -> Result<Id, FormulaError> {
        let Some(count) = arity(name) else {
            let problem = if self.known.contains_key(name) {
                format!("`{name}` is no function, the product is `{name}*(...)`")
            } else {
                let near = near(name, functions());
                let near = near.unwrap_or_else(|| {
                    format!(", and the product of a parameter is `{name}*(...)`")
                });
                format!("`{name}` is no function{near}")
            };
            return Err(self.wrong_at(at, problem));
        };
        let mut arguments = Vec::new();
        loop {
            self.place += 1;
            arguments.push(self.expression(0)?.0);
            if self.peek() != Kind::Sign(",") {
                break;
            }
        }
        self.expect(")", &format!("behind the arguments of `{name}`"))?;
        let given = arguments.len();
        let takes_more = matches!(name, "min" | "max") && given > count;
        if given != count && !takes_more {
            let needed = ["no", "one argument", "two arguments", "three arguments"][count];
            let hint = match (name, given) {
                ("log", 1) => {
                    ": the natural logarithm is `ln(x)`, others are `log2(x)`, `log10(x)`"
                }
                _ => "",
            };
            let problem = format!("`{name}` takes {needed}, not {given}{hint}");
            return Err(self.wrong_at(at, problem));
        }
        Ok(called(&mut self.graph, name, &arguments))
    }

    fn peek(&self) -> Kind<'t> {
        self.tokens[self.place].kind
    }

    fn expect(&mut self, sign: &'static str, place: &str) -> Result<(), FormulaError> {
        if self.peek() == Kind::Sign(sign) {
            self.place += 1;
            return Ok(());
        }
        let is_beside = matches!(
            self.peek(),
            Kind::Name(_) | Kind::Number(_) | Kind::Sign("(")
        );
        Err(match is_beside && self.place > 0 && sign != "=" {
            true => self.beside(),
            false => self.wrong(format!("`{sign}` is missing {place}")),
        })
    }

    /// That two operands have no operator between them.
    fn beside(&self) -> FormulaError {
        let of = |place: usize| match self.tokens[place].kind {
            Kind::Number(text) | Kind::Name(text) => text,
            Kind::Sign(sign) => sign,
            Kind::End => "",
        };
        let (before, this) = (of(self.place.saturating_sub(1)), of(self.place));
        self.wrong(match self.tokens[self.place.saturating_sub(1)].kind {
            Kind::Number(_) => format!(
                "`{before}{this}` behind `/` or `^` can be read in two ways, allowed are a `*` or parentheses"
            ),
            _ => format!("an operator is missing between `{before}` and `{this}`, the product is `*`"),
        })
    }

    fn wrong(&self, problem: impl Into<String>) -> FormulaError {
        self.wrong_at(self.place, problem)
    }

    fn wrong_at(&self, place: usize, problem: impl Into<String>) -> FormulaError {
        FormulaError::new(self.text, self.tokens[place].at, problem)
    }
}
