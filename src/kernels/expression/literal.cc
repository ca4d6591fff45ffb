// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/literal.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stitch::kernels {

namespace {

std::string with_point(std::string text) { return text.find_first_of(".e") == std::string::npos ? text + ".0" : text; }

}  // namespace

std::string float_literal(double value) {
  if (std::isnan(value)) {
    return "NAN";
  }
  const float narrow = static_cast<float>(value);
  if (std::isinf(narrow)) {
    return narrow > 0 ? "INFINITY" : "-INFINITY";
  }
  return with_point(fmt::format("{}", narrow)) + "f";
}

std::string double_literal(double value) {
  if (std::isnan(value)) {
    return "double{NAN}";
  }
  if (std::isinf(value)) {
    return value > 0 ? "double{INFINITY}" : "-double{INFINITY}";
  }
  return with_point(fmt::format("{}", value));
}

std::string int_literal(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) {
    return "INT64_MIN";
  }
  const bool needs_suffix = value > std::numeric_limits<int32_t>::max() || value < std::numeric_limits<int32_t>::min();
  return fmt::format("{}{}", value, needs_suffix ? "ll" : "");
}

std::string literal(const ir::Scalar& scalar, DataType dtype) {
  const double value = std::visit([](auto number) { return static_cast<double>(number); }, scalar);
  if (is_floating_point(dtype)) {
    return dtype == DataType::kFloat64 ? double_literal(value) : float_literal(value);
  }
  if (dtype == DataType::kBool) {
    return value != 0.0 ? "true" : "false";
  }
  const int64_t* exact = std::get_if<int64_t>(&scalar);
  return int_literal(exact != nullptr ? *exact : static_cast<int64_t>(value));
}

bool speaks_for_itself(const ir::Scalar& scalar) {
  if (std::holds_alternative<bool>(scalar)) {
    return true;
  }
  const double value = std::visit([](auto number) { return static_cast<double>(number); }, scalar);
  return value == 0.0 || value == 1.0 || value == -1.0 || value == 2.0 || !std::isfinite(value);
}

const char* compute_type(DataType dtype) {
  if (is_floating_point(dtype)) {
    return dtype == DataType::kFloat64 ? "double" : "float";
  }
  return dtype == DataType::kBool ? "bool" : "int64_t";
}

}  // namespace stitch::kernels
