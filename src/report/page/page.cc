// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <utility>
#include <vector>

#include "base/json/json.h"
#include "report/page/escape.h"

namespace stitch::report {
namespace {

std::string script(const std::string& text) {
  return text.empty() ? std::string() : "<script>\n" + script_for_page(text) + "\n</script>";
}

std::string text_of(const Json& data, const char* key) {
  return data.contains(key) && data[key].is_string() ? data[key].get<std::string>() : std::string();
}

}  // namespace

Result<std::string> fill_page(const PageAssets& assets, const Json& data) {
  const Json& headline = data["headline"];
  const std::vector<std::pair<std::string, std::string>> places = {
      {"<!-- name -->", escape_html(text_of(data, "name"))},
      {"<!-- style -->", "<style>\n" + assets.style + "\n</style>"},
      {"<!-- standing -->", escape_html(text_of(headline, "standing"))},
      {"<!-- verdict -->", escape_html(text_of(headline, "verdict"))},
      {"<!-- time -->", escape_html(text_of(headline, "time"))},
      {"<!-- limits -->", escape_html(text_of(headline, "limits"))},
      {"<!-- licences -->", escape_html(assets.licences)},
      {"<!-- data -->", "<script type=\"application/json\" id=\"data\">" + json_for_page(data) + "</script>"},
      {"<!-- libraries -->", script(assets.highlight) + script(assets.chart)},
      {"<!-- scripts -->", script(assets.scripts)},
  };
  // One pass from left to right: what was put in is never searched.
  std::string page;
  size_t from = 0;
  while (from < assets.page.size()) {
    size_t nearest = std::string::npos;
    const std::pair<std::string, std::string>* place = nullptr;
    for (const auto& candidate : places) {
      const size_t at = assets.page.find(candidate.first, from);
      if (at < nearest) {
        nearest = at;
        place = &candidate;
      }
    }
    if (place == nullptr) {
      break;
    }
    page.append(assets.page, from, nearest - from).append(place->second);
    from = nearest + place->first.size();
  }
  if (assets.page.find("<!-- data -->") == std::string::npos) {
    return failure(ErrorCode::kInternal, "the report's page has no place for its data", "report/page.html",
                   "install stitchcuda again");
  }
  return page.append(assets.page, from);
}

}  // namespace stitch::report
