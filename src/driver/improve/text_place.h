// SPDX-License-Identifier: Apache-2.0
// Where a text for some nodes of a program goes: into the file of the step that has them, or into a step of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/improve/candidate.h"
#include "driver/written/step_contract.h"

namespace stitch::driver {

struct TextPlace {
  std::string step{};                   // "03_fc1_gelu" that it will be in the program with it
  std::vector<std::string> replaced{};  // steps of the program that have some of its nodes
  // Of the program, where the text is that step's whole file, behind its own contract. Nothing: it stands behind the
  // contract of written steps.
  std::optional<size_t> own{};
  std::vector<std::string> nodes{};        // of the boundary, where it is not `own`
  std::optional<StepContract> contract{};  // likewise
};

// What a person or a model wrote of a step, with what it declares (scratch memory, sizes); these two hold for a written
// step alone.
StepAttempt attempt_at(const TextPlace& place, const plan::WrittenCode& written);

// A group of nodes that is one step is written in its file, where that file is the same at all sizes that the program
// is judged at. Any other group, a part of a step or more than one, becomes a step behind the contract of written ones;
// so does a step whose file follows from the sizes, and one that is such a step already. kFileInvalid, in a sentence,
// where the nodes can be no step.
Result<TextPlace> place_for(const Task& task, const TextProgram& program, const std::vector<std::string>& nodes);

}  // namespace stitch::driver
