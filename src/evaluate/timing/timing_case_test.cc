// SPDX-License-Identifier: Apache-2.0
// The whole logic of timing on literal numbers: a line of numbers in, a line of text out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <sstream>

#include "base/testing/case_file.h"
#include "evaluate/timing/abba.h"
#include "evaluate/timing/clocks.h"
#include "evaluate/timing/floor.h"
#include "evaluate/timing/reported_time.h"
#include "evaluate/timing/ring.h"
#include "evaluate/timing/same_results.h"
#include "evaluate/timing/series.h"
#include "evaluate/timing/sharing.h"
#include "evaluate/timing/statistics.h"
#include "evaluate/timing/warm_up.h"

namespace stitch::evaluate {
namespace {

// "sm clocks 1 2 3": words before the numbers are for the reader, and "|" parts two lists.
std::vector<std::vector<double>> numbers_of(const std::string& line) {
  std::vector<std::vector<double>> lists(1);
  std::istringstream words(line);
  std::string word;
  while (words >> word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word == "|") {
      lists.emplace_back();
    } else if (*end == '\0') {
      lists.back().push_back(value);
    }
  }
  return lists;
}

using Numbers = std::vector<std::vector<double>>;

std::string ring(const Numbers& given) {  // bytes of a set, of the L2 cache, of the memory; in MB
  const auto bytes = [&](size_t i) { return static_cast<uint64_t>(given[0].at(i) * 1e6); };
  const Ring ring = plan_ring({bytes(0), bytes(1), bytes(2)});
  return fmt::format("{} sets{}, {:.4g} MB evicted", ring.sets, ring.outgrows_l2 ? " outgrow the cache" : "",
                     static_cast<double>(ring.evict_bytes) * 1e-6);
}

std::string bursts(const Numbers& given) {  // us of a call, of a block; sets
  const BurstPlan plan = plan_bursts(given[0].at(0), given[0].at(1), static_cast<int>(given[0].at(2)));
  return fmt::format("{} x {} calls", plan.bursts, plan.calls);
}

std::string warm_up(const Numbers& given) {
  for (size_t count = 1; count <= given[0].size(); ++count) {
    const WarmUp state = judge_warm_up(std::span(given[0]).first(count));
    if (state != WarmUp::kGoOn) {
      return fmt::format("{} after {}", state == WarmUp::kWarm ? "warm" : "given up", count);
    }
  }
  return "goes on";
}

std::string reported(const Numbers& given) {  // calls, keeper, keeper's empty block, events, events of the empty block
  const std::vector<double>& block = given[0];
  const ReportedTime time =
      reported_time({static_cast<int>(block.at(0)), block.at(1), block.at(2), block.at(3), block.at(4)});
  return time.refusal.empty()
             ? fmt::format("{:.4g} us by {}", time.per_call_us, time.by_events ? "events" : "the keeper")
             : "refused: " + time.refusal;
}

std::string bootstrap(const Numbers& given) {
  const Interval interval = bootstrap_median(given[0], 1);
  return fmt::format("{:.4g} in {:.4g} to {:.4g}", median(given[0]), interval.low, interval.high);
}

std::string drift(const Numbers& given) {
  const Drift drift = find_drift(given[0]);
  return fmt::format("{:+.1f} %, {}", 100 * drift.part, drift.is_certain ? "certain" : "perhaps chance");
}

std::string modes(const Numbers& given) {
  const TwoModes modes = find_two_modes(given[0]);
  return modes.found ? fmt::format("two: {} near {:.4g}, the rest near {:.4g}", modes.low_count, modes.low, modes.high)
                     : "one";
}

std::string series(const Numbers& given) {
  const SeriesVerdict verdict = judge_series(given[0]);
  return verdict.refusal.empty() ? fmt::format("{:.4g} us ({:.4g} to {:.4g})", verdict.median_us, verdict.interval.low,
                                               verdict.interval.high)
                                 : "refused: " + verdict.refusal;
}

std::string steadily(const Numbers& given) {  // a list for each try
  size_t next = 0;
  const auto series = measure_steadily([&]() -> Result<std::vector<double>> { return given.at(next++); });
  std::string text = series->verdict.refusal.empty() ? fmt::format("{:.4g} us", series->verdict.median_us)
                                                     : "refused: " + series->verdict.refusal;
  text += fmt::format(" at try {}", series->tries);
  for (const std::string& refused : series->refused) {
    text += "; before it " + refused;
  }
  return text;
}

std::string abba(const Numbers& given) {  // candidate | baseline
  const Speedup speedup = compare_abba(given.at(0), given.at(1));
  return speedup.refusal.empty() ? fmt::format("{:.3f} x ({:.3f} to {:.3f})", speedup.median, speedup.low, speedup.high)
                                 : "refused: " + speedup.refusal;
}

// time | MB read, MB written, GFLOP of products, GFLOP of convolutions, MB of L2; the line begins with the device's
// name and, after a slash, the mode
std::string floor_of(const std::string& line, const Numbers& given) {
  const size_t slash = line.find('/');
  const auto device = datasheet_of(line.substr(0, slash));
  if (!device.has_value()) {
    return "no datasheet, no floor";
  }
  const std::string mode = line.substr(slash + 1, line.find(' ', slash) - slash - 1);
  const std::vector<double>& work = given.at(1);
  const Floor floor = physical_floor(
      {work.at(0) * 1e6, work.at(1) * 1e6, work.at(2) * 1e9, work.at(3) * 1e9, static_cast<uint64_t>(work.at(4) * 1e6)},
      *device, math_mode_from_string(mode).value());
  const auto verdict = below_floor(given[0].back(), floor, *device);
  return fmt::format("memory {:.4g} us, compute {:.4g} us: {}", floor.memory_us, floor.compute_us,
                     verdict ? fmt::format("{}: {}", to_string(verdict->kind), verdict->reason) : "ok");
}

std::string clocks(const std::string& line) {  // nvidia-smi's line before | after
  const size_t bar = line.find('|');
  const auto before = parse_clocks(line.substr(0, bar));
  const auto after = parse_clocks(line.substr(bar + 1));
  if (!before.has_value() || !after.has_value()) {
    return "refused: " + (before.has_value() ? after : before).error().message;
  }
  const std::string refusal = clock_refusal(*before, *after);
  return refusal.empty() ? fmt::format("{:.0f} and {:.0f} MHz", before->sm_mhz, after->sm_mhz) : "again: " + refusal;
}

std::string sharing(const std::string& line) {
  const size_t bar = line.find('|');
  std::string processes = line.substr(std::min(bar + 2, line.size()));
  std::replace(processes.begin(), processes.end(), ';', '\n');
  const std::string refusal = sharing_refusal(line.substr(0, bar), processes, {100, 101});
  return refusal.empty() ? "alone" : "refused: " + refusal;
}

HostTensor tensor_of(const std::vector<double>& values) {
  TensorSpec spec{"y", TensorRole::kOutput, {DataType::kFloat32, {static_cast<int64_t>(values.size())}}};
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return HostTensor::from_bytes(spec, std::move(bytes));
}

std::string same(const Numbers& given) {
  const auto difference = find_difference({tensor_of(given.at(0))}, {tensor_of(given.at(1))});
  return difference.has_value() ? "refused: " + *difference : "the same";
}

std::string order(const Numbers& given) {
  std::string text;
  for (const Turn turn : abba_order(static_cast<int>(given[0].at(0)))) {
    text += turn == Turn::kCandidate ? "A" : "B";
  }
  return text;
}

std::string answer(const std::string& run, const std::string& line) {
  static const std::map<std::string, std::string (*)(const Numbers&)> by_numbers = {
      {"ring", ring},           {"bursts", bursts}, {"warm_up", warm_up}, {"reported_time", reported},
      {"bootstrap", bootstrap}, {"drift", drift},   {"modes", modes},     {"series", series},
      {"steadily", steadily},   {"abba", abba},     {"order", order},     {"same_results", same}};
  if (run == "clocks" || run == "sharing") {
    return run == "clocks" ? clocks(line) : sharing(line);
  }
  const Numbers given = numbers_of(line);
  const auto found = by_numbers.find(run);
  return run == "floor" ? floor_of(line, given) : found == by_numbers.end() ? "no such run" : found->second(given);
}

std::string run_case(const testing::CaseFile& one) {
  std::istringstream lines(one.input);
  std::string line;
  std::string text;
  while (std::getline(lines, line)) {
    text += answer(one.run, line) + "\n";
  }
  return text;
}

class TimingCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(TimingCase, SaysWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, TimingCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/evaluate/timing/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::evaluate
