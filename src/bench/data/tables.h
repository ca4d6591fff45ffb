// SPDX-License-Identifier: Apache-2.0
// The tables of bench/*.toml, which lie in the program: what is known of KernelBench's tasks, and published figures.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "bench/data/standing.h"

namespace stitch::bench {

struct KnownStanding {
  Standing standing = Standing::kSound;
  std::string why;
};

// By "LEVEL/NUMBER".
struct KnownTasks {
  std::map<std::string, std::vector<std::string>> subsets;  // name -> tasks
  std::map<std::string, std::string> families;              // task -> family
  std::map<std::string, KnownStanding> standings;           // those with a line of their own
};
Result<KnownTasks> known_tasks();

// One figure of somebody else's, with the conditions under which it holds; what the source does not say is empty.
struct PublishedFigure {
  std::string system;
  std::string source;
  std::string suite;
  std::vector<int64_t> levels;
  std::string subset;
  std::optional<int64_t> tasks;
  std::string hardware;
  std::string baseline;
  std::string math;
  std::string mean;
  std::optional<double> tolerance;
  std::vector<double> correct_percent;  // least and most of what the source says; empty: nothing
  std::optional<double> speedup;
  std::optional<double> fast_1_percent;
  std::string note;
};
Result<std::vector<PublishedFigure>> published_figures();
// Of another file in the same form; kFileInvalid names the figure and the member.
Result<std::vector<PublishedFigure>> read_published(const std::string& text, const std::string& what);

}  // namespace stitch::bench
