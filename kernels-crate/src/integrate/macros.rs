//! [`integrands!`](crate::integrands): functions, and the kernels that integrate them.

/// Makes integrands, their kernels, and their entries in a catalogue for the host.
///
/// ```text
/// name = Type {
///     formula: "what it is, in words for a list",
///     limits: (lower, upper),
///     parameters: [a, u],
///     short: true (optional: a few instructions; see `Integrand::IS_SHORT`),
///     eval: |x| expression in x and the parameters,
///     at: |point| expression in a `Point` (optional: near a singular limit),
///     breaks: [expression in the parameters, ...] (optional),
///     rules: [composite, adaptive, tanh_sinh] by "formula" (optional, but not beside `at` or `breaks`, which
///         the formula does not have: those with kernels; for others the formula is put into the kernels with
///         holes, by the same bits),
/// }
/// ```
///
/// ```
/// quadscan_kernels::integrands! {
///     /// A corner, by rules that find it.
///     corner = Corner {
///         formula: "|x - 1/3|",
///         limits: (0.0, 1.0),
///         parameters: [],
///         eval: |x| (x - 1.0 / 3.0).abs(),
///         rules: [adaptive] by "abs(x - 1/3)",
///     }
/// }
/// # fn main() {}
/// ```
///
/// Beside a break point it does not compile:
///
/// ```compile_fail
/// quadscan_kernels::integrands! {
///     /// A corner that is known.
///     corner = Corner {
///         formula: "|x - 1/3|",
///         limits: (0.0, 1.0),
///         parameters: [],
///         eval: |x| (x - 1.0 / 3.0).abs(),
///         breaks: [1.0 / 3.0],
///         rules: [adaptive] by "abs(x - 1/3)",
///     }
/// }
/// # fn main() {}
/// ```
///
/// ```compile_fail
/// quadscan_kernels::integrands! {
///     /// A function of the distance from a limit.
///     corner = Corner {
///         formula: "|x - 1/3|",
///         limits: (0.0, 1.0),
///         parameters: [],
///         eval: |x| (x - 1.0 / 3.0).abs(),
///         at: |point| (point.x - 1.0 / 3.0).abs(),
///         rules: [adaptive] by "abs(x - 1/3)",
///     }
/// }
/// # fn main() {}
/// ```
///
/// Expressions are compiled twice, for `f32` and for `f64`; `R` is the type, and `consts`
/// its module of constants.
#[macro_export]
macro_rules! integrands {
    ($(
        $(#[$doc:meta])*
        $name:ident = $type:ident {
            formula: $formula:literal,
            limits: ($from:expr, $to:expr),
            parameters: $parameters:tt,
            $(short: $short:literal,)?
            eval: |$x:ident| $eval:expr,
            $(at: |$point:ident| $at:expr,)?
            $(breaks: [$($break:expr),+],)?
            $(rules: [$($rule:ident),+] by $text:literal,)?
        }
    )*) => {
        $crate::float_methods! {}
        $(
            $crate::integrand_rules! { [$($($break)+)? $($at)?] [$($($rule)+)?] }
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $type;
            $crate::integrand! {
                f32 $type ($from, $to) $parameters |$x| $eval, [$(|$point| $at)?] [$($($break),+)?] [$($short)?]
            }
            $crate::integrand! {
                f64 $type ($from, $to) $parameters |$x| $eval, [$(|$point| $at)?] [$($($break),+)?] [$($short)?]
            }
            #[cfg(target_os = "cuda")]
            $crate::integrand_kernels! { $name f32 4: $type $([$($rule),+])? }
            #[cfg(target_os = "cuda")]
            $crate::integrand_kernels! { $name f64 3: $type $([$($rule),+])? }
            $crate::integrand_description! { f32 $type $name $formula $parameters $([$($rule),+] $text)? }
            $crate::integrand_description! { f64 $type $name $formula $parameters $([$($rule),+] $text)? }
        )*

        /// The integrands of this file, in its order.
        #[cfg(not(target_os = "cuda"))]
        pub const CATALOGUE: &[$crate::integrate::launch::Entry] = &[$(
            $crate::integrate::launch::Entry {
                f32: <$type as $crate::integrate::launch::IntegrandKernels<f32>>::KERNELS,
                f64: <$type as $crate::integrate::launch::IntegrandKernels<f64>>::KERNELS,
            }
        ),*];
    };
}

/// Makes entries of functions that are formulas: the text, its limits and its parameters.
#[macro_export]
macro_rules! formulas {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            formula: $formula:literal,
            text: $text:literal,
            limits: ($from:expr, $to:expr),
            parameters: $parameters:tt,
        }
    )*) => {
        /// The functions of this file that are formulas, in its order.
        #[cfg(not(target_os = "cuda"))]
        pub const FORMULAS: &[$crate::integrate::launch::NamedFormula] = &[$(
            $crate::integrate::launch::NamedFormula {
                name: stringify!($name),
                formula: $formula,
                text: $text,
                limits: ($from, $to),
                parameters: $crate::integrand_parameters!(names $parameters),
            }
        ),*];
    };
}

