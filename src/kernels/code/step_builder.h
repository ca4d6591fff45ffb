// SPDX-License-Identifier: Apache-2.0
// Collects a step's code while its functors are made: each table entry gets a name once, in order of first use.
#pragma once

#include <map>
#include <string>

#include "kernels/code/names.h"
#include "kernels/code/step_code.h"
#include "kernels/group/group.h"

namespace stitch::kernels {

class StepBuilder {
 public:
  explicit StepBuilder(const Group& group);

  const Group& group() const { return group_; }
  // "args->tensors[kExpandWeight]"
  std::string tensor(ir::ValueId value) const;
  // "args->extents[kColumns]"; a new entry each time, so that equal sizes never share one by chance.
  std::string extent(const std::string& wanted, int64_t value, const std::string& comment = {});
  // A named constant of this value; the same name for the same type and value.
  std::string constant(const std::string& type, const std::string& wanted, const std::string& value,
                       const std::string& comment = {});
  std::string type_name(const std::string& wanted) { return names_.take(wanted); }

  void include(const std::string& header);
  void describe(const std::string& line) { code_.description.push_back(line); }
  void add(Functor functor) { code_.functors.push_back(std::move(functor)); }
  void launch(const std::string& statement) { code_.launch.push_back(statement); }
  void set_scratch_bytes(int64_t bytes) { code_.scratch_bytes = bytes; }

  StepCode take() { return std::move(code_); }

 private:
  const Group& group_;
  NameTable names_;
  std::map<ir::ValueId, std::string> tensor_names_;
  StepCode code_;
};

}  // namespace stitch::kernels
