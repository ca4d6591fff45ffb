// SPDX-License-Identifier: Apache-2.0
// What the oracle says about one output of one draw.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/tensor/host_tensor.h"

namespace stitch::verify {

enum class OutputKind {
  kFloat,
  kExact,  // integers and booleans
  kIndex,  // positions in another tensor, judged by the value that stands there
};

// The tensor that a kIndex output points into, in fp64: output element (outer, rank, inner) points at [outer, index,
// inner]; `kept` counts the ranks, one where only an extreme is asked for, k in a top-k.
struct IndexSource {
  HostTensor values;
  int64_t axis = 0;
  int64_t kept = 1;
  bool distinct = false;  // no position of a line may be named twice
  bool stable = false;    // positions of equal values must rise
};

struct OutputReference {
  std::string name;  // "output 0", "state bn.running_mean"
  TensorType type;   // as the candidate writes it
  OutputKind kind = OutputKind::kFloat;
  bool stays = false;    // with the oracle, which is asked to look at it: nothing below is here
  HostTensor reference;  // float64; int64 for kExact and kIndex
  HostTensor native;     // the eager module in its own precision
  // Mode kernelbench only: the same with PyTorch's default flags, where a GPU's convolutions use TF32.
  std::optional<HostTensor> native_in_mode;
  std::vector<HostTensor> perturbed;  // native runs on inputs moved by one ulp
  std::vector<HostTensor> disturbed;  // runs whose sums carry the error of a plain sequential loop
  // Further right values, typed as `reference`: the results where decisions within rounding (a top-k, a comparison)
  // fall the other way. Empty where no such decision changes this output.
  std::vector<HostTensor> otherwise;
  std::vector<HostTensor>
      tf32_runs;  // mode kernelbench only: the same with those operands rounded that the mode lets be
  // Which of them the baseline rounds is not known at these sizes, only which it may.
  bool rounds_openly = false;
  // The coarsest epsilon of the inputs: one ulp there is the least that perturbed runs move by, whatever the output's
  // dtype. 0 where only the output's own counts.
  double input_epsilon = 0;
  std::optional<IndexSource> index_source;  // kIndex without it is judged exactly
};

}  // namespace stitch::verify
