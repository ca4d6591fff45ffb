// SPDX-License-Identifier: Apache-2.0
// Tensors of a program in device memory, filled from a safetensors file or with pseudo-random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device_memory.h"
#include "host/safetensors.h"
#include "stitch_program.h"

namespace stitch_example {

// The batch of a call: run-time axes grow with it from what they are declared as.
struct Batch {
  std::int64_t declared = 1;
  std::int64_t wanted = 1;
};

// The extents of a described tensor at a batch.
std::vector<std::int64_t> extents_at(const StitchTensorInfo& info, const Batch& batch);

// The batch that is asked for: `wanted`, or where that is 0 what a tensor of `values` shows, or the declared one.
Batch batch_of(const StitchDescription& description, const std::vector<stitch::SafeTensor>& values,
               std::int64_t wanted);

// The tensors of one role, as the C ABI wants them.
class TensorList {
 public:
  // Returns an empty string, or a sentence. Tensors not among `values` are drawn from `seed`.
  std::string add(const StitchTensorInfo& info, const Batch& batch, const std::vector<stitch::SafeTensor>& values,
                  std::uint64_t seed);

  const StitchTensor* data() const { return tensors_.data(); }
  std::int32_t count() const { return static_cast<std::int32_t>(tensors_.size()); }
  const StitchTensorInfo& info(std::int32_t index) const { return *infos_[static_cast<std::size_t>(index)]; }
  // How many came from `values`.
  int found() const { return found_; }

  // Copies a tensor back. An empty string, or a sentence.
  std::string read(std::int32_t index, stitch::SafeTensor* tensor) const;

 private:
  std::vector<StitchTensor> tensors_;
  std::vector<std::vector<std::int64_t>> extents_;  // what tensors_ points to
  std::vector<const StitchTensorInfo*> infos_;
  std::vector<stitch::DeviceMemory> memory_;
  int found_ = 0;
};

// "min mean max, first few" of a tensor, or its hash where it is not float32.
std::string summary(const stitch::SafeTensor& tensor);

}  // namespace stitch_example
