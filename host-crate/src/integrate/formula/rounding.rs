//! A bound on the rounding of a formula's own operations, as a formula: running error analysis of its
//! graph (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, section 3.3).

use super::derive::Derivatives;
use super::graph::{Graph, Id, Node};
use super::names::number;
use super::operation::{Constant, Operation};

/// How many roundings of the nearest number an elementary function, of at most 1.5 units in the last
/// place, stands for, an inverse hyperbolic one, of at most 3,
const OF_FUNCTION: f64 = 3.0;
const OF_INVERSE_HYPERBOLIC: f64 = 6.0;
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
    let size = magnitude(of, id);
    of.multiply(size, unit)
}

/// How often an operation rounds.
fn roundings(operation: Operation) -> f64 {
    match operation {
        Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide => 1.0,
        Operation::Fused | Operation::SquareRoot => 1.0,
        Operation::Root | Operation::Reciprocal | Operation::Over => 1.0,
        Operation::Call(function) if function == number("round") => 0.0,
        Operation::Call(function)
            if ["asinh", "acosh", "atanh"].map(number).contains(&function) =>
        {
            OF_INVERSE_HYPERBOLIC
        }
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
    let [[a, b, c], [of_a, of_b, of_c]] = [ids, bounds];
    // A jump is as far from a variable as a rule knows: where that is rounded, the jump moves with it.
    let jumps = [0, 1].map(|k| match of.graph.node(ids[k]) {
        Node::Of(..) => bounds[k],
        _ => zero,
    });
    match operation {
        Operation::Least | Operation::Greatest => greatest(of, of_a, of_b),
        Operation::Floor | Operation::Ceiling | Operation::Truncate | Operation::ToEven => {
            whole(of, a, jumps[0], operation == Operation::ToEven)
        }
        Operation::Call(function) if function == number("round") => whole(of, a, jumps[0], true),
        Operation::Less | Operation::AtMost | Operation::Equal | Operation::Unequal => {
            let (distance, bound) = (distance(of, a, b), of.add(jumps[0], jumps[1]));
            let one = of.graph.number(1.0);
            where_near(of, (distance, bound), one, zero)
        }
        Operation::Choose => {
            let (distance_of_a, apart) = (magnitude(of, a), distance(of, b, c));
            let larger = greatest(of, of_b, of_c);
            let either = of.add(apart, larger);
            let own = of.operation(value, operation, ids, bounds);
            where_near(of, (distance_of_a, jumps[0]), either, own)
        }
        Operation::CopySign => {
            let (size, distance) = (magnitude(of, a), magnitude(of, b));
            let twice = of.add(size, size);
            let sign = where_near(of, (distance, jumps[1]), twice, zero);
            of.add(of_a, sign)
        }
        _ => (0..3).fold(zero, |sum, k| {
            let mut one = [zero; 3];
            one[k] = bounds[k];
            let part = of.operation(value, operation, ids, one);
            if of.graph.is(part, 0.0) {
                return sum;
            }
            let part = magnitude(of, part);
            // What has lost nothing passes nothing on, however steep the function is there.
            let is_whole = of.graph.of(Operation::Equal, &[bounds[k], zero]);
            let part = of.graph.of(Operation::Choose, &[is_whole, zero, part]);
            of.add(sum, part)
        }),
    }
}

fn magnitude(of: &mut Derivatives<'_>, a: Id) -> Id {
    of.graph.of(Operation::Magnitude, &[a])
}

fn distance(of: &mut Derivatives<'_>, a: Id, b: Id) -> Id {
    let apart = of.graph.of(Operation::Subtract, &[a, b]);
    magnitude(of, apart)
}

fn greatest(of: &mut Derivatives<'_>, a: Id, b: Id) -> Id {
    of.graph.of(Operation::Greatest, &[a, b])
}

/// `there` where a jump is no farther than a bound, which is not 0, and `other` elsewhere.
fn where_near(of: &mut Derivatives<'_>, (distance, bound): (Id, Id), there: Id, other: Id) -> Id {
    if of.graph.is(bound, 0.0) {
        return other;
    }
    let zero = of.graph.number(0.0);
    let is_reached = of.graph.of(Operation::AtMost, &[distance, bound]);
    let is_lost = of.graph.of(Operation::Less, &[zero, bound]);
    let is_near = of.graph.of(Operation::Choose, &[is_lost, is_reached, zero]);
    of.graph.of(Operation::Choose, &[is_near, there, other])
}

/// Of a whole number next to `a`, which jumps by 1 at whole numbers, or halfway between them.
fn whole(of: &mut Derivatives<'_>, a: Id, bound: Id, is_halfway: bool) -> Id {
    let nearest = of.graph.of(Operation::ToEven, &[a]);
    let from_whole = distance(of, a, nearest);
    let half = of.graph.number(0.5);
    let distance = match is_halfway {
        true => of.graph.of(Operation::Subtract, &[half, from_whole]),
        false => from_whole,
    };
    let (zero, one) = (of.graph.number(0.0), of.graph.number(1.0));
    let jump = of.add(bound, one);
    where_near(of, (distance, bound), jump, zero)
}
