// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "codegen/print/initialiser.h"
#include "codegen/print/lines.h"
#include "kernels/code/names.h"

namespace stitch::codegen {
namespace {

constexpr int kEnumIndent = 2;
constexpr int kTensorAlignment = 16;  // bytes, of the C ABI

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string dtype_name(DataType dtype) { return "STITCH_" + upper(to_string(dtype)); }

std::string role_name(TensorRole role) { return "STITCH_" + upper(to_string(role)); }

std::vector<std::string> numbers(const std::vector<int64_t>& values) {
  std::vector<std::string> texts;
  for (const int64_t value : values) {
    texts.push_back(std::to_string(value));
  }
  return texts;
}

// "{.base = 2999}": growth is named where there is any.
std::string size_text(const plan::BatchLine& line) {
  return line.per_batch == 0 ? fmt::format("{{.base = {}}}", line.base)
                             : fmt::format("{{.base = {}, .per_batch = {}}}", line.base, line.per_batch);
}

std::vector<std::string> extents_at(const TensorEntry& tensor, int64_t batch) {
  std::vector<int64_t> extents;
  for (const plan::BatchLine& axis : tensor.axes) {
    extents.push_back(axis.base + axis.per_batch * batch);
  }
  return numbers(extents);
}

void print_run_time_axes(const ProgramFile& program, size_t number, Lines& lines) {
  const TensorEntry& tensor = program.tensors[number];
  std::vector<int64_t> marks;
  for (const plan::BatchLine& axis : tensor.axes) {
    marks.push_back(axis.per_batch != 0 ? 1 : 0);
  }
  add_list(fmt::format("constexpr uint8_t kTensor{}Axes", number), numbers(marks), lines);
  add_list(fmt::format("constexpr int64_t kTensor{}Min", number), extents_at(tensor, program.min_batch), lines);
  add_list(fmt::format("constexpr int64_t kTensor{}Max", number), extents_at(tensor, program.max_batch), lines);
}

void print_batch_comment(const ProgramFile& program, Lines& lines) {
  if (program.has_batch) {
    lines.comment(fmt::format("The batch is an argument of each call: {} to {}, declared as {}.", program.min_batch,
                              program.max_batch, program.declared_batch));
  } else if (program.batch_note.empty()) {
    lines.comment("No axis takes another extent at run time.");
  } else {
    lines.comment(fmt::format("No axis takes another extent at run time. The batch: {}.", program.batch_note));
  }
}

std::vector<Field> tensor_info(const TensorEntry& tensor, size_t number) {
  const std::string own = fmt::format("kTensor{}", number);
  const bool is_fixed = tensor.axes.empty();
  std::vector<Field> fields = {{"name", '"' + tensor.name + '"'},
                               {"role", role_name(tensor.role)},
                               {"dtype", dtype_name(tensor.type.dtype)},
                               {"rank", std::to_string(tensor.type.shape.size())},
                               {"alignment", std::to_string(kTensorAlignment)},
                               {"extents", own + "Extents"},
                               {"run_time_axes", is_fixed ? "kFixedAxes" : own + "Axes"},
                               {"min_extents", own + (is_fixed ? "Extents" : "Min")},
                               {"max_extents", own + (is_fixed ? "Extents" : "Max")},
                               {"alias_of", std::to_string(tensor.alias_of)}};
  if (tensor.is_optional) {
    fields.push_back({"optional", "1"});
  }
  return fields;
}

void print_program_tensors(const ProgramFile& program, Lines& lines) {
  print_batch_comment(program, lines);
  size_t rank = 1;
  std::vector<std::vector<Field>> rows;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorEntry& tensor = program.tensors[i];
    add_list(fmt::format("constexpr int64_t kTensor{}Extents", i), numbers(tensor.type.shape), lines);
    rank = std::max(rank, tensor.type.shape.size());
    if (!tensor.axes.empty()) {
      print_run_time_axes(program, i, lines);
    }
    rows.push_back(tensor_info(tensor, i));
  }
  lines.add(fmt::format("constexpr uint8_t kFixedAxes[{}] = {{}};", rank));
  lines.blank();
  add_table("constexpr StitchTensorInfo kTensors", rows, lines);
  lines.blank();
}

// Every axis that follows the batch, inputs first: the first one tells it.
size_t print_batch_axes(const ProgramFile& program, Lines& lines) {
  std::vector<std::vector<Field>> rows;
  for (const TensorRole role : {TensorRole::kInput, TensorRole::kOutput}) {
    int place = 0;
    for (const TensorEntry& tensor : program.tensors) {
      if (tensor.role != role) {
        continue;
      }
      for (size_t axis = 0; axis < tensor.axes.size(); ++axis) {
        if (tensor.axes[axis].per_batch != 0) {
          rows.push_back({{"role", role_name(role)},
                          {"index", std::to_string(place)},
                          {"axis", std::to_string(axis)},
                          {"extent", size_text(tensor.axes[axis])}});
        }
      }
      ++place;
    }
  }
  if (!rows.empty()) {
    add_table("constexpr stitch::AxisTable kBatchAxes", rows, lines);
    lines.blank();
  }
  return rows.size();
}

std::vector<Field> buffer_row(const BufferEntry& buffer) {
  std::vector<Field> fields = {{"name", '"' + buffer.name + '"'},
                               {"kind", fmt::format("stitch::BufferKind::{}", buffer.kind)},
                               {"index", std::to_string(buffer.index)}};
  if (buffer.offset != 0) {
    fields.push_back({"offset", std::to_string(buffer.offset)});
  }
  fields.push_back({"bytes", size_text(buffer.bytes)});
  fields.push_back({"first_step", std::to_string(buffer.first_step)});
  fields.push_back({"last_step", std::to_string(buffer.last_step)});
  if (buffer.whole >= 0) {
    fields.push_back({"whole", std::to_string(buffer.whole)});
    fields.push_back({"start", size_text(buffer.start)});
  }
  return fields;
}

// Returns their names as enumerators.
std::vector<std::string> print_buffers(const ProgramFile& program, Lines& lines) {
  std::vector<std::string> names;
  std::vector<std::vector<Field>> rows;
  kernels::NameTable taken;
  for (const char* own : {"kTensors", "kFixedAxes", "kBuffers", "kSteps", "kBatchAxes", "kJoinedSteps"}) {
    taken.take(own);
  }
  lines.comment("Places in kBuffers.");
  lines.add("enum Buffer : int32_t {");
  for (const BufferEntry& buffer : program.buffers) {
    names.push_back(taken.take(kernels::constant_name(buffer.name)));
    lines.add(names.back() + ",", kEnumIndent);
    rows.push_back(buffer_row(buffer));
  }
  lines.add("};");
  lines.blank();
  add_table("constexpr stitch::BufferTable kBuffers", rows, lines);
  lines.blank();
  return names;
}

std::string planned_sizes(const ProgramFile& program) {
  return program.declared_batch == program.planned_batch ? "the declared sizes"
                                                         : fmt::format("a batch of {}", program.planned_batch);
}

void print_step_buffers(const StepEntry& step, size_t number, const std::vector<std::string>& names, Lines& lines) {
  for (const std::string& message : step.counts) {
    lines.comment(message);
  }
  const std::string head = fmt::format("constexpr int32_t kStep{:02}Buffers", number);
  std::vector<std::string> own;
  std::vector<CommentedElement> commented;
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    own.push_back(names[static_cast<size_t>(step.buffers[i])]);
    commented.push_back({own.back(), i < step.operand_count ? "read" : "written"});
  }
  if (fits_on_a_line(head, own)) {
    add_list(head, own, lines);
  } else {
    add_table(head, commented, lines);
  }
}

