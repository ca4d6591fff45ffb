// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/text_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit.h"
#include "driver/written/boundaries_with.h"
#include "driver/written/step_nodes.h"

namespace stitch::driver {
namespace {

bool has_one_text(const TextProgram& program, size_t step) {
  const std::string path = codegen::step_file_name(program.plan, step);
  const std::string& text = program.sources.files.at(path);
  return std::all_of(program.set.subjects.begin(), program.set.subjects.end(), [&](const Subject& subject) {
    const auto found = subject.bundle.files.find(path);
    return found != subject.bundle.files.end() && found->second == text;
  });
}

bool is_written_step(const plan::Plan& plan, size_t step) {
  const int boundary = plan.steps[step].boundary;
  return boundary >= 0 && plan.boundaries[static_cast<size_t>(boundary)].written.has_value();
}

}  // namespace

StepAttempt attempt_at(const TextPlace& place, const plan::WrittenCode& written) {
  StepAttempt attempt;
  if (place.own.has_value()) {
    attempt.step = static_cast<int>(*place.own);
    attempt.code = written.code;
  } else {
    attempt.boundary = plan::Boundary{place.nodes, written, {}, {}};
  }
  return attempt;
}

Result<TextPlace> place_for(const Task& task, const TextProgram& program, const std::vector<std::string>& nodes) {
  TextPlace place;
  const std::optional<size_t> step = step_with_nodes(program.plan, nodes);
  if (step.has_value() && !is_written_step(program.plan, *step) && has_one_text(program, *step)) {
    place.step = key_of_step(program.plan, *step);
    place.replaced = {place.step};
    place.own = step;
    return place;
  }
  if (step.has_value()) {
    STITCH_ASSIGN(place.nodes, boundary_nodes_of(program.plan, static_cast<int>(*step)));
  } else {
    place.nodes = without_shared_views(program.plan, nodes);
  }
  STITCH_ASSIGN(place.contract, step_contract({task, program.plan, program.sources}, place.nodes));
  place.step = fmt::format("{:02}_{}", place.contract->step, place.contract->name);
  for (const size_t each : steps_among(program.plan, place.nodes)) {
    place.replaced.push_back(key_of_step(program.plan, each));
  }
  return place;
}

}  // namespace stitch::driver
