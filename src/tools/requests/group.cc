// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/requests/take_group.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

constexpr int64_t kMaxNumber = 100'000;

Property list_property(const std::string& name, Json item, const std::string& description) {
  return {name, Json{{"type", "array"}, {"maxItems", 256}, {"description", description}, {"items", std::move(item)}}};
}

template <typename Item>
std::vector<Item> items_in(const Json& arguments, const char* name) {
  return arguments.contains(name) ? arguments[name].get<std::vector<Item>>() : std::vector<Item>();
}

const char* in_words(driver::GroupText text) {
  switch (text) {
    case driver::GroupText::kPresent:
      return "It was a group already: its file stays, and what that declares now (scratch, sizes) is what it gets.";
    case driver::GroupText::kJoined:
      return "Its file runs the kernels of those steps one after another, so that it is as right as they were. Write "
             "it in one piece.";
    case driver::GroupText::kSkeleton:
      return "Its file lacks the kernels: no rule joins these steps. It does not run until you have written them.";
  }
  return "";
}

std::string tensors_of(const char* word, const std::vector<driver::ContractTensor>& tensors, size_t& number) {
  std::string text;
  for (const driver::ContractTensor& tensor : tensors) {
    text += fmt::format("  tensors[{}] {} {}: {}[{}]{}\n", number++, word, tensor.name, short_name(tensor.type.dtype),
                        fmt::join(tensor.type.shape, ","), tensor.binding.empty() ? "" : ", " + tensor.binding);
  }
  return text;
}

std::string in_words(const driver::TakenGroup& group, const std::string& folder) {
  size_t number = 0;
  std::string text = fmt::format("One step now, written in {}/{}. {}\n", folder, group.file, in_words(group.text));
  for (const std::string& line : group.contract.mathematics) {
    text += fmt::format("  {}\n", line);
  }
  text += tensors_of("takes", group.contract.operands, number);
  text += tensors_of("gives", group.contract.results, number);
  text +=
      "args->extents are all extents of these tensors, in this order; args->scratch is what its lines "
      "\"// scratch: 4 * x[0]\" declare. When you change those lines, call group for its step once more.\n";
  return group.text == driver::GroupText::kSkeleton
             ? text
             : text + "\nA file that lacks the kernels alone:\n" + group.contract.skeleton + "\n";
}

Result<ToolReply> run_group(const Json& arguments, ToolContext& context) {
  driver::GroupRequest request;
  STITCH_ASSIGN(request.folder, path_in(arguments, "folder", context.settings));
  request.options = options_in(arguments, context.settings);
  request.steps = items_in<int>(arguments, "steps");
  request.nodes = items_in<std::string>(arguments, "nodes");
  request.apart = arguments.value("apart", false);
  STITCH_ASSIGN(const driver::GroupReport found, driver::take_group(request, context.services));
  ToolReply reply;
  reply.text = found.group.has_value() ? in_words(*found.group, text_in(arguments, "folder").value_or(""))
                                       : "They are the expert's steps again.\n";
  reply.text += "\nThe steps of the program are now:\n";
  for (size_t i = 0; i < found.plan.steps.size(); ++i) {
    const plan::Step& step = found.plan.steps[i];
    reply.text += fmt::format("{:>3} {} ({})\n", i, step.name, step.skeleton);
  }
  reply.facts = {{"steps", found.plan.steps.size()}};
  if (found.group.has_value()) {
    reply.facts["file"] = found.group->file;
    reply.facts["nodes"] = found.group->contract.nodes;
  }
  return reply;
}

}  // namespace

std::unique_ptr<Tool> group_tool() {
  const Json number = {{"type", "integer"}, {"minimum", 0}, {"maximum", kMaxNumber}};
  const Json name = {{"type", "string"}, {"minLength", 1}, {"maxLength", 4096}};
  const Property apart = {"apart", Json{{"type", "boolean"},
                                        {"description",
                                         "The other way: the expert's steps again, in the place of the "
                                         "group that has these steps or nodes."}}};
  return request_tool(
      {.name = "group",
       .schema = object_schema(
           {text_property("folder", "A folder that expert_program or `stitchcuda optimize` wrote."),
            list_property("steps", number, "The steps that are to be one, by their numbers in its plan."),
            list_property("nodes", name, "Nodes beside theirs, each by the name of its first output."), apart},
           {"folder"}),
       .effects = {.writes = true}},
      run_group);
}

}  // namespace stitch::tools
