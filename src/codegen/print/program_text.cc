// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "codegen/print/lines.h"

namespace stitch::codegen {
namespace {

constexpr int kIndent = 4;
constexpr int kTensorAlignment = 16;  // bytes, of the C ABI

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string dtype_name(DataType dtype) { return "STITCH_" + upper(to_string(dtype)); }

std::string role_name(TensorRole role) { return "STITCH_" + upper(to_string(role)); }

// C forbids arrays of no elements; a tensor without axes has an array of one that is never read.
template <typename T>
std::string elements(const std::vector<T>& values) {
  return values.empty() ? "0" : fmt::format("{}", fmt::join(values, ", "));
}

std::string size_text(const plan::BatchLine& line) { return fmt::format("{{{}, {}}}", line.base, line.per_batch); }

std::string extents_at(const TensorEntry& tensor, int64_t batch) {
  std::vector<int64_t> extents;
  for (const plan::BatchLine& axis : tensor.axes) {
    extents.push_back(axis.base + axis.per_batch * batch);
  }
  return elements(extents);
}

void print_run_time_axes(const ProgramFile& program, size_t number, Lines& lines) {
  const TensorEntry& tensor = program.tensors[number];
  std::vector<int> marks;
  for (const plan::BatchLine& axis : tensor.axes) {
    marks.push_back(axis.per_batch != 0 ? 1 : 0);
  }
  lines.add(fmt::format("constexpr uint8_t kTensor{}Axes[] = {{{}}};", number, elements(marks)));
  lines.add(
      fmt::format("constexpr int64_t kTensor{}Least[] = {{{}}};", number, extents_at(tensor, program.least_batch)));
  lines.add(fmt::format("constexpr int64_t kTensor{}Greatest[] = {{{}}};", number,
                        extents_at(tensor, program.greatest_batch)));
}

void print_batch_comment(const ProgramFile& program, Lines& lines) {
  if (program.has_batch) {
    lines.comment(fmt::format("The batch is an argument of each call: {} to {}, declared as {}.", program.least_batch,
                              program.greatest_batch, program.declared_batch));
  } else if (program.batch_note.empty()) {
    lines.comment("No axis takes another extent at run time.");
  } else {
    lines.comment(fmt::format("No axis takes another extent at run time. The batch: {}.", program.batch_note));
  }
}

void print_tensor_infos(const ProgramFile& program, Lines& lines) {
  lines.comment(
      "name, role, dtype, rank, alignment, extents, run-time axes, least and greatest extents, alias_of, optional");
  lines.add("constexpr StitchTensorInfo kTensors[] = {");
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorEntry& tensor = program.tensors[i];
    const std::string own = fmt::format("kTensor{}", i);
    const std::string axes = tensor.axes.empty() ? fmt::format("kFixedAxes, {0}Extents, {0}Extents", own)
                                                 : fmt::format("{0}Axes, {0}Least, {0}Greatest", own);
    lines.add(fmt::format("{{\"{}\", {}, {}, {}, {}, {}Extents, {}, {}, {}}},", tensor.name, role_name(tensor.role),
                          dtype_name(tensor.type.dtype), tensor.type.shape.size(), kTensorAlignment, own, axes,
                          tensor.alias_of, tensor.is_optional ? 1 : 0),
              kIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_tensors(const ProgramFile& program, Lines& lines) {
  print_batch_comment(program, lines);
  size_t rank = 1;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorEntry& tensor = program.tensors[i];
    lines.add(fmt::format("constexpr int64_t kTensor{}Extents[] = {{{}}};", i, elements(tensor.type.shape)));
    rank = std::max(rank, tensor.type.shape.size());
    if (!tensor.axes.empty()) {
      print_run_time_axes(program, i, lines);
    }
  }
  lines.add(fmt::format("constexpr uint8_t kFixedAxes[{}] = {{}};", rank));
  lines.blank();
  print_tensor_infos(program, lines);
}

// Every axis that follows the batch, inputs first: the first one tells it.
int print_batch_axes(const ProgramFile& program, Lines& lines) {
  std::vector<std::string> rows;
  for (const TensorRole role : {TensorRole::kInput, TensorRole::kOutput}) {
    int place = 0;
    for (const TensorEntry& tensor : program.tensors) {
      if (tensor.role != role) {
        continue;
      }
      for (size_t axis = 0; axis < tensor.axes.size(); ++axis) {
        if (tensor.axes[axis].per_batch != 0) {
          rows.push_back(
              fmt::format("{{{}, {}, {}, {}}},", role_name(role), place, axis, size_text(tensor.axes[axis])));
        }
      }
      ++place;
    }
  }
  if (rows.empty()) {
    return 0;
  }
  lines.comment("role, place in that role, axis, extent as {base, growth by one batch}");
  lines.add("constexpr stitch::AxisTable kBatchAxes[] = {");
  for (const std::string& row : rows) {
    lines.add(row, kIndent);
  }
  lines.add("};");
  lines.blank();
  return static_cast<int>(rows.size());
}

void print_buffers(const ProgramFile& program, Lines& lines) {
  lines.comment("kind, place among the tensors of that kind, offset, size in bytes as {base, growth by one batch},");
  lines.comment("first and last step that use it");
  lines.add("constexpr stitch::BufferTable kBuffers[] = {");
  for (const BufferEntry& buffer : program.buffers) {
    lines.add(fmt::format("{{stitch::BufferKind::{}, {}, {}, {}, {}, {}}},  // {}", buffer.kind, buffer.index,
                          buffer.offset, size_text(buffer.bytes), buffer.first_step, buffer.last_step, buffer.comment),
              kIndent);
  }
  lines.add("};");
  lines.blank();
}

bool follows_batch(const StepEntry& step) {
  return std::any_of(step.extents.begin(), step.extents.end(),
                     [](const plan::BatchLine& extent) { return extent.per_batch != 0; });
}

void print_step_arrays(const StepEntry& step, size_t number, Lines& lines) {
  std::vector<int64_t> bases;
  std::vector<int64_t> slopes;
  for (const plan::BatchLine& extent : step.extents) {
    bases.push_back(extent.base);
    slopes.push_back(extent.per_batch);
  }
  lines.add(fmt::format("constexpr int32_t kStep{:02}Buffers[] = {{{}}};", number, elements(step.buffers)));
  lines.add(fmt::format("constexpr int64_t kStep{:02}Extents[] = {{{}}};", number, elements(bases)));
  if (follows_batch(step)) {
    lines.add(fmt::format("constexpr int64_t kStep{:02}PerBatch[] = {{{}}};", number, elements(slopes)));
  }
}

void print_steps(const ProgramFile& program, Lines& lines) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    print_step_arrays(program.steps[i], i, lines);
  }
  lines.blank();
  lines.comment("name, function, phase, buffers and their number, extents, their growth by one batch, their number,");
  lines.comment("offset and bytes of scratch memory");
  lines.add("constexpr stitch::StepTable kSteps[] = {");
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const StepEntry& step = program.steps[i];
    const std::string slopes = follows_batch(step) ? fmt::format("kStep{:02}PerBatch", i) : "nullptr";
    lines.add(
        fmt::format("{{\"{0}\", step_{1:02}, stitch::StepPhase::{2}, kStep{1:02}Buffers, {3}, kStep{1:02}Extents, "
                    "{4}, {5}, {6}, {7}}},",
                    step.name, i, step.prepares ? "kPrepare" : "kRun", step.buffers.size(), slopes, step.extents.size(),
                    step.scratch_offset, size_text(step.scratch)),
        kIndent);
  }
  lines.add("};");
  lines.blank();
}

}  // namespace

