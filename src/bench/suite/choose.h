// SPDX-License-Identifier: Apache-2.0
// Which tasks of a suite are meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "bench/suite/suite.h"

namespace stitch::bench {

// Whether `text` is `pattern`, whose * stands for any number of characters.
bool fits_pattern(std::string_view text, std::string_view pattern);

// Those of `levels`, `only` and `subset`, each of which means all where it is empty, in the order in which they stand.
// kUsage where a level, a pattern or the subset means none.
Result<std::vector<SuiteTask>> choose(std::vector<SuiteTask> tasks, const std::vector<int>& levels,
                                      const std::vector<std::string>& only, const std::string& subset);

}  // namespace stitch::bench
