// SPDX-License-Identifier: Apache-2.0
// The GPU that programs run on here: of a machine's GPUs, the first that CUDA_VISIBLE_DEVICES leaves them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::toolchain {

// nvidia-smi --query-gpu=<this> --format=csv,noheader
inline constexpr const char* kGpuListQuery = "index,uuid";

// The UUID of the GPU that a CUDA program calls 0, out of nvidia-smi's answer to kGpuListQuery. `visible`: the value of
// CUDA_VISIBLE_DEVICES, if it is set: indices, UUIDs or their beginnings, separated by commas. Empty where none is
// left. A slice's (MIG-...) GPU cannot be told from it: the first. CUDA counts as nvidia-smi does where
// CUDA_DEVICE_ORDER is PCI_BUS_ID, as count_gpus_by_bus() has it for this program and those that it starts, unless
// something else is asked for.
std::string visible_gpu(std::string_view listed, std::optional<std::string_view> visible);

void count_gpus_by_bus();
bool is_slice(std::string_view visible);

// The same, of this machine; asked once. kEnvironment where there is none.
Result<std::string> gpu_uuid();
// One field of that GPU, as "name" or "compute_cap"; kEnvironment where there is none.
Result<std::string> gpu_field(const std::string& field);
// "sm_90a"; kEnvironment where there is none.
Result<std::string> gpu_architecture();
// Whether CUDA_VISIBLE_DEVICES names a part of a GPU here.
bool gpu_is_slice();
// What nvidia-smi answers to `option`, such as "--query-gpu=name", about that GPU, without units; empty where it does
// not.
std::string ask_gpu(const std::string& option);

}  // namespace stitch::toolchain
