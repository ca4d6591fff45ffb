// SPDX-License-Identifier: Apache-2.0
#include "driver/score/program_facts.h"

#include "base/json/json.h"
#include "driver/score/workload.h"
#include "rubric/source/source_facts.h"

namespace stitch::driver {
namespace {

// Ten times what our own programs bring. Nobody reads a longer text, so neither does the rubric.
constexpr size_t kMaxTextLength = size_t{4} << 20;

// What a program of ours compiles for every device alike, and the headers that a candidate is given, say nothing.
bool is_of_all(const std::string& file) {
  return file.find("runtime/host/") != std::string::npos || file == "runtime/include/stitch_program.h" ||
         file == "runtime/include/stitch_candidate.h";
}

}  // namespace

std::map<std::string, std::string> cuda_text_of(const SourceBundle& bundle) {
  std::map<std::string, std::string> text;
  size_t bytes = 0;
  for (const auto& [name, content] : bundle.files) {
    const bool is_cuda = name.ends_with(".cu") || name.ends_with(".cuh") || name.ends_with(".h") ||
                         name.ends_with(".hpp") || name.ends_with(".inl");
    if (is_cuda && !is_of_all(name)) {
      text[name] = content;
      bytes += content.size();
    }
  }
  return bytes <= kMaxTextLength ? text : std::map<std::string, std::string>();
}

rubric::Facts program_facts(const plan::Plan& plan, const evaluate::VerifyReport* judged,
                            std::optional<ListedLaunches> launches) {
  rubric::Facts facts;
  facts.candidate = "project";
  facts.plan = plan_facts(plan);
  facts.workload = workload_of(plan);
  if (judged != nullptr) {
    facts.verdict = judged->verdict();
  }
  facts.launches = std::move(launches);
  return facts;
}

std::string facts_text(const plan::Plan& plan, const SourceBundle& sources, const evaluate::VerifyReport& judged,
                       std::optional<ListedLaunches> launches) {
  rubric::Facts facts = program_facts(plan, &judged, std::move(launches));
  if (const std::map<std::string, std::string> text = cuda_text_of(sources); !text.empty()) {
    facts.source = rubric::source_facts(text, facts.launches);
  }
  return to_json(facts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stitch::driver
