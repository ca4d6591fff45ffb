# SPDX-License-Identifier: Apache-2.0
"""Plants mistakes in the pipelines of runtime/kernels, one at a time; the kernels' own tests must find each.

Each mistake is one line replaced in a copy of runtime/. The copy's test is rewritten, compiled and run as in the build:
in order, where copies complete late, and in random orders, where some complete at once. The unchanged copies must pass.
About 15 seconds of one core each."""

import dataclasses
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ("", "7", "8", "9", "10")
MAINLOOP = "kernels/gemm/mma_mainloop.cuh"
FLASH = "kernels/attention/flash_mma.cuh"
PLANES = "kernels/gemm/wgmma_mainloop.cuh"
GROUPS = "kernels/conv/direct_wgmma.cuh"
HALVES = "kernels/conv/direct_fp16.cuh"
HALF_OPERANDS = "kernels/conv/direct_fp16_operands.cuh"
FP16_WINDOWS = "kernels/conv/direct_fp16_windows.cuh"
WINDOWS_POOL = "kernels/conv/direct_fp16_pool.cuh"
ROWS = "kernels/conv/direct_rows.cuh"
ROWS_FINISH = "kernels/conv/direct_rows_finish.cuh"
ROWS_MOMENTS = "kernels/conv/direct_rows_moments.cuh"
MOMENTS = "kernels/conv/moments.cuh"
PATCH_MOMENTS = "kernels/conv/patch_moments.cuh"
GROUP_MOMENTS = "kernels/conv/patch_group_moments.cuh"
HALF_MOMENTS = "kernels/conv/direct_fp16_moments.cuh"
ROWS_PATCH = "kernels/conv/direct_rows_patch.cuh"
ROWS_POOL = "kernels/conv/direct_rows_pool.cuh"
ROWS_MEAN = "kernels/conv/direct_rows_mean.cuh"
PATCH = "kernels/conv/patch_mma.cuh"
PATCH_POOL = "kernels/conv/patch_pool.cuh"
WORDS = "kernels/conv/patch_words.cuh"
CLUSTERS = "kernels/rnn/persistent_layer.cuh"
STACKS = "kernels/rnn/stack_clusters.cuh"
STACK_TILE = "kernels/rnn/stack_tile.cuh"
POINT = "kernels/conv/pointwise_wgmma.cuh"
POINT_RING = "kernels/conv/pointwise.cuh"
POINT_PARTS = "kernels/conv/pointwise_tf32x3.cuh"
POINT_CLUSTER = "kernels/conv/pointwise_cluster.cuh"
WINDOWS = "kernels/conv/window_wgmma.cuh"
WINDOW_TILES = "kernels/conv/window_tiles.cuh"
INPUT_MAP = "kernels/conv/input_map.cuh"
DEPTHWISE_ROWS = "kernels/conv/depthwise_rows.cuh"
PATCH_GROUPS = "kernels/conv/patch_wgmma.cuh"
GROUP_STEPS = "kernels/conv/patch_group_steps.cuh"
GROUP_FINISH = "kernels/conv/patch_group_finish.cuh"
FLASH_GROUPS = "kernels/attention/flash_wgmma.cuh"
KEY_PLANES = "kernels/attention/key_planes.cuh"
CLUSTER_ROWS = "kernels/common/cluster_rows.cuh"
CHUNKS = "kernels/gemm/wgmma_chunks.cuh"
CHUNK_ROWS = "kernels/gemm/chunks.cuh"
pytestmark = pytest.mark.long


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    test: str
    file: str
    line: str
    instead: str


