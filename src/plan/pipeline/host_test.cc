// SPDX-License-Identifier: Apache-2.0
// Host choices: programs to their streams, waits and memory; and any choices of any program leave no step beside one
// that uses its memory.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"
#include "plan/memory/wholes.h"
#include "plan/plan.h"
#include "plan/streams/schedule.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

std::vector<std::string> host_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// "order: a b", "stream 1: b", "plain".
HostPlan host_from_case(const std::string& text) {
  HostPlan host;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = std::min(line.find(':'), line.size());
    const std::vector<std::string> names = host_words(colon < line.size() ? line.substr(colon + 1) : "");
    if (line == "plain") {
      host.choices.replays = false;
    } else if (line.starts_with("order")) {
      host.order = names;
    } else {
      for (const std::string& name : names) {
        host.choices.streams[name] = std::stoi(line.substr(std::string("stream ").size()));
      }
    }
  }
  return host;
}

std::string names_in_words(const Plan& plan, const std::vector<int>& steps) {
  std::vector<std::string> names;
  for (const int step : steps) {
    names.push_back(host_name(plan, static_cast<size_t>(step)));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string in_words(const Plan& plan) {
  const CallStreams call = streams_of(plan);
  std::string text;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase == Phase::kRun) {
      const StepStream& step = call.steps[i];
      text += fmt::format("{} on {}{}{}\n", host_name(plan, i), step.stream,
                          step.waits.empty() ? "" : ", waits for " + names_in_words(plan, step.waits),
                          step.last_beside == static_cast<int>(i)
                              ? ""
                              : ", beside steps to " + names_in_words(plan, {step.last_beside}));
    }
  }
  const CallSchedule schedule = modelled_schedule(plan);
  return text + fmt::format("joined: {}\n{} bytes of workspace, {:.3f} us, {:.3f} of them idle\n",
                            call.joined.empty() ? "nothing" : names_in_words(plan, call.joined), plan.arena_bytes,
                            schedule.us, schedule.idle_us);
}

std::string host_outcome(const testing::CaseFile& file) {
  const Plan cut = make_plan(ir::parse(file.input, "case").value(), {}).value();
  if (file.run == "offered") {
    std::string text = in_words(cut);
    for (const HostPlan& offer : offered_host(cut)) {
      text += "offered:\n" + in_words(with_host(cut, offer).value());
    }
    return text;
  }
  const Result<Plan> plan = with_host(cut, host_from_case(file.given));
  return plan.has_value() ? in_words(*plan) : fmt::format("refused: {}\n", plan.error().message);
}

class HostCases : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(HostCases, ComeToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), host_outcome), ""); }

INSTANTIATE_TEST_SUITE_P(All, HostCases,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/host")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

// Any order that can be, on any streams.
HostPlan random_host(const Plan& plan, std::mt19937& random) {
  const std::vector<std::vector<int>> needed = dependencies_of(plan);
  const int streams = 1 + static_cast<int>(random() % 4);
  HostPlan host;
  std::set<int> left;
  for (int step = 0; step < static_cast<int>(plan.steps.size()); ++step) {
    if (plan.steps[static_cast<size_t>(step)].phase == Phase::kRun) {
      left.insert(step);
    }
  }
  while (!left.empty()) {
    std::vector<int> ready;
    for (const int step : left) {
      const auto& before = needed[static_cast<size_t>(step)];
      if (std::none_of(before.begin(), before.end(), [&](int each) { return left.count(each) > 0; })) {
        ready.push_back(step);
      }
    }
    const int next = ready[random() % ready.size()];
    left.erase(next);
    host.order.push_back(host_name(plan, static_cast<size_t>(next)));
    host.choices.streams[host.order.back()] = static_cast<int>(random() % static_cast<unsigned>(streams));
  }
  return host;
}

// By step: those that have ended before it begins, by what is emitted alone: streams in order, and waits.
std::vector<std::set<int>> ended_before(const Plan& plan, const CallStreams& call) {
  std::vector<std::set<int>> before(plan.steps.size());
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    const auto take = [&](int earlier) {
      before[step].insert(earlier);
      const auto& further = before[static_cast<size_t>(earlier)];
      before[step].insert(further.begin(), further.end());
    };
    std::for_each(call.steps[step].waits.begin(), call.steps[step].waits.end(), take);
    for (size_t earlier = step; earlier-- > 0;) {
      if (plan.steps[earlier].phase == Phase::kRun && call.steps[earlier].stream == call.steps[step].stream) {
        take(static_cast<int>(earlier));
        break;
      }
    }
  }
  return before;
}

