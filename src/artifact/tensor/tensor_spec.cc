// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/tensor_spec.h"

#include <array>

namespace stitch {
namespace {

constexpr std::array<const char*, 5> kRoleNames = {"input", "parameter", "constant", "state", "output"};

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
                 "use one of input, parameter, constant, state, output");
}

}  // namespace stitch
