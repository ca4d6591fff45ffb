// SPDX-License-Identifier: Apache-2.0
// Tensors from literal numbers, for tests.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "verify/compare/output_reference.h"

namespace stitch::verify {

template <typename Stored>
HostTensor raw_tensor(DataType type, std::vector<int64_t> shape, const std::vector<Stored>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Stored));
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return HostTensor::from_bytes(TensorSpec{"tensor", TensorRole::kOutput, {type, std::move(shape)}}, std::move(bytes));
}

inline HostTensor double_tensor(std::vector<int64_t> shape, const std::vector<double>& values) {
  return raw_tensor(DataType::kFloat64, std::move(shape), values);
}
inline HostTensor float_tensor(std::vector<int64_t> shape, const std::vector<double>& values) {
  return raw_tensor(DataType::kFloat32, std::move(shape), std::vector<float>(values.begin(), values.end()));
}
inline HostTensor half_tensor(std::vector<int64_t> shape, const std::vector<uint16_t>& bits) {
  return raw_tensor(DataType::kFloat16, std::move(shape), bits);
}
inline HostTensor integer_tensor(std::vector<int64_t> shape, const std::vector<int64_t>& values) {
  return raw_tensor(DataType::kInt64, std::move(shape), values);
}

inline OutputReference float_reference(const std::vector<int64_t>& shape, const std::vector<double>& truth,
                                       const std::vector<double>& native) {
  OutputReference reference;
  reference.name = "output 0";
  reference.type = {DataType::kFloat32, shape};
  reference.reference = double_tensor(shape, truth);
  reference.native = float_tensor(shape, native);
  return reference;
}
inline OutputReference integer_reference(const std::vector<int64_t>& shape, const std::vector<int64_t>& truth) {
  OutputReference reference;
  reference.name = "output 0";
  reference.type = {DataType::kInt64, shape};
  reference.kind = OutputKind::kExact;
  reference.reference = integer_tensor(shape, truth);
  reference.native = integer_tensor(shape, truth);
  return reference;
}

}  // namespace stitch::verify
