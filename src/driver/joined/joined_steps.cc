// SPDX-License-Identifier: Apache-2.0
#include "driver/joined/joined_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "driver/joined/known_sizes.h"
#include "driver/judge/step_subject.h"
#include "driver/written/step_nodes.h"
#include "kernels/code/names.h"
#include "kernels/group/group.h"

namespace stitch::driver {
namespace {

constexpr int kAlignment = 256;  // of what is handed on, as of any step's memory

// The file of one part in a namespace of its own, its includes aside.
struct PartFile {
  std::set<std::string> includes{};
  std::string body{};
};

PartFile split_file(const PartText& part, size_t number) {
  PartFile file;
  const std::string begin = "extern \"C\" int step_00(";
  std::string text = renumbered_step(part.text, static_cast<int>(part.step), 0);
  if (const size_t at = text.find(begin); at != std::string::npos) {
    text.replace(at, begin.size(), "static int run(");
  }
  std::istringstream lines(text);
  file.body = fmt::format("namespace part_{} {{\n", number);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#include")) {
      file.includes.insert(line);
    } else {
      file.body += line + "\n";
    }
  }
  file.body += fmt::format("\n}}  // namespace part_{}\n\n", number);
  return file;
}

// Writes the function that calls the parts in turn.
class Joiner {
 public:
  Joiner(const TextProgram& program, const StepContract& contract)
      : program_(program), contract_(contract), sizes_(program) {}

