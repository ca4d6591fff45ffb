// SPDX-License-Identifier: Apache-2.0
#include "report/data/headline.h"

#include <fmt/format.h>

#include <cctype>

#include "artifact/device_kind.h"
#include "base/json/json.h"
#include "plan/batch/any_batch.h"

namespace stitch::report {
namespace {

const Json* member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? &object[key] : nullptr;
}

std::string text(const Json& object, const char* key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number(const Json& object, const char* key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

// With what was asked of it, or, when refused, its reason.
void add_verdict(const Json& evidence, Headline& line) {
  const Json* verdict = member(evidence["verify"], "verdict");
  verdict = verdict == nullptr ? member(evidence["result"], "verdict") : verdict;
  const std::string kind = verdict == nullptr ? std::string() : text(*verdict, "kind");
  if (kind.empty()) {
    line.standing = "unjudged";
    line.verdict = "Not judged: no verdict is in this folder.";
    return;
  }
  if (kind != "ok") {
    line.standing = "refused";
    line.verdict = fmt::format("Not verified ({}): {}.", kind, text(*verdict, "reason"));
    return;
  }
  line.standing = "verified";
  const Json* shapes = member(evidence["verify"], "shapes");
  const auto draws = number(evidence["verify"], "draws");
  const auto ratio = number(evidence["verify"], "error_ratio");
  line.verdict = "Verified";
  if (draws && shapes != nullptr && shapes->is_array()) {
    line.verdict +=
        fmt::format(" in {:.0f} draws at {} shape{}", *draws, shapes->size(), shapes->size() == 1 ? "" : "s");
  }
  line.verdict +=
      ratio ? fmt::format(": largest error {:.2f} times the reference\u2019s own, where 4 is accepted.", *ratio)
            : std::string(".");
}

void add_time(const plan::Plan& plan, const Json& evidence, Headline& line) {
  const Json* measured = member(evidence["result"], "measured");
  const auto plain = measured == nullptr ? std::nullopt : number(*measured, "plain_us");
  const auto graph = measured == nullptr ? std::nullopt : number(*measured, "graph_us");
  const double modelled = plan::declared_modelled_us(plan);
  if (plain && graph && *graph < *plain) {
    line.time =
        fmt::format("{:.1f} \u00b5s measured with a CUDA graph ({:.1f} \u00b5s by plain launches); ", *graph, *plain);
  } else if (plain) {
    line.time = fmt::format("{:.1f} \u00b5s measured; ", *plain);
  }
  line.time += fmt::format("{:.1f} \u00b5s modelled on {}", modelled, plan.device);
  line.time += plain ? "." : ", from counted work: a model, not a measurement.";
  const Json* baseline = measured == nullptr ? nullptr : member(*measured, "baseline");
  const auto speedup = baseline == nullptr ? std::nullopt : number(*baseline, "speedup");
  if (plain && speedup) {
    line.time += fmt::format(" {:.2f} times as fast as PyTorch {} ({:.2f} to {:.2f}), which takes {:.1f} \u00b5s.",
                             *speedup, text(*baseline, "name"), number(*baseline, "low").value_or(0),
                             number(*baseline, "high").value_or(0), number(*baseline, "us").value_or(0));
  }
  if (const std::string times_by = text(evidence["result"], "times_by"); !times_by.empty()) {
    line.time += fmt::format(" Settings chosen by {}.", times_by);
  }
}

void add_limits(const Json& evidence, Headline& line) {
  const bool emulated = text(evidence["result"], "device") == to_string(DeviceKind::kEmulated);
  const std::string scale = text(evidence["result"], "scale");
  if (emulated) {
    line.limits = scale == "small" ? "Judged on CUDA emulated on a CPU, at reduced sizes; no GPU ran it."
                                   : "Judged on CUDA emulated on a CPU; no GPU ran it.";
  } else if (scale == "small") {
    line.limits = "Judged at reduced sizes.";
  }
  const std::string nvcc = text(evidence["result"], "nvcc");
  if (nvcc.starts_with("not ")) {
    line.limits += fmt::format("{}{}{}.", line.limits.empty() ? "" : " ", static_cast<char>(std::toupper(nvcc[0])),
                               nvcc.substr(1));
  }
}

}  // namespace

Headline headline(const plan::Plan& plan, const Json& evidence) {
  Headline line;
  add_verdict(evidence, line);
  add_time(plan, evidence, line);
  add_limits(evidence, line);
  return line;
}

Json to_json(const Headline& headline) {
  return Json{{"standing", headline.standing},
              {"verdict", headline.verdict},
              {"time", headline.time},
              {"limits", headline.limits}};
}

}  // namespace stitch::report
