//! Branches: `if` in all its company.

use crate::next;

per_element! {
    /// `lang/control_flow/if`: a branch without another.
    fn if_alone(x: u32) -> u32 {
        let mut y = x;
        if x % 3 == 1 {
            y = next(y);
        }
        y
    }

    /// `lang/control_flow/ifx2`: two branches, one after the other.
    fn if_twice(x: u32) -> u32 {
        let mut y = x;
        if x & 1 == 1 {
            y = next(y);
        }
        if y & 2 == 2 {
            y = next(y ^ x);
        }
        y
    }

    /// `lang/control_flow/if_else`: one of two.
    fn if_else(x: u32) -> u32 {
        if x > 1000 { next(x) } else { x + 7 }
    }

    /// `lang/control_flow/if_else_if_else`: one of four.
    fn if_else_if_else(x: u32) -> u32 {
        if x < 2 {
            5
        } else if x.is_multiple_of(2) {
            x / 2
        } else if x.is_multiple_of(3) {
            next(x)
        } else {
            x.wrapping_mul(3)
        }
    }

    /// `lang/control_flow/if_if`: a branch in a branch.
    fn if_if(x: u32) -> u32 {
        let mut y = 1;
        if x > 3 {
            y = next(x);
            if y > x {
                y -= x;
            }
        }
        y
    }

    /// `lang/control_flow/if_return_else`: one side leaves the function.
    fn if_return_else(x: u32) -> u32 {
        let y = if x.is_multiple_of(5) {
            return 17;
        } else {
            next(x)
        };
        y ^ x
    }

    /// `lang/control_flow/if_return_else_return`: both sides leave it.
    #[allow(clippy::needless_return)]
    fn if_return_else_return(x: u32) -> u32 {
        if x.count_ones() > 4 {
            return next(x);
        } else {
            return !x;
        }
    }

    /// `lang/control_flow/if_while`: a loop in a branch.
    fn if_while(x: u32) -> u32 {
        let mut y = x;
        if x & 4 == 0 {
            let mut i = 0;
            while i < 30 && y % 11 != 3 {
                y = next(y) ^ i;
                i += 1;
            }
        }
        y
    }

    /// `core/ops/logical_and`: the second operand is asked when the first holds, alone.
    fn logical_and(x: u32) -> u32 {
        let mut asked = 0;
        let mut second = |y: u32| {
            asked += 1;
            y > 1 << 20
        };
        let both = x.is_multiple_of(2) && second(x) && second(next(x));
        asked << 1 | u32::from(both)
    }

    /// `core/ops/logical_or`: the second operand is asked when the first does not hold, alone.
    fn logical_or(x: u32) -> u32 {
        let mut asked = 0;
        let mut second = |y: u32| {
            asked += 1;
            y > 1 << 20
        };
        let either = x.is_multiple_of(2) || second(x) || second(next(x));
        asked << 1 | u32::from(either)
    }

    /// A `match` with ranges, guards, bindings and several patterns an arm.
    fn matches(x: u32) -> u32 {
        match x {
            0 => 1,
            1 | 2 => 10,
            y @ 3..=99 => y * 100,
            y if y.is_multiple_of(7) => y / 7,
            _ => next(x),
        }
    }
}
