// SPDX-License-Identifier: Apache-2.0
// Element types, roles and specs: their names, sizes and JSON.
#include "artifact/tensor/tensor_spec.h"

#include <gtest/gtest.h>

#include "artifact/task/math_mode.h"
#include "artifact/tensor/tensor_json.h"
#include "base/json/json.h"

namespace stitch {
namespace {

TEST(DataTypes, BothSpellingsComeBack) {
  for (int i = 0; i <= static_cast<int>(DataType::kBool); ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(data_type_from_string(to_string(type)).value(), type);
    EXPECT_EQ(data_type_from_string(short_name(type)).value(), type);
  }
  EXPECT_STREQ(to_string(DataType::kBfloat16), "bfloat16");
  EXPECT_STREQ(short_name(DataType::kBool), "b8");
  EXPECT_EQ(element_bytes(DataType::kFloat64), 8);
  EXPECT_TRUE(is_floating_point(DataType::kBfloat16));
  EXPECT_FALSE(is_floating_point(DataType::kBool));
}

TEST(DataTypes, AnotherNameIsRefused) {
  for (const char* name : {"", "float", "complex64", "F32"}) {
    const auto type = data_type_from_string(name);
    ASSERT_FALSE(type.has_value()) << name;
    EXPECT_EQ(type.error().message, "element type " + std::string(name) + " is not supported");
  }
}

TEST(MathModes, NamesComeBack) {
  for (const MathMode mode : {MathMode::kFp32, MathMode::kKernelBench, MathMode::kTf32, MathMode::kReduced}) {
    EXPECT_EQ(math_mode_from_string(to_string(mode)).value(), mode);
  }
  EXPECT_EQ(math_mode_from_string("fp64").error().code, ErrorCode::kUsage);
}

TEST(TensorTypes, CountElementsBytesAndStrides) {
  EXPECT_EQ((TensorType{DataType::kInt64, {2, 3}}).bytes(), 48);
  EXPECT_EQ((TensorType{DataType::kFloat16, {}}).bytes(), 2);
  EXPECT_EQ((TensorType{DataType::kFloat16, {4, 0}}).bytes(), 0);
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), std::vector<int64_t>{});
}

TEST(TensorSpecs, ComeBackFromJson) {
  for (const TensorRole role :
       {TensorRole::kInput, TensorRole::kParameter, TensorRole::kConstant, TensorRole::kState, TensorRole::kOutput}) {
    const TensorSpec spec{"fc.weight", role, {DataType::kBfloat16, {2, 0, 3}}};
    const auto read = tensor_spec_from_json(parse_json(to_json(spec).dump(), "spec").value());
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, spec);
  }
}

TEST(TensorSpecs, ARoleMayBeMissing) {
  const Json json = parse_json(R"({"name": "x", "dtype": "int64", "shape": []})", "spec").value();
  EXPECT_EQ(tensor_spec_from_json(json).value().role, TensorRole::kInput);
  EXPECT_EQ(tensor_spec_from_json(json, TensorRole::kState).value().role, TensorRole::kState);
}

TEST(TensorSpecs, OthersAreRefused) {
  for (const char* text :
       {"null", "[]", R"({"name": "x", "dtype": "int64"})", R"({"name": "x", "dtype": "int65", "shape": []})",
        R"({"name": "x", "dtype": "int64", "shape": [-1]})", R"({"name": "x", "dtype": "int64", "shape": [1.5]})",
        R"({"name": "x", "dtype": "int64", "shape": 3})", R"({"name": 3, "dtype": "int64", "shape": []})",
        R"({"name": "x", "role": "weight", "dtype": "int64", "shape": []})",
        R"({"name": "x", "dtype": "int64", "shape": [18446744073709551615]})"}) {
    const auto read = tensor_spec_from_json(parse_json(text, "spec").value());
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_FALSE(read.error().message.empty());
  }
}

}  // namespace
}  // namespace stitch
