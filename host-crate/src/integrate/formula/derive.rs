//! The derivative of a formula, as one: forward differentiation of its graph.

use super::graph::{Graph, Id, Node, Variable};
use super::names::number;
use super::operation::{Constant, Operation};
use quadscan_kernels::integrate::formula::FUNCTIONS;

/// The derivative of `root` by a node of the same graph, a variable or a parameter.
pub(super) fn derivative(graph: &mut Graph, root: Id, by: Id) -> Id {
    let mut of = Derivatives { graph };
    let zero = of.graph.number(0.0);
    let mut all = vec![zero; root as usize + 1];
    for id in of.graph.reached(root) {
        let node = of.graph.node(id);
        all[id as usize] = match node {
            _ if id == by => of.graph.number(1.0),
            Node::Variable(variable) if of.graph.node(by) == Node::Variable(Variable::X) => {
                of.graph.number(if variable == Variable::FromLower {
                    1.0
                } else {
                    -1.0
                })
            }
            Node::Of(operation, ids) => {
                of.operation(id, operation, ids, ids.map(|id| all[id as usize]))
            }
            _ => zero,
        };
    }
    all[root as usize]
}

/// Makes derivatives without what is multiplied by 0 or 1.
pub(super) struct Derivatives<'g> {
    pub(super) graph: &'g mut Graph,
}

