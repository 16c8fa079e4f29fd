//! A program from a seed: lines, and branches and loops around them.

use super::instructions::{Forms, Writer};
use super::memory::Together;
use super::program::{FUNCTIONS, Node, Program};
use crate::probes::operands::Random;

/// Branches and loops around each other.
const DEPTH: usize = 3;

/// The program of these numbers, for blocks of whole warps or of others too.
pub(super) fn program(random: &mut Random, forms: &Forms, has_whole_warps: bool) -> Program {
    let mut writer = Writer { random, forms };
    let functions = (0..FUNCTIONS).map(|_| {
        let count = 3 + writer.below(5);
        (0..count).map(|_| Node::Line(writer.line())).collect()
    });
    let functions = functions.collect();
    let count = 8 + writer.below(24);
    let together = Together::Block { has_whole_warps };
    Program {
        body: writer.nodes(count, together, 0),
        functions,
    }
}

impl Writer<'_> {
    fn nodes(&mut self, count: usize, together: Together, depth: usize) -> Vec<Node> {
        (0..count).map(|_| self.node(together, depth)).collect()
    }

    fn node(&mut self, together: Together, depth: usize) -> Node {
        if depth == DEPTH || self.below(8) > 0 {
            return Node::Line(self.any_line(together));
        }
        let count = 1 + self.below(5);
        // What all threads know is the same for all of them.
        let (word, inside) = match self.below(3) {
            0 => (["%flags", "%block"][self.below(2)].to_owned(), together),
            1 => ("%thread".to_owned(), Together::Lanes),
            _ => (self.register("r"), Together::Lanes),
        };
        if self.below(2) == 0 {
            let body = self.nodes(count, inside, depth + 1);
            return Node::Loop { limit: word, body };
        }
        let other = self.below(4);
        Node::If {
            condition: self.condition(&word),
            then: self.nodes(count, inside, depth + 1),
            otherwise: self.nodes(other, inside, depth + 1),
        }
    }

    /// Sets `%q0` by a bit of a word, or by its size.
    fn condition(&mut self, word: &str) -> String {
        let bit = 1u32 << self.below(7);
        match self.below(3) {
            0 => format!("setp.gt.s32 %q0, {word}, {};", self.below(64)),
            _ => format!("and.b32 %t0, {word}, {bit}; setp.ne.u32 %q0, %t0, 0;"),
        }
    }
}
