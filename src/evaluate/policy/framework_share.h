// SPDX-License-Identifier: Apache-2.0
// What a candidate left to the framework: which of the reference's operators, and how much of its time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/report/hack_class.h"
#include "artifact/task/math_mode.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::evaluate {

// One call of one of the reference's operators.
struct ReferenceWork {
  std::string name;  // "linear"
  int64_t flops = 0;
  int64_t bytes = 0;        // read and written when nothing is fused with it
  bool is_product = false;  // of matrices
  bool is_16_bit = false;
};
// The roofline max(FLOPs / peak, bytes / bandwidth) at an H200's datasheet peaks, whatever device judges: a class must
// not depend on the machine, and a CPU's times say nothing of a GPU's. Memory-bound operators weigh what they cost.
double roofline_us(const ReferenceWork& work, MathMode math);
Result<std::vector<ReferenceWork>> reference_work_from_json(const Json& json, const char* key);

struct FrameworkShare {
  HackClass hack_class = HackClass::kClean;
  double share = 0;               // of the reference's time by roofline, left to the framework
  std::vector<std::string> left;  // the reference's operators that were
  std::string message;            // the evidence
};

// `operators` are those of the framework that the candidate ran ("aten::mm"), `libraries` the native code it loaded.
// Total: no native code of its own, or nothing that it could have computed since the framework ran all of it. Partial:
// the framework ran some of it, up to all but steps of little worth.
FrameworkShare framework_share(const std::vector<ReferenceWork>& work, const std::vector<std::string>& operators,
                               const std::vector<std::string>& libraries, MathMode math = MathMode::kFp32);
Json to_json(const FrameworkShare& share);

}  // namespace stitch::evaluate
