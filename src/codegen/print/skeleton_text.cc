// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/skeleton_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/print/lines.h"
#include "codegen/raise/raise_step.h"
#include "kernels/builtin_templates.h"

namespace stitch::codegen {
namespace {

constexpr int kSkeletonIndent = 2;

// What a reader wants to know of it beside its name.
std::string tensor_comment(const plan::Plan& plan, ir::ValueId value, bool is_read) {
  const TensorType& type = plan.graph.type(value);
  return fmt::format("{} {}[{}]", is_read ? "reads" : "writes", cuda_type_name(type.dtype),
                     fmt::join(type.shape, ", "));
}

void print_names(const plan::Plan& plan, const kernels::Group& group, const kernels::StepDraft& draft, Lines& lines) {
  lines.comment("Places in StepArgs::tensors. Each lies dense, the last axis fastest, at a multiple of 16 bytes.");
  lines.add("enum Tensor {");
  size_t width = 0;
  for (const kernels::NamedTensor& tensor : draft.tensors) {
    width = std::max(width, tensor.name.size() + 1);
  }
  for (size_t i = 0; i < draft.tensors.size(); ++i) {
    lines.add(fmt::format("{:<{}}  // {}", draft.tensors[i].name + ",", width,
                          tensor_comment(plan, draft.tensors[i].value, i < group.operands.size())),
              kSkeletonIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_sizes(const plan::Step& step, const kernels::StepDraft& draft, Lines& lines) {
  if (draft.shape.extents.empty()) {
    return;
  }
  lines.comment("Sizes of a call, those of each tensor in turn: StepArgs::extents. Numbers are those of the plan.");
  lines.add("struct Extents {");
  size_t width = 0;
  for (const kernels::NamedExtent& extent : draft.shape.extents) {
    width = std::max(width, extent.name.size());
  }
  for (size_t i = 0; i < draft.shape.extents.size(); ++i) {
    const bool follows = i < step.extents_per_batch.size() && step.extents_per_batch[i] != 0;
    lines.add(fmt::format("int64_t {:<{}}  // {}{}", draft.shape.extents[i].name + ";", width + 1,
                          draft.shape.extents[i].value, follows ? ", follows the batch" : ""),
              kSkeletonIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_function(const plan::Plan& plan, size_t index, const kernels::Group& group, const kernels::StepDraft& draft,
                    Lines& lines) {
  lines.comment(
      "Enqueues its work on `stream` and returns a cudaError_t. It neither waits for the stream nor allocates: a call "
      "may be captured into a graph. Scratch memory that the plan declares for it is args->scratch.");
  lines.add(fmt::format("extern \"C\" int step_{:02}(const StepArgs* args, cudaStream_t stream) {{", index));
  if (!draft.shape.extents.empty()) {
    lines.add("const auto extents = stitch::extents_of<Extents>(args);", kSkeletonIndent);
  }
  for (size_t i = 0; i < draft.tensors.size(); ++i) {
    const ir::ValueId value = draft.tensors[i].value;
    const std::string type =
        std::string(i < group.operands.size() ? "const " : "") + cuda_type_name(plan.graph.type(value).dtype) + "*";
    lines.add(fmt::format("auto* {} = static_cast<{}>(args->tensors[{}]);", plan.graph.value(value).name, type,
                          draft.tensors[i].name),
              kSkeletonIndent);
  }
  lines.comment("kernel<<<blocks, threads, 0, stream>>>(...);", kSkeletonIndent);
  lines.add("return cudaGetLastError();", kSkeletonIndent);
  lines.add("}");
}

}  // namespace

Result<std::string> skeleton_of(const plan::Plan& plan, size_t index) {
  const plan::Step& step = plan.steps[index];
  const kernels::Group group = plan::step_group(plan, index);
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  STITCH_CHECK(kernel != nullptr) << "a plan names the skeleton " << step.skeleton;
  STITCH_ASSIGN(const kernels::StepDraft draft, kernel->draft(group, step.setting));
  Lines lines;
  lines.comment(fmt::format("{}, step {}: {}", plan.graph.name, index, step.name));
  lines.add("//");
  for (const std::string& line : mathematics_of(plan, index)) {
    lines.comment("  " + line);
  }
  lines.add("#include \"stitch/step.h\"");
  lines.blank();
  lines.add("namespace {");
  lines.blank();
  print_names(plan, group, draft, lines);
  print_sizes(step, draft, lines);
  lines.add("}  // namespace");
  lines.blank();
  print_function(plan, index, group, draft, lines);
  return lines.take();
}

}  // namespace stitch::codegen
