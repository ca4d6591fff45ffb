// SPDX-License-Identifier: Apache-2.0
#include "report/data/report_data.h"

#include <string>
#include <vector>

#include "base/json/json.h"
#include "plan/batch/any_batch.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"
#include "report/agents/agents_json.h"
#include "report/data/choices_json.h"
#include "report/data/graph_json.h"
#include "report/data/headline.h"
#include "report/data/plan_json.h"
#include "runs/evidence/read_evidence.h"

namespace stitch::report {
namespace {

Result<Json> read_plan_json(const FolderTexts& folder) {
  const auto found = folder.find("plan.json");
  if (found == folder.end()) {
    return failure(ErrorCode::kFileInvalid, "the folder has no plan.json", "plan.json",
                   "name a folder that `stitchcuda optimize` wrote");
  }
  return parse_json(found->second, "plan.json");
}

// The graph as it was imported; null, with a note, where graph.ir is missing or cannot be read.
Json imported_graph(const FolderTexts& folder, std::vector<std::string>& notes) {
  const auto found = folder.find("graph.ir");
  if (found == folder.end()) {
    notes.push_back("graph.ir is not in the folder: the imported graph cannot be shown.");
    return Json();
  }
  const Result<plan::ProgramBatches> program = plan::parse_batches(found->second, "graph.ir");
  if (!program.has_value()) {
    notes.push_back("graph.ir cannot be read (" + program.error().message + "): the imported graph cannot be shown.");
    return Json();
  }
  return graph_json(program->graph);
}

// A step that nobody edited since is by whom the run says.
void set_writers(const Json& writers, Json& steps) {
  for (Json& step : steps) {
    const std::string file = step["file"].get<std::string>();
    const size_t name = file.rfind('/') + 1;
    const std::string key = file.substr(name, file.rfind('.') - name);
    if (step["author"] == "expert" && writers.is_object() && writers.contains(key)) {
      step["author"] = writers[key];
    }
  }
}

}  // namespace

Result<Json> report_data(const FolderTexts& folder) {
  STITCH_ASSIGN(const Json plan_json, read_plan_json(folder));
  STITCH_ASSIGN(const plan::Plan plan, plan::from_json(plan_json));
  Json steps = steps_json(plan, folder);
  add_choices(plan_json, steps);
  std::vector<std::string> notes;
  const Json evidence = runs::read_evidence(folder, notes);
  set_writers(step_writers(evidence["result"]), steps);
  Json agents = agents_json(folder, notes);
  Json before = imported_graph(folder, notes);
  Json data = {{"schema", "stitchcuda.report/1"},
               {"name", plan.graph.name},
               {"math", to_string(plan.math)},
               {"headline", to_json(headline(plan, evidence))},
               {"modelled_us", plan::declared_modelled_us(plan)},
               {"batch", batch_json(plan)},
               {"device", device_json(plan)},
               {"device_name", plan.device},
               {"before", std::move(before)},
               {"after", graph_json(plan.graph)},
               {"steps", std::move(steps)},
               {"memory", memory_json(plan)}};
  data["agents"] = std::move(agents);
  data["evidence"] = evidence;
  data["notes"] = notes;
  return data;
}

}  // namespace stitch::report
