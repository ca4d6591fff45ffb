// SPDX-License-Identifier: Apache-2.0
// The numbers by which a candidate and its device choose by chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "evaluate/verify/verify_program.h"
#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"
#include "verify/oracle/scripted_oracle.h"

namespace stitch::evaluate {
namespace {

constexpr int64_t kPlaces = 256;
constexpr uint64_t kSeed = 8'124'395'237'461'523;

struct Seen {
  std::vector<uint64_t> rng_seeds;
  std::vector<uint64_t> schedule_seeds;  // but those that run threads in order
};

// Gives back its input, which is right.
class Copying final : public Candidate {
 public:
  explicit Copying(Seen& seen) : seen_(seen) {}

  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
  Result<CandidateOutcome> run(const CandidateCall& call) override {
    seen_.rng_seeds.push_back(call.rng_seed);
    if (call.schedule_seed != 0) {
      seen_.schedule_seeds.push_back(call.schedule_seed);
    }
    CandidateOutcome outcome;
    outcome.outputs = {call.inputs[0]};
    if (call.trial > CallTrial::kApart) {
      outcome.outputs = {verify::float_tensor({kPlaces}, std::vector<double>(kPlaces, 0))};
    }
    return outcome;
  }

 private:
  Seen& seen_;
};

verify::ScriptedOracle identity() {
  return {[](const verify::OracleSource&) {
            verify::OracleProgram program;
            program.regimes = {"as_given", "near_equal"};
            program.gate_ok = true;
            return Result<verify::OracleProgram>(program);
          },
          [](const verify::OracleProgram&, const std::string&, int draw) {
            const std::vector<double> values(kPlaces, 1.0 + draw);
            verify::OracleDraw result;
            auto reference = verify::float_reference({kPlaces}, values, values);
            reference.perturbed = {verify::float_tensor({kPlaces}, values),
                                   verify::float_tensor({kPlaces}, values)};
            result.inputs = {verify::float_tensor({kPlaces}, values)};
            result.outputs = {reference};
            return Result<verify::OracleDraw>(result);
          }};
}

Seen calls_of(uint64_t seed) {
  Seen seen;
  VerifyRequest request;
  request.seed = seed;
  request.repeats_calls = true;
  request.no_checked_draw = "none here";
  VerifySubject declared;
  declared.shape = "declared shapes";
  request.subjects = {declared};
  auto oracle = identity();
  const auto report = verify_program(request, oracle, [&](const CandidateBinary&) {
    return Result<std::unique_ptr<Candidate>>(std::make_unique<Copying>(seen));
  });
  EXPECT_TRUE(report.has_value() && report->verdict().kind == VerdictKind::kOk);
  EXPECT_EQ(report->seed, seed);
  return seen;
}

TEST(CallSeeds, FollowFromTheVerdictsSeed) {
  const Seen one = calls_of(kSeed);
  const Seen again = calls_of(kSeed);
  EXPECT_EQ(one.rng_seeds, again.rng_seeds);
  EXPECT_EQ(one.schedule_seeds, again.schedule_seeds);
  const Seen other = calls_of(kSeed + 1);
  EXPECT_NE(one.rng_seeds.front(), other.rng_seeds.front());
  EXPECT_NE(one.schedule_seeds.front(), other.schedule_seeds.front());
}

TEST(CallSeeds, DoNotTellIt) {
  const Seen seen = calls_of(kSeed);
  ASSERT_GT(seen.rng_seeds.size(), 40U);
  ASSERT_FALSE(seen.schedule_seeds.empty());
  std::vector<uint64_t> told = seen.rng_seeds;
  told.insert(told.end(), seen.schedule_seeds.begin(), seen.schedule_seeds.end());
  for (const uint64_t number : told) {
    const uint64_t distance = std::max(number, kSeed) - std::min(number, kSeed);
    EXPECT_GT(distance, 1'000'000U) << number;
  }
  // The first six are of draws in a row: no step between them comes twice.
  std::set<uint64_t> steps;
  for (size_t i = 0; i < 6; ++i) {
    steps.insert(seen.rng_seeds[i + 1] - seen.rng_seeds[i]);
  }
  EXPECT_EQ(steps.size(), 6U);
}

}  // namespace
}  // namespace stitch::evaluate
