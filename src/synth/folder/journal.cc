// SPDX-License-Identifier: Apache-2.0
#include "synth/folder/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"

namespace stitch::synth {
namespace {

constexpr const char* kWindowEnds = "window_ends";

Unexpected cannot_write(const std::string& where) {
  return failure(ErrorCode::kEnvironment, fmt::format("the journal cannot be written: {}", std::strerror(errno)), where,
                 "make room, and run the same command again: it goes on");
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path, const Settings& settings) {
  STITCH_TRY(make_directories(path.parent_path()));
  Journal journal(Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)));
  if (!journal.file_.is_open()) {
    return cannot_write(path.string());
  }
  if (::flock(journal.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    return failure(ErrorCode::kEnvironment, "another process makes tasks in this folder", path.parent_path().string(),
                   "wait for it, or name another folder");
  }
  STITCH_TRY(journal.read(path, settings));
  return journal;
}

Result<void> Journal::read(const std::filesystem::path& path, const Settings& settings) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  size_t whole = 0;  // bytes of whole windows, and of the header
  std::vector<Candidate> window;
  for (size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const Result<Json> line = parse_json(std::string_view(text).substr(begin, end - begin), path.string());
    if (!line.has_value()) {
      break;  // what follows was being written
    }
    if (whole == 0) {
      const std::string differs = difference(*line, settings);
      if (!differs.empty()) {
        return failure(ErrorCode::kUsage, "this folder cannot go on: " + differs, path.parent_path().string(),
                       "give the same options, or name another folder");
      }
      whole = end + 1;
    } else if (line->contains(kWindowEnds)) {
      candidates_.insert(candidates_.end(), window.begin(), window.end());
      window.clear();
      windows_ += 1;
      whole = end + 1;
    } else {
      STITCH_ASSIGN(Candidate candidate, candidate_from_json(*line));
      window.push_back(std::move(candidate));
    }
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0 || ::lseek(file_.get(), 0, SEEK_END) < 0) {
    return cannot_write(path.string());
  }
  return whole == 0 ? write(to_json(settings).dump() + "\n") : Result<void>();
}

Result<void> Journal::append(const std::vector<Candidate>& window) {
  std::string text;
  for (const Candidate& candidate : window) {
    text += json_line(to_json(candidate));
  }
  text += Json{{kWindowEnds, windows_}}.dump() + "\n";
  STITCH_TRY(write(text));
  candidates_.insert(candidates_.end(), window.begin(), window.end());
  windows_ += 1;
  return {};
}

Result<void> Journal::write(const std::string& text) {
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file_.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      return cannot_write({});
    }
    written += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return ::fdatasync(file_.get()) == 0 ? Result<void>() : cannot_write({});
}

}  // namespace stitch::synth
