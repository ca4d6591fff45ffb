// SPDX-License-Identifier: Apache-2.0
// {"name": "x", "role": "input", "dtype": "float32", "shape": [2, 3]}
#pragma once

#include "artifact/tensor/tensor_spec.h"
#include "base/json/json_forward.h"

namespace stitch {

Json to_json(const TensorSpec& spec);
// "role" may be missing, and is then `role`.
Result<TensorSpec> tensor_spec_from_json(const Json& json, TensorRole role = TensorRole::kInput);
// The members "dtype" and "shape" of an object that may hold more.
Result<TensorType> tensor_type_from_json(const Json& json);

}  // namespace stitch
