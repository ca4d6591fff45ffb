// SPDX-License-Identifier: Apache-2.0
#include "driver/joined/known_sizes.h"

namespace stitch::driver {

KnownSizes::KnownSizes(const TextProgram& program) {
  add(program.plan, program.plan.graph, 0);
  if (program.plan.batch.has_value()) {
    const plan::RunTimeBatch& batch = *program.plan.batch;
    add(program.plan, batch.other, batch.other_batch - batch.planned);
  }
  for (const Subject& subject : program.set.subjects) {
    if (!subject.same_binary) {
      add(subject.plan, subject.plan.graph, 0);
    }
  }
}

void KnownSizes::add(const plan::Plan& plan, const ir::Graph& graph, int64_t batches_more) {
  Point point{&plan, &graph, batches_more};
  for (const ir::Value& value : graph.values) {
    point.types[value.name] = &value.type;
  }
  points_.push_back(std::move(point));
}

std::optional<std::vector<KnownAxis>> KnownSizes::axes_of(const StepContract& contract) const {
  std::vector<KnownAxis> axes;
  for (const auto* tensors : {&contract.operands, &contract.results}) {
    for (const ContractTensor& tensor : *tensors) {
      for (size_t axis = 0; axis < tensor.type.shape.size(); ++axis) {
        KnownAxis known{{tensor.name, static_cast<int64_t>(axis)}, {}};
        for (const Point& point : points_) {
          const auto found = point.types.find(tensor.name);
          if (found == point.types.end() || found->second->shape.size() <= axis) {
            return std::nullopt;
          }
          known.at.push_back(found->second->shape[axis]);
        }
        axes.push_back(std::move(known));
      }
    }
  }
  return axes;
}

std::optional<std::vector<int64_t>> KnownSizes::extent_of(size_t step, size_t extent) const {
  std::vector<int64_t> at;
  const plan::Step& own = points_.front().plan->steps[step];
  for (const Point& point : points_) {
    const auto& steps = point.plan->steps;
    if (step >= steps.size() || steps[step].name != own.name || steps[step].extents.size() != own.extents.size()) {
      return std::nullopt;
    }
    const std::vector<int64_t>& growth = steps[step].extents_per_batch;
    at.push_back(steps[step].extents[extent] + (growth.empty() ? 0 : growth[extent] * point.batches_more));
  }
  return at;
}

std::optional<std::vector<int64_t>> KnownSizes::elements_of(const std::string& value) const {
  std::vector<int64_t> at;
  for (const Point& point : points_) {
    const auto found = point.types.find(value);
    if (found == point.types.end()) {
      return std::nullopt;
    }
    at.push_back(found->second->element_count());
  }
  return at;
}

}  // namespace stitch::driver
