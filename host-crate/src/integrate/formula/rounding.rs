//! A bound on the rounding of a formula's own operations, as a formula: running error analysis of its
//! graph (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, section 3.3).

use super::derive::Derivatives;
use super::graph::{Graph, Id, Node};
use super::operation::{Constant, Operation};

/// How many roundings of the nearest number an elementary function, of at most 1.5 units in the last
/// place, stands for,
const OF_FUNCTION: f64 = 3.0;
/// and a variable, which is a limit and a distance from it.
const OF_VARIABLE: f64 = 2.0;

/// The bound of `root`, of first order: that of its operation, and those of what it is computed from,
/// each times the magnitude of the derivative by it. Numbers and parameters are taken as they are.
pub(super) fn bound(graph: &mut Graph, root: Id) -> Id {
    let mut of = Derivatives { graph };
    let zero = of.graph.number(0.0);
    let mut all = vec![zero; root as usize + 1];
    for id in of.graph.reached(root) {
        all[id as usize] = match of.graph.node(id) {
            Node::Constant(_) | Node::Parameter(_) => zero,
            Node::Variable(_) => own(&mut of, id, OF_VARIABLE),
            Node::Of(operation, ids) => {
                let bounds = ids.map(|id| all[id as usize]);
                let own = own(&mut of, id, roundings(operation));
                let passed = passed(&mut of, id, operation, ids, bounds);
                of.add(own, passed)
            }
        };
    }
    all[root as usize]
}

/// So many roundings of a node's value.
fn own(of: &mut Derivatives<'_>, id: Id, roundings: f64) -> Id {
    let unit = Constant::new(
        roundings as f32 * f32::EPSILON / 2.0,
        roundings * f64::EPSILON / 2.0,
    );
    let unit = of.graph.add(Node::Constant(unit));
    let magnitude = of.graph.of(Operation::Magnitude, &[id]);
    of.multiply(magnitude, unit)
}

/// How often an operation rounds.
fn roundings(operation: Operation) -> f64 {
    match operation {
        Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide => 1.0,
        Operation::Fused | Operation::SquareRoot => 1.0,
        Operation::Root | Operation::Reciprocal | Operation::Over => 1.0,
        Operation::Call(_) => OF_FUNCTION,
        _ => 0.0,
    }
}

/// What an operation makes of the bounds of its arguments.
fn passed(
    of: &mut Derivatives<'_>,
    value: Id,
    operation: Operation,
    ids: [Id; 3],
    bounds: [Id; 3],
) -> Id {
    let zero = of.graph.number(0.0);
    // One of two, which has its own.
    if matches!(
        operation,
        Operation::Choose | Operation::Least | Operation::Greatest
    ) {
        return of.operation(value, operation, ids, bounds);
    }
    (0..3).fold(zero, |sum, k| {
        let mut one = [zero; 3];
        one[k] = bounds[k];
        let part = of.operation(value, operation, ids, one);
        match of.graph.is(part, 0.0) {
            true => sum,
            false => {
                let part = of.graph.of(Operation::Magnitude, &[part]);
                of.add(sum, part)
            }
        }
    })
}
