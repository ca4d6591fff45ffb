// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/tensor_spec.h"

#include <fmt/format.h>

#include <array>

namespace stitch {
namespace {

constexpr std::array kRoleNames = {
#define STITCH_TENSOR_ROLE(enumerator, name) #name,
#include "../python/stitchcuda_python/vocabulary/tensor_roles.def"
#undef STITCH_TENSOR_ROLE
};

constexpr std::array kRoles = {
#define STITCH_TENSOR_ROLE(enumerator, name) TensorRole::enumerator,
#include "../python/stitchcuda_python/vocabulary/tensor_roles.def"
#undef STITCH_TENSOR_ROLE
};

constexpr bool are_in_order() {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (kRoles[i] != static_cast<TensorRole>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(are_in_order());

}  // namespace

int64_t TensorType::element_count() const {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

const char* to_string(TensorRole role) { return kRoleNames[static_cast<size_t>(role)]; }

Result<TensorRole> tensor_role_from_string(std::string_view name) {
  for (size_t i = 0; i < kRoleNames.size(); ++i) {
    if (name == kRoleNames[i]) {
      return static_cast<TensorRole>(i);
    }
  }
  return failure(ErrorCode::kFileInvalid, "\"" + std::string(name) + "\" is not a tensor role", "",
                 fmt::format("use one of {}", fmt::join(kRoleNames, ", ")));
}

}  // namespace stitch
