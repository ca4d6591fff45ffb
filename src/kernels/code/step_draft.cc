// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/step_draft.h"

#include <algorithm>
#include <string_view>

namespace stitch::kernels {

bool Line::operator==(const Line& other) const {
  return std::string_view(format) == other.format && values == other.values;
}

bool is_same_code(const StepDraft& a, const StepDraft& b) {
  const bool same_extents =
      std::equal(a.shape.extents.begin(), a.shape.extents.end(), b.shape.extents.begin(), b.shape.extents.end(),
                 [](const NamedExtent& left, const NamedExtent& right) {
                   return left.name == right.name && left.comment == right.comment;
                 });
  return same_extents && a.includes == b.includes && a.description == b.description && a.constants == b.constants &&
         a.tensors == b.tensors && a.functors == b.functors && a.launch == b.launch;
}

}  // namespace stitch::kernels
