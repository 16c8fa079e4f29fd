//! Kernels whose integrand is a hole: what a formula becomes takes its place in the PTX, before a
//! device has compiled it.
//!
//! A hole is a scope of the PTX that declares its registers by name: what it makes, whose name says
//! which hole it is, and what it is given, `x`, `from_lower`, `to_upper`, `before` and `p0` to
//! `p7`. One instruction between them writes what it makes; that one is replaced. As they are
//! compiled, the kernels integrate x, without parameters.
//!
//! | hole | is given | makes |
//! | --- | --- | --- |
//! | `formula_at` | `x`, distances, parameters | the function |
//! | `formula_sum` | the same, `before` | `before` and the function, over the scale |
//! | `formula_row` | the same | the same, in rows of nodes, of which there are none if it is long |
//! | `formula_scale` | | what a sum is multiplied by |
//! | `formula_count` | | the number of parameters |
//! | `formula_is_short`, `formula_uses_distances` | | 1 or 0 |
//!
//! Elementary functions are functions of the PTX, whose bodies a formula takes.

#[cfg(target_os = "cuda")]
use super::integrand::{Integrand, Parameters, Point};

/// The integrand that a formula takes the place of.
#[cfg(target_os = "cuda")]
pub struct Formula;

/// Makes the elementary functions that are more than an instruction.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),+) => $value:expr;)*) => {
        /// Their names, and how many arguments they have; their place is their number.
        pub const FUNCTIONS: &[(&str, usize)] = &[
            $((stringify!($name), [$(stringify!($argument)),+].len())),*
        ];

        functions! { @ f32 $($(#[$doc])* $name($($argument),+) => $value;)* }
        functions! { @ f64 $($(#[$doc])* $name($($argument),+) => $value;)* }
    };
    (@ $float:ident $($(#[$doc:meta])* $name:ident($($argument:ident),+) => $value:expr;)*) => {
        /// The functions in one kind of numbers: on a device a function of the PTX each.
        pub mod $float {
            #[allow(unused_imports, reason = "std has some of the methods, where it is linked")]
            use cuda_std::{FloatExt as _, GpuFloat as _};
            use cuda_std::float::{Addend as _, LazyFloat as _};

            $(
                $(#[$doc])*
                #[cfg_attr(target_os = "cuda", inline(never))]
                pub fn $name($($argument: $float),+) -> $float {
                    $value
                }
            )*

            /// The function of this number, of its first arguments; NaN where there is none.
            #[inline(always)]
            pub fn call(number: u32, arguments: [$float; 3]) -> $float {
                let mut _number = 0;
                $(
                    if number == _number {
                        let [$($argument,)+ ..] = arguments;
                        return $name($($argument),+);
                    }
                    _number += 1;
                )*
                $float::NAN
            }
        }
    };
}

functions! {
    /// e to the power x.
    exp(x) => x.exp();
    /// 2 to the power x.
    exp2(x) => x.exp2();
    /// exp(x) - 1.
    exp_m1(x) => x.exp_m1();
    /// The natural logarithm.
    ln(x) => x.ln();
    /// ln(1 + x).
    ln_1p(x) => x.ln_1p();
    /// The logarithm to base 2.
    log2(x) => x.log2();
    /// The logarithm to base 10.
    log10(x) => x.log10();
    /// The sine.
    sin(x) => x.sin();
    /// The cosine.
    cos(x) => x.cos();
    /// The tangent.
    tan(x) => x.tan();
    /// The sine of pi x.
    sinpi(x) => x.sinpi();
    /// The cosine of pi x.
    cospi(x) => x.cospi();
    /// The arc sine.
    asin(x) => x.asin();
    /// The arc cosine.
    acos(x) => x.acos();
    /// The arc tangent.
    atan(x) => x.atan();
    /// The hyperbolic sine.
    sinh(x) => x.sinh();
    /// The hyperbolic cosine.
    cosh(x) => x.cosh();
    /// The hyperbolic tangent.
    tanh(x) => x.tanh();
    /// The inverse hyperbolic sine.
    asinh(x) => x.asinh();
    /// The inverse hyperbolic cosine.
    acosh(x) => x.acosh();
    /// The inverse hyperbolic tangent.
    atanh(x) => x.atanh();
    /// The error function.
    erf(x) => x.error_function();
    /// 1 less the error function.
    erfc(x) => x.complementary_error_function();
    /// The cube root.
    cbrt(x) => x.cbrt();
    /// The nearest integer, halves away from 0.
    round(x) => x.round();
    /// x to the power y.
    pow(x, y) => x.powf(y);
    /// The angle of the point (y, x).
    atan2(x, y) => x.atan2(y);
    /// The square root of x^2 + y^2.
    hypot(x, y) => x.hypot(y);
    /// A sum y and a root, not quite rounded, over its scale: for sums of many terms.
    add_root(x, y) => x.root().add_to(y);
    /// A sum y and 1 / x, in the same way.
    add_reciprocal(x, y) => x.reciprocal().add_to(y);
    /// A sum z and x / y, in the same way.
    add_quotient(x, y, z) => x.over(y).add_to(z);
}

/// A hole of the PTX that makes a `u32`.
#[cfg(target_os = "cuda")]
macro_rules! constant_hole {
    ($hole:literal) => {{
        let value: u32;
        // SAFETY: a constant.
        unsafe {
            core::arch::asm!(
                concat!("{{ .reg .u32 ", $hole, "; mov.u32 ", $hole, ", 0; mov.u32 {}, ", $hole, "; }}"),
                out(reg32) value,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        value
    }};
}

/// A hole that makes a number of other ones, which have names there.
#[cfg(target_os = "cuda")]
macro_rules! hole {
    ($hole:literal $t:literal $register:ident $float:ident $parameters:ident,
     ($($name:literal = $value:expr),*), $by:expr) => {{
        let [p0, p1, p2, p3, p4, p5, p6, p7] = *$parameters;
        let value: $float;
        // SAFETY: a pure function of its registers.
        unsafe {
            core::arch::asm!(
                concat!("{{ .reg .", $t, " ", $hole, ";"),
                $(concat!(".reg .", $t, " ", $name, "; mov.", $t, " ", $name, ", {};"),)*
                concat!(".reg .", $t, " p0, p1, p2, p3, p4, p5, p6, p7;"),
                concat!("mov.", $t, " p0, {}; mov.", $t, " p1, {}; mov.", $t, " p2, {}; mov.", $t, " p3, {};"),
                concat!("mov.", $t, " p4, {}; mov.", $t, " p5, {}; mov.", $t, " p6, {}; mov.", $t, " p7, {};"),
                concat!($by, "; mov.", $t, " {}, ", $hole, "; }}"),
                $(in($register) $value,)*
                in($register) p0, in($register) p1, in($register) p2, in($register) p3,
                in($register) p4, in($register) p5, in($register) p6, in($register) p7,
                out($register) value,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        value
    }};
}

#[cfg(all(target_os = "cuda", feature = "instances"))]
pub(crate) use {constant_hole, hole};

/// The integrand in one kind of numbers, and the kernels that are no rule's.
macro_rules! formula {
    ($float:ident $t:literal $register:ident $blocks:tt) => {
        #[cfg(target_os = "cuda")]
        impl Integrand<$float> for Formula {
            const PARAMETERS: usize = 0;
            const LIMITS: ($float, $float) = (0.0, 1.0);

            #[inline(always)]
            fn eval(x: $float, _: &Parameters<$float>) -> impl cuda_std::float::Addend<$float> {
                x
            }

            #[inline(always)]
            fn eval_at(point: Point<$float>, parameters: &Parameters<$float>) -> $float {
                hole!(
                    "formula_at" $t $register $float parameters,
                    ("x" = point.x, "from_lower" = point.from_lower, "to_upper" = point.to_upper),
                    concat!("mov.", $t, " formula_at, x")
                )
            }

            #[inline(always)]
            fn parameters() -> usize {
                constant_hole!("formula_count") as usize
            }

            #[inline(always)]
            fn is_short() -> bool {
                constant_hole!("formula_is_short") != 0
            }

            #[inline(always)]
            fn uses_distances() -> bool {
                constant_hole!("formula_uses_distances") != 0
            }

            #[inline(always)]
            fn add(at: Point<$float>, parameters: &Parameters<$float>, sum: $float) -> $float {
                hole!(
                    "formula_sum" $t $register $float parameters,
                    ("x" = at.x, "from_lower" = at.from_lower, "to_upper" = at.to_upper, "before" = sum),
                    concat!("add.rn.", $t, " formula_sum, before, x")
                )
            }

            #[inline(always)]
            fn add_both(
                at: [Point<$float>; 2],
                parameters: &Parameters<$float>,
                sums: ($float, $float),
            ) -> ($float, $float) {
                let row = |at: Point<$float>, sum: $float| hole!(
                    "formula_row" $t $register $float parameters,
                    ("x" = at.x, "from_lower" = at.from_lower, "to_upper" = at.to_upper, "before" = sum),
                    concat!("add.rn.", $t, " formula_row, before, x")
                );
                (row(at[0], sums.0), row(at[1], sums.1))
            }

            #[inline(always)]
            fn scale() -> $float {
                let one: $float = 1.0;
                let value: $float;
                // SAFETY: a constant.
                unsafe {
                    core::arch::asm!(
                        concat!("{{ .reg .", $t, " formula_scale; mov.", $t, " formula_scale, {};"),
                        concat!("mov.", $t, " {}, formula_scale; }}"),
                        in($register) one,
                        out($register) value,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                value
            }
        }

        #[cfg(all(target_os = "cuda", feature = "instances"))]
        crate::integrand_kernels! { formula $float $blocks: Formula }

        #[cfg(all(target_os = "cuda", feature = "instances"))]
        pastey::paste! {
            /// The function at places of three numbers each: x, and the distances from the limits.
            ///
            /// # Safety
            /// `places` has three numbers for each of the `n` that `output` has room for.
            #[::cuda_std::kernel]
            #[part(integrate_formula)]
            #[launch_bounds(256)]
            pub unsafe fn [<values_formula_ $float>](
                n: u64,
                places: *const $float,
                parameters: Parameters<$float>,
                output: *mut $float,
            ) {
                let index = cuda_std::thread::index_1d() as usize;
                if (index as u64) < n {
                    // SAFETY: the kernel's own contract.
                    unsafe {
                        let [x, from_lower, to_upper] = [0, 1, 2].map(|k| *places.add(3 * index + k));
                        let point = Point { x, from_lower, to_upper };
                        *output.add(index) = Formula::eval_at(point, &parameters);
                    }
                }
            }

            /// One of the elementary functions, of three numbers each.
            ///
            /// # Safety
            /// `arguments` has three numbers for each of the `n` that `output` has room for.
            #[::cuda_std::kernel]
            #[part(integrate_formula)]
            #[launch_bounds(256)]
            pub unsafe fn [<functions_formula_ $float>](
                n: u64,
                number: u32,
                arguments: *const $float,
                output: *mut $float,
            ) {
                let index = cuda_std::thread::index_1d() as usize;
                if (index as u64) < n {
                    // SAFETY: the kernel's own contract.
                    unsafe {
                        let arguments = [0, 1, 2].map(|k| *arguments.add(3 * index + k));
                        *output.add(index) = self::$float::call(number, arguments);
                    }
                }
            }
        }
    };
}

formula! { f32 "f32" reg32 4 }
formula! { f64 "f64" reg64 3 }

#[cfg(all(target_os = "cuda", feature = "instances"))]
crate::batch_kernel! {
    /// Integrates many Fourier integrals; see `fourier`.
    #[part(integrate_formula)]
    #[launch_bounds(256)]
    fourier_formula_f64 f64 (nodes: *const f64, begins: *const u32, last: u32, is_cosine: u32)
    |batch| super::fourier::integrate::<Formula, f64>(
        &batch,
        &super::levels::Table { nodes, begins, last },
        is_cosine,
    )
}
