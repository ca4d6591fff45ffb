// SPDX-License-Identifier: Apache-2.0
#include "frontend/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/aten/converters.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace stitch::frontend {
namespace {

class Conversion {
 public:
  explicit Conversion(const ExportedProgram& program) : program_(program), builder_(graph_) {
    graph_.name = program.name;
    graph_.mode = program.mode;
    for (const ExportedNode& node : program.nodes) {
      remember_uses(node.arguments);
      for (const auto& [name, argument] : node.keywords) {
        remember_uses({argument});
      }
    }
    for (const ExportedResult& result : program.outputs) {
      used_.insert(result.value);
    }
  }

  Result<ir::Graph> run() {
    for (const ExportedValue& value : program_.values) {
      if (values_.contains(value.name)) {
        return failure(ErrorCode::kFileInvalid, fmt::format("{} is defined twice", value.name));
      }
      values_[value.name] = builder_.add_input(value.name, value.type, value.role, value.binding);
    }
    for (const ExportedNode& node : program_.nodes) {
      STITCH_TRY(take(node));
    }
    STITCH_TRY(take_outputs());
    STITCH_TRY(ir::validate(graph_));
    return std::move(graph_);
  }

 private:
  void remember_uses(const ArgumentList& arguments) {
    for (const Argument& argument : arguments) {
      if (const ValueName* value = std::get_if<ValueName>(&argument.value)) {
        used_.insert(value->name);
      } else if (const ArgumentList* items = std::get_if<ArgumentList>(&argument.value)) {
        remember_uses(*items);
      }
    }
  }

  Result<void> take(const ExportedNode& node) {
    const size_t first_new_node = graph_.nodes.size();
    const size_t first_new_value = graph_.values.size();
    Call call(node, values_, used_, builder_);
    const Converted converted = convert(call);
    if (!converted.has_value() && converted.error().code != ErrorCode::kUnsupportedOperator &&
        converted.error().code != ErrorCode::kProgramInvalid) {
      return failure(converted.error());
    }
    std::string reason = converted.has_value() ? missing_output(node, *converted) : converted.error().message;
    if (!converted.has_value() || !reason.empty()) {
      builder_.drop_nodes(first_new_node, first_new_value);
      carry_opaquely(node, reason);
      return {};
    }
    return bind(node, *converted, first_new_value);
  }

  // A sentence when a used output is not among those computed.
  std::string missing_output(const ExportedNode& node, const std::vector<ValueId>& results) const {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const bool is_computed = i < results.size() && results[i] != kNotComputed;
      if (!is_computed && used_.contains(node.outputs[i].name)) {
        return fmt::format("its output {} is not supported", i);
      }
    }
    return {};
  }

  // Checks types against PyTorch's and gives the values their exported names.
  Result<void> bind(const ExportedNode& node, const std::vector<ValueId>& results, size_t first_new_value) {
    for (size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
      const ExportedOutput& output = node.outputs[i];
      if (output.name.empty() || results[i] == kNotComputed) {
        continue;
      }
      if (!output.type.has_value() || graph_.type(results[i]) != *output.type) {
        return failure(ErrorCode::kInternal,
                       fmt::format("{} gives {} in PyTorch, but {} by our rule", node.target,
                                   output.type.has_value() ? ir::print(*output.type) : output.dtype_text,
                                   ir::print(graph_.type(results[i]))),
                       node.location, "report this operator; as an alternative, write the expression differently");
      }
      values_[output.name] = results[i];
      if (static_cast<size_t>(results[i].index) >= first_new_value && graph_.value(results[i]).name != output.name) {
        builder_.rename(results[i], output.name);
      }
    }
    return {};
  }

  void carry_opaquely(const ExportedNode& node, const std::string& reason) {
    ir::Node opaque;
    opaque.op = Op::kOpaque;
    opaque.location = node.location;
    opaque.attributes = {{"target", node.target}, {"reason", reason}};
    add_known_operands(node.arguments, opaque);
    for (const auto& [name, argument] : node.keywords) {
      add_known_operands({argument}, opaque);
    }
    std::vector<std::pair<std::string, TensorType>> typed;
    std::vector<std::string> names;
    for (const ExportedOutput& output : node.outputs) {
      if (!output.name.empty() && output.type.has_value()) {
        typed.emplace_back(output.name, *output.type);
        names.push_back(output.name);
      }
    }
    const std::vector<ValueId> ids = builder_.add_typed(std::move(opaque), typed);
    for (size_t i = 0; i < ids.size(); ++i) {
      values_[names[i]] = ids[i];
    }
  }

  void add_known_operands(const ArgumentList& arguments, ir::Node& opaque) const {
    for (const Argument& argument : arguments) {
      const ValueName* value = std::get_if<ValueName>(&argument.value);
      if (const ArgumentList* items = std::get_if<ArgumentList>(&argument.value)) {
        add_known_operands(*items, opaque);
      } else if (value != nullptr && values_.contains(value->name)) {
        opaque.operands.emplace_back(values_.at(value->name));
      }
    }
  }

  Result<void> take_outputs() {
    for (const ExportedResult& result : program_.outputs) {
      const auto found = values_.find(result.value);
      if (found != values_.end()) {
        graph_.outputs.push_back({found->second, result.role, result.binding});
        continue;
      }
      // An output whose element type we have no word for stems from an opaque node, which is reported.
      const bool has_opaque = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                                          [](const ir::Node& node) { return node.op == Op::kOpaque; });
      if (!has_opaque) {
        return failure(ErrorCode::kFileInvalid, fmt::format("output {} is no value of the program", result.value));
      }
    }
    return {};
  }

  const ExportedProgram& program_;
  ir::Graph graph_;
  ir::Builder builder_;
  ValueMap values_;
  std::set<std::string> used_;
};

}  // namespace

Result<ir::Graph> graph_from_exported(const Json& exported) {
  STITCH_ASSIGN(const ExportedProgram program, read_exported(exported));
  return Conversion(program).run();
}

std::vector<Unsupported> unsupported_operators(const ir::Graph& graph) {
  std::vector<Unsupported> found;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != Op::kOpaque) {
      continue;
    }
    Unsupported entry;
    entry.target = ir::string_attribute(node, "target");
    entry.location = node.location;
    entry.reason = ir::string_attribute(node, "reason");
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const Unsupported& other) {
      return other.target == entry.target && other.location == entry.location && other.reason == entry.reason;
    });
    if (!is_known) {
      std::string base = entry.target.rfind("aten.", 0) == 0 ? entry.target.substr(5) : entry.target;
      base = base.substr(0, base.rfind('.'));
      entry.nearest = "aten." + nearest_supported(base);
      found.push_back(std::move(entry));
    }
  }
  return found;
}

}  // namespace stitch::frontend
