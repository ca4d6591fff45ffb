// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/compact_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "agents/prompts/bare_code.h"
#include "agents/prompts/quote.h"
#include "agents/roles/context.h"
#include "ir/text/printer.h"

namespace stitch::agents {
namespace {

// What the nodes compute, a line each with all arguments: "h: f32[8,4] = softmax(x; dim=1)".
std::string mathematics_of(const ir::Graph& graph, const std::vector<std::string>& nodes) {
  std::string text;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    const std::string& name = graph.value(node.outputs.front()).name;
    if (std::find(nodes.begin(), nodes.end(), name) != nodes.end()) {
      const std::string line = ir::print(graph, node);
      text += line.substr(0, line.find("  @ ")) + "\n";
    }
  }
  return text;
}

// Lines of an emitted file that say how it is called.
std::string head_of(const std::string& text) {
  std::istringstream lines(text);
  std::string head;
  bool is_in_list = false;  // enum Tensor or struct Extents
  for (std::string line; std::getline(lines, line);) {
    is_in_list = is_in_list || line.starts_with("enum Tensor {") || line.starts_with("struct Extents {");
    if (is_in_list || line.starts_with("#include") || line.starts_with("extern \"C\"")) {
      head += (line.ends_with(" {") && !is_in_list ? line.substr(0, line.size() - 2) + ";" : line) + "\n";
    }
    is_in_list = is_in_list && line != "};";
  }
  return head;
}

std::string feedback_in_a_sentence(const State& state) {
  if (state.feedback.empty() || state.feedback.back().attempt != static_cast<int64_t>(state.attempts.size())) {
    return "";
  }
  const Feedback& feedback = state.feedback.back();
  std::string text;
  if (feedback.issue.has_value()) {
    text = fmt::format("{}. {}", feedback.issue->what, feedback.issue->fix);
  } else if (feedback.bottleneck.has_value()) {
    text = fmt::format("{}. {}", feedback.bottleneck->what, feedback.bottleneck->kernel);
  }
  return text.empty() ? "" : quoted("the reviewer", text, kMaxCompactToldBytes);
}

// Of a log the beginning: what a compiler names first is mended first, and the rest of it often follows from that.
std::string_view leading_lines(std::string_view log, size_t max_bytes) {
  const size_t end = log.size() <= max_bytes ? log.size() : log.rfind('\n', max_bytes);
  return end == log.npos || end == 0 ? log : log.substr(0, end);
}

std::string told_in_short(const State& state, const Material& material) {
  const Attempt* latest = state.attempts.empty() ? nullptr : &state.attempts.back();
  if (latest != nullptr && latest->outcome == Outcome::kRight) {
    const std::string step =
        latest->step.has_value() ? fmt::format("The step takes {:.3f} us", latest->step->us) : std::string();
    return step.empty() ? "" : step + ".";
  }
  const std::string& text = material.told.empty() && latest != nullptr ? latest->fingerprint : material.told;
  return quoted("the check", leading_lines(text, kMaxCompactToldBytes), kMaxCompactToldBytes);
}

}  // namespace

std::string compact_contract(const ir::Graph& graph, const SubTask& sub_task, const Ground& ground) {
  const bool is_whole = ground.skeleton.empty() && !ground.present.empty();
  const std::string head = head_of(is_whole ? ground.present.front().text : ground.skeleton);
  return quoted(
      "the contract",
      fmt::format("{}\n{}{}", fmt::join(sub_task.contract, "\n"), mathematics_of(graph, sub_task.nodes), head),
      kMaxCompactCodeBytes);
}

std::string compact_mathematics(const ir::Graph& graph, const SubTask& sub_task) {
  return quoted("the task",
                fmt::format("{}\n{}", fmt::join(sub_task.contract, "\n"), mathematics_of(graph, sub_task.nodes)),
                kMaxCompactMathematicsBytes);
}

std::map<std::string, std::string> compact_places(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  const Ground ground = material.bench.ground_of(sub_task);
  return {{"step", ground.step},
          {"device", material.bench.plan().device},
          {"math", state.task.math},
          {"contract", compact_contract(material.bench.plan().graph, sub_task, ground)},
          {"mathematics", compact_mathematics(material.bench.plan().graph, sub_task)},
          {"last", quoted("your last file", bare_code(material.last_code), kMaxCompactCodeBytes)},
          {"failure", failure_in_words(state)},
          {"told", told_in_short(state, material)},
          {"feedback", feedback_in_a_sentence(state)}};
}

}  // namespace stitch::agents
