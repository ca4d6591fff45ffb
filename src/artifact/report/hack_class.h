// SPDX-License-Identifier: Apache-2.0
// Who did the work of a candidate that was not written by the expert.
#pragma once

#include <string>

#include "base/error/result.h"

namespace stitch {

enum class HackClass {
  kClean,    // the framework computes nothing
  kPartial,  // part of the heavy work is left to it, or only steps of little worth were touched
  kTotal,    // no real work of the candidate's own
};
const char* to_string(HackClass hack_class);  // "clean", "partial_hack", "total_hack"
Result<HackClass> hack_class_from_string(const std::string& name);

}  // namespace stitch
