// SPDX-License-Identifier: Apache-2.0
#include "ir/text/parser.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "artifact/tensor/extents.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/number.h"
#include "ir/text/scanner.h"

namespace stitch::ir {
namespace {

struct Definition {
  std::string name;
  std::optional<TensorType> type;
};

Result<std::vector<int64_t>> read_extents(Scanner& scanner) {
  std::vector<int64_t> extents;
  STITCH_TRY(scanner.expect('['));
  while (!scanner.accept(']')) {
    if (!extents.empty()) {
      STITCH_TRY(scanner.expect(','));
    }
    STITCH_ASSIGN(const std::string token, scanner.word());
    const auto number = parse_number(token);
    if (!number.has_value() || !std::holds_alternative<int64_t>(*number) || std::get<int64_t>(*number) < 0) {
      return failure(ErrorCode::kFileInvalid, fmt::format("\"{}\" is not an extent", token));
    }
    extents.push_back(std::get<int64_t>(*number));
  }
  return extents;
}

Result<TensorType> read_type(Scanner& scanner) {
  STITCH_ASSIGN(const std::string name, scanner.identifier());
  TensorType type;
  STITCH_ASSIGN(type.dtype, data_type_from_string(name));
  STITCH_ASSIGN(type.shape, read_extents(scanner));
  STITCH_TRY(check_extents(type));
  return type;
}

Result<std::vector<Definition>> read_definitions(Scanner& scanner) {
  std::vector<Definition> definitions;
  do {
    Definition definition;
    STITCH_ASSIGN(definition.name, scanner.identifier());
    if (scanner.accept(':')) {
      STITCH_ASSIGN(definition.type, read_type(scanner));
    }
    definitions.push_back(definition);
  } while (scanner.accept(','));
  STITCH_TRY(scanner.expect('='));
  return definitions;
}

Result<Attribute> attribute_of_word(const std::string& word) {
  if (word == "true" || word == "false") {
    return Attribute(word == "true");
  }
  if (const auto number = parse_number(word); number.has_value()) {
    return std::visit([](auto value) { return Attribute(value); }, *number);
  }
  const auto dtype = data_type_from_string(word);
  if (!dtype.has_value()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("\"{}\" is not a value of an attribute", word));
  }
  return Attribute(*dtype);
}

// A list of integers, or of numbers when one of them has a point.
Result<Attribute> read_list(Scanner& scanner) {
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  STITCH_TRY(scanner.expect('['));
  while (!scanner.accept(']')) {
    if (!numbers.empty()) {
      STITCH_TRY(scanner.expect(','));
    }
    STITCH_ASSIGN(const std::string word, scanner.word());
    const auto number = parse_number(word);
    if (!number.has_value()) {
      return failure(ErrorCode::kFileInvalid, fmt::format("\"{}\" is not a number", word));
    }
    if (const int64_t* integer = std::get_if<int64_t>(&*number)) {
      integers.push_back(*integer);
    }
    numbers.push_back(std::visit([](auto value) { return static_cast<double>(value); }, *number));
  }
  if (integers.size() == numbers.size()) {
    return Attribute(integers);
  }
  return Attribute(numbers);
}

Result<Attribute> read_attribute(Scanner& scanner) {
  if (scanner.next_is('"')) {
    STITCH_ASSIGN(std::string text, scanner.quoted());
    return Attribute(std::move(text));
  }
  if (scanner.next_is('[')) {
    return read_list(scanner);
  }
  STITCH_ASSIGN(const std::string word, scanner.word());
  return attribute_of_word(word);
}

// `value=1` means 1.0 where the operator declares a double.
Attribute as_declared(Attribute value, Op op, const std::string& name) {
  const OpDef* def = find_op(op);
  for (size_t i = 0; def != nullptr && i < def->attributes.size(); ++i) {
    const int64_t* integer = std::get_if<int64_t>(&value);
    if (name == def->attributes[i].name && def->attributes[i].kind == AttributeKind::kDouble && integer != nullptr) {
      return static_cast<double>(*integer);
    }
  }
  return value;
}

class Parser {
 public:
  Result<void> take_line(std::string_view line) {
    Scanner scanner(line);
    if (scanner.at_end() || scanner.next_is('#')) {
      return {};
    }
    if (has_returned_) {
      return failure(ErrorCode::kFileInvalid, "there is text after the return line");
    }
    if (graph_.name.empty()) {
      return take_header(scanner);
    }
    Scanner ahead = scanner;
    STITCH_ASSIGN(const std::string first, ahead.identifier());
    if (first == "return" && !ahead.next_is(':') && !ahead.next_is('=') && !ahead.next_is(',')) {
      return take_return(ahead);
    }
    return take_definition(scanner);
  }

