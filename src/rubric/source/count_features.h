// SPDX-License-Identifier: Apache-2.0
// Features of features.def in functions that can be reached.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rubric/facts/facts.h"
#include "rubric/source/functions.h"

namespace stitch::rubric {

// Types of several elements that the text declares: structs with an alignment of their own, and other names of CUDA's
// vectors.
std::set<std::string> wide_types_of(const std::vector<Token>& tokens);

// Adds them to `facts.features`, and to `facts.idle` the shuffles whose result goes nowhere: these are no feature.
void count_features(const Function& function, const std::set<std::string>& wide_types, SourceFacts& facts);

}  // namespace stitch::rubric
