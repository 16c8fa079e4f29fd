//! A test a subject: what the kernel of this name has to give.
//!
//! Where a subject is a function of an element, the device's bits are the host's, whose
//! compiler's other half is another one. Where it is not, the result follows from the launch.

mod memory;
mod threads;
mod warps;

use quadscan_tests::suite::Case;

/// Tests of kernels that apply a function: `module: name name; module: name`.
macro_rules! functions {
    ($($module:ident: $($name:ident)*;)*) => {$(
        mod $module {
            //! The device's bits are the host's.
            use quadscan_tests::suite::{Bench, Outcome};
            use subject_kernels::$module;

            use crate::bits::same_as_on_the_host;

            $(pub(super) fn $name(bench: &Bench) -> Outcome {
                same_as_on_the_host(bench, $module::$name::$name, $module::$name::of)
            })*
        }
    )*

        /// The tests of functions.
        const FUNCTIONS: &[Case] = &[$($(Case {
            name: concat!(stringify!($module), "::", stringify!($name)),
            run: $module::$name,
        }),*),*];
    };
}

functions! {
    branches: if_alone if_twice if_else if_else_if_else if_if if_return_else
        if_return_else_return if_while logical_and logical_or matches;
    loops: while_alone while_break while_continue while_if_break while_if_break_else_break
        while_if_break_if_break while_if_continue while_if_continue_else_continue while_return
        while_while while_while_break while_while_continue while_while_if_break
        while_while_if_continue loop_alone for_range for_range_signed for_with_an_own_iterator
        labelled_loops;
    core_library: array_of_i8 array_of_i16 array_of_i32 array_of_i64 swap_bytes leading_zeros
        trailing_zeros count_ones reverse_bits wide_integers overflows range_contains unwrap_or
        uninitialised_memory null_pointers own_vector;
    language: simple_add constants_behind_references large_tables reference_to_a_member
        reference_to_nothing enums dynamic_dispatch closures generics recursion question_marks
        unions iterators heap;
    floats: signum log10 float_extensions exact_functions powers trigonometry;
    vectors: vec3_operations mat3_vec3_multiply mat4_operations quaternions ray_marching
        integer_vectors;
    crates: sha256 sha512_in_pieces complex_numbers half_precision libm_functions pcg xoshiro;
}

/// Every test.
pub fn all() -> Vec<Case> {
    let gpu = quadscan_tests::cases![
        threads::thread_indices,
        threads::thread_functions,
        threads::hello_world,
        threads::thread_sync,
        threads::capability,
        memory::static_shared,
        memory::dynamic_shared,
        memory::memory_spaces,
        memory::atomic_operations,
        warps::warp_functions,
        warps::warp_shuffles,
        warps::warp_reductions,
    ];
    FUNCTIONS.iter().copied().chain(gpu).collect()
}
