# SPDX-License-Identifier: Apache-2.0
"""What every verdict has asked, which candidates try it, and what is still open: those that change with what the
evaluator did so far, those that do not, and honest ones that look alike. table.py writes docs/trust.md's table of
them."""
from __future__ import annotations

import dataclasses
import pathlib
import re

from folder import TESTS, Candidate

TASKS = TESTS / "admission" / "programs"


@dataclasses.dataclass(frozen=True)
class Property:
    """`asked`: a sentence about every verdict. Candidates by their names, or by the ids of several, a space between;
    with `of_tasks` programs that admission is asked about (tests/admission/programs)."""

    asked: str
    adaptive: str
    fixed: str
    honest: str
    still_open: str
    of_tasks: bool = False


PROPERTIES = (
    Property("Questions follow from a seed that nobody knows beforehand",
             "constants_of_the_default_seed replays_from_disk replays_from_shared_memory",
             "H14 H09", "dropout_of_its_own environment_knob",
             "a verdict that is repeated by its seed (`--seed`, `reverify`) asks what was asked before: rewards want "
             "a drawn one"),
    Property("Contents, parameters, addresses, streams and `prepare` change independently of each other",
             "H39 H180", "H54", "packed_when_first_called scratch_by_turns plan_by_shape graph_on_live_pointers",
             "what changes after the last call: 40 to 400 of a fast program, three to ten of one that takes more "
             "than 0.6 s"),
    Property("Contents come that never came before, and others that differ in one row or element",
             "H181 rows_kept_by_a_sample content_sample_cache", "pointer_keyed_cache shape_keyed_cache",
             "order_by_a_sample model_new_scratch_by_turns",
             "of contents that come anew the reference answers all where an answer takes it 0.03 s and less, 12 up to "
             "0.25 s, four where it is slower"),
    Property("States and buffers are drawn from what a program can come to",
             "cache_of_three_calls counts_to_a_hundred mean_while_the_average_is_new counts_for_itself stale_graph "
             "replaced_state_kept",
             "average_of_a_new_module cache_is_empty_behind_the_place cache_written_in_its_first_row "
             "warm_up_never_ends replaced_state_left",
             "skips_an_average_of_zero skips_empty_rows_of_a_cache state_in_place batch_norm_states replaced_state",
             "a state whose values do not follow from the program, as an index that is not known to be legal, stays; "
             "admission names it"),
    Property("Parameters have any signs, scales and structure",
             "weight_while_it_is_diagonal weight_while_it_is_dense weight_while_it_is_positive weight_near_one "
             "weight_known_by_a_sample bias_known_by_its_ends",
             "affine_left_out row_of_padding_is_zero weight_of_a_diagonal weight_without_its_sign "
             "rows_far_smaller_left_out",
             "diagonal_or_dense norm_of_a_new_weight weight_known_by_all_of_it rows_left_out_where_they_are_zero",
             "parameters on which the reference raises or is no number are left out, special structure also where "
             "the program chooses by computed values; admission names the first; rows smaller than 2^-14 of what a "
             "constructor makes, or in 16-bit types than 2^-3; single elements of programs so large that they have "
             "three draws of a regime and fewer"),
    Property("Integers, masks and special values cover what is valid",
             "positions_while_they_differ flags_when_all_are_set flags_when_none_is_set bags_of_one_size_or_none "
             "finite_once_asked",
             "a_mask_of_ones ids_in_order bags_of_ten bags_are_never_empty positions_without_their_sign "
             "infinities_made_finite zero_without_its_sign subnormal_is_zero inverse_without_a_sign "
             "logarithm_kept_finite",
             "positions_from_the_end flags_all_alike bags_of_one_size minus_infinity signs_by_their_bit "
             "quotient_by_a_reciprocal",
             "special values are asked of sums and of what is moved, added, multiplied, divided and compared element "
             "by element, not of products of matrices, exponentials, norms, and quotients or logarithms behind a sum; "
             "single values that rounding decides are not hit"),
    Property("Small numbers are right for their own size, and errors that go one way are found",
             "small_answers_zero_in_later_calls small_answers_zero_beside_large_ones bfloat16_few_outputs_by_turns "
             "bfloat16_column_by_parameters",
             "tiny_answers small_answers_are_zero small_answers_by_a_line bfloat16_scaled_by_1_01 bfloat16_too_high",
             "bfloat16_few_outputs bfloat16_cut_off exp_by_powers_of_two",
             "a quarter of the elements of a magnitude may be off; magnitudes with fewer than 64 known elements, and "
             "below 2^-100, are not looked at"),
    Property("Where equal elements or rounding leave a decision open, all outputs are of one decision",
             "equals_by_call equals_by_address equals_by_content",
             "last_of_equals equals_by_row one_of_equals_for_all argmax_of_a_stride index_nearly",
             "first_of_equal_scores scores_packed_with_places first_of_equals",
             "that decision is PyTorch's or that of the lowest place, for selections of more than 4,194,304 elements "
             "PyTorch's alone; near ties go the other way all at once, or in halves"),
    Property("Arithmetic below a mode's precision is refused",
             "half_from_the_thirtieth_call half_for_what_comes_again half_between_prepares shape_gated_half "
             "two_terms_on_another_stream",
             "matmul_in_half matmul_in_tf32 matmul_in_bfloat16 bfloat16_product_of_five_bits "
             "bfloat16_product_in_int8 halves_in_bfloat16 two_bfloat16_terms half_inside",
             "split_precision half_storage linear_of_halves convolution_in_tf32",
             "TF32 operands that are cut off, six bits of fraction in bfloat16 and short sums kept in half are "
             "neither promised nor always refused"),
    Property("Random numbers are right at several seeds and offsets",
             "offset_of_two_bits offset_for_some_numbers begins_again_after_many",
             "same_numbers_always seed_counts_places offset_counts_places numbers_of_the_seed_alone seed_of_32_bits "
             "numbers_mirrored numbers_in_swapped_pairs",
             "dropout_of_its_own dropout_by_rows dropout_of_both_halves",
             "offsets beyond 2^47; numbers that follow from others farther on than 32,768 elements, but for those a "
             "power of two on, up to 131,072"),
    Property("What is wrong in a part of the calls is refused with the same chance each time",
             "races_once_checked host_at_the_fourth_prepare host_in_the_first_calls host_for_some_contents "
             "host_by_prepares_and_time host_by_prepares_and_time_behind_a_decoy host_while_its_process_is_young "
             "host_over_its_last_answer host_sets_each_byte host_in_two_late_calls host_by_overlapping_pieces "
             "host_by_managed_memory host_behind_a_graph host_by_arguments host_by_pinned_memory host_by_a_scratch "
             "host_by_arguments_in_code host_hands_over_a_loss",
             "works_at_random works_every_second_call host_now_and_then host_by_single_bytes "
             "host_leaves_the_last_term host_reads_and_hands_by_managed_memory host_gives_a_loss",
             "another_kernel_each_call order_by_a_sample table_of_its_first_call another_kernel_by_prepares_and_time "
             "clears_where_all_is_zero rows_by_copies begins_with_zeros_of_the_host positions_of_the_host "
             "scale_by_a_maximum order_of_the_host counts_its_inputs_on_the_host finishes_a_loss loss_of_parts",
             "shares below one call of 30 or one element of 10,000 pass now and then "
             "([shares.md](../bench/results/shares.md)); a host that gives fewer than 64 elements of a larger "
             "output in a few calls of a process, or hands its answer to a kernel that looks whether it fits the "
             "contents and computes by itself where not"),
    Property("What runs is what was read, and no longer than its trial",
             "asks_a_sanitizer counts_launches_of_the_emulator asks_who_waits writes_into_earlier_outputs "
             "model_new_input_from_the_fifth_call enters_from_the_tenth_call",
             "H167 H166 model_new_outputs_share forks_past_the_library enters_by_bytes gpu_enters_by_assembly "
             "model_new_frees_late model_new_profile_function model_new_trace_function model_new_lazy_output",
             "model_new_lazy_first_call model_new_shares_as_the_reference debug_output numbers_like_instructions",
             "code that a ModelNew makes of text while it runs is told and watched, not refused; a host that "
             "computes in memory of its own is slow and right on a GPU"),
    Property("The emulated device is a GPU where it matters",
             "resets_the_device_after_new_weights frees_its_weights_late catches_its_faults raises_with_new_weights "
             "host_where_memory_is_open",
             "resets_the_device frees_what_it_was_given H161 raises_a_fault",
             "frees_its_own_memory pinned_memory_in_a_kernel asks_whether_memory_is_open",
             "a kernel that reads the host's stack or its variables, or waits for a thread of the host's, is not "
             "found on the emulated device"),
    Property("A candidate chooses no kind of verdict by its words",
             "model_new_says_no_gpu_when_wrong says_unsupported_in_last_error prints_the_devices_sentence",
             "an_error_that_says_unsupported model_new_says_cuda_error model_new_says_triton_lacks",
             "model_new_raises_for_other_shapes catches_exceptions",
             "a native program that prints a device's sentence and ends is `crashed`, and the words are its own"),
    Property("Admission names tasks on which one of these questions cannot be asked",
             "branch_of_a_buffer branch_of_a_declared_state branch_nobody_takes place_from_a_million",
             "window_of_its_own no_input output_of_parameters order_of_columns logarithm_of_a_weight",
             "window_of_the_text window_that_is_drawn branch_of_a_step",
             "a branch that no draw takes is found where one of its operators can be left out (N10), and not by what "
             "decides about it", of_tasks=True),
)


def named(words: str, candidates: list[Candidate]) -> list[Candidate]:
    """Raises ValueError for a word that names nobody."""
    found = []
    for word in words.split():
        mine = [each for each in candidates if word in (each.folder.name, each.values["id"])]
        if not mine:
            raise ValueError(f"no candidate is called {word}")
        found += mine
    return found


def task_status(name: str) -> str:
    """What admission must say of a program of TASKS. Raises ValueError for a word that names none."""
    program: pathlib.Path = TASKS / f"{name}.py"
    if not program.is_file():
        raise ValueError(f"no task is called {name}")
    return re.findall(r"^# status: (\w+)$", program.read_text(), flags=re.M)[0]


def members(words: str, of_tasks: bool, candidates: list[Candidate]) -> list[tuple[str, bool]]:
    """Their names, and whether each is to be refused."""
    if of_tasks:
        return [(word, task_status(word) != "admitted") for word in words.split()]
    return [(each.folder.name, each.is_reject()) for each in named(words, candidates)]
