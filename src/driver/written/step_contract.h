// SPDX-License-Identifier: Apache-2.0
// What the author of a step needs to know: what it reads and writes, what it is called with, and how it is done now.
#pragma once

#include <string>
#include <vector>

#include "artifact/tensor/tensor_spec.h"
#include "base/json/json_forward.h"
#include "driver/judge/folder.h"

namespace stitch::driver {

struct ContractTensor {
  std::string name;                 // of the value in the plan's graph
  std::string binding;              // "parameter fc1.weight" of what the program is given or gives; else empty
  TensorType type;                  // at the sizes that were planned for; dense, the last axis fastest
  std::vector<bool> follows_batch;  // by axis: whether a call may bring another extent
};

// A text of now, by its place in the project.
struct StepText {
  std::string file;
  std::string text;
};

struct StepContract {
  int step = 0;  // of the plan with this step in it
  std::string name;
  std::vector<std::string> nodes;        // by which the step is asked for
  std::vector<std::string> mathematics;  // a line for each node, views among them: "h = linear(x, w, b)  model.py:14"
  std::vector<ContractTensor> operands;
  std::vector<ContractTensor> results;
  std::string skeleton;          // a whole file that lacks the kernels alone
  std::vector<StepText> expert;  // how the folder's own steps compute the nodes, in order; their extents are others
  double flops = 0;
  double bytes_min = 0;
  double modelled_us = 0;  // of that work, whoever does it
};
// `stitchcuda.step_contract/1`
Json to_json(const StepContract& contract);

// The contract of a step of these nodes, beside the boundaries that the folder's plan has. A boundary that shares a
// node with them goes. kFileInvalid, in a sentence, where they can be no step.
Result<StepContract> step_contract(const Folder& folder, const std::vector<std::string>& nodes);
// Of the nodes that step `step` of the folder's plan has now.
Result<StepContract> step_contract(const Folder& folder, int step);

}  // namespace stitch::driver
