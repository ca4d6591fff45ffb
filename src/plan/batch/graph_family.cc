// SPDX-License-Identifier: Apache-2.0
#include "plan/batch/graph_family.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ir/graph/op.h"
#include "ir/validate/validate.h"

namespace stitch::plan {
namespace {

using Numbers = std::vector<int64_t>;

std::string location_of(const ir::Node& node) {
  return node.location.empty() ? to_string(node.op) : fmt::format("{} ({})", to_string(node.op), node.location);
}

// Visits every integer that may follow the batch, in both graphs at once; stops where `visit` says false.
template <typename Visit>
bool each_pair(const Numbers& a, const Numbers& b, const Visit& visit) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!visit(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

// The whole numbers that doubles may be (the end of a range, a value to fill with), which may follow the batch.
std::optional<int64_t> whole(const ir::Attribute& attribute) {
  constexpr double kMaxExactInteger = 9007199254740992.0;  // 2^53
  const double* number = std::get_if<double>(&attribute);
  const bool is_whole = number != nullptr && std::abs(*number) <= kMaxExactInteger && std::trunc(*number) == *number;
  const bool is_minus_zero = is_whole && *number == 0.0 && std::signbit(*number);
  return is_whole && !is_minus_zero ? std::optional<int64_t>(static_cast<int64_t>(*number)) : std::nullopt;
}

// Attributes agree in name and kind; whole numbers and lists of them may differ in value, lists not in length.
std::string attribute_difference(const ir::Node& a, const ir::Node& b) {
  if (a.attributes.size() != b.attributes.size()) {
    return fmt::format("{} has other attributes there", location_of(a));
  }
  for (size_t i = 0; i < a.attributes.size(); ++i) {
    const auto& [name, of_a] = a.attributes[i];
    const auto& [name_of_b, of_b] = b.attributes[i];
    bool same = name == name_of_b && of_a.index() == of_b.index();
    if (same && std::holds_alternative<Numbers>(of_a)) {
      same = std::get<Numbers>(of_a).size() == std::get<Numbers>(of_b).size();
    } else if (same && !std::holds_alternative<int64_t>(of_a) && !(whole(of_a) && whole(of_b))) {
      same = of_a == of_b;
    }
    if (!same) {
      return fmt::format("attribute {} of {} differs there", name, location_of(a));
    }
  }
  return {};
}

std::string node_difference(const ir::Node& a, const ir::Node& b) {
  if (a.op != b.op) {
    return fmt::format("{} is {} there", location_of(a), to_string(b.op));
  }
  if (a.operands != b.operands || a.outputs != b.outputs) {
    return fmt::format("a number made from it is an operand of {}, and would be compiled in", location_of(a));
  }
  return attribute_difference(a, b);
}

std::string structure_difference(const ir::Graph& a, const ir::Graph& b) {
  if (a.nodes.size() != b.nodes.size() || a.values.size() != b.values.size() || a.inputs.size() != b.inputs.size() ||
      a.outputs.size() != b.outputs.size() || a.mode != b.mode) {
    return fmt::format("the program has {} operators there, not {}", b.nodes.size(), a.nodes.size());
  }
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    if (std::string text = node_difference(a.nodes[i], b.nodes[i]); !text.empty()) {
      return text;
    }
  }
  for (size_t i = 0; i < a.values.size(); ++i) {
    const ir::Value& of_a = a.values[i];
    const ir::Value& of_b = b.values[i];
    if (of_a.producer != of_b.producer || of_a.output_index != of_b.output_index ||
        of_a.type.dtype != of_b.type.dtype || of_a.type.shape.size() != of_b.type.shape.size()) {
      return fmt::format("{} has another type there", of_a.name);
    }
  }
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    if (a.inputs[i].value != b.inputs[i].value || a.inputs[i].role != b.inputs[i].role ||
        a.inputs[i].binding != b.inputs[i].binding) {
      return fmt::format("input {} is {} there", a.inputs[i].binding, b.inputs[i].binding);
    }
  }
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    if (a.outputs[i].value != b.outputs[i].value || a.outputs[i].role != b.outputs[i].role ||
        a.outputs[i].binding != b.outputs[i].binding) {
      return fmt::format("output {} is another value there", a.outputs[i].binding);
    }
  }
  return {};
}

