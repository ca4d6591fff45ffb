// SPDX-License-Identifier: Apache-2.0
// What somebody decided of a plan beforehand: nodes that form a step, perhaps with the step's code. The rest is cut
// into steps as usual. Code stands behind the contract of StepArgs: tensors are the operands, then the results;
// extents are those of the same tensors, in the same order (docs/formats.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::plan {

// An extent of one of the step's tensors.
struct Axis {
  std::string value;
  int64_t axis = 0;
  bool operator==(const Axis&) const = default;
};

// Memory that grows with the product of some extents; with no axes, so many bytes.
struct ScratchTerm {
  int64_t bytes = 0;
  std::vector<Axis> axes;
  bool operator==(const ScratchTerm&) const = default;
};

enum class HoldsFor {
  kAnySizes,  // the text reads every size from the extents
  kOwnSizes,  // it has sizes of its plan compiled in: the program takes no other ones then
};

struct WrittenCode {
  std::string code;  // one file; it defines extern "C" int step_NN(const StepArgs*, cudaStream_t), whatever the number
  HoldsFor holds_for = HoldsFor::kAnySizes;
  std::vector<ScratchTerm> scratch;  // their sum is StepArgs::scratch_bytes
  bool operator==(const WrittenCode&) const = default;
};

struct Boundary {
  std::vector<std::string> nodes;      // each by the name of its first output
  std::optional<WrittenCode> written;  // nothing: the expert covers the nodes, with as few steps as it can
  // What code was written for, by name. A plan fills them in; where they are given they have to be the plan's.
  std::vector<std::string> operands;
  std::vector<std::string> results;
  bool operator==(const Boundary&) const = default;
};

Json to_json(const std::vector<Boundary>& boundaries);
Result<std::vector<Boundary>> boundaries_from_json(const Json& json);

// The code with step number `number` in the place of its own. kFileInvalid where it defines no step.
Result<std::string> renumbered_code(const std::string& code, size_t number);

}  // namespace stitch::plan
