// SPDX-License-Identifier: Apache-2.0
#include "report/page/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "report/page/fit_agents.h"

namespace stitch::report {
namespace {

void note(Json& data, const std::string& message) { data["notes"].push_back(message); }

bool leave_out_highlighting(PageAssets& assets, Json& data) {
  if (assets.highlight.empty()) {
    return false;
  }
  assets.highlight.clear();
  note(data, "Code is shown without colours, to keep this page small.");
  return true;
}

// A cut text keeps its first lines; whole files stay in steps/.
bool cut_code(Json& data, size_t longest) {
  const std::string mark = longest == 0 ? "" : "\n// ...";
  size_t cut = 0;
  for (Json& step : data["steps"]) {
    if (step["code"].is_string() && step["code"].get_ref<const std::string&>().size() > longest + mark.size()) {
      step["code"] = longest == 0 ? Json() : Json(step["code"].get<std::string>().substr(0, longest) + mark);
      ++cut;
    }
  }
  if (cut > 0) {
    note(data, longest == 0 ? std::string("The steps' code is left out, to keep this page small; it is in steps/.")
                            : fmt::format("The code of {} steps is cut after {} bytes, to keep this page small; whole "
                                          "files are in steps/.",
                                          cut, longest));
  }
  return cut > 0;
}

// The lines of graph.ir that a selected operator shows.
bool leave_out_lines(Json& data) {
  bool any = false;
  for (const char* graph : {"before", "after"}) {
    if (!data[graph].is_object()) {
      continue;
    }
    for (Json& node : data[graph]["nodes"]) {
      any = node.erase("text") > 0 || any;
    }
  }
  if (any) {
    note(data, "Operators are shown without their line of graph.ir, to keep this page small.");
  }
  return any;
}

bool leave_out_graph(Json& data, const char* graph, const char* what) {
  if (!data[graph].is_object()) {
    return false;
  }
  note(data, fmt::format("{} ({} operators) is left out, to keep this page small; graph.ir and plan.json have it.",
                         what, data[graph]["nodes"].size()));
  data[graph] = Json();
  return true;
}

bool leave_out_program(Json& data) {
  if (data["evidence"]["program"].empty()) {
    return false;
  }
  data["evidence"]["program"] = Json::object();
  note(data, "The program's own source is left out, to keep this page small; it is in evidence/program.");
  return true;
}

}  // namespace

bool leave_out_next(PageAssets& assets, Json& data) {
  constexpr size_t kManyBytes = 4096;
  if (leave_out_long_messages(data) || leave_out_highlighting(assets, data) || leave_out_of_agents(data) ||
      cut_code(data, kManyBytes) || leave_out_lines(data) || cut_code(data, 0) || leave_out_program(data) ||
      leave_out_graph(data, "before", "The imported graph") || leave_out_graph(data, "after", "The planned graph")) {
    return true;
  }
  if (!assets.chart.empty()) {
    assets.chart.clear();
    note(data, "Tables stand in for plots, to keep this page small.");
    return true;
  }
  return false;
}

}  // namespace stitch::report
