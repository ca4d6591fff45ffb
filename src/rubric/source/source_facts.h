// SPDX-License-Identifier: Apache-2.0
// Facts of a program's text: what its reachable functions use.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "artifact/report/listed_launches.h"
#include "rubric/facts/facts.h"

namespace stitch::rubric {

// `files`: text by name. Where `launches` is known, a kernel that was not launched is not reached.
SourceFacts source_facts(const std::map<std::string, std::string>& files,
                         const std::optional<ListedLaunches>& launches);

}  // namespace stitch::rubric
