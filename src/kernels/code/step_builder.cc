// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/step_builder.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::kernels {

StepBuilder::StepBuilder(const Group& group) : group_(group) {
  const auto name_tensor = [&](ir::ValueId value) {
    const std::string name = names_.take(constant_name(group.graph->value(value).name));
    tensor_names_[value] = name;
    code_.tensors.push_back({name, value});
  };
  std::for_each(group.operands.begin(), group.operands.end(), name_tensor);
  std::for_each(group.results.begin(), group.results.end(), name_tensor);
  code_.operand_count = group.operands.size();
}

std::string StepBuilder::tensor(ir::ValueId value) const {
  const auto found = tensor_names_.find(value);
  STITCH_CHECK(found != tensor_names_.end()) << group_.graph->value(value).name << " is not in the step's memory";
  return "args->tensors[" + found->second + "]";
}

std::string StepBuilder::extent(const std::string& wanted, int64_t value, const std::string& comment) {
  const std::string name = names_.take(constant_name(wanted));
  code_.extents.push_back({name, value, comment});
  return "args->extents[" + name + "]";
}

std::string StepBuilder::constant(const std::string& type, const std::string& wanted, const std::string& value,
                                  const std::string& comment) {
  const std::string base = constant_name(wanted);
  for (const Constant& known : code_.constants) {
    if (known.type == type && known.value == value && known.name == base) {
      return known.name;
    }
  }
  const std::string name = names_.take(base);
  code_.constants.push_back({type, name, value, comment});
  return name;
}

void StepBuilder::include(const std::string& header) {
  auto& includes = code_.includes;
  if (std::find(includes.begin(), includes.end(), header) == includes.end()) {
    includes.push_back(header);
    std::sort(includes.begin(), includes.end());
  }
}

}  // namespace stitch::kernels
