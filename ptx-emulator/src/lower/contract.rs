//! `mul` and `add` or `sub` to one `fma`, as an assembler does it.
//!
//! PTX says of `add`, `sub` and `mul` without a rounding modifier that they may
//! be contracted; `ptxas` and the driver do it unless told not to
//! (`-fmad=false`). Which of them, and which of two products, decides the last
//! bit. This is what ptxas 13.5 for sm_90 was seen to do (November 2026: 1700
//! kernels read back with cuobjdump, most of them random sums of products; the driver 580.159.04 of an H200 gave the same bits on 96 more):
//!
//! - A product is a `mul` of f16, f16x2, bf16, bf16x2, f32 or f64 without rounding
//!   modifier, `.sat` and guard, or the one that ends a `div.full` or `div.approx`. A sum is an `add` or `sub` of the same type and
//!   the same `.ftz`, without rounding modifier; with `.sat` or a guard also. `fma`,
//!   `mad` and everything with `.rn` stay as they are.
//! - A product is contracted if all its uses are sums in its own basic block, each
//!   with the product on one side. `mov` and `neg` (not of bf16x2) may stand
//!   between. Any other use, a use in another block, one that another value may
//!   reach as well, or the product on both sides, and no sum is contracted
//!   with it. An unconditional branch to a place that nothing else leads to ends no
//!   block; a guarded `exit`, `ret` or `trap` does, and so does a call.
//! - If both sides are such products: first, in the order of the text, the sums that
//!   have a product with no other use take it, the left one if both are; then, again
//!   in that order, the other sums take the product with fewer uses, the left one of
//!   equals. A product that became the term of an `fma` is not contracted any more.
//!   Sums of f16x2 and bf16x2 are all dealt with in the second round.
//!
//! ptxas simplifies before it contracts. Of that only products with a factor of 1 or
//! -1 in the text and products of two immediates are known here: they are no
//! products. Not known are registers that hold constants, `mul` by -1 or `xor` of the
//! sign as `neg`, `abs` of a square, dead code, loops that ptxas unrolls, where a product meets a sum of the next
//! iteration, and sums that it moves out of a loop, to a product before it.

mod blocks;
mod step;

use std::collections::{BTreeMap, HashMap};

use ptx_syntax::{Block as Scope, Kind as Statement, Type};

use super::Sizes;
use super::flow;
use super::fused::{FTZ, Fused, NEGATE_PRODUCT, NEGATE_TERM, SATURATE};
use crate::ir::{Instruction, Op, Slot, Source};
use blocks::Blocks;
pub(crate) use step::Step;
use step::{Kind, Register, Style};

/// Blocks that are looked at to see where registers of one function are read.
const VISITS: usize = 1 << 22;

/// A sum that a product goes into.
#[derive(Copy, Clone, Debug)]
struct Use {
    /// Its place in the block.
    at: usize,
    /// The product is the right one of the two.
    right: bool,
    /// The sum takes the product's negative.
    negated: bool,
}

/// Whether a body has a `mul` or `div` that may be a product: most have none.
pub(super) fn has_products(body: &Scope<'_>) -> bool {
    body.statements
        .iter()
        .any(|statement| match &statement.kind {
            Statement::Block(inner) => has_products(inner),
            Statement::Instruction(instruction) => {
                // Modifiers stand in any order.
                let mut types = instruction
                    .modifiers
                    .iter()
                    .filter_map(|ty| Type::parse(ty));
                ["mul", "div"].contains(&instruction.opcode) && types.any(Type::is_float)
            }
            _ => false,
        })
}

/// Contracts one function, whose first instruction has the index `first` in
/// the program and `steps` of which tell what it reads and writes.
pub(super) fn contract(
    fused: &Fused,
    code: &mut [Instruction],
    first: u32,
    steps: &[Step],
    sizes: &mut Sizes,
) {
    if !steps.iter().any(|s| matches!(s.kind, Kind::Product(_))) {
        return;
    }
    let blocks = Blocks::new(code, &flow::build(code, first), steps);
    let mut visits = VISITS;
    for block in 0..blocks.places.len() {
        Block::new(fused, &blocks, block, &mut visits).contract(code, sizes);
    }
}

