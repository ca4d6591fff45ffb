// SPDX-License-Identifier: Apache-2.0
// softmax(scale * q k^T + mask) v over the last two axes: q [..., l, e], k [..., s, e], v [..., s, ev].
// The mask is bool (true: may look) or added; is_causal lets row i look at columns 0..i. With enable_gqa the heads of k
// and v (third axis from the end) are each shared by a group of q's. A row that may look at nothing is zero.
//
// softmax_attention is the same as programs write it out, softmax(where(filled, fill, scale * q k^T + bias)) v: a row
// all of whose scores are minus infinity is no number, as its softmax is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

int64_t extent_from_end(const TensorType& type, size_t from_end) { return type.shape[type.shape.size() - from_end]; }

Result<void> check_heads(const TensorType& q, const TensorType& other, bool grouped, const char* name) {
  for (size_t axis = 0; axis + 2 < q.shape.size(); ++axis) {
    const bool is_head_axis = axis + 3 == q.shape.size();
    const bool fits = q.shape[axis] == other.shape[axis] ||
                      (grouped && is_head_axis && other.shape[axis] > 0 && q.shape[axis] % other.shape[axis] == 0);
    STITCH_TRY(require(
        fits, fmt::format("axis {} of {} is {} where the query has {}", axis, name, other.shape[axis], q.shape[axis])));
  }
  return {};
}

std::vector<int64_t> scores_shape(const TensorType& q, const TensorType& k) {
  std::vector<int64_t> scores = q.shape;
  scores.back() = extent_from_end(k, 2);
  return scores;
}

Result<void> check_spread(const TensorType& over, const std::vector<int64_t>& scores, const char* name) {
  STITCH_ASSIGN(const auto broadcast, broadcast_shape(scores, over.shape));
  return require(broadcast == scores,
                 fmt::format("the {} {} is larger than the scores {}", name, to_string(over.shape), to_string(scores)));
}

Result<void> check_mask(const Graph& graph, const Node& node, const TensorType& q, const TensorType& k) {
  STITCH_ASSIGN(const TensorType* mask, optional_tensor_type(graph, node, 3));
  if (mask == nullptr) {
    return {};
  }
  STITCH_TRY(require(!bool_attribute(node, "is_causal"), "has both a mask and is_causal"));
  STITCH_TRY(require(
      mask->dtype == DataType::kBool || mask->dtype == q.dtype,
      fmt::format("the mask is {}, neither bool nor {}", stitch::to_string(mask->dtype), stitch::to_string(q.dtype))));
  return check_spread(*mask, scores_shape(q, k), "mask");
}

// What query, key and value give; `grouped`: the last two may have fewer heads.
Types infer_mixture(const Graph& graph, const Node& node, bool grouped) {
  STITCH_ASSIGN(const TensorType* q, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(q->dtype));
  STITCH_ASSIGN(const TensorType* k, tensor_type(graph, node, 1, q->dtype));
  STITCH_ASSIGN(const TensorType* v, tensor_type(graph, node, 2, q->dtype));
  const size_t rank = q->shape.size();
  STITCH_TRY(require(rank >= 2 && k->shape.size() == rank && v->shape.size() == rank,
                     "query, key and value need the same number of axes, at least two"));
  STITCH_TRY(check_heads(*q, *k, grouped, "the key"));
  STITCH_TRY(check_heads(*q, *v, grouped, "the value"));
  STITCH_TRY(require(q->shape.back() == k->shape.back(),
                     fmt::format("query and key have {} and {} features", q->shape.back(), k->shape.back())));
  STITCH_TRY(require(extent_from_end(*k, 2) == extent_from_end(*v, 2), "key and value differ in length"));
  TensorType result = *q;
  result.shape.back() = v->shape.back();
  return std::vector<TensorType>{result};
}

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(auto result, infer_mixture(graph, node, bool_attribute(node, "enable_gqa")));
  STITCH_ASSIGN(const TensorType* q, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* k, tensor_type(graph, node, 1));
  STITCH_TRY(check_mask(graph, node, *q, *k));
  return result;
}

Types infer_written_out(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(auto result, infer_mixture(graph, node, false));
  STITCH_ASSIGN(const TensorType* q, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* k, tensor_type(graph, node, 1));
  STITCH_ASSIGN(const TensorType* bias, optional_tensor_type(graph, node, 3));
  STITCH_ASSIGN(const TensorType* filled, optional_tensor_type(graph, node, 4));
  if (bias != nullptr) {
    STITCH_TRY(require(bias->dtype == q->dtype, fmt::format("the bias is {}, not {}", stitch::to_string(bias->dtype),
                                                            stitch::to_string(q->dtype))));
    STITCH_TRY(check_spread(*bias, scores_shape(*q, *k), "bias"));
  }
  if (filled != nullptr) {
    STITCH_TRY(require(filled->dtype == DataType::kBool,
                       fmt::format("what is filled is {}, not bool", stitch::to_string(filled->dtype))));
    STITCH_TRY(check_spread(*filled, scores_shape(*q, *k), "mask"));
  }
  return result;
}

