// SPDX-License-Identifier: Apache-2.0
#include "verify/admission/admission_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/json.h"

namespace stitch::verify {
namespace {

constexpr size_t kMaxNamed = 4;

// Each leaves the work of one part out, or does it with less care. All others do none, or spoil a right answer.
constexpr std::array<std::string_view, 7> kParts = {"N08", "N09", "N10", "N11", "N12", "N15", "N22"};

constexpr std::array kStatuses = {std::pair{AdmissionStatus::kAdmitted, "admitted"},
                                  std::pair{AdmissionStatus::kWeak, "weak"},
                                  std::pair{AdmissionStatus::kDegenerate, "degenerate"},
                                  std::pair{AdmissionStatus::kIllConditioned, "ill_conditioned"}};
constexpr std::array kOutcomes = {std::pair{NullOutcome::kRefused, "refused"},
                                  std::pair{NullOutcome::kPassed, "passed"},
                                  std::pair{NullOutcome::kSilent, "says nothing"}};

template <typename Table, typename Value>
std::string name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == value; })->second;
}

template <typename Value, typename Table>
Result<Value> value_in(const Table& table, const std::string& name) {
  for (const auto& [value, text] : table) {
    if (name == text) {
      return value;
    }
  }
  return failure(ErrorCode::kFileInvalid, "an admission report holds the unknown word '" + name + "'");
}

bool is_degenerate(const NullResult& result) {
  const bool is_part = std::find(kParts.begin(), kParts.end(), result.null.number) != kParts.end();
  return result.outcome == NullOutcome::kPassed && result.whole && !is_part;
}

std::string described(const NullResult& result) {
  const std::string where =
      result.null.by_output && !result.whole ? fmt::format(" for {}", fmt::join(result.outputs, ", ")) : "";
  return fmt::format("{} ({}{})", result.null.about, result.null.number, where);
}

// The first few that `wanted` takes, and how many there are beyond.
template <typename Wanted>
std::string listed(const std::vector<NullResult>& nulls, Wanted wanted) {
  std::vector<std::string> names;
  for (const NullResult& each : nulls) {
    if (each.outcome == NullOutcome::kPassed && wanted(each)) {
      names.push_back(described(each));
    }
  }
  const size_t beyond = names.size() > kMaxNamed ? names.size() - kMaxNamed : 0;
  names.resize(names.size() - beyond);
  return fmt::format("{}{}", fmt::join(names, ", "), beyond > 0 ? fmt::format(" and {} more", beyond) : "");
}

std::string weakness_of(const std::vector<NullResult>& nulls, const std::vector<std::string>& unasked) {
  const std::string unseen = listed(nulls, [](const NullResult&) { return true; });
  std::vector<std::string> reasons;
  if (!unseen.empty()) {
    reasons.push_back("the task does not notice " + unseen);
  }
  if (!unasked.empty()) {
    const std::string more = unasked.size() > 1 ? fmt::format(" (and {} more)", unasked.size() - 1) : "";
    reasons.push_back(fmt::format("no verdict can ask for {}{}", unasked.front(), more));
  }
  return fmt::format("weak: {}", fmt::join(reasons, "; "));
}

Result<NullResult> null_result_from_json(const Json& json) {
  NullResult result;
  STITCH_ASSIGN(result.null.key, json_string(json, "key"));
  STITCH_ASSIGN(result.null.number, json_string(json, "number"));
  STITCH_ASSIGN(result.null.about, json_string(json, "about"));
  STITCH_ASSIGN(result.null.by_output, json_bool(json, "by_output"));
  STITCH_ASSIGN(const std::string outcome, json_string(json, "outcome"));
  STITCH_ASSIGN(result.outcome, value_in<NullOutcome>(kOutcomes, outcome));
  STITCH_ASSIGN(result.whole, json_bool(json, "whole"));
  STITCH_ASSIGN(result.reason, json_string(json, "reason"));
  STITCH_ASSIGN(result.kernelbench_takes_it, json_bool(json, "kernelbench_takes_it"));
  STITCH_ASSIGN(const Json* outputs, json_array(json, "outputs"));
  for (const Json& output : *outputs) {
    result.outputs.push_back(output.is_string() ? output.get<std::string>() : "");
  }
  return result;
}

}  // namespace

