// SPDX-License-Identifier: Apache-2.0
// Embedding and losses. Cross entropy becomes log_softmax and nll_loss, plus the smoothing of labels where asked for.
#include <numeric>

#include "frontend/aten/converters.h"
#include "frontend/aten/reduction_argument.h"

namespace stitch::frontend {
namespace {

Attributes over_all_axes(const std::vector<int64_t>& shape) {
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return {{"dim", axes}, {"keepdim", false}};
}

struct CrossEntropy {
  ValueId log_probabilities;
  ValueId target;
  int64_t class_axis = 0;
  std::string reduction;
};

// The target is a probability of each class: minus the sum of target * log probability over classes.
Converted with_probabilities(Call& call, const CrossEntropy& loss) {
  STITCH_ASSIGN(const ValueId products, call.emit(Op::kMul, {loss.target, loss.log_probabilities}));
  const Attributes over_classes = {{"dim", std::vector<int64_t>{loss.class_axis}}, {"keepdim", false}};
  STITCH_ASSIGN(const ValueId sums, call.emit(Op::kSum, {products}, over_classes));
  STITCH_ASSIGN(const ValueId losses, call.emit(Op::kNeg, {sums}));
  return reduced(call, losses, loss.reduction);
}

// (1 - smoothing) * loss + smoothing / classes * (minus the sum of all log probabilities), where the target counts.
Converted with_smoothing(Call& call, const CrossEntropy& loss, int64_t ignore_index, double smoothing) {
  const double classes = static_cast<double>(call.shape(loss.log_probabilities)[static_cast<size_t>(loss.class_axis)]);
  STITCH_ASSIGN(const ValueId chosen, call.emit(Op::kNllLoss, {loss.log_probabilities, loss.target, Absent{}},
                                                {{"reduction", std::string("none")}, {"ignore_index", ignore_index}}));
  const Attributes over_classes = {{"dim", std::vector<int64_t>{loss.class_axis}}, {"keepdim", false}};
  STITCH_ASSIGN(const ValueId sums, call.emit(Op::kSum, {loss.log_probabilities}, over_classes));
  STITCH_ASSIGN(const ValueId counts, call.emit(Op::kNe, {loss.target, Scalar(ignore_index)}));
  STITCH_ASSIGN(const ValueId spread, call.emit(Op::kWhere, {counts, sums, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId chosen_part, call.emit(Op::kMul, {chosen, Scalar(1.0 - smoothing)}));
  STITCH_ASSIGN(const ValueId spread_part, call.emit(Op::kMul, {spread, Scalar(-smoothing / classes)}));
  STITCH_ASSIGN(const ValueId losses, call.emit(Op::kAdd, {chosen_part, spread_part}));
  if (loss.reduction != "mean") {
    return reduced(call, losses, loss.reduction);
  }
  const Attributes everything = over_all_axes(call.shape(losses));
  STITCH_ASSIGN(const ValueId total, call.emit(Op::kSum, {losses}, everything));
  STITCH_ASSIGN(const ValueId counted, call.cast(counts, call.type(losses).dtype));
  STITCH_ASSIGN(const ValueId count, call.emit(Op::kSum, {counted}, everything));
  return call.finish(Op::kDiv, {total, count});
}

}  // namespace

Converted convert_embedding(Call& call) {
  STITCH_ASSIGN(const ValueId weight, call.tensor(0, "weight"));
  STITCH_ASSIGN(const ValueId indices, call.tensor(1, "indices"));
  STITCH_ASSIGN(const int64_t padding_idx, call.integer(2, "padding_idx", -1));
  return call.finish(Op::kEmbedding, {weight, indices}, {{"padding_idx", padding_idx}});
}

// (log probabilities, target, weight, reduction, ignore_index)
Converted convert_nll_loss(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId target, call.tensor(1, "target"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(2, "weight"));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 3));
  STITCH_ASSIGN(const int64_t ignore_index, call.integer(4, "ignore_index", -100));
  STITCH_ASSIGN(std::vector<ValueId> results,
                call.finish(Op::kNllLoss, {x, target, weight}, {{"reduction", how}, {"ignore_index", ignore_index}}));
  results.resize(call.node().outputs.size(), kNotComputed);  // nll_loss_forward's total weight
  return results;
}

// (logits, target, weight, reduction, ignore_index, label_smoothing)
Converted convert_cross_entropy(Call& call) {
  STITCH_ASSIGN(const ValueId logits, call.tensor(0, "self"));
  CrossEntropy loss;
  STITCH_ASSIGN(loss.target, call.tensor(1, "target"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(2, "weight"));
  STITCH_ASSIGN(loss.reduction, reduction_argument(call, 3));
  STITCH_ASSIGN(const int64_t ignore_index, call.integer(4, "ignore_index", -100));
  STITCH_ASSIGN(const double smoothing, call.number(5, "label_smoothing", 0.0));
  const bool probabilities = is_floating_point(call.type(loss.target).dtype);
  const bool is_plain = !probabilities && smoothing == 0.0;
  if (!is_plain && (ir::is_tensor(weight) || (probabilities && smoothing != 0.0))) {
    return call.unsupported("class weights or label smoothing are supported alone, with class indices");
  }
  loss.class_axis = call.shape(logits).size() == 1 ? 0 : 1;
  STITCH_ASSIGN(loss.log_probabilities, call.emit(Op::kLogSoftmax, {logits}, {{"dim", loss.class_axis}}));
  if (is_plain) {
    return call.finish(Op::kNllLoss, {loss.log_probabilities, loss.target, weight},
                       {{"reduction", loss.reduction}, {"ignore_index", ignore_index}});
  }
  return probabilities ? with_probabilities(call, loss) : with_smoothing(call, loss, ignore_index, smoothing);
}

}  // namespace stitch::frontend