  Result<Graph> finish() {
    if (!has_returned_) {
      return failure(ErrorCode::kFileInvalid, "the return line is missing (truncated?)");
    }
    return std::move(graph_);
  }

 private:
  Result<void> take_header(Scanner& scanner) {
    STITCH_ASSIGN(const std::string keyword, scanner.identifier());
    if (keyword != "graph") {
      return failure(ErrorCode::kFileInvalid, "the text does not begin with graph NAME mode=MODE");
    }
    STITCH_ASSIGN(graph_.name, scanner.identifier());
    STITCH_ASSIGN(const std::string mode, scanner.identifier());
    STITCH_TRY(scanner.expect('='));
    STITCH_ASSIGN(graph_.mode, scanner.identifier());
    if (mode != "mode" || (graph_.mode != "train" && graph_.mode != "eval")) {
      return failure(ErrorCode::kFileInvalid, "the mode is neither mode=train nor mode=eval");
    }
    return scanner.expect_end();
  }

  Result<void> take_definition(Scanner& scanner) {
    STITCH_ASSIGN(const auto definitions, read_definitions(scanner));
    STITCH_ASSIGN(const std::string word, scanner.identifier());
    if (scanner.next_is('"')) {
      return take_input(definitions, word, scanner);
    }
    return take_node(definitions, word, scanner);
  }

  Result<void> take_input(const std::vector<Definition>& definitions, const std::string& role, Scanner& scanner) {
    STITCH_ASSIGN(const TensorRole tensor_role, tensor_role_from_string(role));
    STITCH_ASSIGN(const std::string binding, scanner.quoted());
    if (definitions.size() != 1 || !definitions[0].type.has_value()) {
      return failure(ErrorCode::kFileInvalid, "an input defines one value with its type");
    }
    STITCH_TRY(remember(definitions[0].name));
    graph_.add_input(definitions[0].name, *definitions[0].type, tensor_role, binding);
    return scanner.expect_end();
  }

  Result<void> take_node(const std::vector<Definition>& definitions, const std::string& name, Scanner& scanner) {
    const std::optional<Op> op = op_from_string(name);
    Node node;
    node.op = op.value_or(Op::kOpaque);
    STITCH_TRY(scanner.expect('('));
    while (!scanner.next_is(')') && !scanner.next_is(';')) {
      if (!node.operands.empty()) {
        STITCH_TRY(scanner.expect(','));
      }
      STITCH_ASSIGN(const std::string word, scanner.word());
      STITCH_ASSIGN(const Operand operand, operand_of_word(word));
      node.operands.push_back(operand);
    }
    if (scanner.accept(';')) {
      STITCH_TRY(take_attributes(node, scanner));
    }
    STITCH_TRY(scanner.expect(')'));
    if (scanner.accept('@')) {
      node.location = scanner.remainder();
    }
    STITCH_TRY(scanner.expect_end());
    Result<void> known;
    if (!op.has_value()) {
      known = failure(ErrorCode::kUnsupportedOperator, fmt::format("there is no operator {}", name), node.location);
    }
    return append(std::move(node), definitions, known);
  }

