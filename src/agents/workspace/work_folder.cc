// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/work_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error/check.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/improve/candidate.h"
#include "driver/written/step_nodes.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxKeptBytes = 32u << 20;  // of all files together
constexpr const char* kCopy = "judged";        // beside the workspace

Result<void> write_all_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, text] : files) {
    STITCH_TRY(write_file(folder / path, text));
  }
  return {};
}

Result<void> make_anew(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  STITCH_TRY(make_directories(folder));
  return write_all_files(folder, files);
}

const std::string kPlanPath = std::string(kProgramFolder) + "/plan.json";

bool is_of_program(const std::string& path) { return path.starts_with(std::string(kProgramFolder) + "/"); }

Result<plan::Plan> plan_in(const std::map<std::string, std::string>& files) {
  const auto found = files.find(kPlanPath);
  STITCH_ASSIGN(const Json json, parse_json(found == files.end() ? "" : found->second, kPlanPath));
  return plan::from_json(json);
}

// A step's text, whatever its number.
std::string without_number(const std::string& text) {
  const Result<std::string> renumbered = plan::renumbered_code(text, 0);
  return renumbered.has_value() ? *renumbered : text;
}

}  // namespace

WorkFolder::WorkFolder(fs::path folder, RunFolder texts, Pristine pristine)
    : folder_(std::move(folder)),
      texts_(std::move(texts)),
      first_(std::move(pristine)),
      pristine_(first_),
      known_(pristine_.files) {}

bool WorkFolder::is_answer(const std::string& path) const {
  return std::any_of(pristine_.answers.begin(), pristine_.answers.end(),
                     [&](const auto& each) { return each.second == path; });
}

Result<void> WorkFolder::restore() { return make_anew(root(), known_); }

Result<Changes> WorkFolder::look() {
  STITCH_ASSIGN(const tools::Beneath files, tools::Beneath::open(root()));
  std::map<std::string, std::string> now;
  uint64_t bytes = 0;
  for (const tools::FileBeneath& file : files.list(tools::kMaxFiles)) {
    bytes += file.bytes;
    Result<std::string> text =
        bytes <= kMaxKeptBytes ? files.read(file.path, tools::kMaxFileBytes) : failure(ErrorCode::kUsage, "too much");
    if (text.has_value()) {
      now[file.path] = std::move(*text);
    }
  }
  Changes changes;
  for (const auto& [path, text] : now) {
    const auto known = known_.find(path);
    if (known == known_.end() || known->second != text) {
      STITCH_ASSIGN(changes[path], texts_.keep_code(text));
    }
  }
  for (const auto& [path, text] : known_) {
    if (!now.contains(path)) {
      changes[path] = "";
    }
  }
  known_ = std::move(now);
  return changes;
}

Result<void> WorkFolder::take(const Changes& changes) {
  for (const auto& [path, digest] : changes) {
    if (digest.empty()) {
      known_.erase(path);
    } else {
      STITCH_ASSIGN(known_[path], texts_.code(digest));
    }
  }
  return {};
}

// Steps of the program at the beginning that are steps of it now are the same answers, under other numbers.
Result<void> WorkFolder::draw_answers(const std::map<std::string, std::string>& files) {
  if (first_.form == AnswerForm::kModule) {  // no step is an answer
    return {};
  }
  STITCH_ASSIGN(const plan::Plan first, plan_in(first_.files));
  STITCH_ASSIGN(const plan::Plan now, plan_in(files));
  const std::map<size_t, size_t> kept = driver::kept_steps(first, now);
  pristine_.answers.clear();
  pristine_.groups.clear();
  for (const char* beside : {driver::kHostSide, driver::kModule}) {
    if (const auto found = first_.answers.find(beside); found != first_.answers.end()) {
      pristine_.answers.insert(*found);
    }
  }
  for (size_t i = 0; i < now.steps.size(); ++i) {
    const std::string path = fmt::format("{}/{}", kProgramFolder, codegen::step_file_name(now, i));
    const int boundary = now.steps[i].boundary;
    if (boundary >= 0 && now.boundaries[static_cast<size_t>(boundary)].written.has_value()) {
      const std::vector<std::string>& nodes = now.boundaries[static_cast<size_t>(boundary)].nodes;
      const std::string name = fmt::format("group {}", fmt::join(nodes, " "));
      pristine_.groups[name] = nodes;
      pristine_.answers[name] = path;
    } else if (const auto found = kept.find(i); found != kept.end()) {
      pristine_.answers[driver::key_of_step(first, found->second)] = path;
    }
  }
  return {};
}

