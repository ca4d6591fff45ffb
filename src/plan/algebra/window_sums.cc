// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/window_sums.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Shape = std::vector<int64_t>;

constexpr size_t kImageAxis = 2;      // the first, behind batch and channels
constexpr size_t kMostStretches = 8;  // of an axis: each is read on its own where it differs from the others

int64_t product_of(const Shape& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

// `count` places from `first` on, `step` apart; the value itself where these are all.
ValueId add_slice(NodeChain& chain, ValueId of, size_t axis, int64_t first, int64_t count, int64_t step,
                  const std::string& suffix) {
  if (of.index < 0 || chain.graph().type(of).shape[axis] == count) {
    return of;
  }
  return chain.add(
      Op::kSlice, {of}, suffix,
      {{"dim", static_cast<int64_t>(axis)}, {"start", first}, {"end", first + (count - 1) * step + 1}, {"step", step}});
}

ValueId add_sum(NodeChain& chain, ValueId of, const Shape& axes, const std::string& suffix) {
  if (of.index < 0) {
    return of;
  }
  const Shape& shape = chain.graph().type(of).shape;
  const bool is_one =
      std::all_of(axes.begin(), axes.end(), [&](int64_t axis) { return shape[static_cast<size_t>(axis)] == 1; });
  return is_one ? of : chain.add(Op::kSum, {of}, suffix, {{"dim", axes}, {"keepdim", true}});
}

ValueId add_cat(NodeChain& chain, const std::vector<ValueId>& parts, size_t axis, const std::string& suffix) {
  return parts.size() == 1 ? parts[0]
                           : chain.add(Op::kCat, std::vector<Operand>(parts.begin(), parts.end()), suffix,
                                       {{"dim", static_cast<int64_t>(axis)}});
}

ValueId add_reshape(NodeChain& chain, ValueId of, const Shape& shape, const std::string& suffix) {
  return of.index >= 0 && chain.graph().type(of).shape == shape
             ? of
             : chain.add(Op::kReshape, {of}, suffix, {{"shape", shape}});
}

// All but the first axis as one.
ValueId as_rows(ValueId of, NodeChain& chain, const std::string& suffix) {
  if (of.index < 0) {
    return of;
  }
  const int64_t rows = chain.graph().type(of).shape[0];
  return add_reshape(chain, of, {rows, chain.graph().type(of).element_count() / rows}, suffix);
}

Shape picked(const Shape& from, const std::vector<size_t>& axes) {
  Shape extents;
  for (const size_t axis : axes) {
    extents.push_back(from[axis]);
  }
  return extents;
}

}  // namespace

bool is_convolution(Op op) { return op == Op::kConv2d || op == Op::kConv3d; }
bool is_transposed_convolution(Op op) { return op == Op::kConvTranspose2d || op == Op::kConvTranspose3d; }

WindowSums::WindowSums(const ir::Graph& from, const ir::Node& convolution, Shape axes)
    : from_(from), node_(convolution), axes_(std::move(axes)), is_transposed_(is_transposed_convolution(node_.op)) {}

const Shape& WindowSums::image_shape() const { return from_.type(ir::tensor_operand(node_, 0)).shape; }
const Shape& WindowSums::out_shape() const { return from_.type(node_.outputs[0]).shape; }

bool WindowSums::is_summed(size_t axis) const {
  return std::find(axes_.begin(), axes_.end(), static_cast<int64_t>(axis)) != axes_.end();
}

std::vector<size_t> WindowSums::image_axes() const {
  std::vector<size_t> found(out_shape().size() - kImageAxis);
  std::iota(found.begin(), found.end(), kImageAxis);
  return found;
}

// All axes of the images, so that it becomes a matrix product: convolutions may round their operands (to TF32), and a
// rounded sum is as wrong as one rounded element, where the errors of all of them would have averaged out.
bool WindowSums::pays() const {
  const std::vector<size_t> axes = image_axes();
  const bool has_all = std::all_of(axes.begin(), axes.end(), [&](size_t axis) { return is_summed(axis); });
  if (ir::int_attribute(node_, "groups") != 1 || !has_all || axes_[0] < 1) {
    return false;
  }
  Shape stacked = image_shape();
  for (const size_t axis : image_axes()) {
    const size_t stretches = stretches_of(axis).size();
    if (stretches == 0 || stretches > kMostStretches) {
      return false;
    }
    stacked[axis] = static_cast<int64_t>(stretches);
  }
  return product_of(stacked) <= product_of(image_shape());
}