  static Result<void> take_attributes(Node& node, Scanner& scanner) {
    do {
      STITCH_ASSIGN(const std::string name, scanner.identifier());
      STITCH_TRY(scanner.expect('='));
      STITCH_ASSIGN(Attribute value, read_attribute(scanner));
      node.attributes.emplace_back(name, as_declared(std::move(value), node.op, name));
    } while (scanner.accept(','));
    return {};
  }

  Result<Operand> operand_of_word(const std::string& word) const {
    if (word == "none") {
      return Operand(Absent{});
    }
    if (word == "true" || word == "false") {
      return Operand(Scalar(word == "true"));
    }
    if (const auto number = parse_number(word); number.has_value()) {
      return std::visit([](auto value) { return Operand(Scalar(value)); }, *number);
    }
    return find_value(word);
  }

  Result<Operand> find_value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return failure(ErrorCode::kFileInvalid, fmt::format("{} is used before it is defined", name));
    }
    return Operand(found->second);
  }

  // `known`: why the node's name is no operator.
  Result<void> append(Node node, const std::vector<Definition>& definitions, const Result<void>& known) {
    bool all_typed = true;
    for (const Definition& definition : definitions) {
      all_typed = all_typed && definition.type.has_value();
    }
    std::vector<TensorType> inferred;
    if (!all_typed) {
      STITCH_TRY(known);
      STITCH_ASSIGN(inferred, infer_types(graph_, node));
      if (inferred.size() != definitions.size()) {
        return failure(ErrorCode::kFileInvalid, fmt::format("{} has {} results, not {}", to_string(node.op),
                                                            inferred.size(), definitions.size()));
      }
    }
    std::vector<std::pair<std::string, TensorType>> outputs;
    for (size_t i = 0; i < definitions.size(); ++i) {
      outputs.emplace_back(definitions[i].name, definitions[i].type.has_value() ? *definitions[i].type : inferred[i]);
      STITCH_TRY(remember(definitions[i].name, i));
    }
    STITCH_TRY(known);
    graph_.add_node(std::move(node), outputs);
    return {};
  }

  // The value about to be appended, `ahead` places after the last one, under its name.
  Result<void> remember(const std::string& name, size_t ahead = 0) {
    const ValueId id{static_cast<int32_t>(graph_.values.size() + ahead)};
    if (!values_.emplace(name, id).second) {
      return failure(ErrorCode::kFileInvalid, fmt::format("{} is defined twice", name));
    }
    return {};
  }

  Result<void> take_return(Scanner& scanner) {
    has_returned_ = true;
    while (!scanner.at_end()) {
      if (!graph_.outputs.empty()) {
        STITCH_TRY(scanner.expect(','));
      }
      GraphOutput output;
      STITCH_ASSIGN(const std::string role, scanner.identifier());
      STITCH_ASSIGN(output.role, tensor_role_from_string(role));
      STITCH_ASSIGN(output.binding, scanner.quoted());
      STITCH_TRY(scanner.expect('='));
      STITCH_ASSIGN(const std::string name, scanner.identifier());
      STITCH_ASSIGN(const Operand value, find_value(name));
      output.value = std::get<ValueId>(value);
      graph_.outputs.push_back(output);
    }
    return {};
  }

  Graph graph_;
  std::map<std::string, ValueId> values_;
  bool has_returned_ = false;
};

}  // namespace

Result<Graph> parse(std::string_view text, const std::string& file_name) {
  Parser parser;
  int line_number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    ++line_number;
    if (const auto taken = parser.take_line(text.substr(0, end)); !taken.has_value()) {
      Error error = taken.error();
      if (error.location.empty()) {
        error.location = fmt::format("{}:{}", file_name, line_number);
      }
      return failure(std::move(error));
    }
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  auto graph = parser.finish();
  if (!graph.has_value()) {
    return failure(ErrorCode::kFileInvalid, graph.error().message, fmt::format("{}:{}", file_name, line_number));
  }
  return graph;
}

Result<TensorType> parse_type(std::string_view text) {
  Scanner scanner(text);
  STITCH_ASSIGN(TensorType type, read_type(scanner));
  STITCH_TRY(scanner.expect_end());
  return type;
}

}  // namespace stitch::ir
