// SPDX-License-Identifier: Apache-2.0
#include "profile/values/metrics.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::profile {
namespace {

std::vector<Metric> read_table() {
  std::vector<Metric> table;
  const auto add_name = [&](const char* id, const char* name) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Metric& each) { return each.id == id; });
    STITCH_CHECK(found != table.end()) << "metrics.def gives another name to no metric: " << id;
    found->names.emplace_back(name);
  };
#define STITCH_METRIC(id, unit, better, name) table.push_back({#id, unit, Better::better, true, {name}});
#define STITCH_COUNT(id, unit, name) table.push_back({#id, unit, Better::kNeither, false, {name}});
#define STITCH_OTHER_NAME(id, name) add_name(#id, name);
#include "profile/values/metrics.def"
#undef STITCH_METRIC
#undef STITCH_COUNT
#undef STITCH_OTHER_NAME
  return table;
}

}  // namespace

const std::vector<Metric>& all_metrics() {
  static const std::vector<Metric> table = read_table();
  return table;
}

const Metric* metric_of(std::string_view ncu_name) {
  for (const Metric& metric : all_metrics()) {
    if (std::find(metric.names.begin(), metric.names.end(), ncu_name) != metric.names.end()) {
      return &metric;
    }
  }
  return nullptr;
}

std::vector<std::string> names_to_ask(const std::vector<std::string>& known) {
  std::vector<std::string> asked;
  for (const Metric& metric : all_metrics()) {
    const auto chosen = std::find_if(metric.names.begin(), metric.names.end(), [&](const std::string& name) {
      return known.empty() || name.starts_with("launch__") ||
             std::find(known.begin(), known.end(), name.substr(0, name.find('.'))) != known.end();
    });
    if (chosen != metric.names.end()) {
      asked.push_back(*chosen);
    }
  }
  return asked;
}

}  // namespace stitch::profile
