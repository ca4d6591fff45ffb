// SPDX-License-Identifier: Apache-2.0
// What a folder of tasks is made by. All of it decides which tasks come out, so that a folder goes on with its own
// alone.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::synth {

inline constexpr const char* kAlways = "eager";
// The filters that may be left out, in the order in which they are asked.
inline constexpr const char* kFilters[] = {"time", "gpu_bound", "duplicates", "answers", "deterministic", "aot_eager"};

struct Settings {
  uint64_t seed = 0;
  std::set<std::string> filters{std::begin(kFilters), std::end(kFilters)};
  std::set<std::string> kinds{};  // of steps, as families name them; empty: all
  bool with_inductor = false;
  std::string device = "H200";  // whose eager time is modelled
  std::string transformers{};   // its version; empty: no seeds from there
  std::string torch{};
};

Json to_json(const Settings& settings);
// "time,answers": those alone, besides kAlways. kUsage for a name that is none.
Result<std::set<std::string>> filters_of(const std::string& text);
// "activation,norm": kUsage for a kind that no step is of.
Result<std::set<std::string>> kinds_of(const std::string& text);
// Why a folder that was made by `before` cannot go on by `now`; empty where it can.
std::string difference(const Json& before, const Settings& now);

}  // namespace stitch::synth
