// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace stitch_example {

namespace {

std::int64_t element_count(const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    count *= extent;
  }
  return count;
}

// splitmix64: the same numbers everywhere.
std::uint64_t next_random(std::uint64_t* state) {
  std::uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Floats in [-1, 1); integers 0 or 1, which every index accepts; other types zero.
std::vector<unsigned char> draw(const StitchTensorInfo& info, const std::vector<std::int64_t>& extents,
                                std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(element_count(extents));
  std::vector<unsigned char> bytes(count * static_cast<std::size_t>(stitch::dtype_bytes(info.dtype)));
  for (std::size_t index = 0; index < count; ++index) {
    const std::uint64_t random = next_random(&seed);
    if (info.dtype == STITCH_FLOAT32) {
      const auto value = static_cast<float>(static_cast<double>(random >> 40) * (2.0 / (1 << 24)) - 1.0);
      std::memcpy(&bytes[index * sizeof(value)], &value, sizeof(value));
    } else if (info.dtype == STITCH_INT64) {
      const std::int64_t value = static_cast<std::int64_t>(random >> 63);
      std::memcpy(&bytes[index * sizeof(value)], &value, sizeof(value));
    } else if (info.dtype == STITCH_BOOL) {
      bytes[index] = static_cast<unsigned char>(random >> 63);
    }
  }
  return bytes;
}

std::string check_fit(const StitchTensorInfo& info, const std::vector<std::int64_t>& expected,
                      const stitch::SafeTensor& value) {
  if (value.dtype != info.dtype || value.extents != expected) {
    return std::string("tensor \"") + info.name + "\" in the file has another type or shape than the program takes.";
  }
  return "";
}

// The first run-time axis of a tensor, -1 for none.
std::int32_t run_time_axis(const StitchTensorInfo& info) {
  for (std::int32_t axis = 0; axis < info.rank; ++axis) {
    if (info.run_time_axes[axis] != 0) {
      return axis;
    }
  }
  return -1;
}

}  // namespace

std::vector<std::int64_t> extents_at(const StitchTensorInfo& info, const Batch& batch) {
  std::vector<std::int64_t> extents(info.extents, info.extents + info.rank);
  for (std::int32_t axis = 0; axis < info.rank; ++axis) {
    if (info.run_time_axes[axis] != 0) {
      extents[static_cast<std::size_t>(axis)] = info.extents[axis] * batch.wanted / batch.declared;
    }
  }
  return extents;
}

Batch batch_of(const StitchDescription& description, const std::vector<stitch::SafeTensor>& values,
               std::int64_t wanted) {
  for (std::int32_t index = 0; index < description.tensor_count; ++index) {
    const StitchTensorInfo& info = description.tensors[index];
    const std::int32_t axis = run_time_axis(info);
    if (info.role != STITCH_INPUT || axis < 0) {
      continue;
    }
    Batch batch{info.extents[axis], wanted > 0 ? wanted : info.extents[axis]};
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == info.name; });
    if (wanted == 0 && found != values.end() && found->extents.size() == static_cast<std::size_t>(info.rank)) {
      batch.wanted = found->extents[static_cast<std::size_t>(axis)];
    }
    return batch;
  }
  return {1, wanted > 0 ? wanted : 1};
}

std::string TensorList::add(const StitchTensorInfo& info, const Batch& batch,
                            const std::vector<stitch::SafeTensor>& values, std::uint64_t seed) {
  const std::vector<std::int64_t> extents = extents_at(info, batch);
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == info.name; });
  std::vector<unsigned char> bytes;
  if (found != values.end()) {
    const std::string problem = check_fit(info, extents, *found);
    if (!problem.empty()) {
      return problem;
    }
    bytes = found->bytes;
    ++found_;
  } else {
    bytes = draw(info, extents, seed);
  }
  stitch::DeviceMemory memory(bytes.size());
  if (!memory.ok() || cudaMemcpy(memory.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice) != cudaSuccess) {
    return std::string("tensor \"") + info.name + "\" cannot be placed in device memory.";
  }
  extents_.push_back(extents);
  tensors_.push_back({memory.data(), info.rank, 0, extents_.back().data()});
  infos_.push_back(&info);
  memory_.push_back(std::move(memory));
  return "";
}

std::string TensorList::read(std::int32_t index, stitch::SafeTensor* tensor) const {
  const stitch::DeviceMemory& memory = memory_[static_cast<std::size_t>(index)];
  const StitchTensorInfo& described = info(index);
  tensor->name = described.name;
  tensor->dtype = described.dtype;
  tensor->extents = extents_[static_cast<std::size_t>(index)];
  tensor->bytes.resize(memory.bytes());
  const cudaError_t error = cudaMemcpy(tensor->bytes.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost);
  return error == cudaSuccess ? ""
                              : "tensor \"" + tensor->name + "\" cannot be read back: " + cudaGetErrorString(error);
}

std::string summary(const stitch::SafeTensor& tensor) {
  char text[160];
  if (tensor.dtype != STITCH_FLOAT32 || tensor.bytes.empty()) {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (const unsigned char byte : tensor.bytes) {
      hash = (hash ^ byte) * 1099511628211ull;
    }
    std::snprintf(text, sizeof(text), "hash %016llx", static_cast<unsigned long long>(hash));
    return text;
  }
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(float));
  double sum = 0.0;
  for (const float value : values) {
    sum += static_cast<double>(value);
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::snprintf(text, sizeof(text), "min %.6g  mean %.9g  max %.6g", static_cast<double>(*low),
                sum / static_cast<double>(values.size()), static_cast<double>(*high));
  return text;
}

}  // namespace stitch_example