/// What an instruction does with a register.
#[derive(Copy, Clone)]
struct Event {
    at: usize,
    reads: bool,
    writes: bool,
}

struct Block<'a> {
    fused: &'a Fused,
    blocks: &'a Blocks<'a>,
    places: &'a [usize],
    events: HashMap<Register, Vec<Event>>,
    /// Products and their uses.
    products: Vec<(usize, Vec<Use>)>,
}

impl<'a> Block<'a> {
    fn new(fused: &'a Fused, blocks: &'a Blocks<'a>, block: usize, visits: &mut usize) -> Self {
        let places = &blocks.places[block][..];
        let mut events: HashMap<Register, Vec<Event>> = HashMap::new();
        let is_product = |&at: &usize| matches!(blocks.steps[at].kind, Kind::Product(_));
        let any = places.iter().any(is_product);
        for (at, &place) in places.iter().enumerate().filter(|_| any) {
            let step = &blocks.steps[place];
            for &register in step.reads.iter().chain(&step.writes) {
                let events = events.entry(register).or_default();
                if events.last().is_none_or(|last| last.at != at) {
                    events.push(Event {
                        at,
                        reads: step.reads.contains(&register),
                        writes: step.writes.contains(&register),
                    });
                }
            }
        }
        let mut this = Block {
            fused,
            blocks,
            places,
            events,
            products: Vec::new(),
        };
        for at in 0..places.len() {
            if let Kind::Product(style) = this.step(at).kind
                && let Some(uses) = this.uses(block, at, style, visits)
            {
                this.products.push((at, uses));
            }
        }
        this
    }

