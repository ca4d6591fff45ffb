// SPDX-License-Identifier: Apache-2.0
#include "driver/build/library_folders.h"

#include "toolchain/discovery/cuda_folders.h"

namespace stitch::driver {

std::vector<std::string> library_folders(const Job& job) {
  return job.options().libraries == plan::Libraries::kOff ? std::vector<std::string>()
                                                          : toolchain::cuda_library_folders(job.resources().python);
}

}  // namespace stitch::driver
