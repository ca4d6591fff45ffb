// SPDX-License-Identifier: Apache-2.0
// A technique that feedback can ask for, and where its use shows.
#pragma once

#include <string>
#include <vector>

#include "rubric/criteria/executed.h"

namespace stitch::rubric {

struct Technique {
  const char* name;
  std::vector<const char*> words;    // of the feedback, in lower case
  bool (*ran)(const Executed& ran);  // null: only the text can tell
  const char* feature;               // that it brings to the text; null: only what ran can tell
  const char* mended;                // feature that it takes from the text; null: none
};

// The techniques that the feedback asks for, in the table's order.
std::vector<Technique> asked_techniques(const std::string& feedback);

// How far it is done. 1: seen to run. 0.5: in the text, but whether it ran could not be seen. 0: not there.
double done(const Technique& technique, const Facts& facts);

}  // namespace stitch::rubric
