//! The language: constants, references, closures, enums, traits, generics.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::next;

/// A value behind two references, known to the compiler.
static SHALLOW: &&[u32; 4] = &&[5, 7, 11, 13];

const LENGTH: usize = 8960;

/// Three tables that are together larger than constant memory, each with another rule.
static FIRST: [u32; LENGTH] = [111; LENGTH];
static SECOND: [u32; LENGTH] = table(3);
static THIRD: [u32; LENGTH] = table(5);

const fn table(factor: u32) -> [u32; LENGTH] {
    let mut table = [0; LENGTH];
    let mut i = 0;
    while i < LENGTH {
        table[i] = factor * i as u32 + 1;
        i += 1;
    }
    table
}

#[derive(Clone, Copy)]
struct Nothing;

#[derive(Clone, Copy)]
struct Pair {
    first: u32,
    second: u32,
    nothing: Nothing,
}

#[inline(never)]
fn through(member: &u32) -> u32 {
    next(*member)
}

#[inline(never)]
fn through_nothing(_: &Nothing, x: u32) -> u32 {
    x ^ size_of::<Nothing>() as u32
}

#[derive(Clone, Copy)]
enum Figure {
    Point,
    Square(u32),
    Rectangle { width: u32, height: u32 },
}

trait Area {
    fn area(&self) -> u32;

    fn double(&self) -> u32 {
        2 * self.area()
    }
}

impl Area for Figure {
    fn area(&self) -> u32 {
        match *self {
            Figure::Point => 0,
            Figure::Square(side) => side * side,
            Figure::Rectangle { width, height } => width * height,
        }
    }
}

impl Area for Pair {
    fn area(&self) -> u32 {
        self.first ^ self.second
    }

    fn double(&self) -> u32 {
        self.second
    }
}

fn figure(x: u32) -> Figure {
    match x % 3 {
        0 => Figure::Point,
        1 => Figure::Square(x % 1000),
        _ => Figure::Rectangle {
            width: x % 100,
            height: x % 70,
        },
    }
}

fn sum<T: Copy + Into<u64>, const N: usize>(values: [T; N]) -> u64 {
    values.iter().map(|&value| value.into()).sum()
}

union Bits {
    float: f32,
    integer: u32,
}

per_element! {
    /// `dis/simple_add`.
    fn simple_add(x: u32) -> u32 {
        x.wrapping_add(7)
    }

    /// `lang/consts/shallow-ref`: a constant behind references.
    fn constants_behind_references(x: u32) -> u32 {
        SHALLOW[x as usize % 4] ^ x
    }

    /// `lang/consts/constant_memory_overflow`: tables larger than constant memory.
    fn large_tables(x: u32) -> u32 {
        let i = x as usize % LENGTH;
        FIRST[i] ^ SECOND[i] << 1 ^ THIRD[LENGTH - 1 - i] << 2
    }

    /// `lang/core/ref/member_ref_arg`: a reference to a part of a value.
    fn reference_to_a_member(x: u32) -> u32 {
        let mut pair = Pair { first: x, second: 3, nothing: Nothing };
        pair.second = through(&pair.first);
        let member = &mut pair.first;
        *member ^= 9;
        pair.first ^ pair.second
    }

    /// `lang/core/ref/zst_member_ref_arg`: a reference to a part without size.
    fn reference_to_nothing(x: u32) -> u32 {
        let pair = Pair { first: x, second: 3, nothing: Nothing };
        through_nothing(&pair.nothing, pair.first)
    }

    /// Enums with values, methods of traits, and their defaults.
    fn enums(x: u32) -> u32 {
        figure(x).double() + Pair { first: x, second: 1, nothing: Nothing }.double()
    }

    /// Which method is called is known when the kernel runs.
    fn dynamic_dispatch(x: u32) -> u32 {
        let (figure, pair) = (figure(x), Pair { first: x, second: 3, nothing: Nothing });
        let objects: [&dyn Area; 2] = [&figure, &pair];
        objects[(x >> 5) as usize % 2].area()
    }

    /// Closures, and functions that take and give them.
    fn closures(x: u32) -> u32 {
        fn twice(f: impl Fn(u32) -> u32) -> impl Fn(u32) -> u32 {
            move |y| f(f(y))
        }
        let mut calls = 0;
        let mut counted = |y: u32| {
            calls += 1;
            y ^ x
        };
        let first = counted(3);
        let y = counted(first);
        twice(move |z| next(z) ^ y)(x).wrapping_add(calls)
    }

    /// Functions and types with parameters of types and of numbers.
    fn generics(x: u32) -> u64 {
        sum([x, x >> 1, 3]) + sum([x as u8; 5]) + sum([u64::from(x)])
    }

    /// A function that calls itself, as deep as the element says.
    fn recursion(x: u32) -> u32 {
        fn depth(n: u32, y: u32) -> u32 {
            if n == 0 { y } else { depth(n - 1, next(y)) ^ n }
        }
        depth(x % 20, x)
    }

    /// The question mark, through two functions.
    fn question_marks(x: u32) -> u32 {
        fn half(x: u32) -> Option<u32> {
            x.is_multiple_of(2).then_some(x / 2)
        }
        fn eighth(x: u32) -> Option<u32> {
            half(half(half(x)?)?)
        }
        eighth(x).map_or(1, next)
    }

    /// One memory for two types.
    fn unions(x: u32) -> u32 {
        let bits = Bits { float: (x % 100_000) as f32 };
        // SAFETY: any four bytes are an integer.
        unsafe { bits.integer }
    }

    /// Adapters of iterators, one on the other.
    fn iterators(x: u32) -> u32 {
        let values = [x, 3, x >> 4, 900, 17, x % 50, 2, 1];
        let pairs = values.chunks_exact(2).zip(values.windows(2).rev());
        let rising = pairs.filter(|(a, b)| a[0] < b[1]).count() as u32;
        let place = values.iter().enumerate().min_by_key(|(_, y)| **y).map_or(0, |(i, _)| i);
        let even: u32 = values.iter().step_by(3).filter(|y| *y % 2 == 0).fold(0, |a, y| a ^ y);
        even ^ rising << 28 ^ (place as u32) << 24
    }

    /// A vector and a box in memory that the kernel asks for, sorted.
    fn heap(x: u32) -> u32 {
        let mut values: Vec<u32> = (0..x % 12).map(|i| next(x ^ i)).collect();
        values.sort_unstable();
        let boxed = Box::new(values.len() as u32);
        values.iter().step_by(2).fold(*boxed, |sum, y| sum.rotate_left(1) ^ y)
    }
}
