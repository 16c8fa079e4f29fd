//! Loops: `while`, `loop` and `for`, left early, gone on with, and in each other.

use crate::next;

/// How often a loop goes round for an element: 0 to 12 times.
#[inline]
fn turns(x: u32) -> u32 {
    x % 13
}

/// A range with a step, and an iterator of its own.
#[derive(Clone, Copy, Debug)]
struct Strides {
    next: u32,
    end: u32,
    step: u32,
}

impl Iterator for Strides {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let value = self.next;
        (value < self.end).then(|| {
            self.next += self.step;
            value
        })
    }
}

per_element! {
    /// `lang/control_flow/while`.
    fn while_alone(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            y = next(y);
            i += 1;
        }
        y
    }

    /// `lang/control_flow/while_break`.
    #[allow(clippy::never_loop)]
    fn while_break(x: u32) -> u32 {
        let mut y = x;
        while y > 5 {
            y = next(y);
            break;
        }
        y
    }

    /// `lang/control_flow/while_continue`.
    #[allow(clippy::needless_continue)]
    fn while_continue(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            i += 1;
            y = next(y) ^ i;
            continue;
        }
        y
    }

    /// `lang/control_flow/while_if_break`.
    fn while_if_break(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < 20 {
            if y % 16 == 5 {
                break;
            }
            y = next(y);
            i += 1;
        }
        y ^ i
    }

    /// `lang/control_flow/while_if_break_else_break`.
    #[allow(clippy::never_loop)]
    fn while_if_break_else_break(x: u32) -> u32 {
        let mut y = x;
        while y != 0 {
            if y & 1 == 0 {
                y = next(y);
                break;
            } else {
                y >>= 1;
                break;
            }
        }
        y
    }

    /// `lang/control_flow/while_if_break_if_break`.
    fn while_if_break_if_break(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < 30 {
            if y % 16 == 5 {
                break;
            }
            y = next(y);
            if y % 16 == 7 {
                break;
            }
            i += 1;
        }
        y.wrapping_add(i)
    }

    /// `lang/control_flow/while_if_continue`.
    fn while_if_continue(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < 20 {
            i += 1;
            if y & 3 == 0 {
                y += i;
                continue;
            }
            y = next(y) >> 2;
        }
        y
    }

    /// `lang/control_flow/while_if_continue_else_continue`.
    #[allow(clippy::needless_continue)]
    fn while_if_continue_else_continue(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < 15 {
            i += 1;
            if y & 1 == 0 {
                y = next(y);
                continue;
            } else {
                y >>= 1;
                continue;
            }
        }
        y
    }

    /// `lang/control_flow/while_return`.
    fn while_return(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < 40 {
            y = next(y) ^ i;
            if y % 16 == 1 {
                return i;
            }
            i += 1;
        }
        y
    }

    /// `lang/control_flow/while_while`.
    fn while_while(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            let mut j = 0;
            while j < i {
                y = next(y) ^ j;
                j += 1;
            }
            i += 1;
        }
        y
    }

    /// `lang/control_flow/while_while_break`.
    #[allow(clippy::never_loop)]
    fn while_while_break(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            while y > 100 {
                y = next(y) >> 3;
                break;
            }
            i += 1;
        }
        y
    }

    /// `lang/control_flow/while_while_continue`.
    #[allow(clippy::needless_continue)]
    fn while_while_continue(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            let mut j = 0;
            while j < 4 {
                j += 1;
                y = next(y ^ j);
                continue;
            }
            i += 1;
        }
        y
    }

    /// `lang/control_flow/while_while_if_break`.
    fn while_while_if_break(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            let mut j = 0;
            while j < 8 {
                if y & 7 == j {
                    break;
                }
                y = next(y);
                j += 1;
            }
            i += 1 + j / 8;
        }
        y
    }

    /// `lang/control_flow/while_while_if_continue`.
    fn while_while_if_continue(x: u32) -> u32 {
        let (mut i, mut y) = (0, x);
        while i < turns(x) {
            let mut j = 0;
            while j < 5 {
                j += 1;
                if y & 1 == 1 {
                    y = y.wrapping_mul(3);
                    continue;
                }
                y = next(y);
            }
            i += 1;
        }
        y
    }

    /// `lang/control_flow/loop`: left with a value.
    fn loop_alone(x: u32) -> u32 {
        let mut y = x;
        let mut turns = 0_u32;
        loop {
            if y % 32 == 9 || turns == 40 {
                break y ^ turns;
            }
            y = next(y);
            turns += 1;
        }
    }

    /// `lang/control_flow/for_range`.
    fn for_range(x: u32) -> u32 {
        let mut y = x;
        for i in 0..turns(x) {
            y = next(y) ^ i;
        }
        y
    }

    /// `lang/control_flow/for_range_signed`: from below zero, and backwards.
    fn for_range_signed(x: i32) -> i32 {
        let mut y = x;
        for i in -4..x.rem_euclid(9) {
            y = y.wrapping_mul(31).wrapping_add(i);
        }
        for i in (-3..=3).rev() {
            y = y.wrapping_mul(17) ^ i;
        }
        y
    }

    /// `lang/control_flow/for_with_custom_range_iter`.
    fn for_with_an_own_iterator(x: u32) -> u32 {
        let mut y = x;
        for i in (Strides { next: x % 3, end: 40, step: 1 + x % 5 }) {
            y = next(y) ^ i;
        }
        y
    }

    /// Labels: the outer loop is left and gone on with from within the inner one.
    fn labelled_loops(x: u32) -> u32 {
        let mut y = x;
        'outer: for i in 0..10 {
            for j in 0..10 {
                y = next(y) ^ (i * j);
                if y % 16 == 3 {
                    continue 'outer;
                }
                if y % 64 == 60 {
                    break 'outer;
                }
            }
            y = y.wrapping_add(i);
        }
        y
    }
}
