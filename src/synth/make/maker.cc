// SPDX-License-Identifier: Apache-2.0
#include "synth/make/maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/hash/sha256.h"
#include "base/seed/seed.h"

namespace stitch::synth {
namespace {

// Times that are aimed at; the rest of 1 to 100 ms is what models err by.
constexpr double kShortestAimedMs = 1.5;
constexpr double kLongestAimedMs = 50;
constexpr int kSizings = 5;
constexpr double kBelowLimit = 0.4;
constexpr int64_t kMaxBatch = 1 << 20;
constexpr size_t kMaxNameLength = 64;

// Equally often in each decade.
double aimed_ms(uint64_t seed, uint64_t number) {
  Random random(derived_seed(seed, "eager time", number));
  return kShortestAimedMs * std::pow(kLongestAimedMs / kShortestAimedMs, random.unit());
}

// As a person would write it: two digits, or a multiple of 64.
int64_t rounded(double batch) {
  const double limited = std::clamp(batch, 1.0, static_cast<double>(kMaxBatch));
  const double unit = limited > 640 ? 64 : limited > 64 ? 8 : 1;
  return static_cast<int64_t>(unit * std::max(1.0, std::round(limited / unit)));
}

SizeConstant* batch_of(Draft& draft) {
  const auto found = std::find_if(draft.sizes.begin(), draft.sizes.end(),
                                  [&](const SizeConstant& size) { return size.name == draft.batch; });
  return found == draft.sizes.end() ? nullptr : &*found;
}

std::string name_of(uint64_t number, const std::vector<std::string>& operators) {
  std::string name = fmt::format("{:06}", number);
  for (const std::string& each : operators) {
    std::string word = each;
    std::replace(word.begin(), word.end(), '.', '_');
    if (name.size() + word.size() < kMaxNameLength) {
      name += "_" + word;
    }
  }
  return name;
}

NamedSizes full_sizes(const Draft& draft) {
  NamedSizes sizes;
  for (const SizeConstant& size : draft.sizes) {
    sizes.emplace_back(size.name, size.full);
  }
  return sizes;
}

bool is_of(const std::set<std::string>& kinds, const std::set<std::string>& groups) {
  return kinds.empty() || std::includes(kinds.begin(), kinds.end(), groups.begin(), groups.end());
}

void fall(Candidate& candidate, const char* filter, std::string why) {
  candidate.fallen = filter;
  candidate.why = std::move(why);
}

}  // namespace

Result<Candidate> Maker::draw(TaskProcess& process, uint64_t number) const {
  Candidate candidate;
  candidate.number = number;
  std::optional<Draft> draft = make_draft(settings.seed, number, mined);
  if (!draft.has_value()) {
    fall(candidate, "recipe", "no operator fits what was drawn");
    return candidate;
  }
  candidate.operators = draft->operators;
  candidate.seeds = draft->seeds;
  candidate.family = family_of(*draft);
  candidate.split = split_of(candidate.family);
  if (!is_of(settings.kinds, draft->groups)) {
    fall(candidate, "kinds", "a step is of another kind");
    return candidate;
  }
  candidate.name = name_of(number, draft->operators);
  candidate.reduced = reduced_sizes(*draft);
  STITCH_ASSIGN(const TaskFacts facts, fit_sizes(process, *draft, candidate));
  candidate.sizes = full_sizes(*draft);
  judge_facts(facts, candidate);
  return candidate;
}

// The time grows with the batch, all but evenly: weights are read once, launches stay.
Result<TaskFacts> Maker::fit_sizes(TaskProcess& process, Draft& draft, Candidate& candidate) const {
  const double aimed = aimed_ms(settings.seed, candidate.number);
  double limit = static_cast<double>(kMaxBatch);  // batches from here on need more memory than there is
  TaskFacts facts;
  for (int sizing = 0; sizing < kSizings; ++sizing) {
    candidate.source = write_source(draft);
    STITCH_ASSIGN(facts, process.look({candidate.source, candidate.name + ".py", {}}));
    SizeConstant* batch = batch_of(draft);
    if (!facts.failed.empty() || batch == nullptr) {
      return facts;
    }
    const double ms = eager_time(facts, device).ms;
    const bool fits = fits_memory(facts);
    const double now = static_cast<double>(batch->full);
    limit = fits ? limit : std::min(limit, kBelowLimit * now);
    const int64_t wanted = rounded(std::min(limit, now * aimed / std::max(ms, 1e-3)));
    if ((fits && ms > 0.7 * aimed && ms < 1.4 * aimed) || wanted == batch->full || sizing + 1 == kSizings) {
      return facts;
    }
    batch->full = wanted;
  }
  return facts;
}

void Maker::judge_facts(const TaskFacts& facts, Candidate& candidate) const {
  candidate.digest = sha256_hex(candidate.source);
  candidate.subtrees = facts.subtrees;
  if (!facts.failed.empty()) {
    fall(candidate, kAlways, facts.failed);
    return;
  }
  candidate.signature = facts.signature;
  const EagerTime time = eager_time(facts, device);
  candidate.modelled_ms = time.ms;
  candidate.launches = time.launches;
  if (asks("deterministic") && facts.draws) {
    fall(candidate, "deterministic", "it draws random numbers");
  } else if (asks("time") && !fits_memory(facts)) {
    fall(candidate, "memory", fmt::format("its largest tensor has {:.3g} elements", facts.largest));
  } else if (asks("time") && !(time.ms >= kMinimumMs && time.ms <= kMaximumMs)) {
    fall(candidate, "time", fmt::format("a call is modelled at {:.3g} ms", time.ms));
  } else if (asks("gpu_bound") && !is_gpu_bound(time)) {
    fall(candidate, "gpu_bound", fmt::format("{} launches for {:.3g} ms of work", time.launches, time.work_ms));
  }
}

Result<Candidate> Maker::take(TaskProcess& process, uint64_t number, const std::string& source,
                              const std::string& origin, const NamedSizes& reduced) const {
  Candidate candidate;
  candidate.number = number;
  candidate.origin = origin;
  candidate.source = source;
  candidate.reduced = reduced;
  candidate.name = fmt::format("{:06}_written", number);
  STITCH_ASSIGN(const TaskFacts facts, process.look({candidate.source, candidate.name + ".py", {}}));
  candidate.operators = facts.operators;
  // What a model says of its task is not asked: the family is that of the operators which run.
  std::set<std::string> kinds(facts.operators.begin(), facts.operators.end());
  for (const std::string& kind : kinds) {
    candidate.family += (candidate.family.empty() ? "written:" : "+") + kind;
  }
  candidate.split = split_of(candidate.family);
  candidate.seeds = {"model:" + origin};
  judge_facts(facts, candidate);
  return candidate;
}

Result<void> Maker::try_out(TaskProcess& process, Candidate& candidate) const {
  std::vector<std::string> backends;
  if (asks("aot_eager")) {
    backends.push_back("aot_eager");
  }
  if (settings.with_inductor) {
    backends.push_back("inductor");
  }
  const uint64_t seed = derived_seed(settings.seed, "inputs", candidate.number);
  STITCH_ASSIGN(const TaskProcess::Fallen fallen,
                process.try_out({candidate.source, candidate.name + ".py", candidate.reduced}, seed, backends));
  // A filter that nobody asked for is looked at where it costs nothing, and lets pass.
  const bool counts = fallen.filter != "answers" && fallen.filter != "deterministic";
  if (!fallen.filter.empty() && (counts || asks(fallen.filter.c_str()))) {
    candidate.fallen = fallen.filter;
    candidate.why = fallen.why;
  }
  return {};
}

}  // namespace stitch::synth