struct Use {
  int64_t begin = 0;
  int64_t end = 0;
  bool writes = false;
  int part_of = -1;  // parts of one concatenation lie side by side in it, each in as many pieces as it has images
};

std::vector<Use> uses_of(const Plan& plan, const Step& step) {
  std::vector<Use> uses;
  const Wholes wholes(plan);
  const auto use = [&](int number, bool writes) {
    const int holder = wholes.holder_of(number);
    const Buffer& buffer = plan.buffers[static_cast<size_t>(holder)];
    if (buffer.kind == BufferKind::kArena) {
      uses.push_back({buffer.offset, buffer.offset + plan.graph.type(buffer.value).bytes(), writes,
                      holder == number ? -1 : holder});
    }
  };
  std::for_each(step.operands.begin(), step.operands.end(), [&](int buffer) { use(buffer, false); });
  std::for_each(step.results.begin(), step.results.end(), [&](int buffer) { use(buffer, true); });
  uses.push_back({step.scratch_offset, step.scratch_offset + step.scratch_bytes, true, -1});
  return uses;
}

bool collide(const std::vector<Use>& one, const std::vector<Use>& other) {
  return std::any_of(one.begin(), one.end(), [&](const Use& a) {
    return std::any_of(other.begin(), other.end(), [&](const Use& b) {
      const bool side_by_side = a.part_of >= 0 && a.part_of == b.part_of;
      return !side_by_side && a.begin < b.end && b.begin < a.end && (a.writes || b.writes);
    });
  });
}

void expect_apart(const Plan& plan) {
  const CallStreams call = streams_of(plan);
  const std::vector<std::set<int>> before = ended_before(plan, call);
  const std::vector<std::vector<int>> needed = dependencies_of(plan);
  std::set<int> joined(call.joined.begin(), call.joined.end());
  for (int later = 0; later < static_cast<int>(plan.steps.size()); ++later) {
    const auto at = static_cast<size_t>(later);
    if (plan.steps[at].phase != Phase::kRun) {
      continue;
    }
    for (const int earlier : needed[at]) {
      EXPECT_TRUE(before[at].count(earlier)) << host_name(plan, at) << " may begin before what it reads is there";
    }
    for (size_t earlier = 0; earlier < at; ++earlier) {
      const bool is_ordered = plan.steps[earlier].phase != Phase::kRun || before[at].count(static_cast<int>(earlier));
      EXPECT_TRUE(is_ordered || !collide(uses_of(plan, plan.steps[earlier]), uses_of(plan, plan.steps[at])))
          << host_name(plan, at) << " shares memory with " << host_name(plan, earlier) << ", which may still run";
    }
    const bool ends_seen =
        call.steps[at].stream == 0 || joined.count(later) > 0 ||
        std::any_of(before.begin(), before.end(), [&](const auto& each) { return each.count(later) > 0; });
    EXPECT_TRUE(ends_seen) << "nothing waits for " << host_name(plan, at);
  }
  // What is left at the end: the caller's stream has seen everything.
  std::set<int> seen(call.joined.begin(), call.joined.end());
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    if ((plan.steps[step].phase == Phase::kRun && call.steps[step].stream == 0) ||
        joined.count(static_cast<int>(step))) {
      seen.insert(static_cast<int>(step));
      seen.insert(before[step].begin(), before[step].end());
    }
  }
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    EXPECT_TRUE(plan.steps[step].phase != Phase::kRun || seen.count(static_cast<int>(step)))
        << "the end of a call does not wait for " << host_name(plan, step);
  }
}

