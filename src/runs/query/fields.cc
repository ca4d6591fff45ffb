// SPDX-License-Identifier: Apache-2.0
#include "runs/query/fields.h"

#include <algorithm>
#include <array>

namespace stitch::runs {
namespace {

constexpr std::array kFields = {
    Field{"id", "id", FieldKind::kText},
    Field{"verb", "verb", FieldKind::kText},
    Field{"program", "task", FieldKind::kText},
    Field{"verdict", "state", FieldKind::kState},
    Field{"math", "math", FieldKind::kText},
    Field{"device", "device", FieldKind::kText},
    Field{"folder", "out", FieldKind::kText},
    Field{"file", "file", FieldKind::kText},
    Field{"error", "error", FieldKind::kText},
    Field{"reason", "reason", FieldKind::kText},
    Field{"stage", "stage", FieldKind::kText},
    Field{"system", "system", FieldKind::kText},
    Field{"model", "models", FieldKind::kText},
    Field{"started", "started", FieldKind::kTime},
    Field{"age", "started_s", FieldKind::kAge},
    Field{"took", "seconds", FieldKind::kDuration},
    Field{"measured_us", "measured_us", FieldKind::kNumber},
    Field{"modelled_us", "modelled_us", FieldKind::kNumber},
    Field{"time_us", "COALESCE(measured_us, modelled_us)", FieldKind::kNumber},
    Field{"steps", "steps", FieldKind::kNumber},
    Field{"operators", "operators", FieldKind::kNumber},
    Field{"attempts", "attempts", FieldKind::kNumber},
    Field{"tokens", "tokens", FieldKind::kNumber},
    Field{"dollars", "dollars", FieldKind::kNumber},
    Field{"bytes", "bytes", FieldKind::kSize},
};
constexpr Field kOption{"option.NAME", "options", FieldKind::kText};

}  // namespace

const Field* find_field(std::string_view name) {
  const auto* found =
      std::find_if(kFields.begin(), kFields.end(), [&](const Field& each) { return each.name == name; });
  return found == kFields.end() ? nullptr : found;
}

const Field& option_field() { return kOption; }

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const Field& field : kFields) {
    names.emplace_back(field.name);
  }
  names.emplace_back(kOption.name);
  return names;
}

}  // namespace stitch::runs