// Every integer of a node or a value in both graphs; they have the same structure.
template <typename Visit>
bool each_attribute(const ir::Node& a, const ir::Node& b, const Visit& visit) {
  for (size_t i = 0; i < a.attributes.size(); ++i) {
    const ir::Attribute& of_a = a.attributes[i].second;
    const ir::Attribute& of_b = b.attributes[i].second;
    bool good = true;
    if (std::holds_alternative<Numbers>(of_a)) {
      good = each_pair(std::get<Numbers>(of_a), std::get<Numbers>(of_b), visit);
    } else if (std::holds_alternative<int64_t>(of_a)) {
      good = visit(std::get<int64_t>(of_a), std::get<int64_t>(of_b));
    } else if (whole(of_a) && whole(of_b)) {
      good = visit(*whole(of_a), *whole(of_b));
    }
    if (!good) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string difference(const ir::Graph& a, const ir::Graph& b) {
  if (std::string text = structure_difference(a, b); !text.empty()) {
    return text;
  }
  const auto equal = [](int64_t of_a, int64_t of_b) { return of_a == of_b; };
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    if (!each_attribute(a.nodes[i], b.nodes[i], equal)) {
      return fmt::format("an attribute of {} follows it in no straight line", location_of(a.nodes[i]));
    }
  }
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i].type != b.values[i].type) {
      return fmt::format("an extent of {} follows it in no straight line", a.values[i].name);
    }
  }
  return {};
}

Result<GraphFamily> GraphFamily::between(ir::Graph a, int64_t batch_of_a, ir::Graph b, int64_t batch_of_b) {
  std::string why = batch_of_a == batch_of_b ? "it is the same in both" : structure_difference(a, b);
  const int64_t distance = batch_of_b - batch_of_a;
  const auto is_line = [distance](int64_t of_a, int64_t of_b) { return (of_b - of_a) % distance == 0; };
  for (size_t i = 0; why.empty() && i < a.nodes.size(); ++i) {
    if (!each_attribute(a.nodes[i], b.nodes[i], is_line)) {
      why = fmt::format("an attribute of {} follows it in no straight line", location_of(a.nodes[i]));
    }
  }
  for (size_t i = 0; why.empty() && i < a.values.size(); ++i) {
    if (!each_pair(a.values[i].type.shape, b.values[i].type.shape, is_line)) {
      why = fmt::format("an extent of {} follows it in no straight line", a.values[i].name);
    }
  }
  if (!why.empty()) {
    return failure(ErrorCode::kProgramInvalid, fmt::format("at batch {}: {}", batch_of_b, why));
  }
  return GraphFamily(std::move(a), batch_of_a, std::move(b), batch_of_b);
}

Result<ir::Graph> GraphFamily::at(int64_t batch) const {
  ir::Graph made = a_;
  const auto set = [&](Numbers& numbers, const Numbers& of_b) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = number_at(numbers[i], of_b[i], batch);
    }
  };
  for (size_t i = 0; i < made.nodes.size(); ++i) {
    for (size_t j = 0; j < made.nodes[i].attributes.size(); ++j) {
      ir::Attribute& attribute = made.nodes[i].attributes[j].second;
      const ir::Attribute& of_b = b_.nodes[i].attributes[j].second;
      if (Numbers* list = std::get_if<Numbers>(&attribute)) {
        set(*list, std::get<Numbers>(of_b));
      } else if (int64_t* number = std::get_if<int64_t>(&attribute)) {
        *number = number_at(*number, std::get<int64_t>(of_b), batch);
      } else if (whole(attribute) && whole(of_b)) {
        attribute = static_cast<double>(number_at(*whole(attribute), *whole(of_b), batch));
      }
    }
  }
  for (size_t i = 0; i < made.values.size(); ++i) {
    set(made.values[i].type.shape, b_.values[i].type.shape);
  }
  STITCH_TRY(ir::validate(made));
  return made;
}

bool GraphFamily::follows(ir::ValueId value) const { return a_.type(value) != b_.type(value); }

}  // namespace stitch::plan
