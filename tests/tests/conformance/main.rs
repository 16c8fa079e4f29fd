//! What every kernel promises, on every device.
//!
//! A kernel without a test here does not exist: the last test compares what was launched
//! with the list of kernels. Sizes stand beside their reason, expected
//! values come from the published tables, from closed forms, or from the
//! sequential oracles of `quadscan`.

mod adaptive;
mod adaptive_wide;
mod batches;
mod block_scan;
mod chained;
mod composite;
mod cubature;
mod cubature_formula;
mod diagnostics;
mod ends;
mod formula;
mod fourier;
mod graphs;
mod launches;
mod limits;
mod mapping;
mod memory;
mod monte_carlo;
mod monte_carlo_formula;
mod older_gpus;
mod reduce;
mod reduce_operators;
mod scan;
mod scan_algorithms;
mod segmented_reduce;
mod segmented_scan;
mod select;
mod strangers;
mod tanh_sinh;
mod tanh_sinh_limits;
mod trapezoid;

use std::process::ExitCode;

use quadscan_tests::suite::Case;
use quadscan_tests::{cases, check, kernels, suite};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("ptx") => kernels::print_folder(kernels::folder()),
        Some("check") => check::main(&cases(), &arguments[2..]),
        _ => suite::main(&cases()),
    }
}

