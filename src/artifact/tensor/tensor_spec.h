// SPDX-License-Identifier: Apache-2.0
// What a tensor is, without its contents. All tensors that cross a stage are contiguous, row-major.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/tensor/data_type.h"

namespace stitch {

struct TensorType {
  DataType dtype = DataType::kFloat32;
  std::vector<int64_t> shape;

  int64_t element_count() const;
  int64_t bytes() const { return element_count() * element_bytes(dtype); }
  bool operator==(const TensorType&) const = default;
};

// Row-major strides of `shape`, in elements.
std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& shape);

enum class TensorRole { kInput, kParameter, kConstant, kState, kOutput };
const char* to_string(TensorRole role);
Result<TensorRole> tensor_role_from_string(std::string_view name);

struct TensorSpec {
  std::string name;  // argument name, or the name in the state dict
  TensorRole role = TensorRole::kInput;
  TensorType type;
  bool operator==(const TensorSpec&) const = default;
};

}  // namespace stitch