void print_step_waits(const ProgramFile& program, size_t number, Lines& lines) {
  const plan::StepStream& stream = program.steps[number].stream;
  if (stream.stream > 0) {
    lines.comment(fmt::format("On side stream {}.", stream.stream));
  }
  if (stream.waits.empty()) {
    return;
  }
  const std::string head = fmt::format("constexpr int32_t kStep{:02}Waits", number);
  std::vector<CommentedElement> elements;
  for (const int earlier : stream.waits) {
    elements.push_back({std::to_string(earlier), program.steps[static_cast<size_t>(earlier)].name});
  }
  add_table(head, elements, lines);
}

void print_step_extents(const StepEntry& step, size_t number, Lines& lines) {
  std::vector<CommentedElement> elements;
  for (const ExtentEntry& extent : step.extents) {
    elements.push_back({size_text(extent.size), extent.name});
  }
  if (!elements.empty()) {
    add_table(fmt::format("constexpr stitch::Size kStep{:02}Extents", number), elements, lines);
  }
  lines.blank();
}

void add_stream_fields(const plan::StepStream& stream, size_t number, std::vector<Field>& fields) {
  if (stream.last_beside > static_cast<int>(number)) {
    fields.push_back({"last_beside", std::to_string(stream.last_beside)});
  }
  if (stream.stream != 0) {
    fields.push_back({"stream", std::to_string(stream.stream)});
  }
  if (!stream.waits.empty()) {
    fields.push_back({"waits", fmt::format("kStep{:02}Waits", number)});
    fields.push_back({"wait_count", std::to_string(stream.waits.size())});
  }
  if (stream.is_waited_for) {
    fields.push_back({"is_waited_for", "true"});
  }
}

std::string function_name(const ProgramFile& program, size_t step) {
  return fmt::format("step_{:02}", program.first_number + step);
}

