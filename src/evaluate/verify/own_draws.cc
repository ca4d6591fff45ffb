// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/own_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/seed/seed.h"
#include "evaluate/verify/streams.h"
#include "evaluate/verify/subject_run.h"
#include "verify/compare/elements.h"

namespace stitch::evaluate {
namespace {

constexpr int kRuns = 16;
// Between two means of 16 runs each; about one honest moment in 10^8 is farther apart.
constexpr double kMaxDeviations = 8.0;
// A program of more scatter than PyTorch's draws fewer numbers than it should, one for a whole row at the worst: it
// would widen what its own means may differ by. Two variances of 16 runs each are 33 times apart once in 10^8.
constexpr double kMaxVariances = 100.0;
// Moments that do not depend on chance differ by rounding only: that of sums, and of a 16-bit type that one side rounds
// to at every step of a recurrence where the other keeps its state in fp32.
constexpr double kRounding = 1e-4;
constexpr double kRoundingUnits = 2.0;

// Elements that runs may count more or fewer where none of PyTorch's counts any: an event of fewer than one in a run
// is not seen in 16 of them once in 10^7, and then no run of ours has as many as this beyond its mean.
constexpr double kFewCounted = 8.0;

// Of offsets, which PyTorch counts up by a few in each call.
constexpr uint64_t kOffsetBits = 48;

using Outputs = std::vector<HostTensor>;

// What one output of one run is summed up as: the mean of a term of each element and the one `distance` on.
struct Moment {
  std::string name;
  double (*term)(double value, double other);
  size_t distance = 0;
  bool counts = false;  // each element is one or nothing

  double of(const std::vector<double>& values) const {
    double sum = 0.0;
    for (size_t i = 0; i < values.size(); ++i) {
      sum += term(values[i], values[(i + distance) % values.size()]);
    }
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
  }
};

double both_sizes(double value, double other) { return std::fabs(value * other); }

// Products show numbers that repeat: from one element to the next, from row to row, from thread block to thread block.
std::vector<Moment> moments_of(const TensorType& type) {
  std::vector<Moment> moments = {
      {"mean", [](double x, double) { return x; }},
      {"mean size", [](double x, double) { return std::fabs(x); }},
      {"mean square", [](double x, double) { return x * x; }},
      {"share of zeros", [](double x, double) { return x == 0.0 ? 1.0 : 0.0; }, 0, true},
      {"mean product of neighbours", [](double x, double next) { return x * next; }, 1},
  };
  const auto elements = static_cast<size_t>(type.element_count());
  size_t row = 1;
  for (auto extent = type.shape.rbegin(); extent != type.shape.rend(); ++extent) {
    row *= static_cast<size_t>(*extent);
    if (row > 1 && row < elements) {
      moments.push_back({fmt::format("mean size of products {} apart", row), both_sizes, row});
    }
  }
  for (const size_t block : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    if (block < elements) {
      moments.push_back({fmt::format("mean size of products {} apart", block), both_sizes, block});
    }
  }
  return moments;
}

std::vector<double> elements_of(const HostTensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(elements.size()), elements.data());
  return elements;
}

std::vector<std::vector<double>> elements_of(const std::vector<Outputs>& runs, size_t output) {
  std::vector<std::vector<double>> elements;
  for (const Outputs& run : runs) {
    elements.push_back(elements_of(run[output]));
  }
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
bool scatters_alike(const Scatter& got, const Scatter& wanted, double rounding, double counted) {
  const double least = std::max(rounding * std::fabs(wanted.mean), counted);
  return got.variance <= kMaxVariances * wanted.variance + least * least || std::isnan(wanted.variance);
}

bool agree(const Scatter& got, const Scatter& wanted, double rounding) {
  const double spread = std::sqrt((got.variance + wanted.variance) / kRuns);
  const double allowed = kMaxDeviations * spread + rounding * std::fabs(wanted.mean);
  return std::fabs(got.mean - wanted.mean) <= allowed || (std::isnan(got.mean) && std::isnan(wanted.mean)) ||
         got.mean == wanted.mean;
}

bool equal(const Outputs& a, const Outputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HostTensor& x, const HostTensor& y) {
    return std::equal(x.bytes().begin(), x.bytes().end(), y.bytes().begin(), y.bytes().end());
  });
}

