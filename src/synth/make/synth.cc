// SPDX-License-Identifier: Apache-2.0
#include "synth/make/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "synth/filters/likeness.h"
#include "synth/folder/journal.h"
#include "synth/make/after.h"
#include "synth/make/lanes.h"
#include "synth/make/maker.h"

namespace stitch::synth {
namespace {

namespace fs = std::filesystem;

// Where hardly one in so many passes, the options contradict each other, and more of the same would not help.
constexpr size_t kMaxMadeForOne = 50;
constexpr size_t kMadeForNone = 640;

struct Seeds {
  std::vector<MinedModule> modules{};
  std::string version{};
  std::string why_none{};
};

Result<Seeds> seeds_of(Lanes& lanes, bool with_transformers) {
  Seeds seeds;
  if (!with_transformers) {
    seeds.why_none = "they were not asked for";
    return seeds;
  }
  STITCH_TRY(lanes.run(1, [&](TaskProcess& process, size_t) -> Result<void> {
    const Result<Json> answer = process.ask("task.modules", Json::object());
    if (!answer.has_value() && answer.error().code == ErrorCode::kEnvironment) {
      seeds.why_none = answer.error().message;
      return {};
    }
    STITCH_ASSIGN(const Json json, answer);
    STITCH_ASSIGN(seeds.modules, mined_modules_from_json(json));
    STITCH_ASSIGN(seeds.version, json_string(json, "version"));
    return {};
  }));
  return seeds;
}

// Marks what is a copy of a task before it, in the order of their numbers.
void mark_copies(const KnownTasks& known, std::vector<Candidate>& window) {
  KnownTasks here;
  for (Candidate& candidate : window) {
    if (!candidate.is_kept()) {
      continue;
    }
    std::optional<Copied> copied = known.find(candidate.digest, candidate.signature, candidate.subtrees);
    if (!copied.has_value()) {
      copied = here.find(candidate.digest, candidate.signature, candidate.subtrees);
    }
    if (copied.has_value()) {
      candidate.fallen = to_string(copied->copy);
      candidate.why = fmt::format("{:.2f} like {}", copied->likeness, copied->of);
    } else {
      here.add(candidate.name, candidate.digest, candidate.signature, candidate.subtrees);
    }
  }
}

void learn(KnownTasks& known, const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    if (candidate.is_kept()) {
      known.add(candidate.name, candidate.digest, candidate.signature, candidate.subtrees);
    }
  }
}

Result<std::vector<Candidate>> make_window(Lanes& lanes, const Maker& maker, const KnownTasks& known, size_t window) {
  std::vector<Candidate> made(kWindow);
  STITCH_TRY(lanes.run(kWindow, [&](TaskProcess& process, size_t index) -> Result<void> {
    STITCH_ASSIGN(made[index], maker.draw(process, window * kWindow + index));
    return {};
  }));
  if (maker.settings.filters.count("duplicates") != 0) {
    mark_copies(known, made);
  }
  STITCH_TRY(lanes.run(kWindow, [&](TaskProcess& process, size_t index) -> Result<void> {
    return made[index].is_kept() ? maker.try_out(process, made[index]) : Result<void>();
  }));
  return made;
}

size_t kept_of(const std::vector<Candidate>& candidates) {
  size_t kept = 0;
  for (const Candidate& candidate : candidates) {
    kept += candidate.is_kept() ? 1 : 0;
  }
  return kept;
}

// Files first: whatever the journal names is there.
Result<void> write_files(const fs::path& out, const std::vector<Candidate>& window) {
  for (const Candidate& candidate : window) {
    if (candidate.is_kept()) {
      STITCH_TRY(write_file(out / candidate.file(), candidate.source));
    }
  }
  return {};
}

Result<void> make_all(const SynthRequest& request, const Maker& maker, Lanes& lanes, Journal& journal,
                      driver::Progress& progress) {
  KnownTasks known;
  learn(known, journal.candidates());
  size_t kept = kept_of(journal.candidates());
  driver::Progress::Wait wait = progress.wait("synth", "tasks are made and filtered");
  while (kept < request.count) {
    if (journal.candidates().size() >= kMadeForNone + kMaxMadeForOne * kept) {
      return failure(ErrorCode::kEnvironment,
                     fmt::format("{} of {} candidates pass the filters", kept, journal.candidates().size()),
                     request.out.string(), "see journal.jsonl for what they fall by, and leave a filter out");
    }
    STITCH_ASSIGN(const std::vector<Candidate> window, make_window(lanes, maker, known, journal.windows()));
    STITCH_TRY(write_files(request.out, window));
    STITCH_TRY(journal.append(window));
    learn(known, window);
    kept += kept_of(window);
    wait.say(fmt::format("{} of {} tasks, {} candidates", std::min(kept, request.count), request.count,
                         journal.candidates().size()));
  }
  return {};
}

void count(const std::vector<Candidate>& candidates, size_t wanted, SynthReport& report) {
  for (const Candidate& candidate : candidates) {
    report.made += 1;
    if (!candidate.is_kept()) {
      report.fallen[candidate.fallen] += 1;
    } else if (report.kept.size() < wanted) {
      report.kept.push_back(candidate);
    }
  }
}

void count_families(SynthReport& report) {
  std::set<std::string> families;
  report.splits.clear();
  for (const Candidate& candidate : report.kept) {
    report.splits[candidate.split] += 1;
    families.insert(candidate.family);
  }
  report.families = families.size();
}

Result<void> write_list(const fs::path& out, SynthReport& report) {
  count_families(report);
  std::string text;
  for (const Candidate& candidate : report.kept) {
    text += json_line(task_line(candidate));
  }
  STITCH_TRY(write_file(out / "tasks.jsonl", text));
  return write_file(out / "report.json", to_json(report).dump(1) + "\n");
}

template <typename Map>
Json counts_json(const Map& counts) {
  Json json = Json::object();
  for (const auto& [name, number] : counts) {
    json[name] = number;
  }
  return json;
}

}  // namespace

