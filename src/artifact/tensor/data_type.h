// SPDX-License-Identifier: Apache-2.0
// Element types, spelled as PyTorch spells them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch {

enum class DataType { kFloat32, kFloat64, kFloat16, kBfloat16, kInt64, kInt32, kInt16, kInt8, kUint8, kBool };

// "float32", "bfloat16", "int64", "bool" ...
const char* to_string(DataType type);
// The short form of IR text: "f32", "bf16", "i64", "b8" ...
const char* short_name(DataType type);
// Takes either spelling.
Result<DataType> data_type_from_string(std::string_view name);
int64_t element_bytes(DataType type);
bool is_floating_point(DataType type);
// The C++ type in emitted CUDA: "float", "__half", "__nv_bfloat16", "int64_t", "bool" ...
const char* cuda_type_name(DataType type);

}  // namespace stitch