/// Refuses rules by a formula of an integrand that has what a formula has not.
#[doc(hidden)]
#[macro_export]
macro_rules! integrand_rules {
    ([] $rules:tt) => {};
    ($own:tt []) => {};
    ($own:tt $rules:tt) => {
        compile_error! {
            "`rules:` stands beside `at:` or `breaks:`, which its formula does not have; allowed is one of them"
        }
    };
}

/// One integrand in one kind of numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! integrand {
    ($float:ident $type:ident ($from:expr, $to:expr) $parameters:tt
     |$x:ident| $eval:expr, [$(|$point:ident| $at:expr)?] [$($break:expr),*] [$($short:literal)?]) => {
        const _: () = {
            #[allow(unused_imports, reason = "an integrand may need no constants")]
            use core::$float::consts;
            #[allow(unused_imports, reason = "an integrand may need neither")]
            use ::cuda_std::{GpuFloat as _, float::LazyFloat as _};
            #[allow(dead_code, reason = "an integrand may not name its type")]
            type R = $float;

            impl $crate::integrate::integrand::Integrand<$float> for $type {
                const PARAMETERS: usize = $crate::integrand_parameters!(count $parameters);
                const BREAKS: usize = {
                    const BREAKS: &[&str] = &[$(stringify!($break)),*];
                    BREAKS.len()
                };
                $(const IS_SHORT: bool = $short;)?
                const LIMITS: (R, R) = ($from, $to);

                #[inline(always)]
                fn eval(
                    $x: R,
                    parameters: &$crate::integrate::integrand::Parameters<R>,
                ) -> impl ::cuda_std::float::Addend<R> {
                    $crate::integrand_parameters!(bind $parameters parameters);
                    $eval
                }

                $(
                    const USES_DISTANCES: bool = true;

                    #[inline(always)]
                    fn eval_at(
                        $point: $crate::integrate::integrand::Point<R>,
                        parameters: &$crate::integrate::integrand::Parameters<R>,
                    ) -> R {
                        $crate::integrand_parameters!(bind $parameters parameters);
                        $at
                    }
                )?

                #[inline(always)]
                #[allow(unused_variables, reason = "a break may be a number")]
                fn break_point(
                    index: usize,
                    parameters: &$crate::integrate::integrand::Parameters<R>,
                ) -> R {
                    $crate::integrand_parameters!(bind $parameters parameters);
                    let mut _at = 0;
                    $(
                        if index == _at {
                            return $break;
                        }
                        _at += 1;
                    )*
                    0.0
                }
            }
        };
    };
}

/// What the host is told of an integrand.
#[doc(hidden)]
#[macro_export]
macro_rules! integrand_description {
    ($float:ident $type:ident $name:ident $formula:literal $parameters:tt) => {
        $crate::integrand_description! {
            $float $type $name $formula $parameters [composite, adaptive, tanh_sinh]
        }
    };
    ($float:ident $type:ident $name:ident $formula:literal $parameters:tt
     [$($rule:ident),+] $($text:literal)?) => {
        #[cfg(not(target_os = "cuda"))]
        impl $crate::integrate::launch::IntegrandKernels<$float> for $type {
            // SAFETY: these are the integrand's kernels, and the formula is its own.
            const KERNELS: $crate::integrate::launch::Kernels<$float> = unsafe {
                $crate::integrate::launch::Kernels::new::<$type>(
                    stringify!($name),
                    $formula,
                    $crate::integrand_parameters!(names $parameters),
                    &[$(
                        concat!(stringify!($rule), "_", stringify!($name), "_", stringify!($float))
                    ),+],
                    &[$($text)?],
                )
            };
        }
    };
}

/// What is done with a list of parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! integrand_parameters {
    (names [$($parameter:ident),* $(,)?]) => {
        &[$(stringify!($parameter)),*]
    };
    (count $parameters:tt) => {{
        const NAMES: &[&str] = $crate::integrand_parameters!(names $parameters);
        NAMES.len()
    }};
    (bind [$($parameter:ident),* $(,)?] $parameters:ident) => {
        let [$($parameter,)* ..] = *$parameters;
    };
}

