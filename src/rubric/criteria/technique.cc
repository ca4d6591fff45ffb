// SPDX-License-Identifier: Apache-2.0
#include "rubric/criteria/technique.h"

#include <algorithm>
#include <cctype>

namespace stitch::rubric {
namespace {

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> all = {
      {"shared memory",
       {"shared memory", "tile", "tiling", "__shared__"},
       [](const Executed& ran) { return ran.shared_bytes > 0 && ran.barriers > 0; },
       "shared_memory",
       nullptr},
      {"tensor cores",
       {"tensor core", "wmma", "mma", "wgmma"},
       [](const Executed& ran) { return ran.matrix_operations > 0; },
       "matrix_unit",
       nullptr},
      {"asynchronous copies",
       {"asynchronous cop", "async cop", "cp.async", "pipeline", "double buffer"},
       [](const Executed& ran) { return ran.async_copies > 0; },
       "async_copy",
       nullptr},
      {"warp shuffles",
       {"shuffle", "warp-level", "warp level", "warp reduction"},
       [](const Executed& ran) { return ran.warp_operations > 0; },
       "warp_shuffle",
       nullptr},
      {"wide accesses", {"vectori", "float4", "128-bit", "wide load", "16 bytes"}, nullptr, "vector_access", nullptr},
      {"a library's epilogue",
       {"epilogue"},
       [](const Executed& ran) { return ran.library_epilogues > 0; },
       "library_epilogue",
       nullptr},
      {"no waiting",
       {"synchroni", "blocking call", "do not wait"},
       [](const Executed& ran) { return ran.waits == 0; },
       nullptr,
       "waits"},
      {"no allocation",
       {"allocat", "preallocat", "cudamalloc"},
       [](const Executed& ran) { return ran.allocations == 0; },
       nullptr,
       "allocation"},
      {"fewer launches",
       {"fuse", "fusion", "single kernel", "one kernel", "fewer launches"},
       [](const Executed& ran) { return ran.launches + ran.library_launches <= 1; },
       nullptr,
       nullptr}};
  return all;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "mma" is in no "gamma", and "tile" in no "volatile".
bool begins_a_word(const std::string& text, const std::string& wanted) {
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) {
      return true;
    }
  }
  return false;
}

bool asks_for(const Technique& technique, const std::string& feedback) {
  return std::any_of(technique.words.begin(), technique.words.end(),
                     [&](const char* word) { return begins_a_word(feedback, word); });
}

}  // namespace

double done(const Technique& technique, const Facts& facts) {
  const bool is_written = technique.feature != nullptr && has_feature(facts, technique.feature);
  if (technique.ran != nullptr && facts.launches.has_value()) {
    return technique.ran(executed(facts)) ? 1 : 0;
  }
  return is_written ? (technique.ran == nullptr ? 1 : 0.5) : 0;
}

std::vector<Technique> asked_techniques(const std::string& feedback) {
  const std::string text = lower(feedback);
  std::vector<Technique> asked;
  for (const Technique& technique : techniques()) {
    if (asks_for(technique, text)) {
      asked.push_back(technique);
    }
  }
  return asked;
}

}  // namespace stitch::rubric
