//! The functions of formulas by their names, and names that were probably meant.

use quadscan_kernels::integrate::formula::FUNCTIONS;

use super::graph::{Graph, Id};
use super::operation::Operation;

/// From here on two names are near, of Jaro's similarity from 0 to 1.
const NEAR: f64 = 0.8;

/// Functions that are an operation, and how many arguments they have.
const OPERATIONS: &[(&str, Operation, usize)] = &[
    ("abs", Operation::Magnitude, 1),
    ("sqrt", Operation::SquareRoot, 1),
    ("floor", Operation::Floor, 1),
    ("ceil", Operation::Ceiling, 1),
    ("trunc", Operation::Truncate, 1),
    ("round_ties_even", Operation::ToEven, 1),
    ("copysign", Operation::CopySign, 2),
    ("min", Operation::Least, 2),
    ("max", Operation::Greatest, 2),
    ("fma", Operation::Fused, 3),
    ("if", Operation::Choose, 3),
    ("root", Operation::Root, 1),
    ("reciprocal", Operation::Reciprocal, 1),
    ("over", Operation::Over, 2),
];

/// Functions that are made of others, and how many arguments they have.
const COMPOSED: &[(&str, usize)] = &[("sign", 1), ("fract", 1), ("log", 2)];

/// All functions that can be typed.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    let elementary = FUNCTIONS.iter().map(|(name, _)| *name);
    let elementary = elementary.filter(|name| !name.starts_with("add_"));
    let operations = OPERATIONS.iter().map(|(name, ..)| *name);
    operations
        .chain(COMPOSED.iter().map(|(name, _)| *name))
        .chain(elementary)
}

/// How many arguments a function has.
pub(super) fn arity(name: &str) -> Option<usize> {
    let operations = OPERATIONS.iter().map(|&(known, _, count)| (known, count));
    let mut all = operations
        .chain(COMPOSED.iter().copied())
        .chain(FUNCTIONS.iter().copied());
    let found = all.find(|(known, _)| *known == name)?;
    (!name.starts_with("add_")).then_some(found.1)
}

/// The number of an elementary function.
pub(super) fn number(name: &str) -> u8 {
    let place = FUNCTIONS.iter().position(|(known, _)| *known == name);
    place.map_or(u8::MAX, |place| place as u8)
}

/// Words that no name may be: functions, and what files of items call their limits.
pub(super) fn is_reserved(name: &str) -> bool {
    arity(name).is_some() || matches!(name, "let" | "from" | "to")
}

/// The known name that was probably meant, in words.
pub(super) fn near<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = typed.to_ascii_lowercase();
    let like = known.map(|name| (strsim::jaro(&lower, name), name));
    let like = like.filter(|(likeness, _)| *likeness >= NEAR);
    let best = like.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(one.1)))?;
    Some(format!(", did you mean `{}`?", best.1))
}

/// A function of arguments, of which there are as many as it takes.
pub(super) fn called(graph: &mut Graph, name: &str, arguments: &[Id]) -> Id {
    let first = arguments[0];
    if let Some((_, operation, _)) = OPERATIONS.iter().find(|(known, ..)| *known == name) {
        let rest = arguments.get(2..).unwrap_or_default();
        if !matches!(operation, Operation::Least | Operation::Greatest) {
            return graph.of(*operation, arguments);
        }
        let two = graph.of(*operation, &arguments[..2]);
        return rest
            .iter()
            .fold(two, |all, &next| graph.of(*operation, &[all, next]));
    }
    match name {
        "sign" => {
            let one = graph.number(1.0);
            let sign = graph.of(Operation::CopySign, &[one, first]);
            let is_nan = graph.of(Operation::Unequal, &[first, first]);
            graph.of(Operation::Choose, &[is_nan, first, sign])
        }
        "fract" => {
            let whole = graph.of(Operation::Truncate, &[first]);
            graph.of(Operation::Subtract, &[first, whole])
        }
        "log" => {
            let [of, base] =
                [first, arguments[1]].map(|id| graph.of(Operation::Call(number("ln")), &[id]));
            graph.of(Operation::Divide, &[of, base])
        }
        _ => graph.of(Operation::Call(number(name)), arguments),
    }
}