std::string to_string(AdmissionStatus status) { return name_in(kStatuses, status); }

AdmissionStatus status_of(const std::vector<NullResult>& nulls, const std::vector<std::string>& unasked) {
  if (std::any_of(nulls.begin(), nulls.end(), is_degenerate)) {
    return AdmissionStatus::kDegenerate;
  }
  const bool passed = std::any_of(nulls.begin(), nulls.end(),
                                  [](const NullResult& each) { return each.outcome == NullOutcome::kPassed; });
  return passed || !unasked.empty() ? AdmissionStatus::kWeak : AdmissionStatus::kAdmitted;
}

int AdmissionReport::count(NullOutcome outcome) const {
  return static_cast<int>(
      std::count_if(nulls.begin(), nulls.end(), [&](const NullResult& each) { return each.outcome == outcome; }));
}

std::string AdmissionReport::message() const {
  switch (status) {
    case AdmissionStatus::kAdmitted:
      return fmt::format("admitted: all {} null candidates are refused", count(NullOutcome::kRefused));
    case AdmissionStatus::kDegenerate:
      return "degenerate: the task takes " + listed(nulls, is_degenerate) + " for right answers";
    case AdmissionStatus::kWeak:
      return weakness_of(nulls, unasked);
    case AdmissionStatus::kIllConditioned:
      break;
  }
  return "ill-conditioned: " + (notes.empty() ? std::string("no draw can be judged") : notes.front());
}

Json to_json(const AdmissionReport& report) {
  Json nulls = Json::array();
  for (const NullResult& each : report.nulls) {
    nulls.push_back({{"key", each.null.key},
                     {"number", each.null.number},
                     {"about", each.null.about},
                     {"by_output", each.null.by_output},
                     {"outcome", name_in(kOutcomes, each.outcome)},
                     {"outputs", each.outputs},
                     {"whole", each.whole},
                     {"reason", each.reason},
                     {"kernelbench_takes_it", each.kernelbench_takes_it}});
  }
  return Json{{"status", to_string(report.status)},
              {"sentence", report.message()},
              {"refused", report.count(NullOutcome::kRefused)},
              {"passed", report.count(NullOutcome::kPassed)},
              {"nulls", std::move(nulls)},
              {"unasked", report.unasked},
              {"notes", report.notes},
              {"draws", report.draws},
              {"seconds", report.seconds}};
}

Result<AdmissionReport> admission_report_from_json(const Json& json) {
  AdmissionReport report;
  STITCH_ASSIGN(const std::string status, json_string(json, "status"));
  STITCH_ASSIGN(report.status, value_in<AdmissionStatus>(kStatuses, status));
  STITCH_ASSIGN(const Json* nulls, json_array(json, "nulls"));
  for (const Json& each : *nulls) {
    STITCH_ASSIGN(NullResult result, null_result_from_json(each));
    report.nulls.push_back(std::move(result));
  }
  STITCH_ASSIGN(const Json* unasked, json_array(json, "unasked"));
  for (const Json& question : *unasked) {
    report.unasked.push_back(question.is_string() ? question.get<std::string>() : "");
  }
  STITCH_ASSIGN(const Json* notes, json_array(json, "notes"));
  for (const Json& note : *notes) {
    report.notes.push_back(note.is_string() ? note.get<std::string>() : "");
  }
  STITCH_ASSIGN(const int64_t draws, json_int(json, "draws"));
  report.draws = static_cast<int>(draws);
  STITCH_ASSIGN(report.seconds, json_double(json, "seconds"));
  return report;
}

}  // namespace stitch::verify
