//! What the lanes of a collective bring, and what each gets back.

use crate::ir::{
    Collective, Direction, Frame, LANES, Operands, Reduction, Row, Slot, Value, Width, lanes_of,
    mask_of, predicate, write, write_predicate,
};

/// What all lanes brought.
pub(super) struct Gathered {
    kind: Collective,
    values: [u64; LANES],
    lanes: [u32; LANES],
    clamps: [u32; LANES],
    votes: u32,
    /// Lanes that take part.
    members: u32,
}

impl Gathered {
    pub(super) fn new(kind: Collective, members: u32) -> Self {
        Gathered {
            kind,
            values: [0; LANES],
            lanes: [0; LANES],
            clamps: [0; LANES],
            votes: 0,
            members,
        }
    }

    /// Takes what these lanes bring.
    pub(super) fn take(&mut self, frame: &Frame<'_>, operands: &Operands, lanes: u32) {
        let s = operands.s;
        match self.kind {
            Collective::Sync | Collective::Elect => {}
            Collective::All | Collective::Any | Collective::Uniform | Collective::Ballot => {
                self.votes |= predicate(frame, s[0]) & lanes;
            }
            Collective::MatchAny(Width::W64) | Collective::MatchAll(Width::W64) => {
                let row = u64::row(frame, s[0]);
                lanes_of(lanes).for_each(|lane| self.values[lane] = row.0[lane]);
            }
            Collective::MatchAny(_) | Collective::MatchAll(_) | Collective::Reduce(_) => {
                let row = u32::row(frame, s[0]);
                lanes_of(lanes).for_each(|lane| self.values[lane] = u64::from(row.0[lane]));
            }
            Collective::Shuffle(_) => {
                let [value, other, clamp] = [s[0], s[1], s[2]].map(|s| u32::row(frame, s));
                for lane in lanes_of(lanes) {
                    self.values[lane] = u64::from(value.0[lane]);
                    self.lanes[lane] = other.0[lane];
                    self.clamps[lane] = clamp.0[lane];
                }
            }
        }
    }

    /// Gives these lanes their results.
    pub(super) fn give(&self, frame: &mut Frame<'_>, operands: &Operands, lanes: u32) {
        let [result, flag, ..] = operands.d;
        let bits = |yes: bool| if yes { u32::MAX } else { 0 };
        let vote = |frame: &mut Frame<'_>, yes| write_predicate(frame, result, bits(yes), lanes);
        let put = |frame: &mut Frame<'_>, row| write(u32::row_mut(frame, result), &row, lanes);
        match self.kind {
            Collective::Sync => {}
            Collective::All => vote(frame, self.votes == self.members),
            Collective::Any => vote(frame, self.votes != 0),
            Collective::Uniform => vote(frame, self.votes == 0 || self.votes == self.members),
            Collective::Ballot => put(frame, Row([self.votes; LANES])),
            Collective::Elect => {
                let leader = self.members.trailing_zeros();
                if result != Slot::SINK {
                    put(frame, Row([leader; LANES]));
                }
                let elected = 1u32.checked_shl(leader).unwrap_or(0);
                write_predicate(frame, flag, elected, lanes);
            }
            Collective::MatchAny(_) => {
                let equal = |lane: usize| self.equal_to(self.values[lane]);
                put(frame, Row(std::array::from_fn(equal)));
            }
            Collective::MatchAll(_) => {
                let first = self.values[self.members.trailing_zeros() as usize & 31];
                let all = bits(self.equal_to(first) == self.members);
                put(frame, Row([self.members & all; LANES]));
                write_predicate(frame, flag, all, lanes);
            }
            Collective::Reduce(reduction) => put(frame, Row([self.reduced(reduction); LANES])),
            Collective::Shuffle(direction) => {
                let source = |lane: usize| {
                    let (b, c) = (self.lanes[lane], self.clamps[lane]);
                    source_lane(direction, lane as u32, b, c)
                };
                let value = |lane: usize| self.values[source(lane).0 as usize] as u32;
                put(frame, Row(std::array::from_fn(value)));
                if flag != Slot::SINK {
                    write_predicate(frame, flag, mask_of(|lane| source(lane).1), lanes);
                }
            }
        }
    }

    fn equal_to(&self, value: u64) -> u32 {
        self.members & mask_of(|lane| self.values[lane] == value)
    }

    fn reduced(&self, reduction: Reduction) -> u32 {
        let values = lanes_of(self.members).map(|lane| self.values[lane] as u32);
        let combine: fn(u32, u32) -> u32 = match reduction {
            Reduction::Add => u32::wrapping_add,
            Reduction::MinUnsigned => u32::min,
            Reduction::MaxUnsigned => u32::max,
            Reduction::MinSigned => |a, b| (a as i32).min(b as i32) as u32,
            Reduction::MaxSigned => |a, b| (a as i32).max(b as i32) as u32,
            Reduction::And => |a, b| a & b,
            Reduction::Or => |a, b| a | b,
            Reduction::Xor => |a, b| a ^ b,
        };
        values.reduce(combine).unwrap_or(0)
    }
}

/// PTX ISA, `shfl.sync`: the lane to read, and whether it is in the segment;
/// if it is not, the lane reads itself.
pub(crate) fn source_lane(direction: Direction, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let highest = lane & segment | clamp & !segment & 31;
    let lowest = lane & segment;
    let (source, inside) = match direction {
        Direction::Up => (
            lane.wrapping_sub(b),
            lane as i32 - b as i32 >= highest as i32,
        ),
        Direction::Down => (lane + b, lane + b <= highest),
        Direction::Butterfly => (lane ^ b, (lane ^ b) <= highest),
        Direction::Index => {
            let source = lowest | b & !segment & 31;
            (source, source <= highest)
        }
    };
    if inside {
        (source & 31, true)
    } else {
        (lane, false)
    }
}
