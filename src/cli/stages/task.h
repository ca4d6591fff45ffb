// SPDX-License-Identifier: Apache-2.0
// Which program at which sizes: what the Python side needs to make the same module again.
#pragma once

#include <string>

#include "artifact/task/math_mode.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::cli {

// Sizes other than the file's own. Both members null: the file's own.
struct Sizes {
  std::string overrides;     // JSON object of module-level integers, {"BATCH": 130}; empty: none
  std::string input_shapes;  // JSON array of shapes, one per tensor input; empty: none
  bool are_own() const { return overrides.empty() && input_shapes.empty(); }
};
Result<Sizes> sizes_from_json(const Json& json);

struct Task {
  std::string file;
  std::string target;
  std::string mode = "as-is";  // "as-is", "train" or "eval"
  MathMode math = MathMode::kFp32;
  Sizes sizes;

  // The arguments every Python verb takes: {file, target, mode, overrides, input_shapes}.
  Json arguments() const;
};

Json to_json(const Task& task);
Result<Task> task_from_json(const Json& json);

// "out/x/y.py" -> "y", as a C identifier.
std::string task_name(const std::string& file);

}  // namespace stitch::cli
