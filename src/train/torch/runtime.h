// SPDX-License-Identifier: Apache-2.0
// How LibTorch computes in this process: where, with how many threads, and whether twice the same.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/torch/torch.h"

namespace stitch::train {

// "cpu", "cuda" or "cuda:1". kUsage for another word, kEnvironment for a device that is not there.
Result<at::Device> device_named(const std::string& name);

// One thread: two are slower for small matrices, and sums end in another order. TF32 is off. LibTorch keeps these for
// the whole process, so programs and tests call this first, once.
void compute_reproducibly();

// As many threads for each operator on a processor, from now on. Another number has other sums, to the last bits.
void compute_with(int64_t threads);

// {"torch": "2.13.0", "threads": 1, "cuda_devices": 0}
Json torch_facts();

}  // namespace stitch::train
