// SPDX-License-Identifier: Apache-2.0
// A StitchCall with everything it points to.
#pragma once

#include <stitch_program.h>

#include <memory>
#include <vector>

#include "device/bulk.h"
#include "wire/messages/call_arguments.h"
#include "worker/memory/attached_memory.h"

namespace stitch::worker {

// Tensors and the extents they point to; movable, since both live on the heap.
class BoundTensors {
 public:
  static Result<BoundTensors> bind(const std::vector<wire::TensorArgument>& arguments, AttachedMemory& memory);
  const std::vector<StitchTensor>& list() const { return tensors_; }

 private:
  std::vector<std::vector<int64_t>> extents_;
  std::vector<StitchTensor> tensors_;
};

class BoundCall {
 public:
  static Result<BoundCall> bind(const wire::CallArguments& arguments, AttachedMemory& memory, void* stream);
  const StitchCall& get() const { return call_; }
  // Outputs and new states.
  const std::vector<device::Extent>& results() const { return results_; }

 private:
  BoundTensors inputs_;
  BoundTensors states_in_;
  BoundTensors states_out_;
  BoundTensors outputs_;
  std::vector<device::Extent> results_;
  StitchCall call_{};
};

}  // namespace stitch::worker
