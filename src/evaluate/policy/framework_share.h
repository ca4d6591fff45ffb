// SPDX-License-Identifier: Apache-2.0
// What a candidate left to the framework: which of the reference's operators, and how much of its arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/report/hack_class.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::evaluate {

// One of the reference's operators, all its calls together.
struct ReferenceWork {
  std::string name;  // "linear"
  int64_t flops = 0;
};
Result<std::vector<ReferenceWork>> reference_work_from_json(const Json& json, const char* key);

struct FrameworkShare {
  HackClass hack_class = HackClass::kClean;
  double share = 0;               // of the reference's FLOPs, left to the framework
  std::vector<std::string> left;  // the reference's operators that were
  std::string sentence;           // the evidence
};

// `operators` are those of the framework that the candidate ran ("aten::mm"), `libraries` the native code it loaded.
FrameworkShare framework_share(const std::vector<ReferenceWork>& work, const std::vector<std::string>& operators,
                               const std::vector<std::string>& libraries);
Json to_json(const FrameworkShare& share);

}  // namespace stitch::evaluate
