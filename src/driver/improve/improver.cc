// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/improver.h"

#include "base/json/json.h"

namespace stitch::driver {

Json to_json(const Improvement& improvement) {
  Json json = {{"steps", Json::array()}};
  for (const StepAuthor& each : improvement.authors) {
    Json step = {{"step", each.step}, {"author", each.author}};
    if (each.attempt > 0) {
      step["attempt"] = each.attempt;
      step["gained_us"] = each.gained_us;
    }
    json["steps"].push_back(std::move(step));
  }
  const Json figures = Json::parse(improvement.figures, nullptr, /*allow_exceptions=*/false);
  if (figures.is_object()) {
    json.update(figures);
  }
  return json;
}

}  // namespace stitch::driver
