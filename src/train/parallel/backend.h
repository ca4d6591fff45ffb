// SPDX-License-Identifier: Apache-2.0
// The ways by which processes that train together sum tensors: c10d's backends. Their functions throw where another
// process is lost; nobody but TrainingGroup calls them.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "train/parallel/training_group.h"

namespace stitch::train {

using BackendPointer = c10::intrusive_ptr<c10d::Backend>;

struct BackendRequest {
  GroupPlace place;
  c10::intrusive_ptr<c10d::Store> store;
  std::chrono::milliseconds patience;  // until all have come
};

// In the processor's memory; null where this was built without Gloo's headers.
BackendPointer gloo_backend(const BackendRequest& request);
// In the memory of GPU `place.local_rank`; null where this was built without the headers of NCCL and CUDA.
BackendPointer nccl_backend(const BackendRequest& request);

}  // namespace stitch::train
