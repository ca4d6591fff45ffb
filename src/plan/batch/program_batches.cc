// SPDX-License-Identifier: Apache-2.0
#include "plan/batch/program_batches.h"

#include <fmt/format.h>

#include <cstdio>

#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace stitch::plan {
namespace {

constexpr std::string_view kMark = "--- ";
constexpr std::string_view kFixed = "batch fixed: ";
constexpr const char* kRange = "batch declared=%lld planned=%lld least=%lld greatest=%lld";

struct Section {
  std::string head;  // behind the mark; empty: the first
  std::string text;
  int line = 1;
};

std::vector<Section> sections_of(const std::string& text) {
  std::vector<Section> sections(1);
  int line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view one(text.data() + at, end - at);
    ++line;
    if (one.substr(0, kMark.size()) == kMark) {
      sections.push_back({std::string(one.substr(kMark.size())), "", line});
    } else {
      sections.back().text.append(one).append("\n");
    }
    at = end + 1;
  }
  return sections;
}

Result<ir::Graph> graph_in(const Section& section, const std::string& file_name) {
  const std::string name = section.head.empty() ? file_name : fmt::format("{} ({})", file_name, section.head);
  STITCH_ASSIGN(ir::Graph graph, ir::parse(section.text, name));
  STITCH_TRY(ir::validate(graph));
  return graph;
}

bool read_range(const std::string& head, BatchRange& range) {
  long long declared = 0;
  long long planned = 0;
  long long minimum = 0;
  long long maximum = 0;
  if (std::sscanf(head.c_str(), kRange, &declared, &planned, &minimum, &maximum) != 4) {
    return false;
  }
  range = {declared, planned, minimum, maximum};
  return declared >= 1 && planned >= declared && minimum >= 1 && maximum >= planned;
}

Result<void> read_section(const Section& section, const std::string& file_name, ProgramBatches& program) {
  long long batch = 0;
  if (std::sscanf(section.head.c_str(), "at batch %lld", &batch) == 1 && batch >= 1) {
    STITCH_ASSIGN(ir::Graph graph, graph_in(section, file_name));
    program.variants.push_back({batch, std::move(graph)});
    return {};
  }
  if (section.head.compare(0, kFixed.size(), kFixed) == 0) {
    program.fixed_because = section.head.substr(kFixed.size());
    return {};
  }
  if (read_range(section.head, program.range)) {
    return {};
  }
  return failure(ErrorCode::kFileInvalid, fmt::format("\"{}\" says nothing about a batch", section.head),
                 fmt::format("{}:{}", file_name, section.line), "run `stitchcuda import` again");
}

}  // namespace

std::string print(const ProgramBatches& program) {
  std::string text = ir::print(program.graph);
  if (!program.fixed_because.empty()) {
    return text + fmt::format("{}{}{}\n", kMark, kFixed, program.fixed_because);
  }
  if (program.variants.empty()) {
    return text;
  }
  const BatchRange& range = program.range;
  text += fmt::format("{}batch declared={} planned={} least={} greatest={}\n", kMark, range.declared, range.planned,
                      range.minimum, range.maximum);
  for (const BatchVariant& variant : program.variants) {
    text += fmt::format("{}at batch {}\n{}", kMark, variant.batch, ir::print(variant.graph));
  }
  return text;
}

Result<ProgramBatches> parse_batches(const std::string& text, const std::string& file_name) {
  ProgramBatches program;
  const std::vector<Section> sections = sections_of(text);
  STITCH_ASSIGN(program.graph, graph_in(sections.front(), file_name));
  for (size_t i = 1; i < sections.size(); ++i) {
    STITCH_TRY(read_section(sections[i], file_name, program));
  }
  if (!program.variants.empty() && program.range.declared == 0) {
    return failure(ErrorCode::kFileInvalid, "there are graphs at other batches, and no line that says the range",
                   file_name, "run `stitchcuda import` again");
  }
  return program;
}

}  // namespace stitch::plan
