// SPDX-License-Identifier: Apache-2.0
#include "kernels/written/written.h"

#include <fmt/format.h>

#include <string_view>

#include "ir/graph/op.h"
#include "kernels/code/names.h"

namespace stitch::kernels {
namespace {

// Nobody knows what its launches are like: as many blocks as fill any device.
constexpr int64_t kManyBlocks = 1 << 20;
constexpr int kThreadsOfMultiprocessor = 2048;

// "rows of x" has no name in a graph: an extent goes by its tensor and axis.
std::vector<NamedExtent> extents_of_tensors(const Group& group) {
  NameTable names;
  std::vector<NamedExtent> extents;
  for (const auto* values : {&group.operands, &group.results}) {
    for (const ir::ValueId value : *values) {
      const std::vector<int64_t>& shape = group.graph->type(value).shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        extents.push_back(
            {names.take(fmt::format("{}_axis_{}", group.graph->value(value).name, axis)), shape[axis], ""});
      }
    }
  }
  return extents;
}

class Written final : public KernelTemplate {
 public:
  explicit Written(FindTemplate template_for) : template_for_(template_for) {}

  const char* name() const override { return kWrittenStep; }
  bool is_root(const ir::Graph&, const ir::Node&) const override { return false; }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override { return {{kWrittenStep, 1}}; }

  Work work(const Group& group, const Setting&) const override {
    Work work = work_of_nodes(group, template_for_);
    work.blocks = kManyBlocks;
    work.blocks_per_multiprocessor = 1;
    work.threads_per_block = kThreadsOfMultiprocessor;
    return work;
  }

  // No text: that is the plan's. What it is called with follows from the group alone.
  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    StepDraft draft;
    NameTable names;
    for (const auto* values : {&group.operands, &group.results}) {
      for (const ir::ValueId value : *values) {
        draft.tensors.push_back({names.take(constant_name(group.graph->value(value).name)), value});
      }
    }
    draft.shape.extents = extents_of_tensors(group);
    return draft;
  }

 private:
  FindTemplate template_for_;
};

}  // namespace

bool is_written(const KernelTemplate& kernel) { return std::string_view(kernel.name()) == kWrittenStep; }

std::unique_ptr<KernelTemplate> make_written(FindTemplate template_for) {
  return std::make_unique<Written>(template_for);
}

}  // namespace stitch::kernels
