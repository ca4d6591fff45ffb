// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/work_folder.h"

#include <algorithm>

#include "base/error/check.h"
#include "base/fs/files.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxKeptBytes = 32u << 20;  // of all files together

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

}  // namespace

WorkFolder::WorkFolder(fs::path folder, RunFolder texts, Pristine pristine)
    : folder_(std::move(folder)), texts_(std::move(texts)), pristine_(std::move(pristine)), known_(pristine_.files) {}

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

Result<fs::path> WorkFolder::judged_copy() {
  std::map<std::string, std::string> wanted = known_;
  for (const auto& [path, text] : pristine_.files) {
    if (!is_answer(path) || !wanted.contains(path)) {
      wanted[path] = text;
    }
  }
  const fs::path copy = folder_ / "judged";
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
  return known != known_.end() ? known->second : pristine_.files.at(path);
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
