// SPDX-License-Identifier: Apache-2.0
// Options of a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stitch::cli {

struct WorkOptions {
  std::string store;
  std::string artefacts;                 // empty: beside the store's file
  std::string job_class;                 // "build", "device"
  std::string device;                    // a number, or "emulated"; empty: the first that is visible
  std::optional<double> drain_before{};  // seconds before the end of its allocation
  std::optional<double> seconds{};       // how long it lives
  double grace_seconds = 45;
  double lease_seconds = 30;
  std::optional<int64_t> max_jobs{};
  std::string metrics;  // "9400", "0.0.0.0:9400"; empty: nobody is told
};

}  // namespace stitch::cli
