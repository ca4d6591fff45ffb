// SPDX-License-Identifier: Apache-2.0
// What a condition on runs may name. A name here, and nothing that a user wrote, becomes a part of a statement of SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch::runs {

enum class FieldKind {
  kText,      // = != < > <= >= ~
  kState,     // = != ~ with one of the states
  kNumber,    // an SQL NULL is none
  kSize,      // bytes, as 500M
  kTime,      // a moment, compared as far as it is written: 2026-11 is all of November
  kDuration,  // seconds, as 90, 15min, 3h, 7d, 2w
  kAge,       // the same, counted from a moment in seconds to now
};

struct Field {
  std::string_view name;    // as a person writes it
  std::string_view column;  // of the index
  FieldKind kind = FieldKind::kText;
};

// "option.NAME" is a field too, of kind kText; its name goes to SQL as a value.
constexpr std::string_view kOptionPrefix = "option.";

// nullptr for a name that is none.
const Field* find_field(std::string_view name);
const Field& option_field();
// Every name, "option.NAME" last.
std::vector<std::string> field_names();

}  // namespace stitch::runs
