// SPDX-License-Identifier: Apache-2.0
#include "train/tensors/named.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace stitch::train {
namespace {

using weights::DType;

constexpr std::array<std::pair<DType, at::ScalarType>, 10> kTypes = {{
    {DType::kBool, at::kBool},
    {DType::kU8, at::kByte},
    {DType::kI8, at::kChar},
    {DType::kI16, at::kShort},
    {DType::kI32, at::kInt},
    {DType::kI64, at::kLong},
    {DType::kF16, at::kHalf},
    {DType::kBF16, at::kBFloat16},
    {DType::kF32, at::kFloat},
    {DType::kF64, at::kDouble},
}};

std::optional<at::ScalarType> scalar_type_of(DType dtype) {
  for (const auto& [stored, ours] : kTypes) {
    if (stored == dtype) {
      return ours;
    }
  }
  return std::nullopt;
}

DType dtype_of_tensor(const Tensor& tensor) {
  for (const auto& [stored, ours] : kTypes) {
    if (ours == tensor.scalar_type()) {
      return stored;
    }
  }
  STITCH_CHECK(false) << "no stored type for " << c10::toString(tensor.scalar_type());
  return DType::kF32;
}

}  // namespace

Result<Tensor> tensor_of(const weights::TensorView& view) {
  const auto type = scalar_type_of(view.dtype);
  if (!type.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   "tensor " + view.name + " is stored as " + std::string(weights::to_string(view.dtype)) +
                       ", which training does not read",
                   view.name, "convert it to F32, BF16 or F16");
  }
  Tensor copy = at::empty(view.shape, at::TensorOptions().dtype(*type));
  STITCH_CHECK(copy.nbytes() == view.bytes.size()) << view.name << ": shape and bytes differ";
  if (!view.bytes.empty()) {
    std::memcpy(copy.data_ptr(), view.bytes.data(), view.bytes.size());
  }
  return copy;
}

Result<NamedTensors> tensors_of(std::span<const weights::TensorView> views) {
  NamedTensors named;
  for (const weights::TensorView& view : views) {
    STITCH_ASSIGN(named[view.name], tensor_of(view));
  }
  return named;
}

NamedTensors stored_form(const NamedTensors& tensors) {
  NamedTensors stored;
  for (const auto& [name, tensor] : tensors) {
    stored[name] = tensor.detach().cpu().contiguous();
  }
  return stored;
}

std::vector<weights::TensorView> views_of(const NamedTensors& stored) {
  std::vector<weights::TensorView> views;
  for (const auto& [name, tensor] : stored) {
    const auto* bytes = static_cast<const std::byte*>(tensor.const_data_ptr());
    views.push_back({name, dtype_of_tensor(tensor), tensor.sizes().vec(), {bytes, tensor.nbytes()}});
  }
  return views;
}

}  // namespace stitch::train
