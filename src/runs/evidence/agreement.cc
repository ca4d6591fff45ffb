// SPDX-License-Identifier: Apache-2.0
#include "runs/evidence/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

constexpr size_t kNamesShown = 3;

Unexpected malformed(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, fmt::format("evidence/verify.json {}", what), "evidence/verify.json",
                 "run `stitchcuda optimize` on the program again");
}

Result<std::string> kind_of(const Json& report) {
  const auto verdict = report.find("verdict");
  if (verdict == report.end() || !verdict->is_object() || !verdict->contains("kind") ||
      !(*verdict)["kind"].is_string()) {
    return malformed("has no verdict");
  }
  return (*verdict)["kind"].get<std::string>();
}

// Largest error of each output in each regime at each shape, by "SHAPE, REGIME, OUTPUT".
Result<std::map<std::string, double>> figures_of(const Json& report) {
  std::map<std::string, double> figures;
  const auto regimes = report.find("regimes");
  if (regimes == report.end() || !regimes->is_array()) {
    return malformed("has no regimes");
  }
  for (const Json& line : *regimes) {
    const bool is_whole = line.is_object() && line.contains("shape") && line["shape"].is_string() &&
                          line.contains("regime") && line["regime"].is_string() && line.contains("name") &&
                          line["name"].is_string() && line.contains("max_error_ratio");
    if (!is_whole) {
      return malformed("has a regime without its shape, name or error");
    }
    // Null where the error is no number; two such are the same figure.
    const Json& ratio = line["max_error_ratio"];
    figures[fmt::format("{}, {}, {}", line["shape"].get<std::string>(), line["regime"].get<std::string>(),
                        line["name"].get<std::string>())] = ratio.is_number() ? ratio.get<double>() : -1.0;
  }
  return figures;
}

double change(double then, double now) {
  const double larger = std::max(std::abs(then), std::abs(now));
  return larger > 0 ? std::abs(now - then) / larger : 0;
}

std::string some_of(const std::vector<std::string>& names) {
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kNamesShown)));
  return fmt::format("{}{}", fmt::join(shown, "; "), names.size() > kNamesShown ? "; ..." : "");
}

}  // namespace

Result<Agreement> agreement(const Json& recorded, const Json& repeated) {
  Agreement result;
  STITCH_ASSIGN(result.recorded, kind_of(recorded));
  STITCH_ASSIGN(result.repeated, kind_of(repeated));
  STITCH_ASSIGN(const auto then, figures_of(recorded));
  STITCH_ASSIGN(const auto now, figures_of(repeated));
  result.figures = static_cast<int>(then.size());
  for (const auto& [name, value] : then) {
    const auto again = now.find(name);
    if (again == now.end()) {
      result.only_recorded.push_back(name);
    } else if (again->second == value) {
      ++result.identical;
    } else {
      result.max_change = std::max(result.max_change, change(value, again->second));
    }
  }
  for (const auto& [name, value] : now) {
    if (!then.contains(name)) {
      result.only_repeated.push_back(name);
    }
  }
  return result;
}

Json to_json(const Agreement& agreement) {
  return Json{{"agrees", agreement.agrees()},
              {"recorded", agreement.recorded},
              {"repeated", agreement.repeated},
              {"figures", agreement.figures},
              {"identical", agreement.identical},
              {"largest_change", agreement.max_change},
              {"only_recorded", agreement.only_recorded},
              {"only_repeated", agreement.only_repeated}};
}

std::string describe(const Agreement& agreement) {
  std::string text = agreement.agrees() ? fmt::format("the verdict agrees: {}", agreement.repeated)
                                        : fmt::format("the verdict DIFFERS: {} on record, {} now", agreement.recorded,
                                                      agreement.repeated);
  const int others = agreement.figures - agreement.identical - static_cast<int>(agreement.only_recorded.size());
  text += fmt::format("\n{} of {} error figures are the same to the last bit", agreement.identical, agreement.figures);
  if (others > 0) {
    text += fmt::format(", the others differ by at most {:.2g} %", 100 * agreement.max_change);
  }
  if (!agreement.only_recorded.empty()) {
    text += fmt::format("\nnot judged again here: {}", some_of(agreement.only_recorded));
  }
  if (!agreement.only_repeated.empty()) {
    text += fmt::format("\nnot on record: {}", some_of(agreement.only_repeated));
  }
  return text;
}

}  // namespace stitch::runs
