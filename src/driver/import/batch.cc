// SPDX-License-Identifier: Apache-2.0
#include "driver/import/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "ir/ops/support/random.h"
#include "plan/batch/run_time_batch.h"

namespace stitch::driver {
namespace {

constexpr int64_t kAxesTimeoutMs = 180'000;
constexpr int64_t kUnbounded = int64_t{1} << 31;
constexpr int64_t kSpecialised = 2;  // the least extent that an export with free sizes admits, though 1 may do too

// A tensor that the file's get_inputs() makes; random numbers that may be handed in come after those.
bool is_drawn_input(const ir::Graph& graph, const ir::GraphInput& input) {
  return input.role == TensorRole::kInput && !ir::is_given_numbers(graph, input.value);
}

Result<BatchAxes> axes_from_json(const Json& answer) {
  BatchAxes found;
  STITCH_ASSIGN(const Json* axes, json_array(answer, "axes"));
  if (axes->empty()) {
    STITCH_ASSIGN(found.reason, json_string(answer, "reason"));
    return found;
  }
  for (const Json& item : *axes) {
    BatchAxis axis;
    STITCH_ASSIGN(const int64_t input, json_int(item, "input"));
    STITCH_ASSIGN(const int64_t place, json_int(item, "axis"));
    STITCH_ASSIGN(axis.base, json_int(item, "base"));
    STITCH_ASSIGN(axis.per_batch, json_int(item, "per_batch"));
    axis.input = static_cast<int>(input);
    axis.axis = static_cast<int>(place);
    found.axes.push_back(axis);
  }
  STITCH_ASSIGN(found.planned, json_int(answer, "planned"));
  STITCH_ASSIGN(found.minimum, json_int(answer, "low"));
  found.minimum = found.minimum == kSpecialised ? 1 : found.minimum;
  found.maximum = kUnbounded;
  if (answer.contains("high") && answer["high"].is_number_integer()) {
    found.maximum = answer["high"].get<int64_t>();
  }
  return found;
}

// The program at another batch, with weights and everything else as it was.
Result<plan::BatchVariant> variant_at(Job& job, Task task, const BatchAxes& axes, const ir::Graph& imported,
                                      int64_t batch) {
  task.sizes.input_shapes = at_batch(input_shapes(imported), axes, batch);
  STITCH_ASSIGN(ImportedProgram other, import_program(job, task));
  return plan::BatchVariant{batch, std::move(other.graph)};
}

// A batch to check the line through `range.planned` and `next` against, above one, where a model may be a program of
// its own. It is far from both: half of a batch is the same number at two neighbours. The planned one where the range
// has no other.
int64_t third_batch(const plan::BatchRange& range, int64_t next) {
  const int64_t half = range.planned / 2;
  if (half >= std::max<int64_t>(range.minimum, 2) && half != next) {
    return half;
  }
  const int64_t twice = std::min(2 * range.planned, range.maximum);
  if (twice > range.planned && twice != next) {
    return twice;
  }
  return range.minimum >= 2 && range.minimum != next ? range.minimum : range.planned;
}

// Beside the declared one: that to plan for, the next, one, where the model may be another program or none at all, and
// one far away.
std::vector<int64_t> wanted_batches(const plan::BatchRange& range) {
  std::vector<int64_t> batches;
  if (range.planned != range.declared) {
    batches.push_back(range.planned);
  }
  const int64_t next = range.planned < range.maximum ? range.planned + 1 : range.planned - 1;
  batches.push_back(next);
  if (range.minimum == 1 && range.declared != 1) {
    batches.push_back(1);
  }
  if (const int64_t third = third_batch(range, next); third != range.planned) {
    batches.push_back(third);
  }
  return batches;
}

}  // namespace

Result<BatchAxes> find_batch_axes(Job& job, const Task& task) {
  const Result<Json> answer = job.ask("batch_axis", task.arguments(), kAxesTimeoutMs);
  if (!answer.has_value()) {  // an export with free sizes may take too long where one with fixed sizes does not
    BatchAxes none;
    none.reason = answer.error().message;
    return none;
  }
  return axes_from_json(*answer);
}

BatchAxes batch_axes_of(const plan::Plan& plan) {
  BatchAxes found;
  if (!plan.batch.has_value()) {
    found.reason = plan.batch_note;
    return found;
  }
  int number = 0;
  for (const ir::GraphInput& input : plan.graph.inputs) {
    if (!is_drawn_input(plan.graph, input)) {
      continue;
    }
    const std::vector<int64_t>& declared = plan.graph.type(input.value).shape;
    const std::vector<int64_t>& other = plan.batch->other.type(input.value).shape;
    for (size_t axis = 0; axis < declared.size(); ++axis) {
      const plan::BatchLine line = plan::batch_line(*plan.batch, declared[axis], other[axis]);
      if (line.per_batch != 0) {
        found.axes.push_back({number, static_cast<int>(axis), line.base, line.per_batch});
      }
    }
    ++number;
  }
  found.minimum = plan.batch->minimum;
  found.maximum = plan.batch->maximum;
  return found;
}

InputShapes input_shapes(const ir::Graph& graph) {
  InputShapes shapes;
  for (const ir::GraphInput& input : graph.inputs) {
    if (is_drawn_input(graph, input)) {
      shapes.push_back(graph.type(input.value).shape);
    }
  }
  return shapes;
}

InputShapes at_batch(InputShapes shapes, const BatchAxes& axes, int64_t batch) {
  for (const BatchAxis& axis : axes.axes) {
    shapes.at(static_cast<size_t>(axis.input)).at(static_cast<size_t>(axis.axis)) = axis.base + axis.per_batch * batch;
  }
  return shapes;
}

std::optional<int64_t> batch_in(const InputShapes& shapes, const BatchAxes& axes) {
  std::optional<int64_t> batch;
  for (const BatchAxis& axis : axes.axes) {
    const bool is_there = static_cast<size_t>(axis.input) < shapes.size() &&
                          static_cast<size_t>(axis.axis) < shapes[static_cast<size_t>(axis.input)].size();
    if (!is_there) {
      return std::nullopt;
    }
    const int64_t extent = shapes[static_cast<size_t>(axis.input)][static_cast<size_t>(axis.axis)];
    const int64_t shown = (extent - axis.base) / axis.per_batch;
    if (axis.base + axis.per_batch * shown != extent || (batch.has_value() && *batch != shown)) {
      return std::nullopt;
    }
    batch = shown;
  }
  return batch;
}

Result<plan::ProgramBatches> import_batches(Job& job, const Task& task, const BatchAxes& axes,
                                            const ir::Graph& imported) {
  plan::ProgramBatches program{imported, {}, {}, ""};
  const std::optional<int64_t> declared = batch_in(input_shapes(imported), axes);
  if (axes.axes.empty() || !declared.has_value()) {
    program.fixed_because = axes.reason.empty() ? "its inputs agree on no batch" : axes.reason;
    return program;
  }
  program.range = {*declared, *declared == 1 ? axes.planned : *declared, axes.minimum, axes.maximum};
  if (program.range.planned < 2) {
    program.fixed_because = "it is declared as 1, and steps planned for that leave its axis out";
    return program;
  }
  for (const int64_t batch : wanted_batches(program.range)) {
    Result<plan::BatchVariant> variant = variant_at(job, task, axes, imported, batch);
    if (variant.has_value()) {
      program.variants.push_back(std::move(variant).value());
    } else if (batch == 1) {
      program.range.minimum = 2;
    } else {
      program.fixed_because = fmt::format("at batch {}: {}", batch, variant.error().message);
      program.variants.clear();
      return program;
    }
  }
  return program;
}

Result<void> give_batch(Job& job, const Task& task, const BatchAxes& axes, const ir::Graph& imported,
                        plan::Plan& plan) {
  STITCH_ASSIGN(const plan::ProgramBatches program, import_batches(job, task, axes, imported));
  if (program.variants.empty()) {
    plan.batch_note = program.fixed_because;
  } else {
    plan::add_run_time_batch(plan, program.range, program.variants);
  }
  return {};
}

std::string describe_batch(const plan::Plan& plan) {
  if (!plan.batch.has_value()) {
    return fmt::format("as declared only: {}", plan.batch_note.empty() ? "not looked for" : plan.batch_note);
  }
  const BatchAxes found = batch_axes_of(plan);
  const BatchAxis& first = found.axes.front();
  const auto extent = [&](int64_t batch) { return first.base + first.per_batch * batch; };
  const bool is_plain = first.axis == 0 && first.base == 0 && first.per_batch == 1;
  const std::string where = is_plain ? "" : fmt::format("axis {} of input {}: ", first.axis, first.input);
  const std::string steps = first.per_batch == 1 ? "" : fmt::format(" in steps of {}", first.per_batch);
  return fmt::format("{}{} to {}{} on one binary, declared as {}", where, extent(found.minimum), extent(found.maximum),
                     steps, extent(plan.batch->declared));
}

}  // namespace stitch::driver
