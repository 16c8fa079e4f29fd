//! The list of operators that our own PTX has kernels of: the only one. Kernels, what a host
//! knows of them, and the tests that launch all of them are made from it.
//!
//! Why each is there: [docs/kernels.md](../../docs/kernels.md). An application that scans or
//! reduces with another operator has such a line of its own.

/// Hands the operators of a family, or those of signed integers that share its kernels, to a
/// macro, as lines `name: Operator;` or `Signed = Unsigned;`:
///
/// ```
/// use quadscan_kernels::instances;
///
/// macro_rules! names {
///     ($($name:ident: $operator:ty;)*) => { [$(stringify!($name)),*] };
/// }
/// assert_eq!(instances!(textbook names), ["sum_u32", "affine_f64"]);
/// ```
///
/// The families: `scan`, `segmented` (scans), `reduce` (also of segments), `textbook` (scans).
/// Whoever calls it has `Sum`, `Product`, `Min`, `Max`, `Compose`, and `f16` and `bf16`, in scope.
#[macro_export]
macro_rules! instances {
    ($family:ident $callback:ident) => {
        $crate::instances! { @pick $family $callback []
            { sum_u8:      Sum<u8>;       } scan _         _      _,
            { sum_u16:     Sum<u16>;      } scan _         _      _,
            { sum_u32:     Sum<u32>;      } scan segmented reduce textbook,
            { sum_u64:     Sum<u64>;      } scan segmented reduce _,
            { sum_f16:     Sum<f16>;      } scan _         _      _,
            { sum_bf16:    Sum<bf16>;     } scan _         _      _,
            { sum_f32:     Sum<f32>;      } scan segmented reduce _,
            { sum_f64:     Sum<f64>;      } scan segmented reduce _,
            { sum_u8_u32:  Sum<u8, u32>;  } scan _         _      _,
            { sum_u8_u64:  Sum<u8, u64>;  } scan _         reduce _,
            { min_i32:     Min<i32>;      } scan segmented reduce _,
            { min_f32:     Min<f32>;      } scan segmented reduce _,
            { min_f64:     Min<f64>;      } _    _         reduce _,
            { max_i32:     Max<i32>;      } scan segmented reduce _,
            { max_f32:     Max<f32>;      } scan segmented reduce _,
            { max_f64:     Max<f64>;      } _    _         reduce _,
            { product_u32: Product<u32>;  } scan _         _      _,
            { product_f32: Product<f32>;  } scan _         _      _,
            { affine_f64:  Compose;       } scan segmented reduce textbook,
        }
    };
    // Two's complement: wrapping sums and products have the same bits.
    (signed $family:ident $callback:ident) => {
        $crate::instances! { @pick $family $callback []
            { Sum<i8> = Sum<u8>;          } scan _         _      _,
            { Sum<i16> = Sum<u16>;        } scan _         _      _,
            { Sum<i32> = Sum<u32>;        } scan segmented reduce _,
            { Sum<i64> = Sum<u64>;        } scan segmented reduce _,
            { Product<i32> = Product<u32>; } scan _         _      _,
        }
    };

    (@pick scan $callback:ident [$($picked:tt)*] $line:tt scan $_1:tt $_2:tt $_3:tt, $($rest:tt)*) => {
        $crate::instances! { @pick scan $callback [$($picked)* $line] $($rest)* }
    };
    (@pick segmented $callback:ident [$($picked:tt)*] $line:tt $_0:tt segmented $_2:tt $_3:tt, $($rest:tt)*) => {
        $crate::instances! { @pick segmented $callback [$($picked)* $line] $($rest)* }
    };
    (@pick reduce $callback:ident [$($picked:tt)*] $line:tt $_0:tt $_1:tt reduce $_3:tt, $($rest:tt)*) => {
        $crate::instances! { @pick reduce $callback [$($picked)* $line] $($rest)* }
    };
    (@pick textbook $callback:ident [$($picked:tt)*] $line:tt $_0:tt $_1:tt $_2:tt textbook, $($rest:tt)*) => {
        $crate::instances! { @pick textbook $callback [$($picked)* $line] $($rest)* }
    };
    // A line that is not of the family.
    (@pick $family:ident $callback:ident [$($picked:tt)*]
     $line:tt $_0:tt $_1:tt $_2:tt $_3:tt, $($rest:tt)*) => {
        $crate::instances! { @pick $family $callback [$($picked)*] $($rest)* }
    };
    (@pick $family:ident $callback:ident [$({ $($line:tt)* })*]) => {
        $callback! { $($($line)*)* }
    };
}
