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

// C forbids arrays of no elements; a tensor without axes has an array of one that is never read.
template <typename T>
std::string elements(const std::vector<T>& values) {
  return values.empty() ? "0" : fmt::format("{}", fmt::join(values, ", "));
}

void print_tensors(const ProgramFile& program, Lines& lines) {
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const std::vector<int64_t>& shape = program.tensors[i].type.shape;
    lines.add(fmt::format("constexpr int64_t kTensor{}Extents[] = {{{}}};", i, elements(shape)));
  }
  lines.comment("No axis takes another extent at run time.");
  size_t rank = 1;
  for (const TensorEntry& tensor : program.tensors) {
    rank = std::max(rank, tensor.type.shape.size());
  }
  lines.add(fmt::format("constexpr uint8_t kFixedAxes[{}] = {{}};", rank));
  lines.blank();
  lines.comment("name, role, dtype, rank, alignment, extents, run-time axes, least and greatest extents, alias_of");
  lines.add("constexpr StitchTensorInfo kTensors[] = {");
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorEntry& tensor = program.tensors[i];
    lines.add(fmt::format("{{\"{}\", {}, {}, {}, {}, kTensor{}Extents, kFixedAxes, kTensor{}Extents, kTensor{}Extents, "
                          "{}, 0}},",
                          tensor.name, tensor.role, dtype_name(tensor.type.dtype), tensor.type.shape.size(),
                          kTensorAlignment, i, i, i, tensor.alias_of),
              kIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_buffers(const ProgramFile& program, Lines& lines) {
  lines.comment("kind, place among the tensors of that kind, offset and size in bytes");
  lines.add("constexpr stitch::BufferTable kBuffers[] = {");
  for (const BufferEntry& buffer : program.buffers) {
    lines.add(fmt::format("{{stitch::BufferKind::{}, {}, {}, {}}},  // {}", buffer.kind, buffer.index, buffer.offset,
                          buffer.bytes, buffer.comment),
              kIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_steps(const ProgramFile& program, Lines& lines) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    lines.add(fmt::format("constexpr int32_t kStep{:02}Buffers[] = {{{}}};", i, elements(program.steps[i].buffers)));
    lines.add(fmt::format("constexpr int64_t kStep{:02}Extents[] = {{{}}};", i, elements(program.steps[i].extents)));
  }
  lines.blank();
  lines.comment("name, function, phase, buffers and their number, extents, offset and bytes of scratch memory");
  lines.add("constexpr stitch::StepTable kSteps[] = {");
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const StepEntry& step = program.steps[i];
    lines.add(
        fmt::format("{{\"{}\", step_{:02}, stitch::StepPhase::{}, kStep{:02}Buffers, {}, kStep{:02}Extents, {}, {}}},",
                    step.name, i, step.prepares ? "kPrepare" : "kRun", i, step.buffers.size(), i, step.scratch_offset,
                    step.scratch_bytes),
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
  lines.add("}  // namespace");
  lines.blank();
  lines.add("extern \"C\" const stitch::ProgramTables stitch_program_tables = {");
  lines.add(fmt::format("{{sizeof(StitchDescription), STITCH_ABI_VERSION, \"{}\", {}, 0, kTensors, {}}},", program.name,
                        program.tensors.size(), program.prepared_bytes),
            kIndent);
  lines.add(fmt::format("kBuffers, {}, kSteps, {}, {},", program.buffers.size(), program.steps.size(),
                        program.workspace_bytes),
            kIndent);
  lines.add("};");
  return lines.take();
}

std::string print_program_header(const ProgramFile& program) {
  std::string text = fmt::format("/* {}: the order of its tensors in calls; see stitch_program.h. */\n", program.name);
  const std::string guard = upper(program.name) + "_PROGRAM_H_";
  text += fmt::format("#ifndef {0}\n#define {0}\n\n#include \"stitch_program.h\"\n\n", guard);
  for (const char* role : {"STITCH_INPUT", "STITCH_PARAMETER", "STITCH_CONSTANT", "STITCH_STATE", "STITCH_OUTPUT"}) {
    int place = 0;
    for (const TensorEntry& tensor : program.tensors) {
      if (std::string(tensor.role) == role && tensor.alias_of < 0) {
        text += fmt::format("/* {} {}: \"{}\", {} [{}] */\n", role + 7, place++, tensor.name,
                            to_string(tensor.type.dtype), fmt::join(tensor.type.shape, ", "));
      }
    }
  }
  return text + "\n#endif\n";
}

}  // namespace stitch::codegen