MISTAKES = (
    Mistake("gemm_waits_for_one_group_too_few", "gemm_mma_test", MAINLOOP, "    ptx::cp_async_wait<kAhead - 1>();",
            "    ptx::cp_async_wait<kAhead>();"),
    Mistake("gemm_does_not_commit", "gemm_mma_test", MAINLOOP, "    ptx::cp_async_commit();", ""),
    Mistake("gemm_waits_without_a_barrier", "gemm_mma_test", MAINLOOP,
            "    ptx::cp_async_wait<kAhead - 1>();\n    __syncthreads();", "    ptx::cp_async_wait<kAhead - 1>();"),
    Mistake("gemm_fills_the_tile_that_is_read", "gemm_mma_test", MAINLOOP,
            "  static constexpr int kAhead = Tile::stages - 1;", "  static constexpr int kAhead = Tile::stages;"),
    Mistake("attention_does_not_wait_for_keys", "attention_test", FLASH,
            "    ptx::cp_async_wait<0>();\n    __syncthreads();  // the keys", "    __syncthreads();  // the keys"),
    Mistake("attention_does_not_wait_for_values", "attention_test", FLASH,
            "    ptx::cp_async_wait<0>();\n    __syncthreads();  // the values",
            "    ptx::cp_async_wait<1>();\n    __syncthreads();  // the values"),
    Mistake("attention_copies_keys_while_they_are_read", "attention_test", FLASH,
            "    __syncthreads();  // the values", "    __syncwarp();  // the values"),
    Mistake("planes_are_read_before_they_are_there", "gemm_planes_test", PLANES,
            "    ptx::mbarrier_wait(full + place.stage, place.parity);", ""),
    Mistake("planes_are_copied_while_they_are_read", "gemm_planes_test", PLANES,
            "    ptx::mbarrier_wait(empty + place.stage, place.parity ^ 1);", ""),
    Mistake("planes_are_waited_for_in_the_wrong_phase", "gemm_planes_test", PLANES,
            "    ptx::mbarrier_wait(full + place.stage, place.parity);",
            "    ptx::mbarrier_wait(full + place.stage, place.parity ^ 1);"),
    Mistake("planes_miss_bytes", "gemm_planes_test", PLANES, "static_cast<uint32_t>(lhs.blocks + rhs.blocks) * ",
            "static_cast<uint32_t>(rhs.blocks) * "),
    Mistake("planes_are_released_too_early", "gemm_planes_test", PLANES,
            "    sums.template wait<0>();\n    ring.release(before);",
            "    ring.release(before);\n    sums.template wait<0>();"),
    Mistake("sums_are_read_before_the_wait", "gemm_planes_test", PLANES, "    ptx::wgmma_wait<kPending>();", ""),
    Mistake("products_without_a_fence", "gemm_planes_test", PLANES, "    ptx::wgmma_fence();", ""),
    Mistake("planes_without_a_swizzle", "gemm_planes_test", "kernels/gemm/planes.cuh", "(piece ^ swizzle) * 16",
            "piece * 16"),
    Mistake("planes_with_a_wrong_stride", "gemm_planes_test", "ptx/wgmma.cuh", "uint64_t{1024 / 16} << 32",
            "uint64_t{512 / 16} << 32"),
    Mistake("convolution_reads_sums_before_the_wait", "conv_pool_test", GROUPS, "  ptx::wgmma_wait<0>();", ""),
    Mistake("convolution_splits_what_is_still_read", "conv_pool_test", GROUPS, "split + patch % 2 * Source::split",
            "split"),
    Mistake("convolution_does_not_wait_for_a_patch", "conv_pool_test", GROUPS, "    ptx::cp_async_wait<0>();", ""),
    Mistake("convolution_without_a_swizzle", "conv_pool_test", GROUPS, "(k % 32 / 4 ^ channel % 8)", "(k % 32 / 4)"),
    Mistake("halves_are_split_before_they_are_there", "conv_direct_fp16_test", HALVES, "    ptx::cp_async_wait<0>();",
            ""),
    Mistake("halves_are_split_while_they_are_multiplied", "conv_direct_fp16_test", HALVES,
            "  __syncthreads();  // all of the patch is there, and the one before it has been multiplied", ""),
    Mistake("halves_are_copied_while_they_are_split", "conv_direct_fp16_test", HALVES,
            "  __syncthreads();  // all of it is split", ""),
    Mistake("halves_without_their_lower_parts", "conv_direct_fp16_test", HALVES, "upper[i], lower_pixels[j]",
            "lower[i], lower_pixels[j]"),
    Mistake("halves_of_another_channels_scale", "conv_direct_fp16_test", HALVES, "unscale_of[i * 16 + k / 2 * 8]",
            "unscale_of[i * 16]"),
    Mistake("halves_too_small_for_two_parts", "conv_direct_fp16_test", HALF_OPERANDS,
            "small * 4 > Window::taps * channels", "false"),
    Mistake("windows_are_split_before_they_are_there", "conv_windows_test", HALVES, "    ptx::cp_async_wait<0>();", ""),
    Mistake("windows_are_split_while_they_are_multiplied", "conv_windows_test", HALVES,
            "  __syncthreads();  // all of the patch is there, and the one before it has been multiplied", ""),
    Mistake("windows_are_copied_while_they_are_split", "conv_windows_test", HALVES,
            "  __syncthreads();  // all of it is split", ""),
    Mistake("windows_of_one_image", "conv_windows_test", FP16_WINDOWS,
            "image * Patch::in_depth * Patch::plane + ", ""),
    Mistake("windows_over_the_edge_are_joined_and_stored", "conv_windows_test", WINDOWS_POOL,
            "window.is_there && window.part == 0 && ", ""),
    Mistake("windows_without_the_lanes_beside", "conv_windows_test", WINDOWS_POOL,
            "distance < 4 * Tile::Pool::lanes", "distance < 4"),
    Mistake("windows_by_the_scale_of_other_channels", "conv_windows_test", WINDOWS_POOL,
            "i / 2 * 8 + lane % 4 * 2 + i % 2", "lane % 4 * 2 + i % 2"),
    Mistake("windows_that_are_infinite_are_kept", "conv_windows_test", WINDOWS_POOL,
            "probe == 0 || !window().is_there", "true"),
    Mistake("softmaxes_of_channels_that_are_not_there", "conv_windows_test", "kernels/conv/channel_softmax.cuh",
            "is_channel ? values[i / 2][i % 2] : -INFINITY", "values[i / 2][i % 2]"),
    Mistake("rows_are_split_before_they_are_there", "conv_direct_rows_test", ROWS, "    ptx::cp_async_wait<0>();", ""),
    Mistake("rows_are_split_while_they_are_multiplied", "conv_direct_rows_test", ROWS,
            "  __syncthreads();  // all of the patch is there, and the one before it has been multiplied", ""),
    Mistake("rows_are_copied_while_they_are_split", "conv_direct_rows_test", ROWS,
            "  __syncthreads();  // all of it is split", ""),
    Mistake("sums_of_rows_are_read_before_the_wait", "conv_direct_rows_test", ROWS, "  ptx::wgmma_wait<0>();", ""),
    Mistake("outputs_of_rows_are_staged_while_they_are_read", "conv_direct_rows_test", ROWS_FINISH,
            "  __syncwarp();\n  stage<true", "  stage<true"),
    Mistake("outputs_behind_a_row_are_staged", "conv_direct_rows_test", ROWS_FINISH, "x + 1 < layout.width", "true"),
    Mistake("outputs_before_a_four_are_stored", "conv_direct_rows_test", ROWS_FINISH, "at >= run.lead && ", ""),
    Mistake("rows_too_small_for_two_parts", "conv_direct_rows_test", ROWS_PATCH, "largest != 0 && ", "false && "),
    Mistake("moments_of_places_behind_a_row", "conv_moments_test", ROWS_MOMENTS, "x + k < layout.width && ", ""),
    Mistake("moments_of_places_behind_a_patch", "conv_moments_test", ROWS_MOMENTS, " && output + k < run.count", ""),
    Mistake("moments_of_the_image_before", "conv_moments_test", MOMENTS, "        *this = {};\n", ""),
    Mistake("moments_of_two_groups_in_one_place", "conv_moments_test", MOMENTS, "parts.of_channel + sharer;",
            "parts.of_channel;"),
    Mistake("moments_of_blocks_without_patches", "conv_moments_test", MOMENTS,
            "        own[block * parts.sharers] = WelfordAccumulator::identity();\n", ""),
    Mistake("moments_about_no_mean", "conv_moments_test", MOMENTS, "= element - own.mean;", "= element;"),
    Mistake("moments_of_outputs_behind_a_line", "conv_moments_test", PATCH_MOMENTS, "const bool is_there = x < width;",
            "const bool is_there = true;"),
    Mistake("moments_of_the_first_group_of_channels", "conv_moments_test", PATCH_MOMENTS, "{first + first_channel,",
            "{int64_t{first_channel},"),
    Mistake("moments_of_rows_below_a_tile", "conv_moments_test", GROUP_MOMENTS, "walk.has_row(product, eight) && ", ""),
    Mistake("moments_of_tiles_in_one_place", "conv_moments_test", GROUP_MOMENTS,
            "const int part = behind * Axes::Y::phases * Tile::high + own.phase_y;", "const int part = behind;"),
    Mistake("moments_of_layers_that_are_not_there", "conv_moments_test", GROUP_MOMENTS,
            "    store_group_moments(finish, tile, own, nothing);\n", ""),
    Mistake("moments_of_lines_below_a_patch", "conv_moments_test", HALF_MOMENTS, "y < shape.out_height && x < ",
            "x < "),
    Mistake("moments_of_warps_that_share_channels", "conv_moments_test", HALF_MOMENTS,
            "            warp / Tile::warps_of_channels};", "            warp};"),
    Mistake("moments_of_sums_taken_again_are_lost", "conv_moments_test", ROWS_MOMENTS,
            "  kept.merge(taken);\n", ""),
    Mistake("windows_of_rows_over_the_edge_are_stored", "conv_pool_test", ROWS_POOL, "x / kWidth < finish.width && ",
            ""),
    Mistake("windows_of_rows_have_one_row", "conv_pool_test", ROWS_POOL, "(first_row + i) * layout.pitch",
            "first_row * layout.pitch"),
    Mistake("windows_of_rows_have_two_columns", "conv_pool_test", ROWS_POOL, "distance < kWidth / 2", "distance < 1"),
    Mistake("planes_of_rows_with_what_is_behind_them", "conv_pool_test", ROWS_MEAN,
            "row < rows && x + i < layout.width", "row < rows"),
    Mistake("planes_of_rows_of_one_warpgroup", "conv_pool_test", ROWS_MEAN, "patch * Tile::groups + warp / 4",
            "patch * Tile::groups"),
    Mistake("planes_of_rows_that_are_infinite_are_kept", "conv_pool_test", ROWS_MEAN, "added.probe == 0", "true"),
    Mistake("patches_are_not_waited_for", "conv_patch_test", PATCH, "      ptx::cp_async_wait<0>();", ""),
    Mistake("patches_without_a_barrier", "conv_patch_test", PATCH,
            "      __syncthreads();  // all have what is multiplied now, and have read what is written over", ""),
    Mistake("patches_are_copied_while_they_are_read", "conv_patch_test", PATCH, "    next_buffer ^= 1;", ""),
    Mistake("weights_of_the_slice_before", "conv_patch_test", PATCH, "(has_all_ ? slice : buffer)",
            "(has_all_ ? slice : 0)"),
    Mistake("outputs_are_staged_while_they_are_read", "conv_patch_test", "kernels/conv/patch_finish.cuh",
            "      __syncwarp();  // all have read what is written over", ""),
    Mistake("words_of_the_first_images_scale", "conv_patch_test", PATCH, "scales.images[image]", "scales.images[0]"),
    Mistake("windows_are_staged_while_they_are_read", "conv_patch_pool_test", PATCH_POOL,
            "      __syncwarp();  // all have read what is written over", ""),
    Mistake("windows_over_the_edge_are_stored", "conv_patch_pool_test", PATCH_POOL, "channel < channels && x < width",
            "channel < channels"),
    Mistake("channels_that_are_not_there_are_joined", "conv_patch_pool_test", "kernels/conv/patch_channels.cuh",
            "first + k * 8 < line.channels", "true"),
    Mistake("folded_taps_read_one_place", "conv_patch_test", PATCH, "lane % 4 / Source::planes * Source::Fold::step",
            "0"),
    Mistake("places_too_small_for_words", "conv_patch_test", WORDS, "(seen & ~(seen >> 1) & kAllNonzero) != 0",
            "false"),
    Mistake("weights_too_small_for_words", "conv_patch_test", "kernels/conv/patch_weights.cuh",
            "small * kMaySuffer > nonzero", "small > nonzero"),
    Mistake("totals_of_rows_are_joined_before_they_are_there", "rewrite_test", CLUSTER_ROWS,
            "  ptx::cluster_arrive();\n  ptx::cluster_wait();  // and have sent",
            "  __syncthreads();  // and have sent"),
    Mistake("totals_of_rows_go_to_one_place", "rewrite_test", CLUSTER_ROWS,
            "send_total(own, totals + rank, threadIdx.x)", "send_total(own, totals, threadIdx.x)"),
    Mistake("rows_of_clusters_are_stored_by_every_block", "rewrite_test", CLUSTER_ROWS,
            "rank == blocks - 1 && threadIdx.x == kThreads - 1", "threadIdx.x == kThreads - 1"),
    Mistake("clusters_begin_without_a_barrier", "rnn_persistent_test", CLUSTERS,
            "  ptx::cluster_arrive();\n  ptx::cluster_wait();", "  __syncthreads();"),
    Mistake("states_are_not_waited_for", "rnn_persistent_test", CLUSTERS,
            "ptx::mbarrier_wait_cluster(&memory.arrived[kParity], static_cast<uint32_t>((number - 1) / 2 % 2));", ""),
    Mistake("states_are_waited_for_in_the_wrong_phase", "rnn_persistent_test", CLUSTERS, "((number - 1) / 2 % 2)",
            "(number / 2 % 2)"),
    Mistake("states_go_to_the_buffer_that_is_read", "rnn_persistent_test", CLUSTERS,
            "targets.template send<1 - kParity>", "targets.template send<kParity>"),
    Mistake("states_miss_bytes", "rnn_persistent_test", CLUSTERS, "(shape.units + shape.units % 2) * sizeof(float)",
            "shape.units * sizeof(float)"),
    Mistake("blocks_without_units_are_written_to", "rnn_persistent_test", CLUSTERS, "rank < blocks && first < units",
            "rank < Tile::kBlocks && first < units"),
    Mistake("warps_without_units_stay", "rnn_persistent_test", CLUSTERS, "warp * Tile::kUnits >= shape.units",
            "false"),
    Mistake("features_beyond_the_last_are_not_cleared", "rnn_persistent_test", CLUSTERS,
            "    memory.hidden[1][row][unit] = 0.0f;", ""),
    Mistake("layers_are_taken_in_the_order_of_blocks", "rnn_stack_clusters_test", STACKS,
            "const unsigned ticket = begin_cluster<Tile>(memory, pieces.counted, Block::kStateBytes);",
            "begin_cluster<Tile>(memory, pieces.counted, Block::kStateBytes);\n"
            "  const unsigned ticket = blockIdx.x / Tile::kBlocks;"),
    Mistake("states_of_stacks_are_not_waited_for", "rnn_stack_clusters_test", STACKS,
            "      ptx::mbarrier_wait_cluster(&memory.arrived[parity], static_cast<uint32_t>((time - 1) / 2 % 2));",
            ""),
    Mistake("states_of_stacks_are_waited_for_in_the_wrong_phase", "rnn_stack_clusters_test", STACKS,
            "((time - 1) / 2 % 2)", "(time / 2 % 2)"),
    Mistake("sums_of_states_are_read_before_they_are_there", "rnn_stack_clusters_test", STACKS,
            "    ptx::barrier_of_threads<kOfStates, Tile::kThreads>();  // all sums are there",
            "    __syncwarp();  // all sums are there"),
    Mistake("inputs_of_chunks_are_not_waited_for", "rnn_stack_clusters_test", STACKS,
            "      ptx::cp_async_wait<0>();", ""),
    Mistake("inputs_of_chunks_without_a_barrier", "rnn_stack_clusters_test", STACKS,
            "      ptx::barrier_of_threads<kOfInput, Tile::kInputThreads>();  // the chunk is there", "      // there"),
    Mistake("sums_of_inputs_are_not_waited_for", "rnn_stack_clusters_test", STACKS,
            "      ptx::mbarrier_wait(&memory.filled[chunk % 2], static_cast<uint32_t>(chunk / 2 % 2));", ""),
    Mistake("sums_of_inputs_are_written_over", "rnn_stack_clusters_test", STACKS,
            "      ptx::mbarrier_wait(&memory.freed[chunk % 2], static_cast<uint32_t>((chunk / 2 - 1) % 2));", ""),
    Mistake("sums_of_inputs_of_the_chunk_before", "rnn_stack_clusters_test", STACKS,
            "from_input[gate] += memory.input_sums[chunk % 2]",
            "from_input[gate] += memory.input_sums[(chunk + 1) % 2]"),
    Mistake("states_too_large_are_split", "rnn_stack_clusters_test", STACK_TILE, "kLargestState = 7.9f",
            "kLargestState = 1e30f"),
    Mistake("weights_too_large_are_split", "rnn_stack_clusters_test", STACK_TILE,
            "is_odd = is_odd || !(size < kLargestWeight);", ""),
    Mistake("states_without_their_lower_parts", "rnn_stack_clusters_test", STACK_TILE,
            "    ptx::mma_m16n8k16_fp16(small, upper, of_lower);", ""),
    Mistake("eights_are_not_waited_for", "conv_patch_wgmma_test", PATCH_GROUPS,
            "      ptx::mbarrier_wait(memory_.full_patch(group_, patches_.at), patches_.parity);", ""),
    Mistake("eights_miss_bytes", "conv_patch_wgmma_test", PATCH_GROUPS, "static_cast<uint32_t>(Tile::planes * rows)",
            "static_cast<uint32_t>(rows)"),
    Mistake("lines_miss_bytes", "conv_patch_wgmma_test", PATCH_GROUPS,
            "mbarrier_arrive_expecting(full, Tile::planes * bytes)", "mbarrier_arrive_expecting(full, bytes)"),
    Mistake("phases_are_summed_up_together", "conv_patch_wgmma_test", PATCH_GROUPS,
            "multiply_tap<1>(sums, X::phase(tap),", "multiply_tap<1>(sums, 0,"),
    Mistake("blocks_take_the_weights_of_another_phase", "conv_patch_wgmma_test", GROUP_STEPS,
            "tap_of_phase<Y>(own.phase_y, number % lines)", "tap_of_phase<Y>(0, number % lines)"),
    Mistake("lines_of_outputs_are_written_over", "conv_patch_wgmma_test", GROUP_FINISH,
            "    stage_pieces<Tile, Window>(sums, first, staged);\n    __syncwarp();",
            "    stage_pieces<Tile, Window>(sums, first, staged);"),
    Mistake("outputs_of_a_place_have_one_tap", "conv_patch_wgmma_test", "kernels/conv/patch_group.cuh",
            "Axis::kernel - 1 - tap + output : tap - output", "Axis::kernel - 1 - tap : tap"),
    Mistake("eights_are_copied_while_they_are_read", "conv_patch_wgmma_test", PATCH_GROUPS,
            "      ptx::mbarrier_wait(memory.empty_patch(group, ring.at), ring.parity ^ 1);", ""),
    Mistake("weights_of_a_tap_are_not_waited_for", "conv_patch_wgmma_test", PATCH_GROUPS,
            "    ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);\n      multiply_tap<Tile::parts>",
            "    multiply_tap<Tile::parts>"),
    Mistake("weights_of_a_phase_are_not_waited_for", "conv_patch_wgmma_test", PATCH_GROUPS,
            "      ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);\n      multiply_tap<1>",
            "      multiply_tap<1>"),
    Mistake("weights_of_a_tap_are_released_too_early", "conv_patch_wgmma_test", PATCH_GROUPS,
            "    ptx::wgmma_wait<1>();", ""),
    Mistake("taps_without_a_fence", "conv_patch_wgmma_test", PATCH_GROUPS, "    ptx::wgmma_fence();", ""),
    Mistake("eights_are_released_too_early", "conv_patch_wgmma_test", PATCH_GROUPS,
            "    ptx::wgmma_wait<0>();\n#pragma unroll\n    for (auto& part : sums) {\n      ptx::wgmma_pin(part);\n"
            "    }\n    release_before(true);", "    release_before(true);\n    ptx::wgmma_wait<0>();"),
    Mistake("lanes_are_late_for_a_stage", "conv_patch_wgmma_test", PATCH_GROUPS,
            "      __syncwarp();  // or lanes that are late would wait for what comes next", ""),
    Mistake("taps_read_one_place", "conv_patch_wgmma_test", PATCH_GROUPS, ": offset(y, x)", ": 0"),
    Mistake("cores_with_a_wrong_stride", "conv_patch_wgmma_test", "ptx/wgmma.cuh", "uint64_t{along_k / 16} << 16",
            "uint64_t{along_rows / 16} << 16"),
    Mistake("places_too_small_for_eights", "conv_patch_wgmma_test", "kernels/conv/patch_eights.cuh",
            "has_small_place(seen.flags, steps.warps_of_run, seen_by)", "false"),
    Mistake("eights_of_the_first_images_scale", "conv_patch_wgmma_test", GROUP_FINISH,
            "scales.images[image].unscale()", "scales.images[0].unscale()"),
    Mistake("rows_are_not_repaired", "gemm_planes_test", "kernels/gemm/planes.cuh", "small * kMaySuffer > nonzero",
            "small > nonzero"),
    Mistake("places_are_read_before_they_are_there", "conv_pointwise_test", POINT_RING,
            "    ptx::mbarrier_wait(full(place.stage), place.parity);", ""),
    Mistake("places_are_copied_while_they_are_read", "conv_pointwise_test", POINT_RING,
            "    ptx::mbarrier_wait(empty(place.stage), place.parity ^ 1);", ""),
    Mistake("places_are_said_to_be_there_too_early", "conv_pointwise_test", POINT,
            "    ptx::cp_async_arrive(full);", "    ptx::mbarrier_arrive(full);"),
    Mistake("a_slice_is_released_too_early", "conv_pointwise_test", POINT, "        ring.release(before);",
            "        ring.release(at.stage);"),
    Mistake("weights_of_a_slice_miss_bytes", "conv_pointwise_test", POINT,
            "mbarrier_arrive_expecting(full, kBytes)", "mbarrier_arrive_expecting(full, kBytes / 2)"),
    Mistake("kept_weights_are_not_waited_for", "conv_pointwise_test", POINT,
            "      ptx::mbarrier_wait(ring.kept(), 0);", ""),
    Mistake("places_are_multiplied_without_a_fence", "conv_pointwise_test", POINT, "  ptx::wgmma_fence();", ""),
    Mistake("places_change_while_they_are_multiplied", "conv_pointwise_test", POINT, "kPending = 2 * (kBuffers - 1)",
            "kPending = 2 * kBuffers"),
    Mistake("sums_of_places_are_read_before_the_wait", "conv_pointwise_test", POINT, "  ptx::wgmma_wait<0>();", ""),
    Mistake("weights_lie_unswizzled", "conv_pointwise_test", POINT_RING, "((i ^ row) % kPieces)", "(i % kPieces)"),
    Mistake("parts_of_places_change_while_they_are_multiplied", "conv_pointwise_test", POINT_PARTS,
            "wgmma_wait<kPartBuffers<Tile> - 1>()", "wgmma_wait<kPartBuffers<Tile>>()"),
    Mistake("sums_of_parts_are_promoted_before_the_wait", "conv_pointwise_test", POINT_PARTS,
            "    ptx::wgmma_wait<0>();", ""),
    Mistake("a_slice_of_parts_is_released_too_early", "conv_pointwise_test", POINT_PARTS,
            "    ring.release(stage);", "    ring.release(at.stage);"),
    Mistake("lower_parts_of_weights_are_left_out", "conv_pointwise_test", POINT_PARTS,
            "parts.upper, weights + kLower", "parts.upper, weights"),
    Mistake("blocks_take_the_first_group", "conv_pointwise_test", POINT_RING,
            "block / steps.blocks_of_group) * steps.in_channels", "0) * steps.in_channels"),
    Mistake("sums_of_a_cluster_are_added_too_early", "conv_pointwise_test", POINT_CLUSTER,
            "  ptx::cluster_arrive();\n  ptx::cluster_wait();\n  add_staged", "  ptx::cluster_arrive();\n  add_staged"),
    Mistake("sums_are_staged_over_places", "conv_window_test", POINT_CLUSTER,
            "  ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();  // slices lie where sums will", ""),
    Mistake("a_block_adds_channels_of_the_first", "conv_pointwise_test", POINT_CLUSTER,
            "staged_quad<Tile>(staged, first + quad)", "staged_quad<Tile>(staged, quad)"),
    Mistake("windows_are_read_before_they_are_there", "conv_window_test", WINDOWS,
            "        ptx::mbarrier_wait(ring.full_input(input.stage), input.parity);", ""),
    Mistake("windows_are_copied_while_they_are_read", "conv_window_test", WINDOW_TILES,
            "    ptx::mbarrier_wait(ring.empty_input(at.stage), at.parity ^ 1);", ""),
    Mistake("windows_are_said_to_be_there_too_early", "conv_window_test", WINDOW_TILES,
            "ptx::cp_async_arrive(ring.full_input(at.stage))", "ptx::mbarrier_arrive(ring.full_input(at.stage))"),
    Mistake("weights_of_a_row_are_not_waited_for", "conv_window_test", WINDOWS,
            "    ptx::mbarrier_wait(ring.full_weights(weights.stage), weights.parity);", ""),
    Mistake("weights_of_a_row_are_written_over", "conv_window_test", WINDOW_TILES,
            "    ptx::mbarrier_wait(ring.empty_weights(at.stage), at.parity ^ 1);", ""),
    Mistake("weights_of_a_row_miss_bytes", "conv_window_test", WINDOW_TILES,
            "mbarrier_arrive_expecting(ring.full_weights(at.stage), kBytes)",
            "mbarrier_arrive_expecting(ring.full_weights(at.stage), kBytes / 2)"),
    Mistake("windows_change_while_they_are_multiplied", "conv_window_test", WINDOWS, "ptx::wgmma_wait<1>();",
            "ptx::wgmma_wait<2>();"),
    Mistake("windows_are_multiplied_without_a_fence", "conv_window_test", WINDOWS, "  ptx::wgmma_fence();", ""),
    Mistake("sums_of_windows_are_read_before_the_wait", "conv_window_test", WINDOWS, "  ptx::wgmma_wait<0>();", ""),
    Mistake("padding_is_mapped", "conv_mapped_test", INPUT_MAP, "is_channel && is_there(0) ? mapped.x : 0", "mapped.x"),
    Mistake("padding_of_rows_is_mapped", "conv_mapped_test", DEPTHWISE_ROWS,
            "is_there ? map(channel, to_float(plane.elements[row_start + kx * Window::dilation_x])) : 0.0f",
            "map(channel, is_there ? to_float(plane.elements[row_start + kx * Window::dilation_x]) : 0.0f)"),
    Mistake("later_slices_are_mapped_as_the_first", "conv_mapped_test", POINT, "    mapped.first += kSlice;", ""),
    Mistake("later_slices_of_windows_are_mapped_as_the_first", "conv_mapped_test", WINDOWS,
            "      mapped.channel += kSlice;", ""),
    Mistake("blocks_of_a_cluster_map_the_first_slices", "conv_mapped_test", POINT_CLUSTER,
            "range.first * kSlice + lane % 4", "lane % 4"),
    Mistake("rows_below_are_mapped_as_the_first", "conv_mapped_test", WINDOWS,
            "const int row = y + tap_row * Window::dilation_y;", "const int row = y;"),
    Mistake("sums_are_computed_again_of_what_is_stored", "conv_mapped_test", POINT,
            "finish.map(finish.first_input + k, column[static_cast<int64_t>(k) * steps.pixels])",
            "column[static_cast<int64_t>(k) * steps.pixels]"),
    Mistake("keys_are_released_too_early", "attention_wgmma_test", FLASH_GROUPS,
            "  ptx::wgmma_wait<0>();\n  rows.pin_scores();\n  ring.release(walk.at.stage);",
            "  ring.release(walk.at.stage);\n  ptx::wgmma_wait<0>();\n  rows.pin_scores();"),
    Mistake("mixtures_are_read_before_the_wait", "attention_wgmma_test", FLASH_GROUPS, "    ptx::wgmma_wait<1>();", ""),
    Mistake("lanes_are_late_for_a_tile_that_passes", "attention_wgmma_test", FLASH_GROUPS,
            "    __syncwarp();  // before the stage is filled again, all lanes have seen it full", ""),
    Mistake("keys_miss_bytes", "attention_wgmma_test", FLASH_GROUPS,
            "mbarrier_arrive_expecting(ring.full + at.stage, Tile::Keys::bytes)",
            "mbarrier_arrive_expecting(ring.full + at.stage, Tile::Keys::bytes / 2)"),
    Mistake("values_of_barred_tiles_do_not_count", "attention_wgmma_test", FLASH_GROUPS,
            " && value_unscale == value_unscale", ""),
    Mistake("keys_lie_unswizzled", "attention_wgmma_test", KEY_PLANES, "(at ^ swizzle) * 16", "at * 16"),
    Mistake("keys_too_small_for_parts", "attention_wgmma_test", KEY_PLANES, "count.small * kMaySuffer > count.nonzero",
            "false"),
    Mistake("a_chunk_is_split_over_one_that_is_read", "gemm_chunks_test", CHUNKS,
            "        ring.wait_until_empty(place);\n        at_stage", "        at_stage"),
    Mistake("a_chunk_is_multiplied_before_it_is_there", "gemm_chunks_test", CHUNKS,
            "    ring.wait_until_full(place);", ""),
    Mistake("a_chunk_is_said_to_be_there_by_a_lane_that_is_early", "gemm_chunks_test", CHUNKS,
            "        ptx::wgmma_publish_operands();\n        __syncwarp();", ""),
    Mistake("floats_are_split_before_they_are_there", "gemm_chunks_test", CHUNK_ROWS,
            "      ptx::cp_async_wait<kAhead - 1>();", "      ptx::cp_async_wait<kAhead>();"),
    Mistake("lanes_are_late_for_their_scales", "gemm_chunks_test", CHUNKS,
            "    __syncwarp();  // all lanes have read their scales", ""),
    Mistake("rows_of_a_cluster_are_added_too_early", "gemm_chunks_test", CHUNKS,
            "    ptx::cluster_arrive();\n    ptx::cluster_wait();\n    const int first",
            "    ptx::cluster_arrive();\n    const int first"),
    Mistake("chunks_too_small_for_parts", "gemm_chunks_test", CHUNKS, "  if (rows.has_lost()) {", "  if (false) {"),
)


