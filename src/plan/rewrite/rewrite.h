// SPDX-License-Identifier: Apache-2.0
// Graph to graph. Each pass is a free function with a file of its own; a pass uses only what holds for every valid
// input, never data, never the default values of parameters.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::plan {

// Refuses what no plan can be made for: opaque operators (all of them are named) and tensors without elements.
Result<void> check_plannable(const ir::Graph& graph);

// All passes, in order, as they are right for every device.
Result<ir::Graph> rewrite(const ir::Graph& graph);
// The same for devices of this architecture.
Result<ir::Graph> rewrite_for(const std::string& architecture, const ir::Graph& graph);

// Nodes none of whose results reach an output go.
Result<ir::Graph> remove_dead_code(const ir::Graph& graph);
// Loops over time that repeat one cell, unrolled by tracing, become one recurrent layer over all their steps
// (recurrence/chain.h).
Result<ir::Graph> join_time_steps(const ir::Graph& graph);
// Nodes with the same operator, operands and attributes become one.
Result<ir::Graph> share_common_nodes(const ir::Graph& graph);
// Nodes that change nothing go (x * 1, reshape to the same shape, reductions over one element...), views of views
// become one, an adaptive pool to one element becomes a mean.
Result<ir::Graph> simplify_identities(const ir::Graph& graph);
// Batch norm becomes reductions and pointwise operators: what depends on parameters alone can then be prepared, the
// rest joins its neighbours.
Result<ir::Graph> decompose_batch_norm(const ir::Graph& graph);
// Values of which half or less is read along an axis are made no larger than that.
Result<ir::Graph> narrow_to_reads(const ir::Graph& graph);
// Two products around a softmax that nothing else reads, of few features and of neither few nor many keys, become
// attention, with what is added to the scores and what they are filled with: the scores are then never written. Where
// the architecture has attention by warpgroups, of more features and of many keys as well.
Result<ir::Graph> compose_attention(const std::string& architecture, const ir::Graph& graph);
// Attention that the fused skeleton cannot take becomes two matrix products around a softmax.
Result<ir::Graph> decompose_attention(const ir::Graph& graph);
// Softmax and layer norm of float64 become reductions and pointwise operators.
Result<ir::Graph> decompose_double(const ir::Graph& graph);
// Convolutions and pools of float64 become products and reductions over views of their windows.
Result<ir::Graph> decompose_double_windows(const ir::Graph& graph);
// A log-softmax that losses alone pick from becomes a reduction and a difference: it is then never written.
Result<ir::Graph> decompose_cross_entropy(const ir::Graph& graph);
// What is put before the elements of a scan becomes padding, which the scan reads for itself; a zero put before sums,
// or a one before products, as well.
Result<ir::Graph> pad_before_scans(const ir::Graph& graph);
// A product over one batch axis, into which several were merged, has them again where that spares a copy of an operand.
Result<ir::Graph> unmerge_batches(const ir::Graph& graph);
// Products of a few rows or columns and of little depth become sums of pointwise products, those with one column
// reductions.
Result<ir::Graph> decompose_small_products(const ir::Graph& graph);
// Pointwise work on permuted operands moves behind the permutation that its only reader sees it through, where operands
// and result then run along memory.
Result<ir::Graph> move_permutes(const ir::Graph& graph);
// Pointwise work on permuted operands that only products read is done in the order in which its operands lie; the
// products see it through the permutation, where they can read it so.
Result<ir::Graph> follow_operands(const ir::Graph& graph);
// A product that its only reader sees transposed, and reads along its rows then, becomes the product of the transposed
// operands.
Result<ir::Graph> turn_products(const ir::Graph& graph);
// Statistics of a large concatenation that is normalised alone become those of its parts, which a concatenation of them
// takes for its own; it is then read from its parts and never written.
Result<ir::Graph> spread_cats(const ir::Graph& graph);
// A concatenation that begins with all parts of another takes that one as its first part.
Result<ir::Graph> chain_cats(const ir::Graph& graph);
// Sums and means over what a product or convolution makes, which nothing else reads, become products with sums of its
// operands.
Result<ir::Graph> reduce_products(const ir::Graph& graph);
// Average pools of what a product or convolution makes, which nothing else reads, are taken of the image or the weight.
Result<ir::Graph> pool_products(const ir::Graph& graph);
// Means over parts of what is normalised in large rows, which nothing else reads, are made of statistics of the parts.
Result<ir::Graph> reduce_norms(const ir::Graph& graph);
// A product with a matrix that the program makes of a diagonal becomes a scaling of rows or columns.
Result<ir::Graph> scale_by_diagonals(const ir::Graph& graph);
// A prepared scale of an input, along the axis over which a product with a weight sums, goes into the weight.
Result<ir::Graph> scale_weights(const ir::Graph& graph);
// Products of rows with a single one in them with a weight become look-ups of its rows.
Result<ir::Graph> look_up_one_hots(const ir::Graph& graph);
// Products of one operand with two weights in a row are done in the order that takes fewer operations.
Result<ir::Graph> order_products(const ir::Graph& graph);
// Products of one operand with several weights become one product with the weights side by side, where what reads them
// can read ranges of it.
Result<ir::Graph> merge_products(const ir::Graph& graph);
// A max pool of another one becomes one over wider windows.
Result<ir::Graph> compose_pools(const ir::Graph& graph);
// Each output becomes a value of its own: not an input, and not another output.
Result<ir::Graph> separate_outputs(const ir::Graph& graph);

}  // namespace stitch::plan
