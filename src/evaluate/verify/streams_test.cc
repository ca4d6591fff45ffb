// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/streams.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace stitch::evaluate {
namespace {

using Streams = std::vector<std::vector<double>>;

constexpr size_t kCallsDrawn = 16;
constexpr size_t kPlacesDrawn = 4800;
constexpr size_t kRowDrawn = 300;

// What a program that keeps four of five elements makes of these numbers.
std::vector<double> dropped(const std::function<double(size_t)>& number) {
  std::vector<double> made(kPlacesDrawn);
  for (size_t i = 0; i < kPlacesDrawn; ++i) {
    const double element = static_cast<double>(i % 7) - 2.5;
    made[i] = number(i) < 0.8 ? element / 0.8 : 0.0;
  }
  return made;
}

std::vector<double> stream_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> numbers(kPlacesDrawn + 16);
  for (double& number : numbers) {
    number = uniform(random);
  }
  return numbers;
}

Streams independent_calls(uint64_t seed) {
  Streams runs;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    const std::vector<double> numbers = stream_of(seed + call);
    runs.push_back(dropped([&](size_t i) { return numbers[i]; }));
  }
  return runs;
}

std::string repetition_in(const Streams& got) {
  return find_repetition(got, independent_calls(1000), kRowDrawn).value_or("");
}

void expect_repetition(const Streams& runs, const std::string& part) {
  EXPECT_NE(repetition_in(runs).find(part), std::string::npos) << repetition_in(runs);
}

TEST(StreamsTest, IndependentCallsDoNotRepeat) {
  for (uint64_t trial = 0; trial < 20; ++trial) {
    EXPECT_EQ(repetition_in(independent_calls(trial * kCallsDrawn)), "");
  }
}

TEST(StreamsTest, TheNextOffsetOnePlaceOn) {
  Streams runs = independent_calls(0);
  const std::vector<double> numbers = stream_of(0);
  runs[1] = dropped([&](size_t i) { return numbers[i + 1]; });
  expect_repetition(runs, "by the next offset the same numbers 1 places on");
}

TEST(StreamsTest, TheNextSeedFourPlacesOn) {
  Streams runs = independent_calls(0);
  const std::vector<double> numbers = stream_of(0);
  runs[2] = dropped([&](size_t i) { return numbers[i + 4]; });
  expect_repetition(runs, "by the next seed the same numbers 4 places on");
}

TEST(StreamsTest, AnOffsetThatChangesLittle) {
  Streams runs = independent_calls(0);
  const std::vector<double> numbers = stream_of(0), others = stream_of(99);
  runs[1] = dropped([&](size_t i) { return i % 5 == 0 ? others[i] : numbers[i]; });
  expect_repetition(runs, "much the same numbers by the next offset");
}

TEST(StreamsTest, AStreamThatBeginsAgain) {
  Streams runs;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    const std::vector<double> numbers = stream_of(call);
    runs.push_back(dropped([&](size_t i) { return numbers[i % 2048]; }));
  }
  expect_repetition(runs, "repeats its numbers 2048 places on");
}

TEST(StreamsTest, NumbersThatTheReferenceSharesToo) {
  Streams rows;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    const std::vector<double> numbers = stream_of(call);
    rows.push_back(dropped([&](size_t i) { return numbers[i % kRowDrawn]; }));
  }
  EXPECT_FALSE(find_repetition(rows, rows, kRowDrawn).has_value());
}

// Numbers of one call made of those of another, or of its own first ones.
Streams calls_of(const std::function<double(size_t call, size_t i)>& number) {
  Streams runs;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    runs.push_back(dropped([&](size_t i) { return number(call, i); }));
  }
  return runs;
}

TEST(StreamsTest, NumbersThatFollowFromOthersOfTheCallAreFoundAtAnyDistance) {
  Streams numbers;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    numbers.push_back(stream_of(500 + call));
  }
  constexpr size_t kHalf = kPlacesDrawn / 2;
  expect_repetition(
      calls_of([&](size_t call, size_t i) { return i < kHalf ? numbers[call][i] : 1 - numbers[call][i - kHalf]; }),
      "has numbers that follow from those 2400 places on");
  expect_repetition(calls_of([&](size_t call, size_t i) { return numbers[call][i % 1717]; }), "1717 places on");
}

TEST(StreamsTest, NumbersOfTheCallBeforeInAnotherOrderAreFound) {
  Streams numbers;
  for (size_t call = 0; call < kCallsDrawn; ++call) {
    numbers.push_back(stream_of(700 + call));
  }
  // Neighbours are swapped; another call has them some places on, one of two anew.
  expect_repetition(calls_of([&](size_t call, size_t i) { return call == 1 ? numbers[0][i ^ 1] : numbers[call][i]; }),
                    "draws by the next offset numbers that follow from those");
  expect_repetition(calls_of([&](size_t call, size_t i) {
                      return call == 2 && i % 2 == 0 ? numbers[0][(i + 777) % kPlacesDrawn] : numbers[call][i];
                    }),
                    "draws by the next seed numbers that follow from those");
}

// A number for each row of 75, and sums of four neighbours: what stands behind many elements goes with itself.
TEST(StreamsTest, FewNumbersBehindManyElementsDoNotRepeat) {
  const auto by_rows = [](uint64_t seed) {
    Streams runs;
    for (size_t call = 0; call < kCallsDrawn; ++call) {
      const std::vector<double> numbers = stream_of(seed + call);
      runs.push_back(dropped([&](size_t i) { return numbers[i / 75]; }));
    }
    return runs;
  };
  const auto by_sums = [](uint64_t seed) {
    Streams runs = independent_calls(seed);
    for (std::vector<double>& run : runs) {
      for (size_t i = 0; i + 3 < run.size(); ++i) {
        run[i] += run[i + 1] + run[i + 2] + run[i + 3];
      }
    }
    return runs;
  };
  for (uint64_t trial = 0; trial < 4; ++trial) {
    EXPECT_EQ(find_repetition(by_rows(5000 + 16 * trial), by_rows(9000 + 16 * trial), 75), std::nullopt);
    EXPECT_EQ(find_repetition(by_sums(5000 + 16 * trial), by_sums(9000 + 16 * trial), 75), std::nullopt);
  }
}

}  // namespace
}  // namespace stitch::evaluate