std::vector<Field> step_row(const ProgramFile& program, size_t number) {
  const StepEntry& step = program.steps[number];
  std::vector<Field> fields = {{"name", '"' + step.name + '"'},
                               {"function", function_name(program, number)},
                               {"phase", step.prepares ? "stitch::StepPhase::kPrepare" : "stitch::StepPhase::kRun"},
                               {"buffers", fmt::format("kStep{:02}Buffers", number)},
                               {"buffer_count", std::to_string(step.buffers.size())},
                               {"extents", step.extents.empty() ? "nullptr" : fmt::format("kStep{:02}Extents", number)},
                               {"extent_count", std::to_string(step.extents.size())}};
  if (step.scratch_offset != 0) {
    fields.push_back({"scratch_offset", std::to_string(step.scratch_offset)});
  }
  if (step.scratch.base != 0 || step.scratch.per_batch != 0) {
    fields.push_back({"scratch", size_text(step.scratch)});
  }
  if (step.kept_offset != 0) {
    fields.push_back({"kept_offset", std::to_string(step.kept_offset)});
  }
  if (step.kept_bytes != 0) {
    fields.push_back({"kept_bytes", std::to_string(step.kept_bytes)});
  }
  add_stream_fields(step.stream, number, fields);
  return fields;
}

void print_steps(const ProgramFile& program, const std::vector<std::string>& buffers, Lines& lines) {
  std::vector<std::vector<Field>> rows;
  lines.comment(fmt::format("What steps count is at {}.", planned_sizes(program)));
  lines.blank();
  for (size_t i = 0; i < program.steps.size(); ++i) {
    print_step_buffers(program.steps[i], i, buffers, lines);
    print_step_waits(program, i, lines);
    print_step_extents(program.steps[i], i, lines);
    rows.push_back(step_row(program, i));
  }
  add_table("constexpr stitch::StepTable kSteps", rows, lines);
  lines.blank();
}

void print_joined_steps(const ProgramFile& program, Lines& lines) {
  std::vector<CommentedElement> elements;
  for (const int step : program.joined) {
    elements.push_back({std::to_string(step), program.steps[static_cast<size_t>(step)].name});
  }
  if (!elements.empty()) {
    lines.comment("What the end of a call waits for.");
    add_table("constexpr int32_t kJoinedSteps", elements, lines);
    lines.blank();
  }
}

void print_program_tables(const ProgramFile& program, size_t batch_axes, Lines& lines) {
  constexpr size_t kIndent = 4;
  const std::string start = std::string(kIndent, ' ') + ".description = ";
  std::vector<Field> fields = {{"struct_size", "sizeof(StitchDescription)"},
                               {"abi_version", "STITCH_ABI_VERSION"},
                               {"name", '"' + program.name + '"'},
                               {"tensor_count", std::to_string(program.tensors.size())}};
  if (!program.replays) {
    fields.push_back({"plain_launches", "1"});
  }
  fields.push_back({"tensors", "kTensors"});
  fields.push_back({"prepared_bytes", std::to_string(program.prepared_bytes)});
  const std::string description = braced(fields, start.size(), 1);
  lines.add("extern \"C\" const stitch::ProgramTables stitch_program_tables = {");
  lines.as_is(start + description + ",");
  lines.add(".buffers = kBuffers,", kIndent);
  lines.add(fmt::format(".buffer_count = {},", program.buffers.size()), kIndent);
  lines.add(".steps = kSteps,", kIndent);
  lines.add(fmt::format(".step_count = {},", program.steps.size()), kIndent);
  if (batch_axes > 0) {
    lines.add(".batch_axes = kBatchAxes,", kIndent);
    lines.add(fmt::format(".batch_axis_count = {},", batch_axes), kIndent);
  }
  if (program.side_streams > 0) {
    lines.add(fmt::format(".side_stream_count = {},", program.side_streams), kIndent);
  }
  if (!program.joined.empty()) {
    lines.add(".joined_steps = kJoinedSteps,", kIndent);
    lines.add(fmt::format(".joined_count = {},", program.joined.size()), kIndent);
  }
  lines.add("};");
}

}  // namespace

std::string print_program(const ProgramFile& program) {
  Lines lines;
  lines.comment(fmt::format("{}: its tensors, where they lie, and its steps in order.", program.name));
  lines.add("#include \"host/program_tables.h\"");
  lines.blank();
  for (size_t i = 0; i < program.steps.size(); ++i) {
    lines.add(
        fmt::format("extern \"C\" int {}(const StepArgs* args, cudaStream_t stream);", function_name(program, i)));
  }
  lines.blank();
  lines.add("namespace {");
  lines.blank();
  print_program_tensors(program, lines);
  print_steps(program, print_buffers(program, lines), lines);
  const size_t batch_axes = print_batch_axes(program, lines);
  print_joined_steps(program, lines);
  lines.add("}  // namespace");
  lines.blank();
  lines.comment(fmt::format("{} bytes of workspace at {}.", program.workspace_bytes, planned_sizes(program)));
  print_program_tables(program, batch_axes, lines);
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