def call(command: list[object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          check=False)


def cuda_include(build: pathlib.Path) -> str:
    found = re.search(r"^STITCH_EMULATOR_CUDA_INCLUDE:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    assert found, f"{build} was configured without CUDA's headers"
    return found.group(1)


def plant(mistake: Mistake, runtime: pathlib.Path) -> None:
    path = runtime / mistake.file
    text = path.read_text()
    assert text.count(mistake.line) == 1, f"{mistake.file} has the line to replace {text.count(mistake.line)} times"
    path.write_text(text.replace(mistake.line, mistake.instead))


def compile_test(test: str, runtime: pathlib.Path, build: pathlib.Path) -> pathlib.Path:
    rewritten, program = runtime.parent / "test.cc", runtime.parent / "test"
    source = runtime / "tests" / f"{test}.cu"
    done = call([build / "stitchcuda-rewrite", source, "-I", runtime, "-o", rewritten])
    assert done.returncode == 0, f"the rewriter refuses it:\n{(done.stdout + done.stderr)[-1500:]}"
    folders = [runtime, runtime / "include", runtime / "tests", ROOT / "emulator" / "include"]
    included = [word for each in folders for word in ("-I", each)] + ["-isystem", cuda_include(build)]
    archive = ["-Wl,--whole-archive", build / "libstitch_emulator.a", "-Wl,--no-whole-archive"]
    done = call(["g++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", *included, "-include", "stitch_emulator.h",
                 rewritten, *archive, "-o", program])
    assert done.returncode == 0, f"it does not compile:\n{(done.stdout + done.stderr)[-1500:]}"
    return program


def failing_orders(program: pathlib.Path) -> list[str]:
    return [seed or "in order" for seed in SEEDS if call([program, *([seed] if seed else [])]).returncode != 0]


@pytest.fixture
def runtime(tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy that may be changed."""
    return shutil.copytree(ROOT / "runtime", tmp_path / "runtime")


@pytest.mark.parametrize("test", sorted({mistake.test for mistake in MISTAKES}))
def test_unchanged(test: str, runtime: pathlib.Path, build: pathlib.Path) -> None:
    assert failing_orders(compile_test(test, runtime, build)) == []


@pytest.mark.parametrize("mistake", [pytest.param(mistake, id=mistake.name) for mistake in MISTAKES])
def test_mistake(mistake: Mistake, runtime: pathlib.Path, build: pathlib.Path) -> None:
    plant(mistake, runtime)
    assert failing_orders(compile_test(mistake.test, runtime, build)), "no order of the kernels' own test finds it"
