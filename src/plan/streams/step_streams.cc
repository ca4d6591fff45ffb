// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/step_streams.h"

#include <algorithm>
#include <map>
#include <set>

namespace stitch::plan {
namespace {

constexpr int kNothing = -1;

// By state of the program: the buffers of its new values. Names of states tell, as several states may be one value.
std::multimap<int, int> old_states_by_new(const Plan& plan) {
  std::multimap<ir::ValueId, std::string> bindings;  // of values that become new states
  for (const ir::GraphOutput& output : plan.graph.outputs) {
    if (output.role == TensorRole::kState) {
      bindings.emplace(output.value, output.binding);
    }
  }
  std::multimap<std::string, int> old_states;
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    for (const ir::GraphInput& input : plan.graph.inputs) {
      if (plan.buffers[number].kind == BufferKind::kState && input.value == plan.buffers[number].value) {
        old_states.emplace(input.binding, static_cast<int>(number));
      }
    }
  }
  std::multimap<int, int> pairs;
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    const auto [first, last] = bindings.equal_range(plan.buffers[number].value);
    for (auto binding = first; binding != last; ++binding) {
      const auto [from, to] = old_states.equal_range(binding->second);
      std::for_each(from, to, [&](const auto& old) { pairs.emplace(static_cast<int>(number), old.second); });
    }
  }
  return pairs;
}

int stream_of(const Plan& plan, size_t step) {
  if (!plan.host.has_value()) {
    return 0;
  }
  const auto found = plan.host->streams.find(host_name(plan, step));
  return found == plan.host->streams.end() ? 0 : found->second;
}

// Of a stream: the last step of every stream that is known to have ended before what it does next.
using Clock = std::vector<int>;

void catch_up(Clock& clock, const Clock& other) {
  for (size_t stream = 0; stream < clock.size(); ++stream) {
    clock[stream] = std::max(clock[stream], other[stream]);
  }
}

class Follower {
 public:
  explicit Follower(const Plan& plan) : plan_(plan), needed_(dependencies_of(plan)) {
    call_.steps.resize(plan.steps.size());
    for (size_t step = 0; step < plan.steps.size(); ++step) {
      call_.steps[step].stream = plan.steps[step].phase == Phase::kRun ? stream_of(plan, step) : 0;
      call_.side_streams = std::max(call_.side_streams, call_.steps[step].stream);
    }
    const auto streams = static_cast<size_t>(call_.side_streams) + 1;
    clocks_.assign(streams, Clock(streams, kNothing));
    ends_.assign(plan.steps.size(), Clock(streams, kNothing));
  }

  CallStreams follow() {
    for (size_t step = 0; step < plan_.steps.size(); ++step) {
      if (plan_.steps[step].phase == Phase::kRun) {
        launch(static_cast<int>(step));
      }
    }
    join();
    find_neighbours();
    return std::move(call_);
  }

 private:
  StepStream& at(int step) { return call_.steps[static_cast<size_t>(step)]; }
  Clock& clock(int stream) { return clocks_[static_cast<size_t>(stream)]; }
  const Clock& end_of(int step) const { return ends_[static_cast<size_t>(step)]; }
  bool is_known(int stream, int step) { return clock(stream)[static_cast<size_t>(at(step).stream)] >= step; }

  // The latest first: most often it implies the others.
  void launch(int step) {
    const int stream = at(step).stream;
    const std::vector<int>& needed = needed_[static_cast<size_t>(step)];
    for (auto earlier = needed.rbegin(); earlier != needed.rend(); ++earlier) {
      if (at(*earlier).stream != stream && !is_known(stream, *earlier)) {
        at(step).waits.push_back(*earlier);
        at(*earlier).is_waited_for = true;
        catch_up(clock(stream), end_of(*earlier));
      }
    }
    std::sort(at(step).waits.begin(), at(step).waits.end());
    clock(stream)[static_cast<size_t>(stream)] = step;
    ends_[static_cast<size_t>(step)] = clock(stream);
  }

  void join() {
    for (int stream = 1; stream <= call_.side_streams; ++stream) {
      const int last = clock(stream)[static_cast<size_t>(stream)];
      if (last != kNothing && !is_known(0, last)) {
        call_.joined.push_back(last);
        at(last).is_waited_for = true;
        catch_up(clock(0), end_of(last));
      }
    }
  }

  void find_neighbours() {
    for (int step = 0; step < static_cast<int>(plan_.steps.size()); ++step) {
      at(step).last_beside = step;
      for (int later = static_cast<int>(plan_.steps.size()) - 1; call_.side_streams > 0 && later > step; --later) {
        const bool is_run = plan_.steps[static_cast<size_t>(step)].phase == Phase::kRun;
        if (is_run && end_of(later)[static_cast<size_t>(at(step).stream)] < step) {
          at(step).last_beside = later;
          break;
        }
      }
    }
  }

  const Plan& plan_;
  std::vector<std::vector<int>> needed_;
  CallStreams call_;
  std::vector<Clock> clocks_;  // by stream
  std::vector<Clock> ends_;    // by step: what has ended once it has
};

}  // namespace

const std::string& host_name(const Plan& plan, size_t step) {
  return plan.graph.value(plan.graph.node(plan.steps[step].root).outputs[0]).name;
}

std::vector<std::vector<int>> dependencies_of(const Plan& plan) {
  std::map<int, int> writers;  // by buffer
  std::multimap<int, int> readers;
  std::vector<std::set<int>> needed(plan.steps.size());
  for (int number = 0; number < static_cast<int>(plan.steps.size()); ++number) {
    const Step& step = plan.steps[static_cast<size_t>(number)];
    if (step.phase != Phase::kRun) {
      continue;
    }
    for (const int result : step.results) {
      writers[result] = number;
    }
    for (const int operand : step.operands) {
      readers.emplace(operand, number);
    }
  }
  for (const auto& [buffer, reader] : readers) {
    if (const auto writer = writers.find(buffer); writer != writers.end() && writer->second != reader) {
      needed[static_cast<size_t>(reader)].insert(writer->second);
    }
  }
  for (const auto& [made, old] : old_states_by_new(plan)) {
    const auto writer = writers.find(made);
    const auto [first, last] = readers.equal_range(old);
    for (auto reader = first; reader != last && writer != writers.end(); ++reader) {
      if (reader->second != writer->second) {
        needed[static_cast<size_t>(writer->second)].insert(reader->second);
      }
    }
  }
  std::vector<std::vector<int>> lists;
  for (const std::set<int>& each : needed) {
    lists.emplace_back(each.begin(), each.end());
  }
  return lists;
}

CallStreams streams_of(const Plan& plan) {
  if (plan.host.has_value() && !plan.host->streams.empty()) {
    return Follower(plan).follow();
  }
  CallStreams call;
  for (int step = 0; step < static_cast<int>(plan.steps.size()); ++step) {
    call.steps.push_back({0, {}, false, step});
  }
  return call;
}

}  // namespace stitch::plan
