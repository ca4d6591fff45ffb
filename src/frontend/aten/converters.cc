// SPDX-License-Identifier: Apache-2.0
#include "frontend/aten/converters.h"

#include <fmt/format.h>

#include <map>

#include "base/text/edit_distance.h"
#include "ir/ops.h"

namespace stitch::frontend {
namespace {

const std::map<std::string_view, ir::Op>& renamed() {
  static const std::map<std::string_view, ir::Op> table = {
#define STITCH_SAME(aten_name, op) {#aten_name, ir::op_named(#op)},
#define STITCH_CONVERTED(aten_name, converter)
#include "frontend/torch_names.def"
#undef STITCH_SAME
#undef STITCH_CONVERTED
  };
  return table;
}

const std::map<std::string_view, Converter>& converters() {
  static const std::map<std::string_view, Converter> table = {
#define STITCH_SAME(aten_name, op)
#define STITCH_CONVERTED(aten_name, converter) {#aten_name, &convert_##converter},
#include "frontend/torch_names.def"
#undef STITCH_SAME
#undef STITCH_CONVERTED
  };
  return table;
}

// An operator without attributes: its arguments are its operands.
Converted convert_same(Call& call, Op op, const ir::OpDef& def) {
  const auto count = static_cast<size_t>(def.max_operands);
  if (!def.attributes.empty() || call.node().arguments.size() != count || !call.node().keywords.empty()) {
    return call.unsupported(fmt::format("this form of {} has other arguments", call.node().base));
  }
  std::vector<Operand> operands;
  for (size_t i = 0; i < count; ++i) {
    Operand operand = Absent{};
    if (call.has(i, "")) {
      STITCH_ASSIGN(operand, call.tensor_or_scalar(i, ""));
    }
    operands.push_back(operand);
  }
  return def.family == ir::OpFamily::kPointwise ? call.finish_pointwise(op, std::move(operands))
                                                : call.finish(op, std::move(operands));
}

}  // namespace

Converted convert(Call& call) {
  const std::string& base = call.node().base;
  if (const auto found = converters().find(base); found != converters().end()) {
    return found->second(call);
  }
  const auto other_name = renamed().find(base);
  const std::optional<Op> op = other_name == renamed().end() ? ir::op_from_string(base) : other_name->second;
  if (!op.has_value() || *op == Op::kOpaque || call.node().overload.empty()) {
    return call.unsupported("");
  }
  return convert_same(call, *op, *ir::find_op(*op));
}

std::string nearest_supported(std::string_view base) {
  std::string_view nearest;
  size_t nearest_distance = 0;
  const auto consider = [&](std::string_view candidate) {
    const size_t distance = edit_distance(base, candidate);
    if (nearest.empty() || distance < nearest_distance) {
      nearest = candidate;
      nearest_distance = distance;
    }
  };
  for (const auto& [name, converter] : converters()) {
    consider(name);
  }
  for (const auto& [name, op] : renamed()) {
    consider(name);
  }
  for (const Op op : ir::all_ops()) {
    if (ir::find_op(op)->attributes.empty()) {
      consider(to_string(op));
    }
  }
  return std::string(nearest);
}

}  // namespace stitch::frontend