    fn step(&self, at: usize) -> &'a Step {
        &self.blocks.steps[self.places[at]]
    }

    fn after(&self, register: Register, at: usize) -> &[Event] {
        let events = self.events.get(&register).map_or(&[][..], Vec::as_slice);
        &events[events.partition_point(|event| event.at <= at)..]
    }

    /// The sums that a product goes into; `None` when it goes elsewhere too.
    fn uses(&self, block: usize, at: usize, style: Style, visits: &mut usize) -> Option<Vec<Use>> {
        let mut uses: Vec<Use> = Vec::new();
        let mut todo = vec![(at, false)];
        while let Some((written, negated)) = todo.pop() {
            let register = *self.step(written).writes.first()?;
            let (mut whole, mut mixed, mut count) = (false, false, 0);
            for event in self.after(register, written) {
                let step = self.step(event.at);
                if event.reads {
                    count += step.reads.iter().filter(|r| **r == register).count();
                    match step.kind {
                        _ if mixed => return None,
                        Kind::Sum {
                            style: other, left, ..
                        } if other == style => uses.push(Use {
                            at: event.at,
                            right: left != Some(register),
                            negated,
                        }),
                        Kind::Copy(None) => todo.push((event.at, negated)),
                        Kind::Copy(Some(Style { ty, ftz }))
                            if ty == style.ty && (style.ftz || !ftz) =>
                        {
                            todo.push((event.at, !negated));
                        }
                        _ => return None,
                    }
                }
                if event.writes {
                    if step.whole {
                        whole = true;
                        break;
                    }
                    mixed = true;
                }
            }
            let elsewhere = self.blocks.reads.get(&register) != Some(&count);
            if !whole && elsewhere && self.blocks.is_live(register, block, visits) {
                return None;
            }
        }
        uses.sort_by_key(|usage| usage.at);
        // On both sides of one sum?
        let twice = uses.windows(2).any(|pair| pair[0].at == pair[1].at)
            || uses.iter().any(|usage| {
                let reads = &self.step(usage.at).reads;
                reads.len() == 2 && reads[0] == reads[1]
            });
        (!twice && !uses.is_empty()).then_some(uses)
    }

    /// Chooses, and makes the sums over.
    fn contract(self, code: &mut [Instruction], sizes: &mut Sizes) {
        // By sum: its products, left and right.
        let mut sums: BTreeMap<usize, [Option<usize>; 2]> = BTreeMap::new();
        for (product, (_, uses)) in self.products.iter().enumerate() {
            for usage in uses {
                sums.entry(usage.at).or_default()[usize::from(usage.right)] = Some(product);
            }
        }
        let mut chosen = vec![Vec::new(); self.products.len()];
        // Products that are a term of an `fma`.
        let mut term = vec![false; self.products.len()];
        for most in [1, usize::MAX] {
            sums.retain(|&at, sides| {
                if most == 1 && self.is_of_pairs(at) {
                    return true;
                }
                let uses = |&product: &usize| self.products[product].1.len();
                let best = sides.iter().flatten().copied();
                let best = best.filter(|product| !term[*product] && uses(product) <= most);
                // The first of equals.
                let Some(best) = best.min_by_key(uses) else {
                    return true;
                };
                chosen[best].push(at);
                for &other in sides.iter().flatten().filter(|&&other| other != best) {
                    term[other] = true;
                }
                false
            });
        }
        for ((at, uses), chosen) in self.products.iter().zip(&chosen) {
            let Some(&last) = chosen.iter().max() else {
                continue;
            };
            let factors = self.factors(*at, last, code, sizes);
            for usage in uses.iter().filter(|usage| chosen.contains(&usage.at)) {
                self.fuse(usage, factors, &mut code[self.places[usage.at]]);
            }
        }
    }

    fn is_of_pairs(&self, at: usize) -> bool {
        let Kind::Sum { style, .. } = self.step(at).kind else {
            return false;
        };
        matches!(style.ty, Type::F16x2 | Type::BF16x2)
    }

    /// Where the factors of a product stand up to the place `last`.
    fn factors(
        &self,
        at: usize,
        last: usize,
        code: &mut [Instruction],
        sizes: &mut Sizes,
    ) -> [Source; 2] {
        let Instruction { op, operands, .. } = &mut code[self.places[at]];
        let factors = [operands.s[0], operands.s[1]];
        let step = self.step(at);
        let Kind::Product(style) = step.kind else {
            return factors;
        };
        // The product may be written over a factor.
        let changes = |register: &Register| {
            step.writes.contains(register)
                || self
                    .after(*register, at)
                    .iter()
                    .any(|event| event.writes && event.at < last)
        };
        if step.quotient.is_none() && !step.reads.iter().any(changes) {
            return factors;
        }
        let file = if style.ty == Type::F64 {
            &mut sizes.w64
        } else {
            &mut sizes.w32
        };
        let kept = [Slot(*file), Slot(*file + 1)];
        *file += 2;
        *op = Op::Lanes(match step.quotient {
            Some(full) => (self.fused.quotient)(full),
            None => (self.fused.product)(style.ty),
        });
        operands.d[1..3].copy_from_slice(&kept);
        operands.aux = if style.ftz { FTZ } else { 0 };
        kept.map(Source::register)
    }

    fn fuse(&self, usage: &Use, factors: [Source; 2], sum: &mut Instruction) {
        let Kind::Sum {
            style,
            subtracts,
            saturates,
            ..
        } = self.step(usage.at).kind
        else {
            return;
        };
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let term = sum.operands.s[usize::from(!usage.right)];
        sum.operands.s[..3].copy_from_slice(&[factors[0], factors[1], term]);
        sum.operands.aux = flag(style.ftz, FTZ)
            | flag(saturates, SATURATE)
            | flag(usage.negated != (subtracts && usage.right), NEGATE_PRODUCT)
            | flag(subtracts && !usage.right, NEGATE_TERM);
        sum.op = Op::Lanes((self.fused.sum)(style.ty));
    }
}
