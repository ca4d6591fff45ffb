// SPDX-License-Identifier: Apache-2.0
#include "driver/project/python_forms.h"

#include "base/json/json.h"
#include "codegen/forms/python_forms.h"

namespace stitch::driver {
namespace {

constexpr int64_t kFormsTimeoutMs = 240'000;

Result<codegen::PythonReference::Constant> constant_from(const Json& json) {
  codegen::PythonReference::Constant constant;
  STITCH_ASSIGN(constant.name, json_string(json, "name"));
  STITCH_ASSIGN(constant.dtype, json_string(json, "dtype"));
  STITCH_ASSIGN(constant.shape, json_int_list(json, "shape"));
  STITCH_ASSIGN(constant.base64, json_string(json, "bytes"));
  return constant;
}

Result<codegen::PythonReference> reference_from(const Json& json) {
  using Kind = codegen::PythonReference::Kind;
  codegen::PythonReference reference;
  STITCH_ASSIGN(reference.source, json_string(json, "source"));
  STITCH_ASSIGN(reference.constructor_source, json_string(json, "constructor_source"));
  STITCH_ASSIGN(reference.target, json_string(json, "target"));
  STITCH_ASSIGN(const std::string kind, json_string(json, "kind"));
  reference.kind = kind == "class" ? Kind::kClass : kind == "function" ? Kind::kFunction : Kind::kInstance;
  STITCH_ASSIGN(reference.takes, json_string(json, "takes"));
  STITCH_ASSIGN(reference.returns, json_string(json, "returns"));
  STITCH_ASSIGN(reference.both_modes, json_bool(json, "both_modes"));
  STITCH_ASSIGN(reference.random, json_bool(json, "random"));
  STITCH_ASSIGN(reference.single_file, json_bool(json, "single_file"));
  STITCH_ASSIGN(const Json* modes, json_object(json, "modes"));
  for (const auto& [name, training] : modes->items()) {
    reference.modes[name] = training.is_boolean() && training.get<bool>();
  }
  STITCH_ASSIGN(const Json* constants, json_array(json, "constants"));
  for (const Json& item : *constants) {
    STITCH_ASSIGN(codegen::PythonReference::Constant constant, constant_from(item));
    reference.constants.push_back(std::move(constant));
  }
  return reference;
}

}  // namespace

Result<PythonForms> python_forms(Job& job, const Task& task, const SourceBundle& bundle) {
  PythonForms forms;
  const Result<Json> answer = job.ask("forms", task.arguments(), kFormsTimeoutMs);
  if (!answer.has_value()) {
    if (answer.error().code != ErrorCode::kProgramInvalid) {
      return failure(answer.error());
    }
    forms.missing = answer.error().message;
    return forms;
  }
  STITCH_ASSIGN(const codegen::PythonReference reference, reference_from(*answer));
  const codegen::PythonFormOptions options{job.resources().runtime().string()};
  STITCH_ASSIGN(forms.files, codegen::module_form(bundle, reference, options));
  // A solution is compared with eager, whose numbers are drawn otherwise.
  if (!reference.random && reference.single_file) {
    STITCH_ASSIGN(forms.files["kernelbench_solution.py"], codegen::single_file_form(bundle, reference, options));
  }
  return forms;
}

}  // namespace stitch::driver