std::optional<Finding> judge(const std::vector<Outputs>& got, const std::vector<Outputs>& wanted,
                             const verify::OracleDraw& draw) {
  const auto wrong = [](std::string reason) { return Finding{Stage::kCalls, VerdictKind::kWrong, std::move(reason)}; };
  if (!equal(got[0], got[kRuns])) {
    return wrong("two calls with the same seed and offset draw different numbers");
  }
  for (size_t related = 1; related < std::size(kRelatedCalls); ++related) {
    if (equal(got[0], got[related]) && !equal(wanted[0], wanted[1])) {
      return wrong(fmt::format("{} draws the same numbers", kRelatedCalls[related].name));
    }
  }
  const std::vector<Outputs> runs(got.begin(), got.begin() + kRuns);
  for (size_t output = 0; output < draw.outputs.size(); ++output) {
    const std::vector<int64_t>& shape = wanted[0][output].spec().type.shape;
    const auto repeated = find_repetition(elements_of(runs, output), elements_of(wanted, output),
                                          shape.empty() ? 1 : static_cast<size_t>(shape.back()));
    if (repeated) {
      return wrong(fmt::format("drawing its own random numbers, {} {}", draw.outputs[output].name, *repeated));
    }
    for (const Moment& moment : moments_of(wanted[0][output].spec().type)) {
      const Scatter ours = scatter_of(samples_of(runs, output, moment));
      const Scatter theirs = scatter_of(samples_of(wanted, output, moment));
      const auto elements = static_cast<double>(wanted[0][output].spec().type.element_count());
      const double counted = moment.counts ? kFewCounted / elements : 0.0;
      if (!scatters_alike(ours, theirs, rounding_of(wanted[0][output]), counted)) {
        return wrong(
            fmt::format("drawing its own random numbers, {} has a {} that varies {:.3g} times as much as PyTorch's",
                        draw.outputs[output].name, moment.name, ours.variance / theirs.variance));
      }
      if (!agree(ours, theirs, rounding_of(wanted[0][output]))) {
        return wrong(fmt::format("drawing its own random numbers, {} has a {} of {:.6g} where PyTorch's is {:.6g}",
                                 draw.outputs[output].name, moment.name, ours.mean, theirs.mean));
      }
    }
  }
  return std::nullopt;
}

// The seed and offset of a run: related ones first, then any seed, at offsets of every size.
RunSettings numbers_of(uint64_t seed, uint64_t run) {
  if (run < std::size(kRelatedCalls)) {
    const RelatedCall& related = kRelatedCalls[run];
    const uint64_t first = derived_seed(seed, "own numbers", 0);
    return {.rng_seed = first + related.seed_step, .rng_offset = related.offset};
  }
  const uint64_t size = derived_seed(seed, "size of the offset", run) % kOffsetBits;
  const uint64_t offset = derived_seed(seed, "offset", run) & ((uint64_t{1} << size) - 1);
  return {.rng_seed = derived_seed(seed, "own numbers", run), .rng_offset = offset};
}

}  // namespace

Result<std::optional<Finding>> judge_own_draws(verify::Oracle& oracle, const verify::OracleProgram& program,
                                               const verify::OracleDraw& draw, Candidate& candidate, uint64_t seed) {
  STITCH_ASSIGN(const std::vector<Outputs> wanted, oracle.own_draws(program, kRuns));
  if (wanted.empty()) {
    return std::optional<Finding>{};
  }
  verify::OracleDraw own = draw;
  own.inputs.resize(own.inputs.size() - program.random_inputs);
  std::vector<Outputs> got;
  for (int run = 0; run <= kRuns; ++run) {  // the last one is the first again
    STITCH_ASSIGN(RunResult result, run_draw(candidate, own, numbers_of(seed, static_cast<uint64_t>(run % kRuns))));
    if (auto* finding = std::get_if<Finding>(&result)) {
      return std::optional<Finding>(at_stage(Stage::kCalls, std::move(*finding)));
    }
    got.push_back(std::move(std::get<Outputs>(result)));
  }
  return judge(got, wanted, draw);
}

}  // namespace stitch::evaluate
