// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/data_type.h"

#include <array>

namespace stitch {
namespace {

struct Row {
  DataType type;
  const char* name;
  const char* short_name;
  const char* cuda_name;
  int64_t bytes;
};

// In the order of the enumeration, so that a type is its own index.
constexpr std::array<Row, 10> kRows = {{
    {DataType::kFloat32, "float32", "f32", "float", 4},
    {DataType::kFloat64, "float64", "f64", "double", 8},
    {DataType::kFloat16, "float16", "f16", "__half", 2},
    {DataType::kBfloat16, "bfloat16", "bf16", "__nv_bfloat16", 2},
    {DataType::kInt64, "int64", "i64", "int64_t", 8},
    {DataType::kInt32, "int32", "i32", "int32_t", 4},
    {DataType::kInt16, "int16", "i16", "int16_t", 2},
    {DataType::kInt8, "int8", "i8", "int8_t", 1},
    {DataType::kUint8, "uint8", "u8", "uint8_t", 1},
    {DataType::kBool, "bool", "b8", "bool", 1},
}};

const Row& row_of(DataType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

const char* to_string(DataType type) { return row_of(type).name; }
const char* short_name(DataType type) { return row_of(type).short_name; }
const char* cuda_type_name(DataType type) { return row_of(type).cuda_name; }
int64_t element_bytes(DataType type) { return row_of(type).bytes; }

Result<DataType> data_type_from_string(std::string_view name) {
  for (const Row& row : kRows) {
    if (name == row.name || name == row.short_name) {
      return row.type;
    }
  }
  return failure(ErrorCode::kProgramInvalid, "element type " + std::string(name) + " is not supported", "",
                 "use one of float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, bool");
}

bool is_floating_point(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat64 || type == DataType::kFloat16 ||
         type == DataType::kBfloat16;
}

}  // namespace stitch
