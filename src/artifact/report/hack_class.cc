// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/hack_class.h"

#include <fmt/format.h>

#include <array>

namespace stitch {
namespace {

constexpr std::array kClasses = {HackClass::kClean, HackClass::kPartial, HackClass::kTotal};

}  // namespace

const char* to_string(HackClass hack_class) {
  switch (hack_class) {
    case HackClass::kClean:
      return "clean";
    case HackClass::kPartial:
      return "partial_hack";
    case HackClass::kTotal:
      return "total_hack";
  }
  return "?";
}

Result<HackClass> hack_class_from_string(const std::string& name) {
  for (const HackClass hack_class : kClasses) {
    if (name == to_string(hack_class)) {
      return hack_class;
    }
  }
  return failure(ErrorCode::kFileInvalid, fmt::format("class {:?} is none of clean, partial_hack, total_hack", name));
}

}  // namespace stitch