TEST(Host, NoChoicesLetStepsShareMemoryThatMayRunAtTheSameTime) {
  std::mt19937 random(7);
  int beside = 0;
  for (const auto& path : testing::case_files(std::string(STITCH_SOURCE_DIR) + "/src/plan/testdata/plan")) {
    const auto cases = testing::read_cases(path);
    ASSERT_TRUE(cases.has_value());
    for (const testing::CaseFile& one : *cases) {
      const auto graph = ir::parse(one.input, "case");
      const auto cut = graph.has_value() ? make_plan(*graph, {}) : Result<Plan>(failure(graph.error()));
      for (int round = 0; cut.has_value() && round < 4; ++round) {
        const auto plan = with_host(*cut, random_host(*cut, random));
        ASSERT_TRUE(plan.has_value()) << plan.error().message;
        SCOPED_TRACE(path.filename().string());
        expect_apart(*plan);
        for (const StepStream& step : streams_of(*plan).steps) {
          beside += step.waits.empty() ? 0 : 1;
        }
        const Json json = to_json(*plan);
        const auto again = from_json(json);
        ASSERT_TRUE(again.has_value()) << again.error().message;
        EXPECT_EQ(to_json(*again), json);
      }
    }
  }
  EXPECT_GT(beside, 20) << "the programs have no branches, and the test shows nothing";
}

Plan branches() {
  constexpr const char* kGraph = R"(graph g mode=eval
x: f32[8,16] = input "x"
a = softmax(x; dim=1)
b = softmax(x; dim=0)
c = softmax(a; dim=0)
d = softmax(b; dim=1)
return output "0" = c, output "1" = d
)";
  return make_plan(ir::parse(kGraph, "case").value(), {}).value();
}

TEST(Host, ChoicesOutliveANewCutOfTheProgram) {
  const Plan cut = branches();
  const Plan plan = with_host(cut, {{"b", "a", "d", "c"}, {{{"b", 1}, {"d", 1}}, true}}).value();
  Boundary written{
      {"c"},
      WrittenCode{"extern \"C\" int step_00(const StepArgs* args, cudaStream_t stream);\n", HoldsFor::kAnySizes, {}},
      {},
      {}};
  const Plan again = with_boundaries(plan, {written}).value();
  EXPECT_EQ(host_of(again).order, (std::vector<std::string>{"b", "a", "d", "c"}));
  EXPECT_EQ(again.host, plan.host);
  expect_apart(again);
  const Plan joined = with_boundaries(plan, {{{"b", "d"}, written.written, {}, {}}}).value();
  EXPECT_EQ(host_of(joined).order.size(), 3u);
  expect_apart(joined);
}

TEST(Host, AlteredChoicesAreFound) {
  const Json json = to_json(with_host(branches(), {{}, {{{"b", 1}, {"d", 1}}, true}}).value());
  const auto is_refused = [&](const std::function<void(Json&)>& change) {
    Json altered = json;
    change(altered);
    return !from_json(altered).has_value();
  };
  EXPECT_FALSE(is_refused([](Json&) {}));
  EXPECT_TRUE(is_refused([](Json& j) { j["host"]["streams"]["b"] = 8; }));
  EXPECT_TRUE(is_refused([](Json& j) { j["host"]["streams"]["nobody"] = 1; }));
  EXPECT_TRUE(is_refused([](Json& j) { j["host"]["streams"]["b"] = "1"; }));
  EXPECT_TRUE(is_refused([](Json& j) { j["host"]["graph"] = 1; }));
  EXPECT_TRUE(is_refused([](Json& j) { j["host"]["streams"].erase("d"); })) << "memory is laid out for two streams";
}

}  // namespace
}  // namespace stitch::plan
