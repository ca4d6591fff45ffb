// SPDX-License-Identifier: Apache-2.0
// Published figures beside ours, with what differs between the two.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "bench/data/tables.h"
#include "bench/figures/figures.h"

namespace stitch::bench {

struct BesidePublished {
  PublishedFigure theirs;
  std::string group;                     // of ours that stands beside it
  std::string ours;                      // "10 tasks, 90 % right, 1.31 (1.20 to 1.44)", or why there is none
  std::vector<std::string> differences;  // "hardware: theirs H200, ours emulated"
};

// Those of `suite` for whose levels or subset we have a group. `conditions` are the run's (RunSpec::conditions).
std::vector<BesidePublished> beside_published(const std::vector<PublishedFigure>& published, const std::string& suite,
                                              const Figures& figures,
                                              const std::map<std::string, std::string>& conditions);

Json to_json(const std::vector<BesidePublished>& beside);
std::string describe(const std::vector<BesidePublished>& beside);

}  // namespace stitch::bench
