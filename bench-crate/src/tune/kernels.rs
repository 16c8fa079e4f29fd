//! The source of the kernels that a sweep runs: an entry a candidate, made from a template.

use std::fmt::Write;

use super::candidate::{Algorithm, Candidate};

const TEMPLATE: &str = include_str!("kernels.rs.template");

/// The source of the crate.
pub fn source(candidates: &[Candidate]) -> String {
    let mut source = TEMPLATE.to_owned();
    for one in candidates {
        // Writing to a string does not fail.
        let _ = writeln!(source, "\n{}", entry(one));
    }
    source
}

fn entry(one: &Candidate) -> String {
    let Candidate {
        entry,
        warps,
        rows,
        delay,
        ahead,
        items,
        vectors,
        results,
        ..
    } = one;
    let (element, result) = (one.element, one.result);
    let operator = one.stand_in().map_or("", |stand_in| stand_in.operator);
    let head = format!("candidate! {{ width_{element}_{result} {entry}: {operator},");
    // The bounds are those of `scan_kernels!`, so that the code is the same.
    let (bounds, algorithm) = match one.algorithm {
        Algorithm::OneBlock => ("1024", "one_block"),
        Algorithm::OneWaveSmall | Algorithm::OneWave => ("512, 2", "one_wave"),
        Algorithm::Lookahead => {
            return format!(
                "const _: () = shape({vectors}, {results}, {warps}, {delay}, {ahead});\n\
                 {head} lookahead::scan[{items}, {vectors}, {results}, {warps}, {delay}, {ahead}] }}"
            );
        }
    };
    format!(
        "{head} #[launch_bounds({bounds})] {algorithm}::scan[{warps}, {rows}, {items}, {vectors}, {results}] }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::candidates;

    #[test]
    fn every_candidate_is_an_entry() {
        let all = candidates::all();
        let source = source(&all);
        for one in &all {
            assert!(
                source.contains(&format!(" {}: ", one.entry)),
                "{}",
                one.entry
            );
        }
    }
}