// Of a convolution, output o sees input o * stride + start by this tap; of a transposed one, input i is seen by output
// i * stride + start.
WindowSums::Stretch WindowSums::stretch_of_tap(size_t axis, int64_t tap) const {
  const size_t at = axis - kImageAxis;
  const int64_t step = ir::ints_attribute(node_, "stride")[at];
  const int64_t start = tap * ir::ints_attribute(node_, "dilation")[at] - ir::ints_attribute(node_, "padding")[at];
  const int64_t walked = is_transposed_ ? image_shape()[axis] : out_shape()[axis];
  const int64_t met = is_transposed_ ? out_shape()[axis] : image_shape()[axis];
  const int64_t first = start >= 0 ? 0 : (step - 1 - start) / step;
  const int64_t end = start >= met ? 0 : std::min(walked, (met - 1 - start) / step + 1);
  const int64_t count = std::max<int64_t>(end - first, 0);
  return is_transposed_ ? Stretch{tap, 1, first, count, 1} : Stretch{tap, 1, first * step + start, count, step};
}

std::vector<WindowSums::Stretch> WindowSums::stretches_of(size_t axis) const {
  std::vector<Stretch> stretches;
  for (int64_t tap = 0; tap < from_.type(ir::tensor_operand(node_, 1)).shape[axis]; ++tap) {
    const Stretch found = stretch_of_tap(axis, tap);
    const bool continues = !stretches.empty() && stretches.back().first_input == found.first_input &&
                           stretches.back().inputs == found.inputs &&
                           stretches.back().first_tap + stretches.back().taps == tap;
    if (continues) {
      ++stretches.back().taps;
    } else if (found.inputs > 0) {
      stretches.push_back(found);
    }
  }
  return stretches;
}

// Stretches overlap. What several have in common is summed once and added to what each has besides: nothing is ever
// subtracted, so that nothing cancels and what is infinite reaches exactly those that meet it.
ValueId WindowSums::stacked_stretches(ValueId image, size_t axis, NodeChain& chain) const {
  const std::vector<Stretch> stretches = stretches_of(axis);
  const int64_t step = stretches[0].step;
  std::map<int64_t, std::set<int64_t>> ends;  // of what is summed at once, counted in steps; by the place of step 0
  for (const Stretch& stretch : stretches) {
    ends[stretch.first_input % step].insert(stretch.first_input / step);
    ends[stretch.first_input % step].insert(stretch.first_input / step + stretch.inputs);
  }
  std::vector<ValueId> sums(stretches.size());
  for (const auto& [place, found] : ends) {
    for (auto begin = found.begin(), end = std::next(begin); end != found.end(); begin = end++) {
      ValueId sum;
      for (size_t i = 0; i < stretches.size(); ++i) {
        const int64_t first = stretches[i].first_input / step;
        if (stretches[i].first_input % step != place || *begin < first || *begin >= first + stretches[i].inputs) {
          continue;
        }
        if (sum.index < 0) {
          sum = add_slice(chain, image, axis, place + *begin * step, *end - *begin, step, "_inputs");
          sum = add_sum(chain, sum, {static_cast<int64_t>(axis)}, "_inputs_sum");
        }
        sums[i] = sums[i].index < 0 ? sum : chain.add(Op::kAdd, {sums[i], sum}, "_stretch");
      }
    }
  }
  return add_cat(chain, sums, axis, "_stretches");
}

