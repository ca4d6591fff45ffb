// SPDX-License-Identifier: Apache-2.0
#include "synth/contamination/decontaminate.h"

#include <chrono>
#include <map>
#include <optional>

#include "base/json/json.h"
#include "synth/contamination/programs.h"

namespace stitch::synth {
namespace {

// The benchmark's programs by what copies share with them.
struct Benchmark {
  const std::vector<Program>& programs;
  std::map<std::string, const Program*> by_signature{};
  std::map<std::string, const Program*> by_graph{};
};

Benchmark benchmark_of(const std::vector<Program>& programs) {
  Benchmark benchmark{programs};
  for (const Program& program : programs) {
    if (!program.signature.empty()) {
      benchmark.by_signature.emplace(program.signature, &program);
    }
    if (!program.graph.empty()) {
      benchmark.by_graph.emplace(program.graph, &program);
    }
  }
  return benchmark;
}

Accusation accusation(const Program& task, const Program& of, const char* reason) {
  return {task.name, of.name, reason, likeness(task.subtrees, of.subtrees)};
}

std::optional<Accusation> accuse_one(const Program& task, const Benchmark& benchmark, double max_likeness) {
  const Program* nearest = nullptr;
  double most = 0;
  for (const Program& program : benchmark.programs) {
    if (const double found = likeness(task.subtrees, program.subtrees); found > most) {
      most = found;
      nearest = &program;
    }
  }
  if (most > max_likeness) {
    return accusation(task, *nearest, "syntax");
  }
  if (const auto found = benchmark.by_signature.find(task.signature); found != benchmark.by_signature.end()) {
    return accusation(task, *found->second, "operators");
  }
  if (const auto found = benchmark.by_graph.find(task.graph); found != benchmark.by_graph.end()) {
    return accusation(task, *found->second, "graph");
  }
  return std::nullopt;
}

Json list_json(const std::vector<Program>& programs) {
  Json list = Json::array();
  for (const Program& program : programs) {
    list.push_back(program.name);
  }
  return list;
}

}  // namespace

std::vector<Accusation> accuse(const std::vector<Program>& tasks, const std::vector<Program>& against,
                               double max_likeness) {
  const Benchmark benchmark = benchmark_of(against);
  std::vector<Accusation> accused;
  for (const Program& task : tasks) {
    if (std::optional<Accusation> found = accuse_one(task, benchmark, max_likeness)) {
      accused.push_back(std::move(*found));
    }
  }
  return accused;
}

Result<DecontaminateReport> decontaminate(const DecontaminateRequest& request, const driver::Services& services) {
  const auto begun = std::chrono::steady_clock::now();
  STITCH_ASSIGN(const std::vector<ProgramFile> benchmark_files, programs_in(request.against));
  STITCH_ASSIGN(const std::vector<ProgramFile> task_files, programs_in(request.tasks));
  Lanes lanes(request.jobs, request.options, services);
  driver::Progress::Wait wait = services.progress.wait("decontaminate", "programs are looked at");
  STITCH_ASSIGN(const std::vector<Program> against, facts_of(benchmark_files, request.with_graphs, lanes, wait));
  STITCH_ASSIGN(const std::vector<Program> tasks, facts_of(task_files, request.with_graphs, lanes, wait));
  DecontaminateReport report;
  report.accused = accuse(tasks, against, request.max_likeness);
  report.tasks = tasks.size();
  report.against = against.size();
  size_t next = 0;
  for (const Program& task : tasks) {
    if (next < report.accused.size() && report.accused[next].task == task.name) {
      ++next;
    } else {
      report.kept.push_back(task);
    }
  }
  for (const std::vector<Program>* side : {&tasks, &against}) {
    for (const Program& program : *side) {
      if (!program.trouble.empty()) {
        report.troubled.push_back(program);
      }
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

Json to_json(const DecontaminateReport& report) {
  Json accused = Json::array();
  std::map<std::string, size_t> counts;
  for (const Accusation& each : report.accused) {
    accused.push_back({{"task", each.task}, {"of", each.of}, {"reason", each.reason}, {"likeness", each.likeness}});
    counts[each.reason] += 1;
  }
  Json reasons = Json::object();
  for (const auto& [reason, number] : counts) {
    reasons[reason] = number;
  }
  Json troubled = Json::array();
  for (const Program& program : report.troubled) {
    troubled.push_back({{"program", program.name}, {"why", program.trouble}});
  }
  return {{"schema", "stitchcuda.decontaminate/1"}, {"tasks", report.tasks}, {"against", report.against},
          {"went", report.accused.size()},          {"reasons", reasons},    {"accused", accused},
          {"kept", list_json(report.kept)},         {"troubled", troubled},  {"seconds", report.seconds}};
}

}  // namespace stitch::synth
