// SPDX-License-Identifier: Apache-2.0
// One step as text, in the pieces that its file is put together from: functors, named constants, the tables of tensors
// and extents, the launch. codegen/print decides nothing.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/step_draft.h"

namespace stitch::kernels {

struct Method {
  std::string signature;          // "__device__ void operator()(int64_t row, int64_t column, float value) const"
  std::vector<std::string> body;  // lines, indented relative to the method
};

struct Functor {
  std::string comment;          // what it computes, one or more sentences
  std::string name;             // "HiddenEpilogue"
  std::vector<Member> members;  // in the order of aggregate initialisation
  std::vector<Method> methods;
};

struct StepCode {
  std::vector<std::string> includes;     // "kernels/gemm/ffma.cuh"
  std::vector<std::string> description;  // comment over the step: mathematics, access pattern, bound
  std::vector<Constant> constants;
  std::vector<NamedTensor> tensors;
  std::vector<NamedExtent> extents;
  std::vector<Functor> functors;
  std::vector<std::string> launch;  // statements of the step's function; the last one returns
};

StepCode to_text(const StepDraft& draft);

}  // namespace stitch::kernels
