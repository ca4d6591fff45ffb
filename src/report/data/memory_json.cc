// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "base/json/json.h"
#include "ir/text/printer.h"
#include "kernels/template/device_limits.h"
#include "plan/batch/any_batch.h"
#include "report/data/plan_json.h"

namespace stitch::report {
namespace {

struct Life {
  int first = std::numeric_limits<int>::max();
  int last = -1;

  void meets(int step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

std::vector<Life> lives_of(const plan::Plan& plan) {
  std::vector<Life> lives(plan.buffers.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    for (const std::vector<int>* list : {&plan.steps[i].operands, &plan.steps[i].results}) {
      for (const int buffer : *list) {
        lives[static_cast<size_t>(buffer)].meets(static_cast<int>(i));
      }
    }
  }
  return lives;
}

}  // namespace

Json memory_json(const plan::Plan& plan) {
  const std::vector<Life> lives = lives_of(plan);
  Json buffers = Json::array();
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::Buffer& buffer = plan.buffers[i];
    const bool used = lives[i].last >= 0;
    buffers.push_back({{"name", buffer.name},
                       {"kind", plan::to_string(buffer.kind)},
                       {"type", ir::print(plan.graph.type(buffer.value))},
                       {"bytes", plan.graph.type(buffer.value).bytes()},
                       {"offset", buffer.offset},
                       {"first", used ? Json(lives[i].first) : Json()},
                       {"last", used ? Json(lives[i].last) : Json()}});
  }
  Json scratch = Json::array();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].scratch_bytes > 0) {
      scratch.push_back({{"step", i},
                         {"phase", plan.steps[i].phase == plan::Phase::kPrepare ? "prepare" : "run"},
                         {"bytes", plan.steps[i].scratch_bytes},
                         {"offset", plan.steps[i].scratch_offset}});
    }
    if (plan.steps[i].kept_bytes > 0) {
      scratch.push_back({{"step", i},
                         {"phase", "prepare"},
                         {"bytes", plan.steps[i].kept_bytes},
                         {"offset", plan.steps[i].kept_offset}});
    }
  }
  return Json{{"arena_bytes", plan.arena_bytes},
              {"prepared_bytes", plan.prepared_bytes},
              {"buffers", buffers},
              {"scratch", scratch}};
}

Json device_json(const plan::Plan& plan) {
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (!limits.has_value()) {
    return Json();
  }
  return Json{{"name", limits->name},
              {"architecture", limits->architecture},
              {"bytes_per_second", limits->bytes_per_second},
              {"fp32_flops", limits->fp32_flops},
              {"tf32_flops", limits->tf32_flops},
              {"fp16_flops", limits->fp16_flops},
              {"lane_operations_per_second", limits->lane_operations_per_second},
              {"launch_us", limits->launch_us}};
}

Json batch_json(const plan::Plan& plan) {
  if (!plan.batch.has_value()) {
    return plan.batch_note.empty() ? Json() : Json{{"fixed_because", plan.batch_note}};
  }
  return Json{{"declared", plan.batch->declared},
              {"planned", plan.batch->planned},
              {"least", plan.batch->minimum},
              {"greatest", plan.batch->maximum}};
}

}  // namespace stitch::report