// The first element of the [rows, columns] matrix of `tensor` that serves batch position `batch` of the query.
int64_t matrix_begin(const ReferenceTensor& tensor, Position batch, const TensorType& q) {
  std::vector<int64_t> shape(tensor.type.shape.begin(), tensor.type.shape.end() - 2);
  if (!shape.empty() && shape.back() > 0) {
    batch.back() /= extent_from_end(q, 3) / shape.back();
  }
  return index_of(batch, shape) * extent_from_end(tensor.type, 2) * tensor.type.shape.back();
}

double element_at(const ReferenceTensor& tensor, const Position& at) {
  return tensor.data[static_cast<size_t>(broadcast_index(at, tensor.type.shape))];
}

// The score at a position of the scores, of a product that has been scaled.
using ScoreRule = std::function<double(double score, const Position& at)>;

constexpr double kBarred = -std::numeric_limits<double>::infinity();

// softmax in place; a row of nothing but -inf becomes `without_columns`.
void normalize(std::vector<double>& scores, double without_columns) {
  double largest = kBarred;
  for (const double score : scores) {
    largest = std::isnan(score) || score > largest ? score : largest;
  }
  if (largest == kBarred) {
    std::fill(scores.begin(), scores.end(), without_columns);
    return;
  }
  double sum = 0.0;
  for (double& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  for (double& score : scores) {
    score /= sum;
  }
}

std::vector<ReferenceTensor> mix(const Graph& graph, const Node& node,
                                 const std::vector<const ReferenceTensor*>& operands, const ScoreRule& score_of,
                                 double without_columns) {
  const ReferenceTensor& q = *operands[0];
  const ReferenceTensor& k = *operands[1];
  const ReferenceTensor& v = *operands[2];
  const auto features = static_cast<size_t>(q.type.shape.back());
  const auto value_features = static_cast<size_t>(v.type.shape.back());
  const double scale = double_attribute(node, "scale");
  ReferenceTensor result = make_reference(output_type(graph, node));
  std::vector<double> scores(static_cast<size_t>(extent_from_end(k.type, 2)));
  const std::vector<int64_t> row_shape(q.type.shape.begin(), q.type.shape.end() - 1);
  const auto rows = static_cast<size_t>(TensorType{q.type.dtype, row_shape}.element_count());
  for (size_t row = 0; row < rows; ++row) {
    Position at = position_of(static_cast<int64_t>(row), row_shape);
    at.push_back(0);
    const Position batch(at.begin(), at.end() - 2);
    const auto key_begin = static_cast<size_t>(matrix_begin(k, batch, q.type));
    const auto value_begin = static_cast<size_t>(matrix_begin(v, batch, q.type));
    for (size_t column = 0; column < scores.size(); ++column) {
      double product = 0.0;
      for (size_t i = 0; i < features; ++i) {
        product += q.data[row * features + i] * k.data[key_begin + column * features + i];
      }
      at.back() = static_cast<int64_t>(column);
      scores[column] = score_of(scale * product, at);
    }
    normalize(scores, without_columns);
    for (size_t i = 0; i < value_features; ++i) {
      for (size_t column = 0; column < scores.size(); ++column) {
        result.data[row * value_features + i] += scores[column] * v.data[value_begin + column * value_features + i];
      }
    }
  }
  return {result};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor* mask = operands[3];
  const bool is_causal = bool_attribute(node, "is_causal");
  const auto score_of = [&](double score, const Position& at) {
    if (is_causal && at.back() > at[at.size() - 2]) {
      return kBarred;
    }
    if (mask == nullptr) {
      return score;
    }
    const double element = element_at(*mask, at);
    return mask->type.dtype != DataType::kBool ? score + element : (element != 0.0 ? score : kBarred);
  };
  return mix(graph, node, operands, score_of, 0.0);
}

std::vector<ReferenceTensor> reference_written_out(const Graph& graph, const Node& node,
                                                   const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor* bias = operands[3];
  const ReferenceTensor* filled = operands[4];
  const double fill = double_attribute(node, "fill");
  const auto score_of = [&](double score, const Position& at) {
    if (filled != nullptr && element_at(*filled, at) != 0.0) {
      return fill;
    }
    return bias == nullptr ? score : score + element_at(*bias, at);
  };
  return mix(graph, node, operands, score_of, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

OpDef scaled_dot_product_attention_def() {
  return {.attributes = {{"is_causal", AttributeKind::kBool},
                         {"scale", AttributeKind::kDouble},
                         {"enable_gqa", AttributeKind::kBool}},
          .infer = infer,
          .reference = reference};
}

OpDef softmax_attention_def() {
  return {.attributes = {{"scale", AttributeKind::kDouble}, {"fill", AttributeKind::kDouble}},
          .infer = infer_written_out,
          .reference = reference_written_out};
}

}  // namespace stitch::ir