std::string print_program(const ProgramFile& program) {
  Lines lines;
  lines.comment(fmt::format("{}: its tensors, where they lie, and its steps in order.", program.name));
  lines.add("#include \"host/program_tables.h\"");
  lines.blank();
  for (size_t i = 0; i < program.steps.size(); ++i) {
    lines.add(fmt::format("extern \"C\" int step_{:02}(const StepArgs* args, cudaStream_t stream);", i));
  }
  lines.blank();
  lines.add("namespace {");
  lines.blank();
  print_tensors(program, lines);
  print_buffers(program, lines);
  print_steps(program, lines);
  const int batch_axes = print_batch_axes(program, lines);
  lines.add("}  // namespace");
  lines.blank();
  const std::string where = program.declared_batch == program.planned_batch
                                ? "the declared sizes"
                                : fmt::format("a batch of {}", program.planned_batch);
  lines.comment(fmt::format("{} bytes of workspace at {}.", program.workspace_bytes, where));
  lines.add("extern \"C\" const stitch::ProgramTables stitch_program_tables = {");
  lines.add(fmt::format("{{sizeof(StitchDescription), STITCH_ABI_VERSION, \"{}\", {}, 0, kTensors, {}}},", program.name,
                        program.tensors.size(), program.prepared_bytes),
            kIndent);
  lines.add(fmt::format("kBuffers, {}, kSteps, {}, {}, {},", program.buffers.size(), program.steps.size(),
                        batch_axes > 0 ? "kBatchAxes" : "nullptr", batch_axes),
            kIndent);
  lines.add("};");
  return lines.take();
}

std::string print_program_header(const ProgramFile& program) {
  std::string text = fmt::format("/* {}: the order of its tensors in calls; see stitch_program.h. */\n", program.name);
  const std::string guard = upper(program.name) + "_PROGRAM_H_";
  text += fmt::format("#ifndef {0}\n#define {0}\n\n#include \"stitch_program.h\"\n\n", guard);
  for (const TensorRole role :
       {TensorRole::kInput, TensorRole::kParameter, TensorRole::kConstant, TensorRole::kState, TensorRole::kOutput}) {
    int place = 0;
    for (const TensorEntry& tensor : program.tensors) {
      if (tensor.role == role && tensor.alias_of < 0) {
        text += fmt::format("/* {} {}: \"{}\", {} [{}] */\n", upper(to_string(role)), place++, tensor.name,
                            to_string(tensor.type.dtype), fmt::join(tensor.type.shape, ", "));
      }
    }
  }
  return text + "\n#endif\n";
}

}  // namespace stitch::codegen