// Axes along which all taps meet the same inputs are summed together.
ValueId WindowSums::summed_image(ValueId image, NodeChain& chain) const {
  Shape together;
  for (const size_t axis : image_axes()) {
    const std::vector<Stretch> stretches = stretches_of(axis);
    if (stretches.size() == 1) {
      image =
          add_slice(chain, image, axis, stretches[0].first_input, stretches[0].inputs, stretches[0].step, "_inputs");
      together.push_back(static_cast<int64_t>(axis));
    }
  }
  image = together.empty() ? image : add_sum(chain, image, together, "_image_sum");
  for (const size_t axis : image_axes()) {
    if (stretches_of(axis).size() > 1) {
      image = stacked_stretches(image, axis, chain);
    }
  }
  return image;
}

ValueId WindowSums::summed_weight(ValueId weight, NodeChain& chain) const {
  for (const size_t axis : image_axes()) {
    const std::vector<Stretch> stretches = stretches_of(axis);
    const int64_t taps = from_.type(ir::tensor_operand(node_, 1)).shape[axis];
    if (static_cast<int64_t>(stretches.size()) == taps) {
      continue;
    }
    std::vector<ValueId> sums;
    for (const Stretch& stretch : stretches) {
      const ValueId own = add_slice(chain, weight, axis, stretch.first_tap, stretch.taps, 1, "_taps");
      sums.push_back(add_sum(chain, own, {static_cast<int64_t>(axis)}, "_taps_sum"));
    }
    weight = add_cat(chain, sums, axis, "_weight");
  }
  const int64_t outputs_axis = is_transposed_ ? 1 : 0;
  return is_summed(1) ? add_sum(chain, weight, {outputs_axis}, "_weight_sum") : weight;
}

Operand WindowSums::summed_bias(const Operand& bias, NodeChain& chain, bool is_mean) const {
  if (!ir::is_tensor(bias)) {
    return ir::Absent{};
  }
  ValueId sum = std::get<ValueId>(bias);
  sum = is_summed(1) ? add_sum(chain, sum, {0}, "_bias_sum") : sum;
  double count = static_cast<double>(product_of(picked(out_shape(), image_axes())));
  if (is_mean) {
    count = is_summed(1) ? 1.0 / static_cast<double>(out_shape()[1]) : 1.0;
  }
  return count == 1.0 ? sum : chain.add(Op::kMul, {sum, Scalar{count}}, "_bias");
}

// [outputs, inputs and stretches]
ValueId WindowSums::arranged_weight(ValueId weight, NodeChain& chain) const {
  if (is_transposed_) {
    Shape order(out_shape().size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[0], order[1]);
    weight = chain.add(Op::kPermute, {weight}, "_weight_order", {{"dims", order}});
  }
  return as_rows(weight, chain, "_weight_shape");
}

ValueId WindowSums::add(const GraphCopy& copy, NodeChain& chain, bool is_mean) const {
  ValueId image = summed_image(copy.mapped(ir::tensor_operand(node_, 0)), chain);
  ValueId weight = summed_weight(copy.mapped(ir::tensor_operand(node_, 1)), chain);
  Operand bias = ir::Absent{};
  if (node_.operands.size() > 2 && ir::is_tensor(node_.operands[2])) {
    bias = summed_bias(copy.mapped(ir::tensor_operand(node_, 2)), chain, is_mean);
  }
  if (!chain.result().has_value()) {
    return {};
  }
  if (is_mean) {
    // Means of the image, so that 16-bit operands hold them as well as the image itself.
    const auto seen = static_cast<double>(product_of(picked(image_shape(), image_axes())));
    auto made = static_cast<double>(product_of(picked(out_shape(), image_axes())));
    made *= is_summed(1) ? static_cast<double>(out_shape()[1]) : 1.0;
    image = seen == 1.0 ? image : chain.add(Op::kMul, {image, Scalar{1.0 / seen}}, "_image_mean");
    weight = seen == made ? weight : chain.add(Op::kMul, {weight, Scalar{seen / made}}, "_weight_share");
  }
  const ValueId rows = as_rows(image, chain, "_image");
  const ValueId made = chain.add(Op::kLinear, {rows, arranged_weight(weight, chain), bias}, "_product");
  Shape kept = out_shape();
  for (const int64_t axis : axes_) {
    kept[static_cast<size_t>(axis)] = 1;
  }
  return add_reshape(chain, made, kept, "_kept");
}

}  // namespace stitch::plan
