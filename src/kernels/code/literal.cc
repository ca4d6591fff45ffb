// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/literal.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stitch::kernels {
namespace {

double number(const ir::Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

int64_t whole_number(const ir::Scalar& scalar) {
  const int64_t* exact = std::get_if<int64_t>(&scalar);
  return exact != nullptr ? *exact : static_cast<int64_t>(number(scalar));
}

// 0.0 and -0.0 are written differently.
bool is_same_real(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::string with_point(std::string text) { return text.find_first_of(".e") == std::string::npos ? text + ".0" : text; }

std::string float_text(double value) {
  if (std::isnan(value)) {
    return "NAN";
  }
  const float narrow = static_cast<float>(value);
  if (std::isinf(narrow)) {
    return narrow > 0 ? "INFINITY" : "-INFINITY";
  }
  return with_point(fmt::format("{}", narrow)) + "f";
}

std::string double_text(double value) {
  if (std::isnan(value)) {
    return "double{NAN}";
  }
  if (std::isinf(value)) {
    return value > 0 ? "double{INFINITY}" : "-double{INFINITY}";
  }
  return with_point(fmt::format("{}", value));
}

std::string int_text(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) {
    return "INT64_MIN";
  }
  const bool needs_suffix = value > std::numeric_limits<int32_t>::max() || value < std::numeric_limits<int32_t>::min();
  return fmt::format("{}{}", value, needs_suffix ? "ll" : "");
}

}  // namespace

bool Literal::operator==(const Literal& other) const {
  if (type != other.type) {
    return false;
  }
  switch (type) {
    case ScalarType::kFloat:
      return is_same_real(static_cast<float>(number(value)), static_cast<float>(number(other.value)));
    case ScalarType::kDouble:
      return is_same_real(number(value), number(other.value));
    case ScalarType::kBool:
      return (number(value) != 0.0) == (number(other.value) != 0.0);
    default:
      return whole_number(value) == whole_number(other.value);
  }
}

const char* to_string(ScalarType type) {
  switch (type) {
    case ScalarType::kFloat:
      return "float";
    case ScalarType::kDouble:
      return "double";
    case ScalarType::kInt64:
      return "int64_t";
    case ScalarType::kBool:
      return "bool";
    case ScalarType::kInt:
      return "int";
    case ScalarType::kUint32:
      return "uint32_t";
  }
  return "";
}

std::string to_text(const Literal& literal) {
  switch (literal.type) {
    case ScalarType::kFloat:
      return float_text(number(literal.value));
    case ScalarType::kDouble:
      return double_text(number(literal.value));
    case ScalarType::kBool:
      return number(literal.value) != 0.0 ? "true" : "false";
    case ScalarType::kInt64:
      return int_text(whole_number(literal.value));
    case ScalarType::kInt:
      return fmt::format("{}", whole_number(literal.value));
    case ScalarType::kUint32:
      return fmt::format("{}u", whole_number(literal.value));
  }
  return "";
}

bool is_negative(const Literal& literal) {
  const bool is_real = literal.type == ScalarType::kFloat || literal.type == ScalarType::kDouble;
  const double value = number(literal.value);
  return is_real ? std::signbit(value) && !std::isnan(value) : literal.type != ScalarType::kBool && value < 0;
}

bool speaks_for_itself(const ir::Scalar& scalar) {
  if (std::holds_alternative<bool>(scalar)) {
    return true;
  }
  const double value = number(scalar);
  return value == 0.0 || value == 1.0 || value == -1.0 || value == 2.0 || !std::isfinite(value);
}

ScalarType compute_type(DataType dtype) {
  if (is_floating_point(dtype)) {
    return dtype == DataType::kFloat64 ? ScalarType::kDouble : ScalarType::kFloat;
  }
  return dtype == DataType::kBool ? ScalarType::kBool : ScalarType::kInt64;
}

Literal literal(const ir::Scalar& scalar, DataType dtype) { return {scalar, compute_type(dtype)}; }

Literal int_literal(int64_t value) { return {value, ScalarType::kInt64}; }

Literal float_literal(double value) { return {value, ScalarType::kFloat}; }

}  // namespace stitch::kernels
