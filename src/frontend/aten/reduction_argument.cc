// SPDX-License-Identifier: Apache-2.0
#include "frontend/aten/reduction_argument.h"

#include <array>
#include <numeric>

namespace stitch::frontend {

Result<std::string> reduction_argument(Call& call, size_t position) {
  STITCH_ASSIGN(const int64_t number, call.integer(position, "reduction", 1));
  constexpr std::array kNames = {"none", "mean", "sum"};
  if (number < 0 || number >= static_cast<int64_t>(kNames.size())) {
    return call.unsupported("the reduction is not none, mean or sum");
  }
  return std::string(kNames[static_cast<size_t>(number)]);
}

Converted reduced(Call& call, ValueId losses, const std::string& reduction) {
  if (reduction == "none") {
    return std::vector<ValueId>{losses};
  }
  std::vector<int64_t> axes(call.shape(losses).size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return call.finish(reduction == "mean" ? Op::kMean : Op::kSum, {losses}, {{"dim", axes}, {"keepdim", false}});
}

}  // namespace stitch::frontend
