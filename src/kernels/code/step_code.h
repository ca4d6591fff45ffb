// SPDX-License-Identifier: Apache-2.0
// One step, decided but not yet written: functors, named constants, the tables of tensors and extents, the launch.
// codegen/print turns it into text and decides nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::kernels {

struct Member {
  std::string type;     // "const float*", "int64_t"
  std::string name;     // "expand_bias"
  std::string initial;  // what the host sets it to: a tensor or an extent of the step
  bool operator==(const Member&) const = default;
};

struct Method {
  std::string signature;          // "__device__ void operator()(int64_t row, int64_t column, float value) const"
  std::vector<std::string> body;  // lines, indented relative to the method
  bool operator==(const Method&) const = default;
};

struct Functor {
  std::string comment;          // what it computes, one or more sentences
  std::string name;             // "HiddenEpilogue"
  std::vector<Member> members;  // in the order of aggregate initialisation
  std::vector<Method> methods;
  bool operator==(const Functor&) const = default;
};

struct Constant {
  std::string type;
  std::string name;   // "kEpsilon"
  std::string value;  // "1e-05f"
  std::string comment;
  bool operator==(const Constant&) const = default;
};

struct NamedExtent {
  std::string name;  // enumerator: "kColumns"
  int64_t value = 0;
  std::string comment;
  bool operator==(const NamedExtent&) const = default;
};

struct NamedTensor {
  std::string name;  // enumerator: "kExpandWeight"
  ir::ValueId value;
  bool operator==(const NamedTensor&) const = default;
};

struct StepCode {
  std::vector<std::string> includes;     // "kernels/gemm/ffma.cuh"
  std::vector<std::string> description;  // comment over the step: mathematics, access pattern, bound
  std::vector<Constant> constants;
  std::vector<NamedTensor> tensors;  // operands, then results: the order of StepArgs::tensors
  size_t operand_count = 0;
  std::vector<NamedExtent> extents;  // the order of StepArgs::extents
  std::vector<Functor> functors;
  std::vector<std::string> launch;  // statements of the step's function; the last one returns
  int64_t scratch_bytes = 0;
};

}  // namespace stitch::kernels
