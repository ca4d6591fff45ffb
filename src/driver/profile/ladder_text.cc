// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/json/json.h"
#include "driver/profile/ladder_of.h"
#include "profile/judge/occupancy.h"

namespace stitch::driver {
namespace {

void put(Json& json, const char* key, const std::optional<double>& value) {
  if (value.has_value()) {
    json[key] = *value;
  }
}

void put_shape(Json& json, const profile::LaunchShape& shape, const std::string& architecture) {
  put(json, "blocks", shape.blocks);
  put(json, "block_threads", shape.block_threads);
  put(json, "registers", shape.registers);
  put(json, "static_shared_bytes", shape.static_shared);
  put(json, "dynamic_shared_bytes", shape.dynamic_shared);
  put(json, "local_bytes", shape.local_bytes);
  const Result<profile::Occupancy> occupancy = profile::occupancy_of(shape, architecture);
  if (occupancy.has_value()) {
    json["occupancy"] = {{"share", occupancy->share}, {"blocks", occupancy->blocks}, {"limit", occupancy->limit}};
  }
}

Json kernel_json(const profile::Kernel& kernel, const LadderReport& report) {
  const profile::BoundReason reason = profile::bound_of(kernel, report.limits);
  Json json = {{"name", kernel.name}, {"step", kernel.step}, {"launches", kernel.launches}};
  put(json, "time_us", kernel.time_us);
  put(json, "bytes", kernel.bytes);
  put(json, "flops", kernel.flops);
  put(json, "tensor_flops", kernel.tensor_flops);
  put(json, "floor_us", kernel.floor_us);
  json["bound"] = to_string(reason.bound);
  json["why"] = reason.why;
  put(json, "memory_share", reason.memory_share);
  put(json, "compute_share", reason.compute_share);
  put_shape(json, kernel.shape, report.limits.architecture);
  if (!kernel.metrics.empty()) {
    json["metrics"] = kernel.metrics;
  }
  if (!kernel.opcodes.empty()) {
    json["opcodes"] = kernel.opcodes;
  }
  return json;
}

Json system_json(const profile::SystemFigures& system) {
  Json copies = Json::array();
  for (const profile::Copies& each : system.copies) {
    copies.push_back({{"kind", each.kind}, {"count", each.count}, {"bytes", each.bytes}, {"time_us", each.time_us}});
  }
  return {{"wall_us", system.wall_us},
          {"busy_us", system.busy_us},
          {"idle_share", system.idle_share()},
          {"launches", system.launches},
          {"host_us", system.host_us},
          {"waits", system.waits},
          {"copies", copies}};
}

Json rungs_json(const LadderReport& report) {
  Json rungs = Json::array();
  for (const profile::RungState& each : report.rungs) {
    rungs.push_back({{"name", to_string(each.kind)}, {"taken", each.is_taken}, {"here", each.is_here}});
    if (!each.why_not.empty()) {
      rungs.back()["why_not"] = each.why_not;
      rungs.back()["mend"] = each.mend;
    }
  }
  return rungs;
}

Json bottlenecks_json(const LadderReport& report) {
  Json bottlenecks = Json::array();
  for (const profile::Bottleneck& each : report.bottlenecks) {
    bottlenecks.push_back({{"subject", each.subject},
                           {"bound", to_string(each.bound)},
                           {"share", each.share},
                           {"gain_us", each.gain_us},
                           {"gain", std::isfinite(each.gain) ? Json(each.gain) : Json()},
                           {"reason", each.reason}});
  }
  return bottlenecks;
}

}  // namespace

Json to_json(const LadderReport& report) {
  Json json = {{"rung", to_string(report.measured.rung)},
               {"is_measured", profile::is_measured(report.measured.rung)},
               {"rungs", rungs_json(report)}};
  json["kernels"] = Json::array();
  for (const profile::Kernel& kernel : report.measured.kernels) {
    json["kernels"].push_back(kernel_json(kernel, report));
  }
  json["dominant"] = profile::dominant_kernels(report.measured.kernels);
  if (report.measured.system.has_value()) {
    json["system"] = system_json(*report.measured.system);
  }
  if (!report.measured.timeline.empty()) {
    json["timeline"] = Json::array();
    for (const profile::TimelineEvent& each : report.measured.timeline) {
      json["timeline"].push_back(
          {{"what", each.what}, {"name", each.name}, {"start_us", each.start_us}, {"end_us", each.end_us}});
    }
  }
  if (!report.code.empty()) {
    json["code"] = Json::array();
    for (const profile::CodeOfKernel& each : report.code) {
      Json code = {{"name", profile::readable_name(each.name)}, {"architecture", each.architecture}};
      put_shape(code, each.shape, each.architecture);
      code["opcodes"] = each.opcodes;
      json["code"].push_back(std::move(code));
    }
  }
  json["bottlenecks"] = bottlenecks_json(report);
  put(json, "slowdown", report.measured.slowdown);
  json["notes"] = report.measured.notes;
  return json;
}

std::string describe(const LadderReport& report) {
  const char* rung = to_string(report.measured.rung);
  std::string text =
      fmt::format("profiled by {}, {}", rung, profile::is_measured(report.measured.rung) ? "measured" : "modelled");
  for (const profile::RungState& each : report.rungs) {
    if (!each.why_not.empty()) {
      text += fmt::format("\n  not by {}: {}", to_string(each.kind), each.why_not);
    }
  }
  for (const size_t index : profile::dominant_kernels(report.measured.kernels)) {
    const profile::Kernel& kernel = report.measured.kernels[index];
    const profile::BoundReason reason = profile::bound_of(kernel, report.limits);
    text += fmt::format("\n  {:.2f} us {}: {}-bound: {}", *kernel.time_us, kernel.name, to_string(reason.bound),
                        reason.why);
  }
  int number = 0;
  for (const profile::Bottleneck& each : report.bottlenecks) {
    text += fmt::format("\nbottleneck {}: {}, {:.0f} % of a call; without it {:.2f} times as fast: {}", ++number,
                        each.subject, 100 * each.share, each.gain, each.reason);
  }
  return text;
}

}  // namespace stitch::driver
