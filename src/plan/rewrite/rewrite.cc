// SPDX-License-Identifier: Apache-2.0
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<ir::Graph> rewrite(const ir::Graph& graph) { return rewrite_for("", graph); }

Result<ir::Graph> rewrite_for(const std::string& architecture, const ir::Graph& graph) {
  STITCH_ASSIGN(ir::Graph result, remove_dead_code(graph));
  STITCH_ASSIGN(result, join_time_steps(result));
  // Before identities, so that they see the pieces.
  STITCH_ASSIGN(result, decompose_batch_norm(result));
  STITCH_ASSIGN(result, narrow_to_reads(result));
  STITCH_ASSIGN(result, compose_attention(architecture, result));
  STITCH_ASSIGN(result, decompose_attention(result));
  // After attention, which may leave a softmax.
  STITCH_ASSIGN(result, decompose_double(result));
  STITCH_ASSIGN(result, decompose_double_windows(result));
  STITCH_ASSIGN(result, decompose_cross_entropy(result));
  STITCH_ASSIGN(result, pad_before_scans(result));
  STITCH_ASSIGN(result, scale_by_diagonals(result));
  STITCH_ASSIGN(result, look_up_one_hots(result));
  // Before products have several batch axes, and before the order of their operands is chosen.
  STITCH_ASSIGN(result, scale_weights(result));
  STITCH_ASSIGN(result, unmerge_batches(result));
  STITCH_ASSIGN(result, decompose_small_products(result));
  STITCH_ASSIGN(result, simplify_identities(result));
  // After identities, which make means of pools; they ask whether something else reads a value.
  STITCH_ASSIGN(result, remove_dead_code(result));
  STITCH_ASSIGN(result, order_products(result));
  STITCH_ASSIGN(result, move_permutes(result));
  STITCH_ASSIGN(result, follow_operands(result));
  STITCH_ASSIGN(result, turn_products(result));
  STITCH_ASSIGN(result, reduce_norms(result));
  STITCH_ASSIGN(result, reduce_products(result));
  STITCH_ASSIGN(result, pool_products(result));
  STITCH_ASSIGN(result, compose_pools(result));
  // After identities: x * 1 + y and x + y are the same node only then.
  STITCH_ASSIGN(result, share_common_nodes(result));
  // After common nodes: two products that are the same are no two ranges.
  STITCH_ASSIGN(result, merge_products(result));
  STITCH_ASSIGN(result, spread_cats(result));
  STITCH_ASSIGN(result, chain_cats(result));
  STITCH_ASSIGN(result, remove_dead_code(result));
  // Last: it adds reshapes that change nothing, which identities would take away again.
  return separate_outputs(result);
}

}  // namespace stitch::plan
