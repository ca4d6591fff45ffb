// SPDX-License-Identifier: Apache-2.0
// batch_norm(x [n, c, ...], weight or none, bias or none, running_mean, running_var), per channel.
//   training = false: normalised by the running statistics -> (y)
//   training = true:  normalised by the batch's -> (y, mean, 1 / sqrt(var + eps), new running mean, new running var);
//                     the running variance takes the unbiased one. Without running statistics: the first three.
#include <fmt/format.h>

#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_TRY(require(x->shape.size() >= 2, "needs an input with a batch and a channel axis"));
  const int64_t channels = x->shape[1];
  // PyTorch keeps parameters and statistics in float32 beside 16-bit inputs.
  const DataType statistics = x->dtype == DataType::kFloat64 ? DataType::kFloat64 : DataType::kFloat32;
  for (size_t i = 1; i <= 4; ++i) {
    STITCH_TRY(require_vector(graph, node, i, statistics, channels));
  }
  const bool tracks = is_tensor(node.operands[3]);
  STITCH_TRY(require(tracks == is_tensor(node.operands[4]), "has only one of running mean and running variance"));
  const bool training = bool_attribute(node, "training");
  STITCH_TRY(require(training || tracks, "has no statistics to normalise by"));
  STITCH_TRY(require(!training || x->element_count() > channels, "needs more than one value per channel to train"));
  const size_t outputs = training ? (tracks ? 5 : 3) : 1;
  std::vector<TensorType> types(outputs, TensorType{statistics, {channels}});
  types[0] = *x;
  return types;
}

struct Moments {
  std::vector<double> mean, variance;  // per channel; the variance is the biased one
};

Moments batch_moments(const ReferenceTensor& x, const AxisSplit& split) {
  const auto channels = static_cast<size_t>(split.extent);
  const double count = static_cast<double>(split.outer * split.inner);
  Moments moments{std::vector<double>(channels, 0.0), std::vector<double>(channels, 0.0)};
  const auto channel_of = [&](size_t i) { return i / static_cast<size_t>(split.inner) % channels; };
  for (size_t i = 0; i < x.data.size(); ++i) {
    moments.mean[channel_of(i)] += x.data[i] / count;
  }
  for (size_t i = 0; i < x.data.size(); ++i) {
    const double distance = x.data[i] - moments.mean[channel_of(i)];
    moments.variance[channel_of(i)] += distance * distance / count;
  }
  return moments;
}

void add_statistics(const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands,
                    const Moments& moments, double count, std::vector<ReferenceTensor>& results) {
  const double eps = double_attribute(node, "eps");
  const double momentum = double_attribute(node, "momentum");
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    results.push_back(make_reference(output_type(graph, node, i)));
  }
  for (size_t c = 0; c < moments.mean.size(); ++c) {
    results[1].data[c] = moments.mean[c];
    results[2].data[c] = 1.0 / std::sqrt(moments.variance[c] + eps);
    if (operands[3] != nullptr) {
      const double unbiased = moments.variance[c] * count / (count - 1.0);
      results[3].data[c] = (1.0 - momentum) * operands[3]->data[c] + momentum * moments.mean[c];
      results[4].data[c] = (1.0 - momentum) * operands[4]->data[c] + momentum * unbiased;
    }
  }
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const AxisSplit split = split_at(x.type.shape, 1);
  const bool training = bool_attribute(node, "training");
  const Moments moments = training ? batch_moments(x, split) : Moments{operands[3]->data, operands[4]->data};
  ReferenceTensor y = make_reference(output_type(graph, node));
  for (size_t i = 0; i < x.data.size(); ++i) {
    const size_t c = i / static_cast<size_t>(split.inner) % static_cast<size_t>(split.extent);
    const double weight = operands[1] == nullptr ? 1.0 : operands[1]->data[c];
    const double bias = operands[2] == nullptr ? 0.0 : operands[2]->data[c];
    const double deviation = std::sqrt(moments.variance[c] + double_attribute(node, "eps"));
    y.data[i] = (x.data[i] - moments.mean[c]) / deviation * weight + bias;
  }
  std::vector<ReferenceTensor> results = {std::move(y)};
  if (training) {
    add_statistics(graph, node, operands, moments, static_cast<double>(split.outer * split.inner), results);
  }
  return results;
}

}  // namespace

OpDef batch_norm_def() {
  return {.attributes = {{"training", AttributeKind::kBool},
                         {"momentum", AttributeKind::kDouble},
                         {"eps", AttributeKind::kDouble}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
