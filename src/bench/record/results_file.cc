// SPDX-License-Identifier: Apache-2.0
#include "bench/record/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

struct WholeLines {
  std::vector<TaskResult> results;
  size_t bytes = 0;  // of the text that they take
};

Result<WholeLines> whole_lines(const std::string& text, const fs::path& file) {
  WholeLines lines;
  int number = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', lines.bytes)) {
    const std::string place = fmt::format("{}:{}", file.string(), ++number);
    STITCH_ASSIGN(const Json json, parse_json(std::string_view(text).substr(lines.bytes, end - lines.bytes), place));
    Result<TaskResult> result = task_result_from_json(json);
    if (!result.has_value()) {
      return failure(ErrorCode::kFileInvalid, result.error().message, place,
                     "the file was altered: take the line off, and its task is run again by --resume");
    }
    lines.results.push_back(std::move(result).value());
    lines.bytes = end + 1;
  }
  return lines;
}

Unexpected cannot(const char* what, const fs::path& file) {
  return failure(ErrorCode::kEnvironment, fmt::format("cannot {} the results: {}", what, std::strerror(errno)),
                 file.string(), "check the disk and the folder's permissions");
}

}  // namespace

Result<std::vector<TaskResult>> read_results(const fs::path& file) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(WholeLines lines, whole_lines(text, file));
  return std::move(lines.results);
}

Result<ResultsFile> ResultsFile::open(const fs::path& file) {
  STITCH_TRY(make_directories(file.parent_path()));
  ResultsFile opened(Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)));
  if (!opened.file_.is_open()) {
    return cannot("open", file);
  }
  if (::flock(opened.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    return failure(ErrorCode::kEnvironment, "another process is at work on this run", file.string(),
                   "wait for it, or stop it");
  }
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(WholeLines lines, whole_lines(text, file));
  if (lines.bytes < text.size() && ::ftruncate(opened.file_.get(), static_cast<off_t>(lines.bytes)) != 0) {
    return cannot("mend", file);
  }
  opened.known_ = std::move(lines.results);
  return opened;
}

Result<void> ResultsFile::append(const TaskResult& result) {
  const std::string line = json_line(to_json(result));
  const std::lock_guard lock(*mutex_);
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t size = ::write(file_.get(), line.data() + written, line.size() - written);
    if (size < 0 && errno != EINTR) {
      return cannot("write", "results.jsonl");
    }
    written += size > 0 ? static_cast<size_t>(size) : 0;
  }
  return ::fsync(file_.get()) == 0 ? Result<void>() : Result<void>(cannot("keep", "results.jsonl"));
}

}  // namespace stitch::bench
