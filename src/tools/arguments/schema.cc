// SPDX-License-Identifier: Apache-2.0
#include "tools/arguments/schema.h"

namespace stitch::tools {
namespace {

constexpr int kMaxTextLength = 4096;
constexpr int kMaxContentLength = 400'000;

}  // namespace

Json object_schema(const std::vector<Property>& properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  for (const auto& [name, property] : properties) {
    schema["properties"][name] = property;
  }
  if (!required.empty()) {
    schema["required"] = required;
  }
  schema["additionalProperties"] = false;
  return schema;
}

Property text_property(const std::string& name, const std::string& description) {
  return {name,
          Json{{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxTextLength}, {"description", description}}};
}

Property content_property(const std::string& name, const std::string& description) {
  return {name, Json{{"type", "string"}, {"maxLength", kMaxContentLength}, {"description", description}}};
}

Property choice_property(const std::string& name, const std::vector<std::string>& words,
                         const std::string& description) {
  return {name, Json{{"type", "string"}, {"enum", words}, {"description", description}}};
}

Property whole_property(const std::string& name, int64_t minimum, int64_t maximum, const std::string& description) {
  return {name, Json{{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}, {"description", description}}};
}

std::vector<Property> task_properties() {
  return {
      text_property("program",
                    "The PyTorch program, FILE.py or FILE.py:ClassName: a class Model, get_inputs() and "
                    "get_init_inputs(), as in KernelBench."),
      choice_property("mode", {"as-is", "train", "eval"}, "The module's mode; as-is: as the file leaves it."),
      choice_property("math", {"fp32", "kernelbench", "tf32", "reduced"},
                      "The arithmetic allowed, by which answers are judged; fp32 where it is left out."),
      text_property("weights", "A state dict's file to put into the module, in place of its constructor's values.")};
}

Property device_property() {
  return choice_property("device", {"auto", "gpu", "emulated"},
                         "Where it runs; auto: a GPU where there is one, else CUDA emulated on the CPU.");
}

std::vector<Property> joined(std::vector<Property> first, const std::vector<Property>& others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

}  // namespace stitch::tools
