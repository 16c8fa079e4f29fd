//! Bitwise operators.

use core::marker::PhantomData;

use super::operators;

/// The bits that all `T`s have.
#[derive(Clone, Copy, Debug)]
pub struct BitAnd<T>(PhantomData<T>);

/// The bits that any of the `T`s has.
#[derive(Clone, Copy, Debug)]
pub struct BitOr<T>(PhantomData<T>);

/// The bits that an odd number of the `T`s has.
#[derive(Clone, Copy, Debug)]
pub struct BitXor<T>(PhantomData<T>);

macro_rules! integers {
    ($($type:ty)*) => {
        operators! {$(
            BitAnd<$type>: $type => $type => $type, |x| x, |a, b| a & b, |x| x, !0;
            BitOr<$type>: $type => $type => $type, |x| x, |a, b| a | b, |x| x, 0;
            BitXor<$type>: $type => $type => $type, |x| x, |a, b| a ^ b, |x| x, 0;
        )*}
    };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }
