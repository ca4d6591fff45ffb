// SPDX-License-Identifier: Apache-2.0
#include "farm/job/known_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace stitch::farm {
namespace {

constexpr std::string_view kVerbs[] = {"admit", "build", "optimize", "profile", "score", "verify"};

constexpr std::string_view kFlags[] = {"--train",   "--eval",          "--skip-nvcc", "--no-tune",
                                       "--no-time", "--admitted-only", "--score"};

// Numbers, and words that the verb chooses from.
constexpr std::string_view kWords[] = {
    "--import-timeout", "--scale",       "--math",    "--device",       "--target",  "--libraries",
    "--tune-seconds",   "--baseline",    "--seed",    "--system",       "--without", "--model",
    "--max-rounds",     "--step-rounds", "--repairs", "--max-seconds",  "--replans", "--turns",
    "--rung",           "--skill",       "--rubric",  "--call-timeout", "--step",    "--target-us"};

constexpr std::string_view kInputs[] = {"--program", "--candidate", "--feedback", "--previous"};

// Models need an endpoint and mostly a key; the one that answers by rule needs neither.
constexpr std::string_view kModel = "--model";
constexpr std::string_view kModelByRule = "expert";

template <size_t kCount>
bool has(const std::string_view (&all)[kCount], std::string_view one) {
  return std::find(std::begin(all), std::end(all), one) != std::end(all);
}

}  // namespace

bool is_known_verb(std::string_view verb) { return has(kVerbs, verb); }

bool takes_input(std::string_view name) { return has(kInputs, name); }

Result<void> check_option(std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const bool is_flag = equals == std::string_view::npos;
  if (is_flag ? !has(kFlags, name) : !has(kWords, name)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' is no option that a job may have", name), "",
                   "run it without --store, or leave the option out");
  }
  const std::string_view value = is_flag ? std::string_view() : word.substr(equals + 1);
  constexpr size_t kMaxValue = 200;
  const bool is_plain = value.size() <= kMaxValue && std::all_of(value.begin(), value.end(), [](unsigned char letter) {
                          return std::isalnum(letter) != 0 ||
                                 std::string_view("._-+,:=").find(static_cast<char>(letter)) != std::string_view::npos;
                        });
  const bool is_by_rule = name != kModel || value == kModelByRule || value.starts_with("expert:");
  if (!is_plain || !is_by_rule || (!is_flag && value.empty())) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' has no value that a job may have", name), "",
                   is_by_rule ? "a job's values are plain words and numbers"
                              : "models are asked where their key is: without --store, or with --model expert");
  }
  return {};
}

}  // namespace stitch::farm
