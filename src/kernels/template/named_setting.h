// SPDX-License-Identifier: Apache-2.0
// The settings of a skeleton as a table: what plans and databases call each, and what it means to us.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/error/check.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

template <typename Meaning>
struct NamedSetting {
  const char* name;
  Meaning meaning;
};

template <typename Table>
bool is_named(const Table& table, std::string_view variant) {
  return std::any_of(table.begin(), table.end(), [&](const auto& row) { return row.name == variant; });
}

// What `setting` means in a table of NamedSetting; aborts if it is not there: only settings that space() offers or
// allows() takes come here.
template <typename Table>
const auto& meaning_of(const Table& table, const Setting& setting) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == setting.variant; });
  STITCH_CHECK(found != table.end()) << "no setting of this skeleton is called " << setting.variant;
  return found->meaning;
}

// A setting for each row whose meaning `is_wanted`, in the table's order.
template <typename Table, typename Predicate>
std::vector<Setting> settings_where(const Table& table, Predicate is_wanted) {
  std::vector<Setting> settings;
  for (const auto& row : table) {
    if (is_wanted(row.meaning)) {
      settings.push_back({row.name, 1});
    }
  }
  return settings;
}

}  // namespace stitch::kernels
