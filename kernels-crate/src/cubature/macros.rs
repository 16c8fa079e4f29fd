//! [`cubature_integrands!`](crate::cubature_integrands): functions of several variables, and their
//! kernels.

/// Makes integrands of several variables, their kernels, and a catalogue for the host.
///
/// ```text
/// name = Type {
///     formula: "what it is, in words for a list",
///     at: |x, dimensions, a, u| expression in the point and the parameters,
/// }
/// ```
#[macro_export]
macro_rules! cubature_integrands {
    ($(
        $(#[$doc:meta])*
        $name:ident = $type:ident {
            formula: $formula:literal,
            at: |$x:ident, $dimensions:ident, $a:ident, $u:ident| $at:expr,
        }
    )*) => {
        $crate::float_methods! {}
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $type;

            impl $crate::cubature::integrand::Integrand for $type {
                #[inline(always)]
                #[allow(unused_variables, reason = "an integrand may need none of them")]
                fn at(
                    $x: &$crate::cubature::integrand::Point,
                    $dimensions: usize,
                    parameters: &$crate::cubature::integrand::Parameters,
                ) -> f64 {
                    let [$a, $u] = parameters;
                    $at
                }
            }

            #[cfg(not(target_os = "cuda"))]
            impl $crate::cubature::integrand::IntegrandKernels for $type {
                const KERNELS: $crate::cubature::integrand::Kernels = {
                    let names = [stringify!($name), $formula];
                    let rule = concat!("cubature_rule_", stringify!($name));
                    let lines = concat!("cubature_lines_", stringify!($name));
                    let combine = concat!("cubature_combine_", stringify!($name));
                    let entries = [rule, lines, combine];
                    // SAFETY: these are the integrand's kernels.
                    unsafe { $crate::cubature::integrand::Kernels::new::<Self>(names, entries) }
                };
            }

            #[cfg(target_os = "cuda")]
            $crate::pastey::paste! {
                /// Sums a rule over chunks of regions; see `rule`.
                ///
                /// # Safety
                /// See the function `sum` there.
                #[::cuda_std::kernel]
                #[part([<cubature_ $name>])]
                #[launch_bounds(128)]
                #[allow(clippy::too_many_arguments, reason = "a launch has them")]
                pub unsafe fn [<cubature_rule_ $name>](
                    regions: *const $crate::cubature::region::Region,
                    count: u32,
                    chunks: u32,
                    dimensions: u32,
                    table: *const f64,
                    parameters: *const $crate::cubature::integrand::Parameters,
                    partials: *mut f64,
                ) {
                    let request = $crate::cubature::rule::Request {
                        regions, count, chunks, dimensions, table, parameters, partials,
                    };
                    // SAFETY: the kernel's own contract.
                    unsafe { $crate::cubature::rule::sum::<$type>(&request) }
                }

                /// Looks along lines of regions; see `lines`.
                ///
                /// # Safety
                /// See the function `look` there.
                #[::cuda_std::kernel]
                #[part([<cubature_ $name>])]
                // A warp waits for evaluations: twelve blocks, of 80 registers a lane, wait less than eight.
                #[launch_bounds(64, 12)]
                #[allow(clippy::too_many_arguments, reason = "a launch has them")]
                pub unsafe fn [<cubature_lines_ $name>](
                    regions: *const $crate::cubature::region::Region,
                    count: u32,
                    purpose: u32,
                    dimensions: u32,
                    table: *const f64,
                    parameters: *const $crate::cubature::integrand::Parameters,
                    output: *mut f64,
                ) {
                    let request = $crate::cubature::lines::Request {
                        regions, count, purpose, dimensions, table, parameters, output,
                    };
                    // SAFETY: the kernel's own contract.
                    unsafe { $crate::cubature::lines::look::<$type>(&request) }
                }

                /// Adds up the chunks of every region; see `rule`.
                ///
                /// # Safety
                /// See the function `combine` there.
                #[::cuda_std::kernel]
                #[part([<cubature_ $name>])]
                #[launch_bounds(256)]
                pub unsafe fn [<cubature_combine_ $name>](
                    regions: *const $crate::cubature::region::Region,
                    count: u32,
                    partials: *const f64,
                    sums: *mut f64,
                ) {
                    // SAFETY: the kernel's own contract.
                    unsafe { $crate::cubature::rule::combine(regions, count, partials, sums) }
                }
            }
        )*

        /// The integrands of this file, in its order.
        #[cfg(not(target_os = "cuda"))]
        pub const CATALOGUE: &[$crate::cubature::integrand::Kernels] =
            &[$(<$type as $crate::cubature::integrand::IntegrandKernels>::KERNELS),*];
    };
}

/// Makes the kernel that decides for small integrals of a batch: with it in a crate of kernels,
/// `Cubature::integrate_each` of its integrands decides on the device, without it on the host.
#[macro_export]
macro_rules! cubature_decisions {
    () => {
        /// Decides for the members of a batch; see `decide`.
        ///
        /// # Safety
        /// See the function `decide` there.
        #[cfg(target_os = "cuda")]
        #[::cuda_std::kernel]
        #[part(cubature_decide)]
        #[launch_bounds(64)]
        #[allow(clippy::too_many_arguments, reason = "a launch has them")]
        pub unsafe fn cubature_decide(
            stage: u32,
            count: u32,
            places: *mut $crate::cubature::adapt::members::Place,
            question: *const $crate::cubature::adapt::Question,
            first: u32,
            members: u32,
            regions: *mut $crate::cubature::region::Region,
            told: *const f64,
            counters: *mut u64,
            outcomes: *mut $crate::cubature::adapt::members::Outcome,
        ) {
            let request = $crate::cubature::adapt::decide::Request {
                stage,
                count,
                places,
                question,
                first,
                members,
                regions,
                told,
                counters,
                outcomes,
            };
            // SAFETY: the kernel's own contract.
            unsafe { $crate::cubature::adapt::decide::decide(&request) }
        }
    };
}
