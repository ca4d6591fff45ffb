// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "plan/memory/memory_plan.h"
#include "plan/streams/schedule.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

constexpr const char* kRemedy = "name each step that a call runs once, behind those whose results it reads";

Error refused(std::string why) { return Error{ErrorCode::kFileInvalid, std::move(why), "the host choices", kRemedy}; }

std::map<std::string, int> run_steps_by_name(const Plan& plan) {
  std::map<std::string, int> steps;
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    if (plan.steps[step].phase == Phase::kRun) {
      steps.emplace(host_name(plan, step), static_cast<int>(step));
    }
  }
  return steps;
}

// The steps in the order of `order`, which names all of them, and the buffers in the order in which they are made.
void reorder(Plan& plan, const std::vector<int>& order) {
  std::vector<int> places(plan.buffers.size(), -1);
  std::vector<Buffer> buffers;
  const auto take = [&](int buffer) {
    int& place = places[static_cast<size_t>(buffer)];
    if (place < 0) {
      place = static_cast<int>(buffers.size());
      buffers.push_back(plan.buffers[static_cast<size_t>(buffer)]);
    }
  };
  std::set<int> made;
  for (const Step& step : plan.steps) {
    made.insert(step.results.begin(), step.results.end());
  }
  for (int buffer = 0; buffer < static_cast<int>(plan.buffers.size()); ++buffer) {
    if (made.count(buffer) == 0) {
      take(buffer);
    }
  }
  std::vector<Step> steps;
  for (const int step : order) {
    steps.push_back(plan.steps[static_cast<size_t>(step)]);
    std::for_each(steps.back().results.begin(), steps.back().results.end(), take);
  }
  for (Step& step : steps) {
    for (std::vector<int>* list : {&step.operands, &step.results}) {
      std::transform(list->begin(), list->end(), list->begin(),
                     [&](int buffer) { return places[static_cast<size_t>(buffer)]; });
    }
  }
  plan.steps = std::move(steps);
  plan.buffers = std::move(buffers);
}

std::vector<int> prepared_steps(const Plan& plan) {
  std::vector<int> steps;
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    if (plan.steps[step].phase == Phase::kPrepare) {
      steps.push_back(static_cast<int>(step));
    }
  }
  return steps;
}

// By step: its place in `like`, or for one that is new the place of the last thing that it comes behind.
std::vector<int> places_like(const Plan& plan, const Plan& like, const std::vector<std::vector<int>>& needed) {
  const std::map<std::string, int> known = run_steps_by_name(like);
  std::vector<int> places(plan.steps.size(), -1);
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    const auto found = known.find(host_name(plan, step));
    if (found != known.end()) {
      places[step] = found->second;
      continue;
    }
    for (const int earlier : needed[step]) {
      places[step] = std::max(places[step], places[static_cast<size_t>(earlier)]);
    }
  }
  return places;
}

// Of the steps that are free to go, the one that came first before.
std::vector<int> order_like(const Plan& plan, const Plan& like) {
  const std::vector<std::vector<int>> needed = dependencies_of(plan);
  const std::vector<int> places = places_like(plan, like, needed);
  std::vector<int> order = prepared_steps(plan);
  std::set<int> left;
  for (int step = 0; step < static_cast<int>(plan.steps.size()); ++step) {
    if (plan.steps[static_cast<size_t>(step)].phase == Phase::kRun) {
      left.insert(step);
    }
  }
  while (!left.empty()) {
    int best = -1;
    for (const int step : left) {
      const std::vector<int>& before = needed[static_cast<size_t>(step)];
      const bool is_free = std::none_of(before.begin(), before.end(), [&](int each) { return left.count(each) > 0; });
      if (is_free && (best < 0 || places[static_cast<size_t>(step)] < places[static_cast<size_t>(best)])) {
        best = step;
      }
    }
    STITCH_CHECK(best >= 0) << "the steps of a plan need each other in a circle";
    order.push_back(best);
    left.erase(best);
  }
  return order;
}

Result<std::vector<int>> order_of(const Plan& plan, const std::vector<std::string>& names) {
  const std::map<std::string, int> known = run_steps_by_name(plan);
  std::vector<int> order = prepared_steps(plan);
  std::set<int> taken;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      return failure(refused(fmt::format("the order names {}, which is no step that a call runs", name)));
    }
    if (!taken.insert(found->second).second) {
      return failure(refused(fmt::format("the order names {} twice", name)));
    }
    order.push_back(found->second);
  }
  for (const auto& [name, step] : known) {
    if (taken.count(step) == 0) {
      return failure(refused(fmt::format("the order lacks {}", name)));
    }
  }
  return order;
}

}  // namespace

void settle(Plan& plan) {
  place_buffers(plan);
  plan.modelled_us = plan.host.has_value()
                         ? modelled_schedule(plan).us
                         : std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0, [](double sum, const Step& step) {
                             return sum + (step.phase == Phase::kRun ? step.modelled_us : 0);
                           });
}

void keep_host(Plan& plan, const Plan& like) {
  if (!like.host.has_value()) {
    return;
  }
  plan.host = like.host;
  const std::map<std::string, int> known = run_steps_by_name(plan);
  std::erase_if(plan.host->streams, [&](const auto& each) { return known.count(each.first) == 0; });
  reorder(plan, order_like(plan, like));
  settle(plan);
}

Result<void> check_host(const Plan& plan) {
  const std::map<std::string, int> known = run_steps_by_name(plan);
  for (const auto& [name, stream] : plan.host.value_or(HostChoices{}).streams) {
    if (known.count(name) == 0) {
      return failure(refused(fmt::format("a stream is chosen for {}, which is no step that a call runs", name)));
    }
    if (stream < 1 || stream > kMaxSideStreams) {
      return failure(refused(fmt::format("{} is to run on stream {}, and there are 0 (that of the call) to {}", name,
                                         stream, kMaxSideStreams)));
    }
  }
  const std::vector<std::vector<int>> needed = dependencies_of(plan);
  for (size_t step = 0; step < needed.size(); ++step) {
    if (!needed[step].empty() && needed[step].back() > static_cast<int>(step)) {
      return failure(refused(fmt::format("{} is launched before {}, which it has to come behind", host_name(plan, step),
                                         host_name(plan, static_cast<size_t>(needed[step].back())))));
    }
  }
  return {};
}

HostPlan host_of(const Plan& plan) {
  HostPlan host{{}, plan.host.value_or(HostChoices{})};
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    if (plan.steps[step].phase == Phase::kRun) {
      host.order.push_back(host_name(plan, step));
    }
  }
  return host;
}

Result<Plan> with_host(const Plan& plan, const HostPlan& host) {
  Plan made = plan;
  made.host = host.choices;
  std::erase_if(made.host->streams, [](const auto& each) { return each.second == 0; });
  if (!host.order.empty()) {
    STITCH_ASSIGN(const std::vector<int> steps, order_of(plan, host.order));
    reorder(made, steps);
  }
  STITCH_TRY(check_host(made));
  settle(made);
  return made;
}

}  // namespace stitch::plan
