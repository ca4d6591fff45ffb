// SPDX-License-Identifier: Apache-2.0
// NVIDIA's profilers on this machine, and our own parts that they need.
#pragma once

#include <filesystem>

namespace stitch::driver {

// A path that is empty was not found.
struct Profilers {
  std::filesystem::path ncu;
  std::filesystem::path nsys;
  std::filesystem::path cupti;     // libcupti.so
  std::filesystem::path activity;  // libstitch_activity.so, built where CUPTI's headers were
  std::filesystem::path replay;    // stitchcuda-replay-cuda
};

// `python`: the interpreter whose packages may hold CUPTI.
Profilers find_profilers(const std::filesystem::path& python);

}  // namespace stitch::driver
