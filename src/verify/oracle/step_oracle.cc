// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle/step_oracle.h"

#include "verify/compare/elements.h"

namespace stitch::verify {
namespace {

std::vector<TensorSpec> specs_of(const std::vector<StepTensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const StepTensor& tensor : tensors) {
    specs.push_back(tensor.spec);
  }
  return specs;
}

const HostTensor* find(const std::vector<HostTensor>& tensors, const std::string& name) {
  for (const HostTensor& tensor : tensors) {
    if (tensor.spec().name == name) {
      return &tensor;
    }
  }
  return nullptr;
}

}  // namespace

Result<OracleProgram> StepOracle::open(const OracleSource& source) {
  STITCH_ASSIGN(whole_program_, whole_.open(source));
  if (step_.name_values) {
    STITCH_ASSIGN(values_, step_.name_values(whole_program_));
  }
  if (!values_.why_not.empty()) {
    return failure(ErrorCode::kProgramInvalid, values_.why_not, {},
                   "leave the step out: then the whole program is judged");
  }
  OracleProgram program = whole_program_;
  program.inputs = specs_of(step_.inputs);
  program.whole_inputs.clear();
  program.parameters = specs_of(step_.parameters);
  program.states.clear();
  program.outputs = specs_of(step_.outputs);
  program.states_out.clear();
  return program;
}

Result<OracleDraw> StepOracle::draw(const OracleProgram&, const std::string& regime, int draw) {
  STITCH_ASSIGN(const OracleDraw whole_draw, whole_.draw(whole_program_, regime, draw));
  OracleDraw result;
  result.dropped = whole_draw.dropped;
  result.note = whole_draw.note;
  if (result.dropped) {
    return result;
  }
  STITCH_ASSIGN(result.inputs, contents(step_.inputs, whole_draw));
  STITCH_ASSIGN(result.parameters, contents(step_.parameters, whole_draw));
  std::vector<TensorSpec> wanted;
  for (const StepTensor& output : step_.outputs) {
    wanted.push_back({known_name(output.value), TensorRole::kOutput, output.spec.type});
  }
  STITCH_ASSIGN(result.outputs, whole_.intermediates(whole_program_, wanted));
  return result;
}

Result<std::vector<OutputReference>> StepOracle::intermediates(const OracleProgram&,
                                                               const std::vector<TensorSpec>& values) {
  return whole_.intermediates(whole_program_, values);
}

const std::string& StepOracle::known_name(const std::string& value) const {
  const auto found = values_.names.find(value);
  return found == values_.names.end() ? value : found->second;
}

Result<std::vector<HostTensor>> StepOracle::contents(const std::vector<StepTensor>& tensors,
                                                     const OracleDraw& whole_draw) {
  std::vector<HostTensor> result;
  for (const StepTensor& tensor : tensors) {
    const HostTensor* given = nullptr;
    for (const auto* group : {&whole_draw.inputs, &whole_draw.parameters, &whole_draw.states}) {
      given = given != nullptr ? given : find(*group, tensor.value);
    }
    if (given != nullptr && given->spec().type.bytes() == tensor.spec.type.bytes()) {
      result.push_back(HostTensor::from_bytes(tensor.spec, {given->bytes().begin(), given->bytes().end()}));
      continue;
    }
    const TensorSpec wanted{known_name(tensor.value), TensorRole::kInput, tensor.spec.type};
    STITCH_ASSIGN(const auto values, whole_.intermediates(whole_program_, {wanted}));
    result.push_back(convert(values.front().reference, tensor.spec));
  }
  return result;
}

}  // namespace stitch::verify
