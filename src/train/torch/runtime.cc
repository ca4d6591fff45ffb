// SPDX-License-Identifier: Apache-2.0
#include "train/torch/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include "base/json/json.h"

namespace stitch::train {

Result<at::Device> device_named(const std::string& name) {
  if (name == "cpu") {
    return at::Device(at::kCPU);
  }
  const std::string prefix = "cuda:";
  const bool numbered = name.starts_with(prefix) && name.size() > prefix.size() && name.size() < prefix.size() + 3 &&
                        name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
  if (name != "cuda" && !numbered) {
    return failure(ErrorCode::kUsage, "the device '" + name + "' is none that training knows", "device",
                   "write cpu, cuda, or cuda:NUMBER");
  }
  const int index = numbered ? std::stoi(name.substr(prefix.size())) : 0;
  const auto count = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  if (index >= count) {
    return failure(ErrorCode::kEnvironment,
                   "training was to run on '" + name + "', and PyTorch sees " + std::to_string(count) + " CUDA devices",
                   "device", "train on cpu, or on a machine with a GPU and PyTorch's build for CUDA");
  }
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

void compute_reproducibly() {
  at::set_num_threads(1);
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
}

void compute_with(int64_t threads) { at::set_num_threads(static_cast<int>(threads)); }

Json torch_facts() {
  Json facts = Json::object();
  facts["torch"] = TORCH_VERSION;
  facts["threads"] = at::get_num_threads();
  facts["cuda_devices"] = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  return facts;
}

}  // namespace stitch::train
