// SPDX-License-Identifier: Apache-2.0
// Which program at which sizes: what the Python side needs to make the same module again.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "artifact/task/math_mode.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

// Sizes other than the file's own; neither member set: the file's own.
struct Sizes {
  std::vector<std::pair<std::string, int64_t>> overrides;         // module-level integers of the file
  std::optional<std::vector<std::vector<int64_t>>> input_shapes;  // one per tensor input
  bool are_own() const { return overrides.empty() && !input_shapes.has_value(); }
};
Result<Sizes> sizes_from_json(const Json& json);
// "BATCH=3 WIDTH=130", "inputs [3,17] [3]" or "the file's own sizes".
std::string describe(const Sizes& sizes);

struct Task {
  std::string file;
  std::string target;
  std::string mode = "as-is";  // "as-is", "train" or "eval"
  std::string weights;         // a state dict's file; empty: what the constructor makes
  MathMode math = MathMode::kFp32;
  Sizes sizes;

  // The arguments every Python verb takes: {file, target, mode, overrides, input_shapes, weights}. Weights are for the
  // file's own sizes: with overrides, parameters may have other shapes, so the constructor's values are used.
  Json arguments() const;
};

Json to_json(const Task& task);
Result<Task> task_from_json(const Json& json);

// "out/x/y.py" -> "y", as a C identifier.
std::string task_name(const std::string& file);

}  // namespace stitch
