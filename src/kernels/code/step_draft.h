// SPDX-License-Identifier: Apache-2.0
// One step, decided but not printed. Planning reads its shape and compares it; step_code.h prints it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/code/functor_tree.h"

namespace stitch::kernels {

struct Constant {
  std::string name;  // "kEpsilon"
  Literal value;
  std::string comment;
  bool operator==(const Constant&) const = default;
};

struct NamedExtent {
  std::string name;  // "columns"
  int64_t value = 0;
  std::string comment;
  bool operator==(const NamedExtent&) const = default;
};

struct NamedTensor {
  std::string name;  // enumerator: "kExpandWeight"
  ir::ValueId value;
  bool operator==(const NamedTensor&) const = default;
};

// A line of text with values in its gaps, which are those of fmt::format(). Without values it stands as it is.
struct Line {
  const char* format = "";
  std::vector<Expr> values;
  bool operator==(const Line& other) const;
};

// Makes functor `functor` of the step, with its members set, under a name.
struct Construction {
  size_t functor = 0;
  std::string variable;
  bool operator==(const Construction&) const = default;
};

using LaunchStatement = std::variant<Line, Construction>;

// What a plan needs to know of a step's code.
struct StepShape {
  std::vector<NamedExtent> extents;  // the order of StepArgs::extents
  int64_t scratch_bytes = 0;
  int64_t kept_bytes = 0;  // of StepArgs::kept; 0: it keeps nothing from prepare() on
};

struct StepDraft {
  std::vector<std::string> includes;  // "kernels/gemm/ffma.cuh"
  std::vector<Line> description;
  std::vector<Constant> constants;
  std::vector<NamedTensor> tensors;  // operands, then results: the order of StepArgs::tensors
  std::vector<FunctorTree> functors;
  std::vector<LaunchStatement> launch;
  StepShape shape;
};

// Whether both have the same text: all but the values of extents.
bool is_same_code(const StepDraft& a, const StepDraft& b);

}  // namespace stitch::kernels
