// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/own_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluate/verify/subject_run.h"
#include "verify/compare/elements.h"

namespace stitch::evaluate {
namespace {

constexpr int kRuns = 16;
// Between two means of 16 runs each; about one honest moment in 10^8 is farther apart.
constexpr double kMostDeviations = 8.0;
// Moments that do not depend on chance differ by rounding only: that of sums, and of a 16-bit type that one side rounds
// to at every step of a recurrence where the other keeps its state in fp32.
constexpr double kRounding = 1e-4;
constexpr double kRoundingUnits = 2.0;

using Outputs = std::vector<HostTensor>;

// What one output of one run is summed up as. The last one would show numbers that repeat.
struct Moment {
  const char* name;
  double (*of)(const std::vector<double>&);
};

double mean_of(const std::vector<double>& values, double (*term)(double value, double next)) {
  double sum = 0.0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += term(values[i], values[(i + 1) % values.size()]);
  }
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

constexpr std::array kMoments = {
    Moment{"mean", [](const std::vector<double>& v) { return mean_of(v, [](double x, double) { return x; }); }},
    Moment{"mean size",
           [](const std::vector<double>& v) { return mean_of(v, [](double x, double) { return std::fabs(x); }); }},
    Moment{"mean square",
           [](const std::vector<double>& v) { return mean_of(v, [](double x, double) { return x * x; }); }},
    Moment{
        "share of zeros",
        [](const std::vector<double>& v) { return mean_of(v, [](double x, double) { return x == 0.0 ? 1.0 : 0.0; }); }},
    Moment{"mean product of neighbours",
           [](const std::vector<double>& v) { return mean_of(v, [](double x, double next) { return x * next; }); }},
};

std::vector<double> elements_of(const HostTensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(elements.size()), elements.data());
  return elements;
}

struct Scatter {
  double mean = 0.0;
  double variance = 0.0;
};

Scatter scatter_of(const std::vector<double>& samples) {
  Scatter scatter;
  const auto count = static_cast<double>(samples.size());
  for (const double sample : samples) {
    scatter.mean += sample / count;
  }
  for (const double sample : samples) {
    scatter.variance += (sample - scatter.mean) * (sample - scatter.mean) / (count - 1.0);
  }
  return scatter;
}

std::vector<double> samples_of(const std::vector<Outputs>& runs, size_t output, const Moment& moment) {
  std::vector<double> samples;
  for (const Outputs& run : runs) {
    samples.push_back(moment.of(elements_of(run[output])));
  }
  return samples;
}

double rounding_of(const HostTensor& output) {
  return std::max(kRounding, kRoundingUnits * verify::epsilon(output.spec().type.dtype));
}

// Accepts within, so that a NaN is refused.
bool agree(const Scatter& got, const Scatter& wanted, double rounding) {
  const double spread = std::sqrt((got.variance + wanted.variance) / kRuns);
  const double allowed = kMostDeviations * spread + rounding * std::fabs(wanted.mean);
  return std::fabs(got.mean - wanted.mean) <= allowed || (std::isnan(got.mean) && std::isnan(wanted.mean)) ||
         got.mean == wanted.mean;
}

bool equal(const Outputs& a, const Outputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HostTensor& x, const HostTensor& y) {
    return std::equal(x.bytes().begin(), x.bytes().end(), y.bytes().begin(), y.bytes().end());
  });
}

std::optional<Verdict> judge(const std::vector<Outputs>& got, const std::vector<Outputs>& wanted,
                             const verify::OracleDraw& draw) {
  const auto wrong = [](std::string reason) { return Verdict{VerdictKind::kWrong, std::move(reason), {}}; };
  if (!equal(got[0], got[kRuns])) {
    return wrong("two calls with the same seed and offset draw different numbers");
  }
  if (equal(got[0], got[1]) && !equal(wanted[0], wanted[1])) {
    return wrong("another seed draws the same numbers");
  }
  const std::vector<Outputs> runs(got.begin(), got.begin() + kRuns);
  for (size_t output = 0; output < draw.outputs.size(); ++output) {
    for (const Moment& moment : kMoments) {
      const Scatter ours = scatter_of(samples_of(runs, output, moment));
      const Scatter theirs = scatter_of(samples_of(wanted, output, moment));
      if (!agree(ours, theirs, rounding_of(wanted[0][output]))) {
        return wrong(fmt::format("drawing its own random numbers, {} has a {} of {:.6g} where PyTorch's is {:.6g}",
                                 draw.outputs[output].name, moment.name, ours.mean, theirs.mean));
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<Verdict>> judge_own_draws(verify::Oracle& oracle, const verify::OracleProgram& program,
                                               const verify::OracleDraw& draw, Candidate& candidate, uint64_t seed) {
  STITCH_ASSIGN(const std::vector<Outputs> wanted, oracle.own_draws(program, kRuns));
  if (wanted.empty()) {
    return std::optional<Verdict>{};
  }
  verify::OracleDraw own = draw;
  own.inputs.resize(own.inputs.size() - program.random_inputs);
  std::vector<Outputs> got;
  for (int run = 0; run <= kRuns; ++run) {  // the last one is the first again
    STITCH_ASSIGN(RunResult result, run_draw(candidate, own, {.rng_seed = seed + static_cast<uint64_t>(run % kRuns)}));
    if (auto* verdict = std::get_if<Verdict>(&result)) {
      return std::optional<Verdict>(std::move(*verdict));
    }
    got.push_back(std::move(std::get<Outputs>(result)));
  }
  return judge(got, wanted, draw);
}

}  // namespace stitch::evaluate
