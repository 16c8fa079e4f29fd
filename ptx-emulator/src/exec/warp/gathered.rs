//! What the lanes of a collective bring, and what each gets back.

use super::*;

impl Gathered {
    pub(super) fn new(members: u32) -> Self {
        Gathered {
            values: [0; 32],
            lanes: [0; 32],
            clamps: [0; 32],
            votes: 0,
            members,
        }
    }

    pub(super) fn take<O>(
        &mut self,
        context: &Context<'_, O>,
        warp: &mut Warp,
        path: &Path,
        collective: &Collective,
        operands: &Operands,
        lanes: u32,
    ) {
        let frame = warp.lanes.registers.frame(path, &context.launch.pool);
        let s = operands.s;
        let active = (0..32).filter(|lane| lanes >> lane & 1 != 0);
        match collective.kind {
            Kind::Sync | Kind::Elect => {}
            Kind::All | Kind::Any | Kind::Uniform | Kind::Ballot => {
                self.votes |= predicate(&frame, s[0]) & lanes
            }
            Kind::MatchAny(Width::W64) | Kind::MatchAll(Width::W64) => {
                let row = u64::row(&frame, s[0]);
                active.for_each(|lane| self.values[lane] = row.0[lane]);
            }
            Kind::MatchAny(_) | Kind::MatchAll(_) | Kind::Reduce(_) => {
                let row = u32::row(&frame, s[0]);
                active.for_each(|lane| self.values[lane] = u64::from(row.0[lane]));
            }
            Kind::Shuffle(_) => {
                let (value, other, clamp) = (
                    u32::row(&frame, s[0]),
                    u32::row(&frame, s[1]),
                    u32::row(&frame, s[2]),
                );
                active.for_each(|lane| {
                    self.values[lane] = u64::from(value.0[lane]);
                    self.lanes[lane] = other.0[lane];
                    self.clamps[lane] = clamp.0[lane];
                });
            }
        }
    }

    pub(super) fn give<O>(
        &self,
        context: &Context<'_, O>,
        warp: &mut Warp,
        path: &Path,
        collective: &Collective,
        operands: &Operands,
        lanes: u32,
    ) {
        let mut frame = warp.lanes.registers.frame(path, &context.launch.pool);
        let [result, flag, ..] = operands.d;
        let bits = |yes: bool| if yes { u32::MAX } else { 0 };
        match collective.kind {
            Kind::Sync => {}
            Kind::All => {
                write_predicate(&mut frame, result, bits(self.votes == self.members), lanes)
            }
            Kind::Any => write_predicate(&mut frame, result, bits(self.votes != 0), lanes),
            Kind::Uniform => {
                let same = self.votes == 0 || self.votes == self.members;
                write_predicate(&mut frame, result, bits(same), lanes);
            }
            Kind::Ballot => write(
                u32::row_mut(&mut frame, result),
                &Row([self.votes; 32]),
                lanes,
            ),
            Kind::Elect => {
                let leader = self.members.trailing_zeros();
                if result != Slot::SINK {
                    write(u32::row_mut(&mut frame, result), &Row([leader; 32]), lanes);
                }
                write_predicate(
                    &mut frame,
                    flag,
                    1u32.checked_shl(leader).unwrap_or(0),
                    lanes,
                );
            }
            Kind::MatchAny(_) => {
                let row = Row(std::array::from_fn(|lane| self.equal_to(self.values[lane])));
                write(u32::row_mut(&mut frame, result), &row, lanes);
            }
            Kind::MatchAll(_) => {
                let first = self.values[self.members.trailing_zeros() as usize & 31];
                let all = self.equal_to(first) == self.members;
                write(
                    u32::row_mut(&mut frame, result),
                    &Row([self.members & bits(all); 32]),
                    lanes,
                );
                write_predicate(&mut frame, flag, bits(all), lanes);
            }
            Kind::Reduce(reduction) => {
                write(
                    u32::row_mut(&mut frame, result),
                    &Row([self.reduced(reduction); 32]),
                    lanes,
                );
            }
            Kind::Shuffle(direction) => {
                let mut row = Row::<u32>::default();
                let mut inside = 0;
                for lane in 0..32 {
                    let (source, in_range) = source_lane(
                        direction,
                        lane,
                        self.lanes[lane as usize],
                        self.clamps[lane as usize],
                    );
                    inside |= u32::from(in_range) << lane;
                    row.0[lane as usize] = self.values[source as usize] as u32;
                }
                write(u32::row_mut(&mut frame, result), &row, lanes);
                if flag != Slot::SINK {
                    write_predicate(&mut frame, flag, inside, lanes);
                }
            }
        }
    }

    fn equal_to(&self, value: u64) -> u32 {
        (0..32)
            .filter(|&lane| self.members >> lane & 1 != 0 && self.values[lane as usize] == value)
            .fold(0, |m, l| m | 1 << l)
    }

    fn reduced(&self, reduction: Reduction) -> u32 {
        let values = (0..32)
            .filter(|lane| self.members >> lane & 1 != 0)
            .map(|lane| self.values[lane] as u32);
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
fn source_lane(direction: Direction, lane: u32, b: u32, c: u32) -> (u32, bool) {
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