fn cases() -> Vec<Case> {
    cases![
        composite::every_integrand_by_every_rule_agrees_with_sums_in_twice_the_digits,
        composite::the_quarter_circle_has_the_rules_own_value_to_the_last_digit,
        composite::an_integral_has_the_same_bits_for_every_launch_shape_and_again,
        composite::integrals_go_backwards_and_are_zero_between_equal_limits,
        composite::nodes_stay_between_the_limits_however_close_they_are,
        composite::limits_may_be_as_far_apart_as_numbers_go,
        composite::nodes_far_from_zero_are_rounded_each_by_itself,
        composite::integrals_that_cannot_be_are_refused_and_nothing_is_written,
        adaptive::every_integrand_has_its_closed_form_or_says_that_it_has_not,
        adaptive::single_precision_has_its_digits,
        adaptive::random_members_of_families_are_right_and_their_errors_within_the_estimates,
        adaptive::narrow_and_steep_members_are_right_or_say_that_they_are_not,
        adaptive::an_outcome_does_not_depend_on_the_batch_or_the_launch,
        adaptive::ranges_go_either_way_and_as_far_as_infinity,
        adaptive::what_cannot_converge_says_why,
        adaptive::what_overflows_is_no_result,
        adaptive::a_peak_that_was_seen_once_is_not_lost,
        adaptive::ends_are_no_nodes_however_close_they_are,
        adaptive::breaks_begin_intervals,
        adaptive::batches_that_cannot_be_are_refused_and_nothing_is_written,
        adaptive_wide::errors_of_roundoff_hold_between_wide_limits,
        tanh_sinh::every_integrand_has_its_closed_form,
        tanh_sinh::singular_ends_cost_no_digits_as_far_as_numbers_reach,
        tanh_sinh::what_has_no_integral_does_not_converge,
        tanh_sinh::random_members_of_families_are_right_and_their_errors_within_the_estimates,
        tanh_sinh::narrow_and_steep_members_are_right_or_say_that_they_are_not,
        tanh_sinh::single_precision_has_its_digits,
        tanh_sinh::an_outcome_does_not_depend_on_the_batch_or_the_launch,
        tanh_sinh::ranges_go_either_way_and_as_far_as_infinity,
        tanh_sinh::what_cannot_converge_says_why,
        tanh_sinh_limits::singularities_just_outside_of_a_limit_are_seen,
        tanh_sinh_limits::what_one_level_saw_the_next_one_looks_at,
        tanh_sinh::what_overflows_is_no_result,
        tanh_sinh_limits::the_least_numbers_have_errors,
        tanh_sinh::breaks_begin_intervals,
        tanh_sinh::batches_that_cannot_be_are_refused_and_nothing_is_written,
        formula::every_integrand_as_a_formula_has_the_same_bits_by_every_rule,
        formula::formulas_have_the_bits_of_integrands_in_single_precision,
        formula::random_formulas_have_the_bits_of_the_host,
        formula::elementary_functions_have_the_bits_of_the_host,
        formula::a_batch_of_a_formula_has_parameters_of_each_item,
        formula::a_formula_knows_its_distance_from_a_limit,
        ends::a_corner_next_to_the_end_of_an_interval_is_seen,
        formula::formulas_that_do_not_fit_are_refused,
        fourier::powers_that_fall_slowly_have_their_closed_forms,
        fourier::a_limit_may_be_singular_and_far_from_0,
        fourier::waves_go_to_either_infinity_and_to_both,
        fourier::a_fourier_integral_does_not_depend_on_the_batch_or_the_launch,
        fourier::what_numbers_do_not_reach_is_in_the_claim,
        fourier::what_is_no_fourier_integral_says_why,
        cubature::claims_of_the_seven_integrands_hold,
        cubature::a_jump_or_a_corner_anywhere_is_cut_at,
        cubature::boxes_go_either_way_and_have_the_same_bits_again,
        cubature::a_box_that_cannot_be_integrated_says_why,
        cubature::boxes_and_options_that_cannot_be_are_refused,
        cubature::what_is_looked_for_ahead_and_by_teams_has_the_same_bits,
        cubature_formula::formulas_over_boxes_have_the_bits_of_the_same_functions_in_rust,
        cubature_formula::formulas_over_boxes_have_claims_that_hold,
        cubature_formula::a_corner_across_the_axes_has_a_claim_that_holds,
        cubature_formula::a_narrow_cone_on_a_background_is_seen,
        cubature_formula::a_batch_over_a_box_has_the_bits_of_its_members_alone,
        cubature_formula::infinite_boxes_have_their_integrals,
        cubature_formula::variables_and_parameters_are_known_by_their_names,
        cubature_formula::formulas_of_boxes_and_of_intervals_are_not_taken_for_each_other,
        monte_carlo::every_integrand_is_within_five_standard_errors,
        monte_carlo::standard_errors_are_as_large_as_errors,
        monte_carlo::a_trained_grid_has_smaller_standard_errors,
        monte_carlo::an_integral_ends_at_the_first_iteration_within_the_tolerance,
        monte_carlo::estimates_have_the_same_bits_again_and_on_other_devices,
        monte_carlo::even_points_have_smooth_integrals_to_many_digits,
        monte_carlo::standard_errors_of_sobol_points_fall_faster_than_they_are_many,
        monte_carlo::boxes_go_either_way_and_converge_when_the_tolerance_is_met,
        monte_carlo::an_estimate_that_is_not_to_be_believed_says_why,
        monte_carlo::boxes_and_options_of_samples_that_cannot_be_are_refused,
        monte_carlo_formula::formulas_have_the_estimates_of_the_same_functions_in_rust,
        monte_carlo_formula::formulas_of_many_variables_have_their_integrals,
        monte_carlo_formula::formulas_of_random_points_have_the_box_of_their_variables,
        trapezoid::trapezoid_f64_has_exactly_the_rules_own_error,
        trapezoid::trapezoid_sums_have_the_bits_of_the_published_loop,
        trapezoid::compensated_sums_have_the_bits_of_their_papers,
        trapezoid::a_compensated_sum_stays_at_the_f32_next_to_pi,
        trapezoid::dyadic_kernels_give_the_same_bits,
        trapezoid::every_published_shape_gives_3_141592653573,
        trapezoid::the_f32_sweep_gives_the_published_values_of_pi,
        trapezoid::trapezoid_writes_one_partial_sum_a_thread_and_nothing_else,
        trapezoid::a_launch_that_breaks_the_contract_is_refused,
        mapping::threads_have_the_sums_of_their_strips_wherever_they_keep_them,
        mapping::the_last_block_adds_the_blocks_sums_and_the_next_launch_can_do_so_again,
        mapping::atomics_add_every_threads_sum_to_what_is_there,
        mapping::a_block_adds_up_any_number_of_partial_sums,
        mapping::the_contiguous_mapping_has_the_bits_of_the_published_loop,
        mapping::ways_without_room_for_their_sums_are_refused,
        block_scan::hillis_steele_agrees_with_a_sequential_scan,
        block_scan::blelloch_agrees_with_a_sequential_scan,
        block_scan::padded_blelloch_agrees_with_a_sequential_scan,
        block_scan::scattered_scans_agree_with_a_sequential_scan,
        block_scan::every_block_of_a_batch_scans_its_own_elements,
        block_scan::counting_does_not_change_the_result,
        block_scan::activity_is_the_published_one_for_1024_elements,
        block_scan::scans_of_every_power_of_two_have_the_adds_of_the_closed_forms,
        block_scan::scattered_scans_work_in_as_many_warps_as_can_be,
        block_scan::scans_write_their_elements_and_nothing_else,
        block_scan::a_scan_of_too_many_elements_is_refused,
        scan_algorithms::every_algorithm_is_asked_for_by_its_name,
        scan_algorithms::an_algorithm_that_an_operator_lacks_is_refused_with_those_it_has,
        scan_algorithms::a_number_on_the_device_is_refused_where_launches_depend_on_it,
        scan_algorithms::results_have_the_bits_of_the_stated_association,
        scan_algorithms::groups_of_tiles_are_combined_in_the_stated_order,
        scan_algorithms::the_naive_scan_has_the_bits_of_its_passes,
        scan_algorithms::trees_of_several_levels_are_scanned,
        scan_algorithms::many_tiles_keep_the_order_of_elements_that_do_not_commute,
        scan::sums_of_every_type_agree_with_a_sequential_scan,
        scan::sums_of_signed_integers_have_the_kernels_of_the_unsigned_ones,
        scan::sums_may_be_wider_than_their_elements,
        scan::minima_agree_with_a_sequential_scan,
        scan::maxima_agree_with_a_sequential_scan,
        scan::products_agree_with_a_sequential_scan,
        scan::an_operator_that_is_not_commutative_keeps_the_order_of_its_elements,
        scan::scans_are_right_around_every_warp_and_tile,
        scan::a_plan_chooses_a_kernel_for_every_number_of_elements,
        scan::the_number_of_elements_may_be_on_the_device,
        scan::results_may_take_the_place_of_their_elements,
        scan::elements_and_results_may_begin_anywhere,
        scan::a_scan_writes_its_results_and_nothing_else,
        scan::scratch_memory_is_written_and_nothing_around_it,
        scan::a_plan_scans_again_and_again_whatever_the_sizes,
        scan::words_of_4294967295_launches_ago_are_not_taken_for_totals,
        scan::scans_that_were_recorded_are_done_at_every_launch_of_the_graph,
        scan::sums_of_floats_have_the_same_bits_on_grids_of_any_size,
        scan::sums_of_floats_have_the_same_bits_on_gpus_of_any_kind,
        scan::sums_of_floats_have_the_same_bits_again,
        scan::zeros_infinities_and_nans_are_what_ieee_754_says,
        scan::arrays_of_more_than_4294967296_elements_are_scanned,
        scan::arrays_of_more_than_2147483648_elements_are_scanned_by_every_algorithm,
        scan::lines_along_every_axis_are_scanned_from_their_own_beginnings,
        scan::lines_are_scanned_in_place,
        scan::axes_and_arrays_that_do_not_fit_are_refused,
        chained::a_kernel_selects_by_a_chained_scan_and_again,
        scan::sizes_that_do_not_fit_are_refused_and_nothing_is_written,
        scan::plans_that_cannot_be_made_are_refused,
        scan::memory_of_another_device_is_refused,
        graphs::a_replayed_graph_gives_the_bits_of_single_launches,
        graphs::recorded_work_is_done_in_order_at_every_launch,
        launches::a_programmatic_launch_reads_what_the_kernel_before_wrote,
        launches::a_programmatic_launch_may_be_cooperative_too,
        launches::the_blocks_of_a_cooperative_launch_can_wait_for_each_other,
        memory::a_kernel_works_on_parts_that_begin_at_any_element,
        memory::parts_of_one_buffer_are_read_and_written_by_one_launch,
        memory::copies_go_to_and_from_memory_that_the_host_keeps_in_place,
        reduce::reductions_have_the_documented_bits_wherever_the_array_begins,
        reduce::parts_of_any_number_of_tiles_are_combined_in_order,
        reduce::totals_of_several_groups_of_blocks_are_combined,
        reduce::blocks_of_a_tile_a_warp_have_as_many_warps_as_documented,
        reduce::an_initial_value_is_the_first_operand_and_the_result_of_nothing,
        reduce::a_count_in_device_memory_says_how_many_elements_there_are,
        reduce::the_same_plan_gives_the_same_bits_again_and_in_a_graph,
        reduce::a_plan_for_every_device_has_blocks_of_its_own,
        reduce::the_counter_of_launches_begins_again_and_old_totals_are_forgotten,
        reduce::what_plans_hold_depends_on_their_blocks_and_not_on_their_elements,
        reduce::reductions_that_do_not_fit_the_plan_are_refused,
        reduce::kernels_that_have_but_the_names_of_ours_are_refused,
        reduce_operators::sums_of_every_type_agree_with_a_sequential_reduction,
        reduce_operators::sums_of_signed_integers_have_the_kernels_of_the_unsigned_ones,
        reduce_operators::sums_may_be_wider_than_their_elements,
        reduce_operators::minima_agree_with_a_sequential_reduction,
        reduce_operators::maxima_agree_with_a_sequential_reduction,
        reduce_operators::an_operator_that_is_not_commutative_keeps_the_order_of_its_elements,
        segmented_reduce::segments_of_all_lengths_have_the_sums_of_their_elements,
        segmented_reduce::every_segment_begins_with_the_initial_value,
        segmented_reduce::segments_of_one_length_need_no_offsets,
        segmented_reduce::sums_of_segments_have_the_same_bits_again,
        segmented_reduce::offsets_that_do_not_ascend_write_nothing_elsewhere,
        segmented_reduce::segments_that_do_not_fit_their_results_are_refused,
        segmented_scan::sums_of_every_type_agree_with_sequential_scans,
        segmented_scan::extremes_agree_with_sequential_scans,
        segmented_scan::an_operator_that_is_not_commutative_keeps_the_order_in_segments,
        segmented_scan::segments_of_any_length_begin_anywhere,
        segmented_scan::keys_flags_and_offsets_say_the_same,
        segmented_scan::segments_of_one_length_begin_at_its_multiples,
        segmented_scan::segments_are_scanned_in_place_counted_and_in_graphs,
        segmented_scan::segments_of_no_elements_are_left_alone,
        segmented_scan::segments_that_do_not_fit_are_refused,
        select::elements_are_selected_around_every_warp_and_tile,
        select::elements_of_every_type_are_selected,
        select::large_arrays_of_8_bits_are_selected_from,
        select::large_arrays_of_16_bits_are_selected_from,
        select::large_arrays_of_32_bits_are_selected_from,
        select::large_arrays_of_64_bits_are_selected_from,
        select::large_arrays_of_128_bits_are_selected_from,
        select::any_share_is_selected_on_grids_of_any_size,
        select::selections_that_were_recorded_are_done_at_every_launch,
        select::words_of_4294967295_selections_ago_are_not_taken_for_counts,
        select::selections_that_do_not_fit_are_refused_and_nothing_is_written,
        older_gpus::every_operator_scans_any_number_of_elements,
        older_gpus::every_operator_scans_segments_of_any_length,
        select::older_gpus_select_of_8_bits,
        select::older_gpus_select_of_16_bits,
        select::older_gpus_select_of_32_bits,
        select::older_gpus_select_of_64_bits,
        select::older_gpus_select_of_128_bits,
        limits::chains_take_every_step,
        limits::the_copy_moves_every_vector_and_nothing_else,
        limits::the_chase_through_shared_memory_goes_round_the_ring,
        limits::the_empty_kernel_stores_when_it_is_asked_to_alone,
        diagnostics::hang_spins_as_long_as_it_was_told,
        diagnostics::the_kernel_fault_ends_its_device,
        diagnostics::ptx_that_cannot_run_is_refused_in_one_sentence_and_the_device_goes_on,
        strangers::kernels_of_another_crate_are_not_taken_for_ours_by_their_names,
    ]
    .into()
}
