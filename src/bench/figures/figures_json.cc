// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"
#include "bench/figures/figures.h"

namespace stitch::bench {
namespace {

Json interval_json(const Interval& interval) {
  return {{"value", interval.value}, {"low", interval.low}, {"high", interval.high}};
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval.has_value() ? interval_json(*interval) : Json();
}

Json by_k(const std::map<int64_t, double>& at) {
  Json json = Json::object();
  for (const auto& [k, value] : at) {
    json[std::to_string(k)] = value;
  }
  return json;
}

Json baseline_json(const BaselineFigures& figures) {
  Json curve = Json::array();
  for (size_t i = 0; i < figures.fast_p.size(); ++i) {
    curve.push_back(Json{{"p", kSpeedups[i]}, {"share", figures.fast_p[i]}});
  }
  return {{"timed", figures.timed},
          {"untimed", figures.untimed},
          {"fast_1", interval_json(figures.fast_1)},
          {"fast_p", std::move(curve)},
          {"mean_failures_0", interval_json(figures.arithmetic)},
          {"geomean_correct", interval_json(figures.geometric)},
          {"fast_at", by_k(figures.fast_at)}};
}

Json coder_json(const std::optional<CoderFigures>& coder) {
  return coder.has_value() ? Json{{"samples", coder->samples},
                                  {"sub_tasks", coder->sub_tasks},
                                  {"sub_tasks_right", coder->sub_tasks_right},
                                  {"whole_answers", interval_json(coder->whole)}}
                           : Json();
}

Json group_json(const GroupFigures& group) {
  Json json = {{"name", group.name},
               {"tasks", group.tasks},
               {"samples", group.samples},
               {"right", group.right},
               {"success", interval_json(group.success)},
               {"pass_at", by_k(group.pass_at)},
               {"hacks", {{"partial", group.partial_hacks}, {"total", group.total_hacks}, {"text", group.hacks()}}},
               {"others", group.others},
               {"asked_others", group.asked_others},
               {"failures", group.failures}};
  json["measured"] = Json::object();
  for (const auto& [baseline, figures] : group.over) {
    json["measured"][baseline] = baseline_json(figures);
  }
  json["coder"] = coder_json(group.coder);
  json["modelled"] = {{"samples", group.modelled}, {"gain_over_expert", interval_json(group.modelled_gain)}};
  json["floor"] = Json::object();
  for (const auto& [kind, floor] : group.floor) {
    json["floor"][kind] = {{"samples", floor.samples}, {"share", interval_json(floor.share)}};
  }
  json["spent"] = {
      {"seconds", group.spent.seconds},
      {"gpu_seconds", group.spent.gpu_seconds},
      {"requests", group.spent.requests},
      {"prompt_tokens", group.spent.prompt_tokens},
      {"answer_tokens", group.spent.answer_tokens},
      {"dollars", group.spent.dollars},
      {"dollars_a_success", group.dollars_a_success.has_value() ? Json(*group.dollars_a_success) : Json()}};
  return json;
}

}  // namespace

Json to_json(const Figures& figures) {
  Json json = {{"schema", "stitchcuda.bench_figures/1"}, {"world", figures.world}};
  json["groups"] = Json::array();
  for (const GroupFigures& group : figures.groups) {
    json["groups"].push_back(group_json(group));
  }
  json["aside"] = Json::array();
  for (const AsideLine& line : figures.aside) {
    json["aside"].push_back(Json{{"task", line.task},
                                 {"standing", to_string(line.standing)},
                                 {"reason", line.reason},
                                 {"outcome", line.outcome}});
  }
  return json;
}

}  // namespace stitch::bench
