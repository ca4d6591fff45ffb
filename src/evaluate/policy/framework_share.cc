// SPDX-License-Identifier: Apache-2.0
#include "evaluate/policy/framework_share.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "evaluate/timing/floor.h"

namespace stitch::evaluate {
namespace {

constexpr double kNothingTouched = 0.999;  // left to the framework: the rest is rounding, or an operator's other name
constexpr double kLittleTouched = 0.95;
constexpr double kMicrosecondsPerSecond = 1e6;

// Of the pipe that an implementation without tricks takes.
double peak_flops(const Datasheet& device, const ReferenceWork& work, MathMode math) {
  if (!work.is_product) {
    return device.fp32_flops;
  }
  if (work.is_16_bit || math == MathMode::kReduced) {
    return device.half_flops;
  }
  return math == MathMode::kFp32 ? device.fp32_flops : device.tf32_flops;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Operators that do the same work under several names: a linear layer may run as addmm, mm or mkldnn_linear.
std::string family_of(std::string name) {
  if (const size_t colons = name.rfind("::"); colons != std::string::npos) {
    name = name.substr(colons + 2);
  }
  name.erase(name.find_last_not_of('_') + 1);
  name.erase(0, name.find_first_not_of('_'));
  constexpr std::pair<const char*, const char*> kFamilies[] = {{"scaled_dot_product", "attention"},
                                                               {"conv", "convolution"},
                                                               {"batch_norm", "batch_norm"},
                                                               {"layer_norm", "layer_norm"},
                                                               {"group_norm", "group_norm"},
                                                               {"softmax", "softmax"},
                                                               {"lstm", "recurrence"},
                                                               {"gru", "recurrence"},
                                                               {"rnn", "recurrence"},
                                                               {"linear", "matmul"},
                                                               {"matmul", "matmul"},
                                                               {"einsum", "matmul"},
                                                               {"tensordot", "matmul"},
                                                               {"addmv", "matmul"}};
  for (const auto& [part, family] : kFamilies) {
    if (contains(name, part)) {
      return family;
    }
  }
  const bool is_product = name.ends_with("mm") || name == "mv" || name == "dot" || name == "inner";
  return is_product ? "matmul" : name;
}

std::set<std::string> families_of(const std::vector<std::string>& operators) {
  std::set<std::string> families;
  for (const std::string& name : operators) {
    families.insert(family_of(name));
  }
  if (families.contains("matmul")) {  // what attention and recurrences are made of
    families.insert({"attention", "recurrence"});
  }
  return families;
}

std::string evidence(const FrameworkShare& share, const std::vector<std::string>& operators) {
  if (share.hack_class == HackClass::kClean) {
    return "PyTorch computed nothing";
  }
  if (operators.empty()) {
    return "no native code of the candidate's own was loaded";
  }
  const bool little = share.share > kLittleTouched && share.share <= kNothingTouched;
  return fmt::format("PyTorch ran {}: {:.0f} % of the reference's time by roofline{}{}", fmt::join(operators, ", "),
                     share.share * 100, share.left.empty() ? "" : fmt::format(" ({})", fmt::join(share.left, ", ")),
                     little ? ", so that only steps worth under 5 % were touched" : "");
}

}  // namespace

Result<std::vector<ReferenceWork>> reference_work_from_json(const Json& json, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(json, key));
  std::vector<ReferenceWork> work;
  for (const Json& item : *list) {
    ReferenceWork entry;
    STITCH_ASSIGN(entry.name, json_string(item, "operator"));
    STITCH_ASSIGN(entry.flops, json_int(item, "flops"));
    STITCH_ASSIGN(entry.bytes, json_int(item, "bytes"));
    STITCH_ASSIGN(entry.is_product, json_bool(item, "is_product"));
    STITCH_ASSIGN(entry.is_16_bit, json_bool(item, "is_16_bit"));
    work.push_back(std::move(entry));
  }
  return work;
}

double roofline_us(const ReferenceWork& work, MathMode math) {
  static const Datasheet device = *datasheet_of("NVIDIA H200");
  const double compute = static_cast<double>(work.flops) / peak_flops(device, work, math);
  const double memory = static_cast<double>(work.bytes) / device.bytes_per_second;
  return std::max(compute, memory) * kMicrosecondsPerSecond;
}

FrameworkShare framework_share(const std::vector<ReferenceWork>& work, const std::vector<std::string>& operators,
                               const std::vector<std::string>& libraries, MathMode math) {
  FrameworkShare share;
  const std::set<std::string> families = families_of(operators);
  double total = 0;
  double left = 0;
  for (const ReferenceWork& entry : work) {
    const double time_us = roofline_us(entry, math);
    total += time_us;
    if (families.contains(family_of(entry.name))) {
      left += time_us;
      if (std::find(share.left.begin(), share.left.end(), entry.name) == share.left.end()) {
        share.left.push_back(entry.name);
      }
    }
  }
  share.share = total > 0 ? left / total : 0;
  // A program that only moves bytes asks for no code of its own.
  const bool has_nothing_of_its_own = libraries.empty() && total > 0;
  if (has_nothing_of_its_own || share.share > kNothingTouched) {
    share.hack_class = HackClass::kTotal;
  } else if (!operators.empty()) {
    share.hack_class = HackClass::kPartial;
  }
  share.message = evidence(share, operators);
  return share;
}

Json to_json(const FrameworkShare& share) {
  return {{"class", to_string(share.hack_class)},
          {"framework_share", share.share},
          {"left_to_framework", share.left},
          {"evidence", share.message}};
}

}  // namespace stitch::evaluate
