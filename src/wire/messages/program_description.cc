// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/program_description.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace stitch::wire {
namespace {

constexpr size_t kMaxTensors = 100000;
constexpr size_t kMaxRank = 16;
constexpr int64_t kMaxElements = int64_t{1} << 44;

Json tensor_json(const TensorDescription& tensor) {
  return {{"name", tensor.spec.name},
          {"role", to_string(tensor.spec.role)},
          {"dtype", to_string(tensor.spec.type.dtype)},
          {"shape", tensor.spec.type.shape},
          {"run_time_axes", tensor.run_time_axes},
          {"min_extents", tensor.min_extents},
          {"max_extents", tensor.max_extents},
          {"is_optional", tensor.is_optional},
          {"alias_of", tensor.alias_of}};
}

Result<void> check_shape(const TensorDescription& tensor) {
  const std::vector<int64_t>& shape = tensor.spec.type.shape;
  int64_t elements = 1;
  bool good = shape.size() <= kMaxRank;
  for (size_t axis = 0; good && axis < shape.size(); ++axis) {
    good =
        shape[axis] >= 0 && shape[axis] <= kMaxElements && elements <= kMaxElements / std::max<int64_t>(shape[axis], 1);
    elements *= good ? shape[axis] : 1;
  }
  if (!good) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("the program describes tensor {} with an impossible shape", tensor.spec.name));
  }
  const size_t rank = shape.size();
  if (tensor.run_time_axes.size() != rank || tensor.min_extents.size() != rank || tensor.max_extents.size() != rank) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("the program describes tensor {} with lists of unequal length", tensor.spec.name));
  }
  return {};
}

Result<TensorDescription> tensor_from_json(const Json& json) {
  TensorDescription tensor;
  STITCH_ASSIGN(tensor.spec.name, json_string(json, "name"));
  STITCH_ASSIGN(const std::string role, json_string(json, "role"));
  STITCH_ASSIGN(tensor.spec.role, tensor_role_from_string(role));
  STITCH_ASSIGN(const std::string dtype, json_string(json, "dtype"));
  STITCH_ASSIGN(tensor.spec.type.dtype, data_type_from_string(dtype));
  STITCH_ASSIGN(tensor.spec.type.shape, json_int_list(json, "shape"));
  STITCH_ASSIGN(tensor.run_time_axes, json_int_list(json, "run_time_axes"));
  STITCH_ASSIGN(tensor.min_extents, json_int_list(json, "min_extents"));
  STITCH_ASSIGN(tensor.max_extents, json_int_list(json, "max_extents"));
  STITCH_ASSIGN(tensor.is_optional, json_bool(json, "is_optional"));
  STITCH_ASSIGN(tensor.alias_of, json_int(json, "alias_of"));
  STITCH_TRY(check_shape(tensor));
  return tensor;
}

struct Group {
  const char* key;
  std::vector<TensorDescription> ProgramDescription::*member;
};
constexpr Group kGroups[] = {{"inputs", &ProgramDescription::inputs},
                             {"parameters", &ProgramDescription::parameters},
                             {"states_in", &ProgramDescription::states_in},
                             {"states_out", &ProgramDescription::states_out},
                             {"outputs", &ProgramDescription::outputs}};

}  // namespace

Json to_json(const ProgramDescription& description) {
  Json json = {{"name", description.name}, {"prepared_bytes", description.prepared_bytes}};
  for (const Group& group : kGroups) {
    Json list = Json::array();
    for (const TensorDescription& tensor : description.*group.member) {
      list.push_back(tensor_json(tensor));
    }
    json[group.key] = std::move(list);
  }
  return json;
}

Result<ProgramDescription> program_description_from_json(const Json& json) {
  ProgramDescription description;
  STITCH_ASSIGN(description.name, json_string(json, "name"));
  STITCH_ASSIGN(const int64_t prepared_bytes, json_int(json, "prepared_bytes"));
  description.prepared_bytes = static_cast<uint64_t>(prepared_bytes);
  if (prepared_bytes < 0) {  // it was no signed number where it was written
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("the program wants {} bytes of prepared memory", description.prepared_bytes));
  }
  for (const Group& group : kGroups) {
    STITCH_ASSIGN(const Json* list, json_array(json, group.key));
    if (list->size() > kMaxTensors) {
      return failure(ErrorCode::kFileInvalid, fmt::format("the program describes {} {}", list->size(), group.key));
    }
    for (const Json& item : *list) {
      STITCH_ASSIGN(TensorDescription tensor, tensor_from_json(item));
      // Nothing else can be left out: whoever says so would have fewer regions than tensors.
      tensor.is_optional = tensor.is_optional && group.member == &ProgramDescription::inputs;
      (description.*group.member).push_back(std::move(tensor));
    }
  }
  return description;
}

}  // namespace stitch::wire
