//! [`monte_carlo_kernels!`](crate::monte_carlo_kernels): kernels of integrands.

/// Makes the kernels of integrands, which implement
/// [`Integrand`](crate::monte_carlo::integrand::Integrand), and a catalogue for the host.
///
/// ```text
/// name = Type,
/// ```
#[macro_export]
macro_rules! monte_carlo_kernels {
    ($($name:ident = $type:ty),* $(,)?) => {
        $(
            #[cfg(not(target_os = "cuda"))]
            impl $crate::monte_carlo::integrand::IntegrandKernels for $type {
                const KERNELS: $crate::monte_carlo::integrand::Kernels = {
                    let sample = concat!("monte_carlo_sample_", stringify!($name));
                    let strata = concat!("monte_carlo_strata_", stringify!($name));
                    let lattice = concat!("monte_carlo_lattice_", stringify!($name));
                    let entries = [sample, strata, lattice];
                    // SAFETY: these are the integrand's kernels.
                    unsafe {
                        $crate::monte_carlo::integrand::Kernels::new::<Self>(
                            stringify!($name), entries,
                        )
                    }
                };
            }

            #[cfg(target_os = "cuda")]
            $crate::pastey::paste! {
                /// Samples strata; see `vegas`.
                ///
                /// # Safety
                /// See the function `sample` there.
                #[::cuda_std::kernel]
                #[part([<monte_carlo_ $name>])]
                #[launch_bounds(256, 2)]
                #[allow(clippy::too_many_arguments, reason = "a launch has them")]
                pub unsafe fn [<monte_carlo_sample_ $name>](
                    edges: *const f64,
                    histogram: *mut u64,
                    units: *mut $crate::monte_carlo::sizes::Sums,
                    groups: *mut $crate::monte_carlo::sizes::Sums,
                    sampling: $crate::monte_carlo::sizes::Sampling,
                    deal: $crate::monte_carlo::sizes::Deal,
                    prefixes: *const f64,
                    blocks: *const [f64; $crate::monte_carlo::sizes::TOTALS],
                    totals: *const [f64; $crate::monte_carlo::sizes::TOTALS],
                    parameters: $crate::monte_carlo::integrand::Parameters,
                ) {
                    let shares = $crate::monte_carlo::deal::Shares { deal, prefixes, blocks, totals };
                    let request = $crate::monte_carlo::vegas::Request {
                        edges, histogram, units, groups, shares, sampling: &sampling,
                    };
                    // SAFETY: the kernel's own contract.
                    unsafe { $crate::monte_carlo::vegas::sample::<$type>(&request, &parameters) }
                }

                /// Adds up strata, and moves the grid; see `strata`.
                ///
                /// # Safety
                /// See the function `add_up` there.
                #[::cuda_std::kernel]
                #[part([<monte_carlo_ $name>])]
                #[launch_bounds(1024)]
                #[allow(clippy::too_many_arguments, reason = "a launch has them")]
                pub unsafe fn [<monte_carlo_strata_ $name>](
                    units: *const $crate::monte_carlo::sizes::Sums,
                    groups: *const $crate::monte_carlo::sizes::Sums,
                    deal: $crate::monte_carlo::sizes::Deal,
                    prefixes: *const f64,
                    blocks: *const [f64; $crate::monte_carlo::sizes::TOTALS],
                    totals: *mut [f64; $crate::monte_carlo::sizes::TOTALS],
                    next_prefixes: *mut f64,
                    next_blocks: *mut [f64; $crate::monte_carlo::sizes::TOTALS],
                    arrived: *mut u32,
                    beta: f64,
                    alpha: f64,
                    edges: *mut f64,
                    histogram: *mut u64,
                ) {
                    let shares = $crate::monte_carlo::deal::Shares { deal, prefixes, blocks, totals };
                    let request = $crate::monte_carlo::strata::Adding {
                        units,
                        groups,
                        shares,
                        beta,
                        prefixes: next_prefixes,
                        blocks: next_blocks,
                        totals: totals.wrapping_add(1),
                        arrived,
                    };
                    let moving = $crate::monte_carlo::strata::Moving { edges, histogram, alpha };
                    // SAFETY: the kernel's own contract.
                    unsafe { $crate::monte_carlo::strata::add_up(&request, &moving) }
                }

                /// Sums points of lattices or of Sobol's sequence; see `lattice`.
                ///
                /// # Safety
                /// See the function `sum` there.
                #[::cuda_std::kernel]
                #[part([<monte_carlo_ $name>])]
                #[launch_bounds(256)]
                pub unsafe fn [<monte_carlo_lattice_ $name>](
                    points: $crate::monte_carlo::sizes::Points,
                    shifts: *const [u32; $crate::monte_carlo::sizes::MAX_DIMENSIONS],
                    parameters: $crate::monte_carlo::integrand::Parameters,
                    sums: *mut $crate::monte_carlo::sizes::Sums,
                ) {
                    // SAFETY: the kernel's own contract.
                    unsafe {
                        $crate::monte_carlo::lattice::sum::<$type>(
                            &points, shifts, &parameters, sums,
                        )
                    }
                }
            }
        )*

        /// The integrands with these kernels, in this order.
        #[cfg(not(target_os = "cuda"))]
        pub const MONTE_CARLO: &[$crate::monte_carlo::integrand::Kernels] =
            &[$(<$type as $crate::monte_carlo::integrand::IntegrandKernels>::KERNELS),*];
    };
}
