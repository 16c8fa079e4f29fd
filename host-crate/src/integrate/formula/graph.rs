//! A formula as a graph: each subexpression once, constants folded as they are made.

use std::collections::HashMap;

use super::number::{Number, apply};
use super::operation::{Constant, Operation};

/// The place of a node in its graph; what it is computed from has lower ones.
pub(super) type Id = u32;

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variable {
    X,
    FromLower,
    ToUpper,
    /// A coordinate of a box, by its number.
    Axis(u8),
}

/// A number, and how it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(Constant),
    Variable(Variable),
    Parameter(u8),
    /// Of as many as it takes; the others are the first.
    Of(Operation, [Id; 3]),
}

/// Nodes, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Node, Id>,
}

impl Graph {
    pub(super) fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node, which is made if there is none.
    pub(super) fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// A number that both kinds round by themselves.
    pub(super) fn number(&mut self, value: f64) -> Id {
        self.add(Node::Constant(Constant::new(value as f32, value)))
    }

    fn constant(&self, id: Id) -> Option<Constant> {
        match self.node(id) {
            Node::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// Whether a node is this number in both kinds.
    pub(super) fn is(&self, id: Id, value: f64) -> bool {
        self.constant(id) == Some(Constant::new(value as f32, value))
    }

    /// An operation of up to three nodes; of constants what it gives.
    pub(super) fn of(&mut self, operation: Operation, arguments: &[Id]) -> Id {
        let argument = |k: usize| *arguments.get(k).unwrap_or(&arguments[0]);
        let ids = [argument(0), argument(1), argument(2)];
        if let [Some(a), Some(b), Some(c)] = ids.map(|id| self.constant(id)) {
            let all = [a, b, c];
            let (single, double) = (all.map(f32::of), all.map(f64::of));
            let folded = Constant::new(apply(operation, single), apply(operation, double));
            return self.add(Node::Constant(folded));
        }
        self.add(Node::Of(operation, ids))
    }

    /// `base` to a whole power, by squaring, from the power's lowest bit up.
    pub(super) fn power(&mut self, base: Id, power: i32) -> Id {
        let (mut square, mut rest, mut product) = (base, power.unsigned_abs(), None);
        while rest != 0 {
            if rest & 1 == 1 {
                product = Some(match product {
                    Some(product) => self.of(Operation::Multiply, &[product, square]),
                    None => square,
                });
            }
            rest >>= 1;
            if rest != 0 {
                square = self.of(Operation::Multiply, &[square, square]);
            }
        }
        let one = self.number(1.0);
        match product {
            Some(product) if power < 0 => self.of(Operation::Divide, &[one, product]),
            Some(product) => product,
            None => one,
        }
    }

    /// The nodes that a node is computed from, and it, in order.
    pub(super) fn reached(&self, root: Id) -> Vec<Id> {
        let mut is_reached = vec![false; root as usize + 1];
        is_reached[root as usize] = true;
        for id in (0..=root).rev() {
            if let (true, Node::Of(_, arguments)) = (is_reached[id as usize], self.node(id)) {
                for argument in arguments {
                    is_reached[argument as usize] = true;
                }
            }
        }
        (0..=root).filter(|id| is_reached[*id as usize]).collect()
    }

    /// The node with others in the place of variables.
    pub(super) fn with_variables(&mut self, root: Id, of: impl Fn(Variable) -> Option<Id>) -> Id {
        let mut all = vec![0; root as usize + 1];
        for id in self.reached(root) {
            all[id as usize] = match self.node(id) {
                Node::Variable(variable) => of(variable).unwrap_or(id),
                Node::Of(operation, ids) => self.of(operation, &ids.map(|id| all[id as usize])),
                Node::Constant(_) | Node::Parameter(_) => id,
            };
        }
        all[root as usize]
    }

    /// What a node is where variables are these, on the host.
    pub(super) fn eval<R: Number>(
        &self,
        root: Id,
        variables: impl Fn(Variable) -> R,
        parameters: &[R],
    ) -> R {
        let mut values = vec![R::ZERO; root as usize + 1];
        for id in self.reached(root) {
            values[id as usize] = match self.node(id) {
                Node::Constant(constant) => R::of(constant),
                Node::Variable(variable) => variables(variable),
                Node::Parameter(index) => parameters[usize::from(index)],
                Node::Of(operation, ids) => apply(operation, ids.map(|id| values[id as usize])),
            };
        }
        values[root as usize]
    }
}