/// The kernels of one integrand in one kind of numbers by these rules or by all, and how many blocks
/// of the adaptive one an SM is to have registers for: of f64, its shared memory holds no more by
/// default.
#[doc(hidden)]
#[macro_export]
macro_rules! integrand_kernels {
    ($name:ident $float:ident $blocks:tt: $type:ident) => {
        $crate::integrand_kernels! {
            $name $float $blocks: $type [composite, adaptive, tanh_sinh]
        }
    };
    ($name:ident $float:ident $blocks:tt: $type:ident [$($rule:ident),+]) => {
        $($crate::integrand_kernels! { @$rule $name $float $blocks: $type })+
    };
    (@composite $name:ident $float:ident $blocks:tt: $type:ident) => {
        $crate::pastey::paste! {
            /// Integrates by a composite rule; see `composite`.
            ///
            /// # Safety
            /// See the function `integrate` there.
            #[::cuda_std::kernel]
            #[part([<integrate_ $name>])]
            #[launch_bounds(256, 3)]
            #[allow(clippy::too_many_arguments, reason = "a launch has them")]
            pub unsafe fn [<composite_ $name _ $float>](
                from: f64,
                to: f64,
                step: f64,
                width: f64,
                strips: u64,
                chunks: $crate::integrate::chunks::Chunks,
                margin: u64,
                family: u32,
                families: u32,
                ends: f64,
                multiples: [$float; $crate::integrate::chunks::STEPS],
                parameters: $crate::integrate::integrand::Parameters<$float>,
                output: *mut $float,
                scratch: *mut u64,
                words: u64,
            ) {
                ::cuda_std::grid::launch_dependents();
                let request = $crate::integrate::composite::Request {
                    from, to, step, width, strips, chunks, margin, family, families, ends,
                    multiples, parameters, output, scratch, words,
                };
                // SAFETY: the kernel's own contract.
                unsafe { $crate::integrate::composite::integrate::<$type, $float>(&request) }
            }
        }
    };
    (@adaptive $name:ident $float:ident $blocks:tt: $type:ident) => {
        $crate::pastey::paste! {
            $crate::batch_kernel! {
                /// Integrates many items by an adaptive rule; see `adaptive`.
                #[part([<integrate_ $name>])]
                #[launch_bounds(256, $blocks)]
                [<adaptive_ $name _ $float>] $float (nodes: u32, most: u32)
                |batch| $crate::integrate::adaptive::integrate::<$type, $float>(&batch, nodes, most)
            }
        }
    };
    (@tanh_sinh $name:ident $float:ident $blocks:tt: $type:ident) => {
        $crate::pastey::paste! {
            $crate::batch_kernel! {
                /// Integrates many items by tanh-sinh rules; see `tanh_sinh`.
                #[part([<integrate_ $name>])]
                #[launch_bounds(256)]
                [<tanh_sinh_ $name _ $float>] $float
                (nodes: *const $float, begins: *const u32, last: u32)
                |batch| $crate::integrate::tanh_sinh::integrate::<$type, $float>(
                    &batch,
                    &$crate::integrate::levels::Table { nodes, begins, last },
                )
            }
        }
    };
}

/// A kernel that integrates the items of a batch, with the parameters of its own method behind
/// those that all have.
#[doc(hidden)]
#[macro_export]
macro_rules! batch_kernel {
    (
        $(#[$attribute:meta])*
        $name:ident $float:ident ($($own:ident: $type:ty),*) |$batch:ident| $integrate:expr
    ) => {
        #[::cuda_std::kernel]
        $(#[$attribute])*
        ///
        /// # Safety
        /// See the function `integrate` there.
        #[allow(clippy::too_many_arguments, reason = "a launch has them")]
        pub unsafe fn $name(
            n: u64,
            from: *const $float,
            to: *const $float,
            limits: [$float; 2],
            of_items: *const $float,
            parameters: $crate::integrate::integrand::Parameters<$float>,
            breaks: *const $float,
            break_count: u32,
            absolute: $float,
            relative: $float,
            output: *mut $crate::integrate::outcome::Outcome<$float>,
            draw: u32,
            scratch: *mut u64,
            $($own: $type),*
        ) {
            ::cuda_std::grid::launch_dependents();
            let $batch = $crate::integrate::batch::Batch {
                n, from, to, limits, of_items, parameters, breaks, break_count, absolute,
                relative, output, draw, scratch,
            };
            // SAFETY: the kernel's own contract.
            unsafe { $integrate }
        }
    };
}
