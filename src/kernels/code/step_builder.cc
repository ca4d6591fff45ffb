// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/step_builder.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::kernels {

StepBuilder::StepBuilder(const Group& group) : group_(group) {
  const auto name_tensor = [&](ir::ValueId value) {
    const std::string name = names_.take(constant_name(group.graph->value(value).name));
    tensor_names_[value] = name;
    draft_.tensors.push_back({name, value});
  };
  std::for_each(group.operands.begin(), group.operands.end(), name_tensor);
  std::for_each(group.results.begin(), group.results.end(), name_tensor);
}

Expr StepBuilder::tensor(ir::ValueId value) {
  if (group_.makes(value) && group_.place_of(value) != nullptr) {
    taken_whole_ = value;
  }
  return elements(value);
}

Result<StepDraft> StepBuilder::take() {
  if (taken_whole_.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   group_.graph->value(*taken_whole_).name + " is not stored element by element");
  }
  return std::move(draft_);
}

Expr StepBuilder::elements(ir::ValueId value) const {
  const auto found = tensor_names_.find(value);
  STITCH_CHECK(found != tensor_names_.end()) << group_.graph->value(value).name << " is not in the step's memory";
  return tensor_named(found->second);
}

Expr StepBuilder::extent(const std::string& wanted, int64_t value, const std::string& comment) {
  const std::string name = extent_names_.take(wanted);
  draft_.shape.extents.push_back({name, value, comment});
  return extent_named(name);
}

Expr StepBuilder::constant(const std::string& wanted, const Literal& value, const std::string& comment) {
  const std::string base = constant_name(wanted);
  for (const Constant& known : draft_.constants) {
    if (known.value == value && known.name == base) {
      return named(known.name);
    }
  }
  const std::string name = names_.take(base);
  draft_.constants.push_back({name, value, comment});
  return named(name);
}

Expr StepBuilder::int_constant(const std::string& wanted, int64_t value, const std::string& comment) {
  return constant(wanted, {value, ScalarType::kInt}, comment);
}

void StepBuilder::construct(FunctorTree functor, const std::string& variable) {
  draft_.launch.emplace_back(Construction{draft_.functors.size(), variable});
  draft_.functors.push_back(std::move(functor));
}

void StepBuilder::include(const std::string& header) {
  auto& includes = draft_.includes;
  if (std::find(includes.begin(), includes.end(), header) == includes.end()) {
    includes.push_back(header);
    std::sort(includes.begin(), includes.end());
  }
}

}  // namespace stitch::kernels
