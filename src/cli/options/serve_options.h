// SPDX-License-Identifier: Apache-2.0
// Options of the evaluation service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stitch::cli {

struct ServeOptions {
  std::vector<std::string> tasks;
  std::string listen = "0";    // a port of loopback, or HOST:PORT
  std::string store;           // empty: a file in `state`
  std::string artefacts;       // empty: beside the store's file
  std::string state;           // empty: in the folder of state
  std::optional<int> workers;  // of its own; empty: one, or none where --store names a farm's
  bool is_on_gpu = false;
  int64_t queue = 1000;  // evaluations that may be open
  std::string reward = "stitch_v1";
  double grace_seconds = 45;
  double verify_seconds = 120;
  double compile_seconds = 300;
  int64_t max_body_megabytes = 32;
  bool prints_openapi = false;
};

}  // namespace stitch::cli