Result<SynthReport> synth(const SynthRequest& request, const driver::Services& services) {
  const auto begun = std::chrono::steady_clock::now();
  SynthReport report;
  Lanes lanes(request.jobs, request.options, services);
  STITCH_ASSIGN(Seeds seeds, seeds_of(lanes, request.with_transformers));
  Maker maker{request.settings, std::move(seeds.modules), {}};
  maker.settings.transformers = seeds.version;
  STITCH_ASSIGN(maker.device, kernels::device_limits(request.settings.device));
  STITCH_ASSIGN(Journal journal, Journal::open(request.out / "journal.jsonl", maker.settings));
  report.mined = maker.mined.size();
  report.without_mined = seeds.why_none;
  report.made_before = journal.candidates().size();
  STITCH_TRY(make_all(request, maker, lanes, journal, services.progress));
  count(journal.candidates(), request.count, report);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  report.seconds = seconds();
  STITCH_TRY(write_list(request.out, report));
  STITCH_TRY(ask_after(request, services, lanes, report));
  report.seconds = seconds();
  STITCH_TRY(write_list(request.out, report));
  return report;
}

Json to_json(const SynthReport& report) {
  return {{"schema", "stitchcuda.synth_report/1"},
          {"made", report.made},
          {"kept", report.kept.size()},
          {"families", report.families},
          {"fallen", counts_json(report.fallen)},
          {"splits", counts_json(report.splits)},
          {"admission", counts_json(report.admission)},
          {"transformers_layers", report.mined},
          {"without_transformers", report.without_mined},
          {"made_before", report.made_before},
          {"eager_times", report.is_measured ? "measured" : "modelled"},
          {"seconds", report.seconds}};
}

}  // namespace stitch::synth
