// SPDX-License-Identifier: Apache-2.0
// Several processes that train one model, each on its part of every batch: gradients are summed over them, so that all
// take the same step. Over c10d's NCCL between GPUs, else over its Gloo; torchrun's variables lead them together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "train/torch/torch.h"

namespace stitch::train {

// What torchrun tells a process: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT.
struct GroupPlace {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t local_rank = 0;  // on its host: the number of its GPU
  std::string address{};
  int64_t port = 0;
};
// One process alone where there is no WORLD_SIZE, or one of 1. kUsage for variables that lack or are no numbers.
Result<GroupPlace> place_from_environment();

class TrainingGroup {
 public:
  TrainingGroup();  // of one process
  // Waits until all are there, a minute at most. `asked`: the device of the run; "cuda" sums over NCCL where this
  // program was built with it, and whatever else over Gloo. kEnvironment where they do not come, or where neither is
  // built in.
  static Result<TrainingGroup> join(const GroupPlace& place, const std::string& asked);

  int64_t rank() const { return place_.rank; }
  int64_t size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }  // writes what is written once
  // "cuda" becomes the GPU of its own.
  std::string device(const std::string& asked) const;
  std::string backend() const;  // "nccl", "gloo", or "" for one process

  // Each becomes the sum over all processes, the same to the bit in all of them; tensors of one type, in the same order
  // everywhere. kEnvironment where another process is gone.
  Result<void> sum(const std::vector<Tensor>& tensors) const;
  // Until all have come here.
  Result<void> wait_for_all() const;

 private:
  struct Wire;  // c10d's headers stay out of here
  GroupPlace place_{};
  std::shared_ptr<const Wire> wire_;
};

}  // namespace stitch::train
