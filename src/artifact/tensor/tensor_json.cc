// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/tensor_json.h"

#include "artifact/tensor/extents.h"
#include "base/json/json.h"

namespace stitch {

Json to_json(const TensorSpec& spec) {
  return {{"name", spec.name},
          {"role", to_string(spec.role)},
          {"dtype", to_string(spec.type.dtype)},
          {"shape", spec.type.shape}};
}

Result<TensorType> tensor_type_from_json(const Json& json) {
  STITCH_ASSIGN(const std::string dtype, json_string(json, "dtype"));
  TensorType type;
  STITCH_ASSIGN(type.dtype, data_type_from_string(dtype));
  STITCH_ASSIGN(type.shape, json_int_list(json, "shape"));
  const Result<void> checked = check_extents(type);
  if (!checked.has_value()) {
    return failure(ErrorCode::kFileInvalid, checked.error().message);
  }
  return type;
}

Result<TensorSpec> tensor_spec_from_json(const Json& json, TensorRole role) {
  TensorSpec spec;
  spec.role = role;
  STITCH_ASSIGN(spec.name, json_string(json, "name"));
  if (json.contains("role")) {
    STITCH_ASSIGN(const std::string role_name, json_string(json, "role"));
    STITCH_ASSIGN(spec.role, tensor_role_from_string(role_name));
  }
  STITCH_ASSIGN(spec.type, tensor_type_from_json(json));
  return spec;
}

}  // namespace stitch