  std::optional<std::string> join(const std::vector<PartText>& parts) {
    const std::optional<std::vector<KnownAxis>> axes = sizes_.axes_of(contract_);
    if (!axes.has_value()) {
      return std::nullopt;
    }
    axes_ = *axes;
    name_axes();
    place_contract();
    std::set<std::string> includes = {"#include \"stitch/step.h\""};
    std::string bodies;
    std::string calls;
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::optional<std::string> call = call_of(parts[i].step, i, i + 1 == parts.size());
      if (!call.has_value()) {
        return std::nullopt;
      }
      PartFile file = split_file(parts[i], i);
      includes.merge(file.includes);
      bodies += file.body;
      calls += *call;
    }
    return fmt::format("// {}: its steps one after another.\n{}{}\n\n{}{}{}", contract_.name, declarations_,
                       fmt::join(includes, "\n"), bodies, struct_of_sizes(), function_of(calls));
  }

 private:
  void name_axes() {
    kernels::NameTable names;
    for (const KnownAxis& each : axes_) {
      axis_names_.push_back(names.take(fmt::format("{}_axis_{}", each.axis.value, each.axis.axis)));
    }
  }

  void place_contract() {
    int number = 0;
    for (const auto* tensors : {&contract_.operands, &contract_.results}) {
      for (const ContractTensor& tensor : *tensors) {
        pointers_[tensor.name] = fmt::format("args->tensors[{}]", number++);
      }
    }
  }

  std::string in_words(const SizeFormula& formula) const {
    std::string text = formula.axes.empty() || formula.bytes != 1 ? fmt::format("{}", formula.bytes) : "";
    for (const plan::Axis& axis : formula.axes) {
      const auto known =
          std::find_if(axes_.begin(), axes_.end(), [&](const KnownAxis& each) { return each.axis == axis; });
      text += (text.empty() ? "" : " * ") + ("sizes." + axis_names_[static_cast<size_t>(known - axes_.begin())]);
    }
    return text;
  }

  // A place in scratch memory for what one part hands to another; empty where its size is not seen to follow.
  std::string place_between(const ir::Value& between) {
    const std::string& value = between.name;
    const std::optional<std::vector<int64_t>> elements = sizes_.elements_of(value);
    std::optional<SizeFormula> formula = elements.has_value() ? formula_for(*elements, axes_) : std::nullopt;
    if (!formula.has_value()) {
      return "";
    }
    formula->bytes *= element_bytes(between.type.dtype);
    std::string term = fmt::format("{}", formula->bytes);
    for (const plan::Axis& axis : formula->axes) {
      term += fmt::format(" * {}[{}]", axis.value, axis.axis);
    }
    declarations_ += fmt::format("// scratch: {}\n// scratch: {}\n", term, kAlignment);
    const std::string name = fmt::format("between_{}", between_++);
    places_ += fmt::format("  char* {} = next;  // {}\n  next += ({} + {} - 1) / {} * {};\n", name, value,
                           in_words(*formula), kAlignment, kAlignment, kAlignment);
    return name;
  }

  void take_memory(const plan::Step& step) {
    for (const int result : step.results) {
      const ir::Value& value = program_.plan.graph.value(program_.plan.buffers[static_cast<size_t>(result)].value);
      if (!pointers_.contains(value.name)) {
        pointers_[value.name] = place_between(value);
      }
    }
  }

  std::optional<std::string> call_of(size_t index, size_t number, bool is_last) {
    const plan::Step& step = program_.plan.steps[index];
    if (step.phase != plan::Phase::kRun || step.scratch_bytes > 0 || step.kept_bytes > 0 || !step.in_whole.empty()) {
      return std::nullopt;
    }
    take_memory(step);
    std::vector<std::string> tensors;
    for (const auto* buffers : {&step.operands, &step.results}) {
      for (const int buffer : *buffers) {
        const auto found = pointers_.find(program_.plan.buffers[static_cast<size_t>(buffer)].name);
        if (found == pointers_.end() || found->second.empty()) {
          return std::nullopt;
        }
        tensors.push_back(found->second);
      }
    }
    std::vector<std::string> extents;
    for (size_t i = 0; i < step.extents.size(); ++i) {
      const std::optional<std::vector<int64_t>> at = sizes_.extent_of(index, i);
      const std::optional<SizeFormula> formula = at.has_value() ? formula_for(*at, axes_) : std::nullopt;
      if (!formula.has_value()) {
        return std::nullopt;
      }
      extents.push_back(in_words(*formula));
    }
    const std::string ending = is_last ? fmt::format("  return part_{}::run(&part_{}, stream);\n", number, number)
                                       : fmt::format(
                                             "  if (const int failed = part_{}::run(&part_{}, stream); failed != "
                                             "cudaSuccess) {{\n    return failed;\n  }}\n",
                                             number, number);
    return fmt::format(
        "  void* const tensors_{}[] = {{{}}};\n  const int64_t extents_{}[] = {{{}}};\n  StepArgs part_{} = *args;\n"
        "  part_{}.tensors = tensors_{};\n  part_{}.extents = extents_{};\n  part_{}.scratch = nullptr;\n"
        "  part_{}.scratch_bytes = 0;\n{}",
        number, fmt::join(tensors, ", "), number, extents.empty() ? "0" : fmt::format("{}", fmt::join(extents, ", ")),
        number, number, number, number, number, number, number, ending);
  }

  std::string struct_of_sizes() const {
    std::string text = "struct Sizes {\n";
    for (const std::string& name : axis_names_) {
      text += fmt::format("  int64_t {};\n", name);
    }
    return text + "};\n\n";
  }

  std::string function_of(const std::string& calls) const {
    const std::string memory = places_.empty() ? "" : "  auto* next = static_cast<char*>(args->scratch);\n" + places_;
    return fmt::format(
        "extern \"C\" int step_00(const StepArgs* args, cudaStream_t stream) {{\n"
        "  [[maybe_unused]] const auto sizes = stitch::extents_of<Sizes>(args);\n{}{}}}\n",
        memory, calls);
  }

  const TextProgram& program_;
  const StepContract& contract_;
  KnownSizes sizes_;
  std::vector<KnownAxis> axes_;
  std::vector<std::string> axis_names_;
  std::map<std::string, std::string> pointers_;  // by value
  std::string declarations_;
  std::string places_;
  int between_ = 0;
};

// Parts of steps would compute what is not asked for.
bool are_whole(const plan::Plan& plan, const std::vector<PartText>& parts, const std::vector<std::string>& nodes) {
  const std::vector<std::vector<ir::NodeId>> own = own_nodes(plan);
  const std::set<std::string> asked(nodes.begin(), nodes.end());
  const auto is_asked = [&](ir::NodeId node) {
    const ir::Node& one = plan.graph.node(node);
    return kernels::is_view(one) || kernels::is_generated(one) ||
           asked.count(plan.graph.value(one.outputs.front()).name) > 0;
  };
  return std::all_of(parts.begin(), parts.end(), [&](const PartText& part) {
    return std::all_of(own[part.step].begin(), own[part.step].end(), is_asked);
  });
}

}  // namespace

std::optional<std::string> joined_steps(const TextProgram& program, const TextPlace& place,
                                        const std::vector<PartText>& parts) {
  const bool uses_libraries = std::any_of(parts.begin(), parts.end(), [](const PartText& part) {
    return part.text.find("libraries") != std::string::npos;
  });
  if (!place.contract.has_value() || parts.empty() || uses_libraries || !are_whole(program.plan, parts, place.nodes)) {
    return std::nullopt;
  }
  return Joiner(program, *place.contract).join(parts);
}

}  // namespace stitch::driver