impl Derivatives<'_> {
    fn is(&self, id: Id, value: f64) -> bool {
        self.graph.is(id, value)
    }

    pub(super) fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.is(a, 0.0), self.is(b, 0.0)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.graph.of(Operation::Add, &[a, b]),
        }
    }

    fn negate(&mut self, a: Id) -> Id {
        match self.is(a, 0.0) {
            true => a,
            false => self.graph.of(Operation::Negate, &[a]),
        }
    }

    pub(super) fn multiply(&mut self, a: Id, b: Id) -> Id {
        match () {
            () if self.is(a, 0.0) || self.is(b, 1.0) => a,
            () if self.is(b, 0.0) || self.is(a, 1.0) => b,
            () => self.graph.of(Operation::Multiply, &[a, b]),
        }
    }

    fn divide(&mut self, a: Id, b: Id) -> Id {
        match self.is(a, 0.0) || self.is(b, 1.0) {
            true => a,
            false => self.graph.of(Operation::Divide, &[a, b]),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Id]) -> Id {
        self.graph.of(Operation::Call(number(name)), arguments)
    }

    fn constant(&mut self, single: f32, double: f64) -> Id {
        self.graph
            .add(Node::Constant(Constant::new(single, double)))
    }

    /// 1 plus or minus the square.
    fn one_and_square(&mut self, operation: Operation, a: Id) -> Id {
        let one = self.graph.number(1.0);
        let square = self.graph.of(Operation::Multiply, &[a, a]);
        self.graph.of(operation, &[one, square])
    }

    fn sign(&mut self, a: Id) -> Id {
        let one = self.graph.number(1.0);
        self.graph.of(Operation::CopySign, &[one, a])
    }

    /// Of an operation that gave `value`, of the derivatives of its arguments.
    pub(super) fn operation(
        &mut self,
        value: Id,
        operation: Operation,
        of: [Id; 3],
        by: [Id; 3],
    ) -> Id {
        let ([a, b, _], [da, db, dc]) = (of, by);
        match operation {
            Operation::Negate => self.negate(da),
            Operation::Add => self.add(da, db),
            Operation::Subtract => {
                let less = self.negate(db);
                self.add(da, less)
            }
            Operation::Multiply => {
                let (one, other) = (self.multiply(da, b), self.multiply(a, db));
                self.add(one, other)
            }
            Operation::Fused => {
                let (one, other) = (self.multiply(da, b), self.multiply(a, db));
                let product = self.add(one, other);
                self.add(product, dc)
            }
            Operation::Divide | Operation::Over => {
                let less = self.multiply(value, db);
                let less = self.negate(less);
                let above = self.add(da, less);
                self.divide(above, b)
            }
            Operation::Reciprocal => {
                let square = self.multiply(value, value);
                let square = self.negate(square);
                self.multiply(da, square)
            }
            Operation::Magnitude => {
                let sign = self.sign(a);
                self.multiply(da, sign)
            }
            Operation::SquareRoot | Operation::Root => {
                let twice = self.graph.of(Operation::Add, &[value, value]);
                self.divide(da, twice)
            }
            Operation::CopySign => {
                let (own, other) = (self.sign(a), self.sign(b));
                let sign = self.multiply(own, other);
                self.multiply(da, sign)
            }
            Operation::Least | Operation::Greatest => {
                let order = match operation {
                    Operation::Least => [a, b],
                    _ => [b, a],
                };
                let is_first = self.graph.of(Operation::AtMost, &order);
                self.choose(is_first, da, db)
            }
            Operation::Choose => self.choose(a, db, dc),
            Operation::Call(number) => {
                let (name, _) = FUNCTIONS[usize::from(number)];
                self.function(name, value, [a, b], [da, db])
            }
            _ => self.graph.number(0.0),
        }
    }

    fn choose(&mut self, condition: Id, a: Id, b: Id) -> Id {
        match a == b {
            true => a,
            false => self.graph.of(Operation::Choose, &[condition, a, b]),
        }
    }

    /// Of an elementary function.
    fn function(&mut self, name: &str, value: Id, [a, b]: [Id; 2], [da, db]: [Id; 2]) -> Id {
        let one = self.graph.number(1.0);
        let root = |of: &mut Self, square: Id| of.graph.of(Operation::SquareRoot, &[square]);
        let (ln_2, ln_10) = (
            self.constant(std::f32::consts::LN_2, std::f64::consts::LN_2),
            self.constant(std::f32::consts::LN_10, std::f64::consts::LN_10),
        );
        let factor = match name {
            "exp" => value,
            "exp2" => self.multiply(ln_2, value),
            "exp_m1" => self.call("exp", &[a]),
            "sin" => self.call("cos", &[a]),
            "cos" => {
                let sine = self.call("sin", &[a]);
                self.negate(sine)
            }
            "sinpi" | "cospi" => {
                let is_sine = name == "sinpi";
                let other = self.call(if is_sine { "cospi" } else { "sinpi" }, &[a]);
                let pi = self.constant(std::f32::consts::PI, std::f64::consts::PI);
                let slope = self.multiply(pi, other);
                if is_sine { slope } else { self.negate(slope) }
            }
            "erf" | "erfc" => {
                use std::{f32, f64};
                let square = self.graph.of(Operation::Multiply, &[a, a]);
                let less = self.negate(square);
                let bell = self.call("exp", &[less]);
                let peak = self.constant(f32::consts::FRAC_2_SQRT_PI, f64::consts::FRAC_2_SQRT_PI);
                let slope = self.multiply(peak, bell);
                if name == "erf" {
                    slope
                } else {
                    self.negate(slope)
                }
            }
            "tan" => self.one_and_square(Operation::Add, value),
            "sinh" => self.call("cosh", &[a]),
            "cosh" => self.call("sinh", &[a]),
            "tanh" => self.one_and_square(Operation::Subtract, value),
            "ln" => return self.divide(da, a),
            "ln_1p" => {
                let below = self.add(one, a);
                return self.divide(da, below);
            }
            "log2" | "log10" => {
                let below = self.multiply(a, if name == "log2" { ln_2 } else { ln_10 });
                return self.divide(da, below);
            }
            "asin" | "acos" => {
                let square = self.one_and_square(Operation::Subtract, a);
                let below = root(self, square);
                let of_asin = self.divide(da, below);
                return if name == "asin" {
                    of_asin
                } else {
                    self.negate(of_asin)
                };
            }
            "atan" | "atanh" => {
                let is_atan = name == "atan";
                let sign = if is_atan {
                    Operation::Add
                } else {
                    Operation::Subtract
                };
                let below = self.one_and_square(sign, a);
                return self.divide(da, below);
            }
            "asinh" => {
                let square = self.one_and_square(Operation::Add, a);
                let below = root(self, square);
                return self.divide(da, below);
            }
            "acosh" => {
                // Of (a - 1) (a + 1), which loses nothing next to 1.
                let less = self.graph.of(Operation::Subtract, &[a, one]);
                let more = self.graph.of(Operation::Add, &[a, one]);
                let square = self.multiply(less, more);
                let below = root(self, square);
                return self.divide(da, below);
            }
            "cbrt" => {
                let square = self.graph.of(Operation::Multiply, &[value, value]);
                let three = self.graph.number(3.0);
                let below = self.multiply(three, square);
                return self.divide(da, below);
            }
            "pow" => return self.power(value, [a, b], [da, db]),
            "atan2" => {
                let (one, other) = (self.multiply(b, da), self.multiply(a, db));
                let other = self.negate(other);
                let above = self.add(one, other);
                let square = self.graph.of(Operation::Multiply, &[a, a]);
                let below = self.graph.of(Operation::Fused, &[b, b, square]);
                return self.divide(above, below);
            }
            "hypot" => {
                let (one, other) = (self.multiply(a, da), self.multiply(b, db));
                let above = self.add(one, other);
                return self.divide(above, value);
            }
            // Rounding: 0, but where it jumps.
            _ => self.graph.number(0.0),
        };
        self.multiply(da, factor)
    }

    /// Of `a` to the power `b`: by the base, and by the exponent.
    fn power(&mut self, value: Id, [a, b]: [Id; 2], [da, db]: [Id; 2]) -> Id {
        let one = self.graph.number(1.0);
        let less = self.graph.of(Operation::Subtract, &[b, one]);
        let lower = self.call("pow", &[a, less]);
        let of_base = self.multiply(b, lower);
        let of_base = self.multiply(da, of_base);
        if self.is(db, 0.0) {
            return of_base;
        }
        let logarithm = self.call("ln", &[a]);
        let of_exponent = self.multiply(value, logarithm);
        let of_exponent = self.multiply(db, of_exponent);
        self.add(of_base, of_exponent)
    }
}