Result<void> WorkFolder::take_program(const Changes& changes) {
  STITCH_TRY(take(changes));
  for (const auto& [path, digest] : changes) {
    if (digest.empty()) {
      pristine_.files.erase(path);
    } else {
      pristine_.files[path] = known_.at(path);
    }
  }
  return draw_answers(pristine_.files);
}

Result<Changes> WorkFolder::take_program() {
  STITCH_ASSIGN(const tools::Beneath copy, tools::Beneath::open(folder_ / kCopy));
  std::map<std::string, std::string> now;
  for (const tools::FileBeneath& file : copy.list(tools::kMaxFiles)) {
    if (is_of_program(file.path)) {
      STITCH_ASSIGN(now[file.path], copy.read(file.path, tools::kMaxFileBytes));
    }
  }
  Changes changes;
  for (const auto& [path, text] : now) {
    if (const auto there = judged_.find(path); there == judged_.end() || there->second != text) {
      STITCH_ASSIGN(changes[path], texts_.keep_code(text));
    }
  }
  for (const auto& [path, text] : judged_) {
    if (is_of_program(path) && !now.contains(path)) {
      changes[path] = "";
    }
  }
  STITCH_ASSIGN(const tools::Beneath files, tools::Beneath::open(root()));
  for (const auto& [path, digest] : changes) {
    STITCH_TRY(digest.empty() ? files.remove(path) : files.write(path, now.at(path)));
  }
  std::erase_if(judged_, [](const auto& each) { return is_of_program(each.first); });
  judged_.insert(now.begin(), now.end());
  STITCH_TRY(take_program(changes));
  return changes;
}

void WorkFolder::take_groups() {
  if (!draw_answers(known_).has_value()) {  // a plan that is none any more draws nothing
    pristine_ = first_;
  }
  if (pristine_.groups.empty()) {
    return;
  }
  std::erase_if(pristine_.files, [](const auto& each) { return is_of_program(each.first); });
  for (const auto& each : known_) {
    if (is_of_program(each.first)) {
      pristine_.files.insert(each);
    }
  }
}

Result<fs::path> WorkFolder::judged_copy() {
  std::map<std::string, std::string> wanted = known_;
  for (const auto& [path, text] : pristine_.files) {
    if (!is_answer(path) || !wanted.contains(path)) {
      wanted[path] = text;
    }
  }
  const fs::path copy = folder_ / kCopy;
  if (!has_copy_) {
    STITCH_TRY(make_anew(copy, wanted));
  }
  for (const auto& [path, text] : judged_) {
    std::error_code ignored;
    if (!wanted.contains(path)) {
      fs::remove(copy / path, ignored);
    }
  }
  for (const auto& [path, text] : wanted) {
    const auto there = judged_.find(path);
    if (has_copy_ && (there == judged_.end() || there->second != text)) {
      STITCH_TRY(write_file(copy / path, text));
    }
  }
  judged_ = std::move(wanted);
  has_copy_ = true;
  return copy;
}

const std::string& WorkFolder::text_of(const std::string& step) const {
  const std::string& path = pristine_.answers.at(step);
  const auto known = known_.find(path);
  if (known != known_.end()) {
    return known->second;
  }
  static const std::string kNone;
  const auto pristine = pristine_.files.find(path);  // of a group that was drawn in the workspace there is none
  return pristine != pristine_.files.end() ? pristine->second : kNone;
}

bool WorkFolder::is_changed(const std::string& step, const std::string& text) const {
  const auto first = first_.answers.find(step);
  return first == first_.answers.end() ? !text.empty()
                                       : without_number(text) != without_number(first_.files.at(first->second));
}

size_t WorkFolder::strays() const {
  return static_cast<size_t>(std::count_if(known_.begin(), known_.end(),
                                           [&](const auto& each) { return !pristine_.files.contains(each.first); }));
}

size_t WorkFolder::altered() const {
  return static_cast<size_t>(std::count_if(pristine_.files.begin(), pristine_.files.end(), [&](const auto& each) {
    const auto known = known_.find(each.first);
    return !is_answer(each.first) && (known == known_.end() || known->second != each.second);
  }));
}

void WorkFolder::remove() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace stitch::agents
