// SPDX-License-Identifier: Apache-2.0
#include "agents/verifier/expert_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error/check.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

struct Suggestion {
  Limiter limiter;
  const char* system;
  const char* kernel;
  const char* plan;
};

constexpr std::array kSuggestions = std::to_array<Suggestion>({
#define STITCH_SUGGESTION(limiter, system, kernel, plan) {Limiter::limiter, system, kernel, plan},
#include "agents/verifier/suggestions.def"
#undef STITCH_SUGGESTION
});

const Suggestion& suggestion_for(Limiter limiter) {
  const auto* found = std::find_if(kSuggestions.begin(), kSuggestions.end(),
                                   [&](const Suggestion& each) { return each.limiter == limiter; });
  STITCH_CHECK(found != kSuggestions.end()) << "no suggestion against " << to_string(limiter);
  return *found;
}

const StepFacts& longest(const std::vector<StepFacts>& steps) {
  STITCH_CHECK(!steps.empty()) << "a profile has steps";
  return *std::max_element(steps.begin(), steps.end(),
                           [](const StepFacts& a, const StepFacts& b) { return a.us < b.us; });
}

double whole_us(const std::vector<StepFacts>& steps) {
  double sum = 0;
  for (const StepFacts& each : steps) {
    sum += each.us;
  }
  return sum;
}

// The words of a text that may be quoted, of which a compiler may have written any number.
std::string first_words(const std::string& text, size_t count) {
  size_t end = 0;
  for (size_t words = 0; words < count && end != std::string::npos; ++words) {
    end = text.find(' ', end + 1);
  }
  return end == std::string::npos ? text : text.substr(0, end);
}

}  // namespace

std::vector<Figure> figures_of(const std::vector<StepFacts>& steps) {
  const StepFacts& step = longest(steps);
  return {{"step_us", step.us},
          {"step_floor_us", step.floor_us},
          {"step_share", step.us / whole_us(steps)},
          {"steps", static_cast<double>(steps.size())}};
}

Feedback expert_feedback(Outcome outcome, const std::string& message) {
  const std::string told = message.empty() ? "nothing was said" : first_words(message, 15);
  Feedback feedback;
  switch (outcome) {
    case Outcome::kUnreadable:
      feedback.issue = {"The answer holds no code.", "Nothing can be built from it, and the round is counted.",
                        "Answer with the step's whole file."};
      break;
    case Outcome::kNotCompiled:
      feedback.issue = {"It does not compile: " + told,
                        "Nothing of it runs before it compiles, and later errors often follow from the first.",
                        "Mend the line that the compiler names first, and leave the rest."};
      break;
    case Outcome::kWrong:
    case Outcome::kRight:
      feedback.issue = {"It is wrong: " + told, "A step that is wrong replaces nothing, however fast it is.",
                        "Check indices at the edges, initial values and synchronisation, then the order of summation."};
      break;
  }
  return feedback;
}

Feedback expert_feedback(const std::vector<StepFacts>& steps) {
  const StepFacts& step = longest(steps);
  const Suggestion& suggestion = suggestion_for(step.limiter);
  Feedback feedback;
  feedback.bottleneck = Bottleneck{.what = fmt::format("{} takes {:.0f} % of the time and is limited by {}", step.step,
                                                       100 * step.us / whole_us(steps), to_string(step.limiter)),
                                   .limiter = step.limiter,
                                   .figures = figures_of(steps),
                                   .system = suggestion.system,
                                   .kernel = suggestion.kernel,
                                   .plan = suggestion.plan};
  return feedback;
}

}  // namespace stitch::agents
