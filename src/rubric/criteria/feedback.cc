// SPDX-License-Identifier: Apache-2.0
// Techniques that a feedback asks for, and whether they are seen now: running first, in the text second.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {
namespace {

struct Technique {
  const char* name;
  std::vector<const char*> words;    // of the feedback, in lower case
  bool (*ran)(const Executed& ran);  // null: only the text can tell
  const char* feature;               // null: only what ran can tell
};

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> all = {
      {"shared memory",
       {"shared memory", "tile", "tiling", "__shared__"},
       [](const Executed& ran) { return ran.shared_bytes > 0 && ran.barriers > 0; },
       "shared_memory"},
      {"tensor cores",
       {"tensor core", "wmma", "mma", "wgmma"},
       [](const Executed& ran) { return ran.matrix_operations > 0; },
       "matrix_unit"},
      {"asynchronous copies",
       {"asynchronous cop", "async cop", "cp.async", "pipeline", "double buffer"},
       [](const Executed& ran) { return ran.async_copies > 0; },
       "async_copy"},
      {"warp shuffles",
       {"shuffle", "warp-level", "warp level", "warp reduction"},
       [](const Executed& ran) { return ran.warp_operations > 0; },
       "warp_shuffle"},
      {"wide accesses", {"vectori", "float4", "128-bit", "wide load", "16 bytes"}, nullptr, "vector_access"},
      {"a library's epilogue",
       {"epilogue"},
       [](const Executed& ran) { return ran.library_epilogues > 0; },
       "library_epilogue"},
      {"no waiting",
       {"synchroni", "blocking call", "do not wait"},
       [](const Executed& ran) { return ran.waits == 0; },
       nullptr},
      {"no allocation", {"allocat", "cudamalloc"}, [](const Executed& ran) { return ran.allocations == 0; }, nullptr},
      {"fewer launches",
       {"fuse", "fusion", "single kernel", "one kernel", "fewer launches"},
       [](const Executed& ran) { return ran.launches + ran.library_launches <= 1; },
       nullptr}};
  return all;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool asks_for(const Technique& technique, const std::string& feedback) {
  return std::any_of(technique.words.begin(), technique.words.end(),
                     [&](const char* word) { return feedback.find(word) != std::string::npos; });
}

// 1: seen to run. 0.5: in the text, and nobody could see whether it ran. 0: not there.
double done(const Technique& technique, const Facts& facts) {
  const bool is_written = technique.feature != nullptr && has_feature(facts, technique.feature);
  if (technique.ran != nullptr && facts.launches.has_value()) {
    return technique.ran(executed(*facts.launches)) ? 1 : 0;
  }
  return is_written ? (technique.ran == nullptr ? 1 : 0.5) : 0;
}

}  // namespace

Mark score_feedback(const Facts& facts) {
  if (facts.skill == Skill::kScratch) {
    return no_mark("written from scratch: there is no feedback to follow");
  }
  if (!facts.feedback.has_value()) {
    return no_mark("the feedback was not given");
  }
  const std::string feedback = lower(*facts.feedback);
  std::vector<std::string> asked;
  std::vector<std::string> citations;
  double fulfilled = 0;
  for (const Technique& technique : techniques()) {
    if (!asks_for(technique, feedback)) {
      continue;
    }
    const double part = done(technique, facts);
    fulfilled += part;
    asked.push_back(fmt::format("{} ({})", technique.name,
                                part == 1  ? "done"
                                : part > 0 ? "written, not seen to run"
                                           : "not done"));
    if (technique.feature != nullptr && part > 0) {
      for (std::string& place : cite(facts, {technique.feature})) {
        citations.push_back(std::move(place));
      }
    }
  }
  if (asked.empty()) {
    return no_mark("the feedback names no technique that can be looked for");
  }
  citations.push_back("feedback");
  return mark(1 + 4 * fulfilled / static_cast<double>(asked.size()),
              fmt::format("asked for: {}", fmt::join(asked, ", ")), std::move(citations));
}

}  // namespace stitch::rubric
