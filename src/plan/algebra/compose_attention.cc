// SPDX-License-Identifier: Apache-2.0
// A row all of whose scores are minus infinity stays no number, be it barred or too large: what is made here is
// softmax_attention. Bias and masks are read by the fused step for each score, so that what a barred key's value is, if
// it is infinite or no number, still reaches the row.
#include <algorithm>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/attention/limits.h"
#include "plan/algebra/attention_written_out.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;
using Shape = std::vector<int64_t>;

// Features of a query's head and of a value's. The fused skeleton multiplies at half the rate of products, but writes
// no scores: with more features than this products around a softmax are faster (bench/results/kernels-h200.md).
constexpr int64_t kMaxFeatures = 96;
// A tile of the fused skeleton has 64 keys: with fewer than a quarter of that, products of the few there are cost less.
constexpr int64_t kMinKeys = 16;
// Products gain on the fused skeleton with the number of keys, as their tiles fill: with 64 features both are about
// level at 512 keys (16 x 16 heads, bench/results/kernels-h200.md). With few features it always leads.
constexpr int64_t kFewFeatures = 32;
constexpr int64_t kMaxKeys = 256;
// By warpgroups attention reaches half the rate of products in fp16 parts, which write and read the scores four times
// besides. A block has 64 queries at least, and a tile of theirs as many keys.
constexpr int64_t kFullTile = 64;

Shape with_heads(Shape heads, const Shape& matrix) {
  heads.insert(heads.end(), matrix.end() - 2, matrix.end());
  return heads;
}

class Composition {
 public:
  Composition(const ir::Graph& from, GraphCopy& copy, const ir::Node& mixture, const WrittenOut& found, bool has_groups)
      : from_(from),
        copy_(copy),
        chain_(copy, from.value(mixture.outputs[0]).name, mixture.location),
        mixture_(mixture),
        found_(found),
        has_groups_(has_groups),
        heads_(found.heads.value_or(heads_of(shape(found.query)))) {}

  // Heads beside each other, none shared and none repeated, as the fused skeleton takes them.
  bool is_taken() const {
    constexpr size_t kMaxAxes = 4;
    const DataType dtype = from_.type(found_.query).dtype;
    return heads_.size() + 2 <= kMaxAxes && is_floating_point(dtype) && dtype != DataType::kFloat64 && pays();
  }

  Result<void> run() {
    const ValueId query = seen(found_.query, "_query");
    const ValueId split_keys = seen(found_.keys, "_split_keys");
    Shape swapped(heads_.size() + 2);
    std::iota(swapped.begin(), swapped.end(), int64_t{0});
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    const ValueId keys = chain_.add(Op::kPermute, {split_keys}, "_keys", {{"dims", swapped}});
    const ValueId value = seen(found_.value, "_value");
    const Operand bias = added();
    const Operand mask = filled();
    const Shape& wanted = shape(mixture_.outputs[0]);
    const bool has_own_heads = heads_ == heads_of(wanted);
    ValueId made = chain_.add(Op::kSoftmaxAttention, {query, keys, value, bias, mask}, has_own_heads ? "" : "_by_head",
                              {{"scale", found_.scale}, {"fill", found_.fill}});
    if (!has_own_heads) {
      made = chain_.add(Op::kReshape, {made}, "", {{"shape", wanted}});
    }
    copy_.replace(mixture_.outputs[0], made);
    return chain_.result();
  }

 private:
  bool pays() const {
    const int64_t features = shape(found_.query).back() + shape(found_.value).back();
    const int64_t keys = shape(found_.keys).back();
    if (has_groups_ && are_full_tiles()) {
      return true;
    }
    return keys >= kMinKeys && features <= kMaxFeatures && (features <= kFewFeatures || keys <= kMaxKeys);
  }

  bool are_full_tiles() const {
    const Shape& query = shape(found_.query);
    return from_.type(found_.query).dtype == DataType::kFloat32 && query[query.size() - 2] >= kFullTile &&
           shape(found_.keys).back() >= kFullTile &&
           std::max(query.back(), shape(found_.value).back()) <= kernels::kMaxHeadDimension;
  }

  static Shape heads_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }
  const Shape& shape(ValueId value) const { return from_.type(value).shape; }

  // An operand of a product, with the axes that bias and masks are laid over.
  ValueId seen(ValueId operand, const char* suffix) {
    const ValueId mapped = copy_.mapped(operand);
    return heads_ == heads_of(shape(operand))
               ? mapped
               : chain_.add(Op::kReshape, {mapped}, suffix, {{"shape", with_heads(heads_, shape(operand))}});
  }

  // All biases as one: the fused step adds them up while it reads them.
  Operand added() {
    std::optional<ValueId> all;
    for (size_t i = 0; i < found_.additions.size(); ++i) {
      const Addition& addition = found_.additions[i];
      const std::string number = found_.additions.size() == 1 ? "" : "_" + std::to_string(i);
      ValueId bias = copy_.mapped(addition.bias);
      if (addition.scale != 1.0) {
        bias = chain_.add(Op::kMul, {bias, ir::Scalar{addition.scale}}, "_bias" + number);
      }
      all = all.has_value() ? chain_.add(Op::kAdd, {*all, bias}, "_biases" + number) : bias;
    }
    return all.has_value() ? Operand{*all} : Operand{ir::Absent{}};
  }

  Operand filled() {
    std::optional<ValueId> all;
    for (size_t i = 0; i < found_.fillings.size(); ++i) {
      const std::string number = found_.fillings.size() == 1 ? "" : "_" + std::to_string(i);
      ValueId mask = copy_.mapped(found_.fillings[i].mask);
      if (!found_.fillings[i].is_where_set) {
        mask = chain_.add(Op::kLogicalNot, {mask}, "_barred" + number);
      }
      all = all.has_value() ? chain_.add(Op::kLogicalOr, {*all, mask}, "_any_barred" + number) : mask;
    }
    return all.has_value() ? Operand{*all} : Operand{ir::Absent{}};
  }

  const ir::Graph& from_;
  GraphCopy& copy_;
  NodeChain chain_;
  const ir::Node& mixture_;
  const WrittenOut& found_;
  bool has_groups_;
  Shape heads_;
};

}  // namespace

Result<ir::Graph> compose_attention(const std::string& architecture, const ir::Graph& graph) {
  const bool has_groups = kernels::has_group_attention(architecture);
  const AttentionFinder finder(graph);
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const auto found = finder.find(node);
    const bool is_taken = found.has_value() && Composition(graph, copy, node, *found, has_groups).is_taken();
    STITCH_TRY(is_taken ? Composition(graph, copy, node, *found, has_groups).run() : copy.keep(node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
