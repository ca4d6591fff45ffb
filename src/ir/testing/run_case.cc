// SPDX-License-Identifier: Apache-2.0
#include "ir/testing/run_case.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

#include "ir/eval/interpret.h"
#include "ir/text/number.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace stitch::testing {
namespace {

std::string refusal(const Error& error) { return fmt::format("refused: {}  @ {}\n", error.message, error.location); }

std::string types_of(const ir::Graph& graph) {
  std::string text;
  for (const ir::Value& value : graph.values) {
    if (value.producer.is_valid()) {
      text += fmt::format("{}: {}\n", value.name, ir::print(value.type));
    }
  }
  return text;
}

// Elements by the name of their input.
Result<std::map<std::string, std::vector<double>>> read_given(const std::string& given) {
  std::map<std::string, std::vector<double>> elements;
  std::istringstream lines(given);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string equals;
    words >> name >> equals;
    for (std::string word; words >> word;) {
      const auto number = ir::parse_number(word);
      if (!number.has_value()) {
        return failure(ErrorCode::kFileInvalid, word + " is no number", line);
      }
      elements[name].push_back(std::visit([](auto value) { return static_cast<double>(value); }, *number));
    }
  }
  return elements;
}

// Integers whole; of other numbers few enough digits that another mathematical library prints the same.
std::string format_element(double element, DataType dtype) {
  if (std::isnan(element)) {
    return "nan";  // its sign is the processor's and the optimiser's choice
  }
  const double shown = element == 0.0 ? 0.0 : element;  // no -0
  return is_floating_point(dtype) ? fmt::format("{:.6g}", shown) : fmt::format("{:.0f}", shown);
}

std::string values_of(const ir::Graph& graph, const std::string& given) {
  auto elements = read_given(given);
  if (!elements.has_value()) {
    return refusal(elements.error());
  }
  std::vector<ir::ReferenceTensor> inputs;
  for (const ir::GraphInput& input : graph.inputs) {
    inputs.push_back({graph.type(input.value), elements.value()[graph.value(input.value).name]});
  }
  const auto outputs = ir::interpret(graph, inputs);
  if (!outputs.has_value()) {
    return refusal(outputs.error());
  }
  std::string text;
  for (size_t i = 0; i < outputs->size(); ++i) {
    text += fmt::format("{}: {} =", graph.value(graph.outputs[i].value).name, ir::print(outputs->at(i).type));
    for (const double element : outputs->at(i).data) {
      text += " " + format_element(element, outputs->at(i).type.dtype);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string run_case(const CaseFile& one) {
  const auto graph = ir::parse(one.input, "case");
  if (!graph.has_value()) {
    return refusal(graph.error());
  }
  const auto valid = ir::validate(*graph);
  if (!valid.has_value()) {
    return refusal(valid.error());
  }
  if (one.run == "infer") {
    return types_of(*graph);
  }
  return one.run == "eval" ? values_of(*graph, one.given) : "there is nothing called " + one.run + " to run\n";
}

}  // namespace stitch::testing
