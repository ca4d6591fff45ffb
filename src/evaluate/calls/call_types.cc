// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/call_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stitch::evaluate {
namespace {

// The declared type, but for run-time axes within their range.
bool takes(const wire::TensorDescription& described, const TensorType& type) {
  const TensorType& declared = described.spec.type;
  bool good = type.dtype == declared.dtype && type.shape.size() == declared.shape.size();
  for (size_t axis = 0; good && axis < declared.shape.size(); ++axis) {
    const int64_t extent = type.shape[axis];
    good = extent == declared.shape[axis] ||
           (described.run_time_axes[axis] != 0 && extent >= described.min_extents[axis] &&
            extent <= described.max_extents[axis]);
  }
  return good;
}

std::string describe_type(const TensorType& type) {
  return fmt::format("{}[{}]", to_string(type.dtype), fmt::join(type.shape, ","));
}

}  // namespace

std::vector<TensorType> types_of(std::span<const HostTensor> tensors) {
  std::vector<TensorType> types;
  for (const HostTensor& tensor : tensors) {
    types.push_back(tensor.spec().type);
  }
  return types;
}

std::vector<TensorType> types_of(const std::vector<wire::TensorDescription>& described) {
  std::vector<TensorType> types;
  for (const wire::TensorDescription& tensor : described) {
    types.push_back(tensor.spec.type);
  }
  return types;
}

std::vector<uint64_t> sizes_of(std::span<const TensorType> types) {
  std::vector<uint64_t> sizes;
  for (const TensorType& type : types) {
    sizes.push_back(static_cast<uint64_t>(type.bytes()));
  }
  return sizes;
}

std::vector<wire::TensorArgument> arguments_of(const std::vector<TensorType>& types,
                                               const std::vector<wire::Region>& regions, size_t first) {
  std::vector<wire::TensorArgument> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    arguments.push_back({.region = regions.at(first + i), .extents = types[i].shape});
  }
  return arguments;
}

std::optional<std::string> find_mismatch(const char* what, const std::vector<TensorType>& given,
                                         const std::vector<wire::TensorDescription>& described) {
  size_t least = described.size();
  while (least > 0 && described[least - 1].is_optional) {
    --least;
  }
  if (given.size() < least || given.size() > described.size()) {
    return fmt::format("the program has {} {}, not {}", described.size(), what, given.size());
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!takes(described[i], given[i])) {
      return fmt::format("the program declares {} as {}, not as {}", described[i].spec.name,
                         describe_type(described[i].spec.type), describe_type(given[i]));
    }
  }
  return std::nullopt;
}

}  // namespace stitch::evaluate
