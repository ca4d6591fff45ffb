// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "kernels/builtin_templates.h"
#include "report/data/plan_json.h"

namespace stitch::report {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

const std::string* text_of(const FolderTexts& folder, const std::string& name) {
  const auto found = folder.find(name);
  return found == folder.end() ? nullptr : &found->second;
}

// SHA-256 of the sources as stitchcuda wrote them; an empty object where that is not known.
Json digests(const FolderTexts& folder) {
  const std::string* text = text_of(folder, "evidence/digests.json");
  if (text == nullptr) {
    return Json::object();
  }
  const Result<Json> parsed = parse_json(*text, "evidence/digests.json");
  return parsed.has_value() && parsed->is_object() ? *parsed : Json::object();
}

// "unknown" where nothing says what stitchcuda wrote.
std::string author(const Json& written, const std::string& file, const std::string& text) {
  if (!written.contains(file) || !written[file].is_string()) {
    return "unknown";
  }
  return written[file] == sha256_hex(text) ? "expert" : "edited by hand";
}

const char* pipe_name(kernels::Pipe pipe) {
  switch (pipe) {
    case kernels::Pipe::kFp32:
      return "fp32";
    case kernels::Pipe::kTf32:
      return "tf32";
    case kernels::Pipe::kFp16:
      return "fp16";
  }
  return "fp32";
}

double peak_flops(kernels::Pipe pipe, const kernels::DeviceLimits& limits) {
  return pipe == kernels::Pipe::kFp32   ? limits.fp32_flops
         : pipe == kernels::Pipe::kTf32 ? limits.tf32_flops
                                        : limits.fp16_flops;
}

// Where the least time of a step comes from: the longest of moving its bytes, its products, its other arithmetic.
void add_floor(Json& json, const kernels::Work& work, const kernels::DeviceLimits& limits) {
  const double memory = work.bytes / limits.bytes_per_second;
  const double compute = work.flops / peak_flops(work.pipe, limits);
  const double lanes = work.lane_operations / limits.lane_operations_per_second;
  const double longest = std::max({memory, compute, lanes});
  json["floor_us"] = longest * kMicrosecondsPerSecond;
  json["bound"] = longest <= memory ? "memory" : longest <= compute ? "compute" : "lanes";
}

Json setting_json(const plan::Setting& setting) {
  return setting.splits > 1 ? fmt::format("{} x{}", setting.variant, setting.splits) : setting.variant;
}

Json names(const plan::Plan& plan, const std::vector<int>& buffers) {
  Json list = Json::array();
  for (const int buffer : buffers) {
    list.push_back(plan.buffers[static_cast<size_t>(buffer)].name);
  }
  return list;
}

Json step_json(const plan::Plan& plan, size_t index) {
  const plan::Step& step = plan.steps[index];
  Json nodes = Json::array();
  for (const ir::NodeId node : step.nodes) {
    nodes.push_back(node.index);
  }
  Json json = {{"index", index},
               {"name", step.name},
               {"phase", step.phase == plan::Phase::kPrepare ? "prepare" : "run"},
               {"skeleton", step.skeleton},
               {"setting", setting_json(step.setting)},
               {"nodes", nodes},
               {"operands", names(plan, step.operands)},
               {"results", names(plan, step.results)},
               {"flops", step.flops},
               {"bytes", step.bytes_min},
               {"scratch_bytes", step.scratch_bytes},
               {"modelled_us", step.modelled_us},
               {"floor_us", nullptr},
               {"bound", nullptr},
               {"roof", nullptr},
               {"launches", nullptr}};
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (kernel != nullptr && limits.has_value()) {
    const kernels::Work work = kernel->work(plan::step_group(plan, index), step.setting);
    json["launches"] = work.launches;
    json["roof"] = pipe_name(work.pipe);
    json["lane_operations"] = work.lane_operations;
    add_floor(json, work, *limits);
  }
  return json;
}

}  // namespace

Json steps_json(const plan::Plan& plan, const FolderTexts& folder) {
  const Json written = digests(folder);
  Json steps = Json::array();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Json json = step_json(plan, i);
    const std::string file = fmt::format("steps/{:02}_{}.cu", i, plan.steps[i].name);
    const std::string* text = text_of(folder, file);
    json["file"] = file;
    json["author"] = text == nullptr ? "unknown" : author(written, file, *text);
    json["code"] = text == nullptr ? Json() : Json(*text);
    steps.push_back(std::move(json));
  }
  return steps;
}

}  // namespace stitch::report
