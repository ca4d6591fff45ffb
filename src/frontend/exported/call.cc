// SPDX-License-Identifier: Apache-2.0
#include "frontend/exported/call.h"

#include <fmt/format.h>

namespace stitch::frontend {

bool Call::uses_output(size_t position) const {
  return position < node_.outputs.size() && used_.contains(node_.outputs[position].name);
}

const Argument* Call::argument(size_t position, const char* name) const {
  const Argument* found = nullptr;
  if (position < node_.arguments.size()) {
    found = &node_.arguments[position];
  } else if (const auto keyword = node_.keywords.find(name); keyword != node_.keywords.end()) {
    found = &keyword->second;
  }
  return found == nullptr || found->is_none() ? nullptr : found;
}

Unexpected Call::unsupported(const std::string& reason) const {
  return failure(ErrorCode::kUnsupportedOperator, reason, node_.location);
}

Result<void> Call::require(bool fits, const std::string& reason) const {
  if (!fits) {
    return unsupported(reason);
  }
  return {};
}

Unexpected Call::missing_argument(const char* name, const char* kind) const {
  return unsupported(fmt::format("argument {} is not {}", name, kind));
}

Result<ValueId> Call::tensor(size_t position, const char* name) const {
  const Argument* found = argument(position, name);
  const ValueName* value = found == nullptr ? nullptr : std::get_if<ValueName>(&found->value);
  if (value == nullptr) {
    return missing_argument(name, "a tensor");
  }
  const auto id = values_.find(value->name);
  if (id == values_.end()) {
    return unsupported(fmt::format("it needs {}, which an unsupported operator or form gives", value->name));
  }
  return id->second;
}

Result<Operand> Call::optional_tensor(size_t position, const char* name) const {
  if (!has(position, name)) {
    return Operand(Absent{});
  }
  STITCH_ASSIGN(const ValueId id, tensor(position, name));
  return Operand(id);
}

Result<Operand> Call::tensor_or_scalar(size_t position, const char* name) const {
  const Argument* found = argument(position, name);
  if (found != nullptr) {
    if (const bool* value = std::get_if<bool>(&found->value)) {
      return Operand(Scalar(*value));
    }
    if (const int64_t* value = std::get_if<int64_t>(&found->value)) {
      return Operand(Scalar(*value));
    }
    if (const double* value = std::get_if<double>(&found->value)) {
      return Operand(Scalar(*value));
    }
  }
  STITCH_ASSIGN(const ValueId id, tensor(position, name));
  return Operand(id);
}

Result<std::vector<ValueId>> Call::tensors(size_t position, const char* name) const {
  const Argument* found = argument(position, name);
  const ArgumentList* items = found == nullptr ? nullptr : std::get_if<ArgumentList>(&found->value);
  if (items == nullptr) {
    return missing_argument(name, "a list of tensors");
  }
  if (items->empty()) {
    return missing_argument(name, "a list of at least one tensor");
  }
  std::vector<ValueId> ids;
  for (const Argument& item : *items) {
    const ValueName* value = std::get_if<ValueName>(&item.value);
    const auto id = value == nullptr ? values_.end() : values_.find(value->name);
    if (id == values_.end()) {
      return missing_argument(name, "a list of tensors that we compute");
    }
    ids.push_back(id->second);
  }
  return ids;
}

Result<std::vector<std::optional<ValueId>>> Call::optional_tensors(size_t position, const char* name) const {
  const Argument* found = argument(position, name);
  const ArgumentList* items = found == nullptr ? nullptr : std::get_if<ArgumentList>(&found->value);
  if (items == nullptr) {
    return missing_argument(name, "a list of tensors");
  }
  std::vector<std::optional<ValueId>> ids;
  for (const Argument& item : *items) {
    if (item.is_none()) {
      ids.emplace_back();
      continue;
    }
    const ValueName* value = std::get_if<ValueName>(&item.value);
    const auto id = value == nullptr ? values_.end() : values_.find(value->name);
    if (id == values_.end()) {
      return missing_argument(name, "a list of tensors that we compute");
    }
    ids.emplace_back(id->second);
  }
  return ids;
}

Result<int64_t> Call::integer(size_t position, const char* name, std::optional<int64_t> missing) const {
  const Argument* found = argument(position, name);
  if (found == nullptr && missing.has_value()) {
    return *missing;
  }
  const int64_t* value = found == nullptr ? nullptr : std::get_if<int64_t>(&found->value);
  if (value == nullptr) {
    return missing_argument(name, "an integer");
  }
  return *value;
}

Result<double> Call::number(size_t position, const char* name, std::optional<double> missing) const {
  const Argument* found = argument(position, name);
  if (found == nullptr && missing.has_value()) {
    return *missing;
  }
  if (found != nullptr) {
    if (const double* real = std::get_if<double>(&found->value)) {
      return *real;
    }
    if (const int64_t* integer = std::get_if<int64_t>(&found->value)) {
      return static_cast<double>(*integer);
    }
    if (const bool* truth = std::get_if<bool>(&found->value)) {
      return *truth ? 1.0 : 0.0;
    }
  }
  return missing_argument(name, "a number");
}

Result<bool> Call::boolean(size_t position, const char* name, std::optional<bool> missing) const {
  const Argument* found = argument(position, name);
  if (found == nullptr && missing.has_value()) {
    return *missing;
  }
  const bool* value = found == nullptr ? nullptr : std::get_if<bool>(&found->value);
  if (value == nullptr) {
    return missing_argument(name, "true or false");
  }
  return *value;
}

Result<std::string> Call::text(size_t position, const char* name, std::optional<std::string> missing) const {
  const Argument* found = argument(position, name);
  if (found == nullptr && missing.has_value()) {
    return *missing;
  }
  const std::string* value = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  if (value == nullptr) {
    return missing_argument(name, "a text");
  }
  return *value;
}

Result<std::vector<int64_t>> Call::integers(size_t position, const char* name,
                                            std::optional<std::vector<int64_t>> missing) const {
  const Argument* found = argument(position, name);
  if (found == nullptr && missing.has_value()) {
    return *missing;
  }
  if (found != nullptr && std::holds_alternative<int64_t>(found->value)) {
    return std::vector<int64_t>{std::get<int64_t>(found->value)};
  }
  const ArgumentList* items = found == nullptr ? nullptr : std::get_if<ArgumentList>(&found->value);
  if (items == nullptr) {
    return missing_argument(name, "a list of integers");
  }
  std::vector<int64_t> values;
  for (const Argument& item : *items) {
    const int64_t* value = std::get_if<int64_t>(&item.value);
    if (value == nullptr) {
      return missing_argument(name, "a list of integers");
    }
    values.push_back(*value);
  }
  return values;
}

Result<std::optional<DataType>> Call::dtype(size_t position, const char* name) const {
  const Argument* found = argument(position, name);
  if (found == nullptr) {
    return std::optional<DataType>();
  }
  const DataType* value = std::get_if<DataType>(&found->value);
  if (value == nullptr) {
    return missing_argument(name, "an element type that we support");
  }
  return std::optional<DataType>(*value);
}

Result<int64_t> Call::axis(int64_t dim, size_t rank) const {
  const auto signed_rank = static_cast<int64_t>(rank);
  const int64_t from_front = dim < 0 ? dim + signed_rank : dim;
  if (from_front < 0 || from_front >= signed_rank) {
    return unsupported(fmt::format("axis {} of a tensor of {} axes", dim, rank));
  }
  return from_front;
}

}  // namespace stitch::frontend
