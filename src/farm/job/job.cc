// SPDX-License-Identifier: Apache-2.0
#include "farm/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json/json.h"
#include "farm/job/known_options.h"

namespace stitch::farm {
namespace {

constexpr size_t kMaxFiles = 4096;
constexpr size_t kMaxPlace = 400;
constexpr size_t kMaxWords = 64;
constexpr double kMaxSeconds = 7 * 24 * 3600;
constexpr int64_t kMaxMemory = int64_t{1} << 42;

Unexpected no_job(const std::string& why) {
  return failure(ErrorCode::kFileInvalid, fmt::format("this is no job of {}: {}", kJobSchema, why), "",
                 "front end and worker need the same version of stitchcuda");
}

Result<void> check_members(const Json& json, std::initializer_list<const char*> names) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      return no_job("'" + key + "' is no member of it");
    }
  }
  return {};
}

Json word_json(const JobWord& word) {
  switch (word.kind) {
    case JobWord::Kind::kOption:
      return word.text;
    case JobWord::Kind::kInput:
      return {{"option", word.option}, {"in", word.text}};
    case JobWord::Kind::kOut:
      return {{"option", word.option}, {"out", word.text}};
  }
  return nullptr;
}

// A file of the job's, or a folder that has some.
bool is_among(const std::string& place, const std::vector<PlacedFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const PlacedFile& file) {
    return file.place == place || file.place.starts_with(place + "/");
  });
}

Result<JobWord> word_of(const Json& json, const std::vector<PlacedFile>& files) {
  if (json.is_string()) {
    JobWord word{JobWord::Kind::kOption, "", json.get<std::string>()};
    STITCH_TRY(check_option(word.text));
    return word;
  }
  if (!json.is_object()) {
    return no_job("a word is neither a text nor a place");
  }
  STITCH_TRY(check_members(json, {"option", "in", "out"}));
  JobWord word;
  word.kind = json.contains("in") ? JobWord::Kind::kInput : JobWord::Kind::kOut;
  STITCH_ASSIGN(word.option, json_string(json, "option"));
  if (word.kind == JobWord::Kind::kOut) {
    STITCH_ASSIGN(word.text, json_string(json, "out"));
    if (word.option != "--out" || !is_place(word.text) || json.contains("in")) {
      return no_job("what it writes is no --out of a name");
    }
    return word;
  }
  STITCH_ASSIGN(word.text, json_string(json, "in"));
  if ((!word.option.empty() && !takes_input(word.option)) || json.contains("out") || !is_among(word.text, files)) {
    return no_job(fmt::format("'{} {}' is none of its files", word.option, word.text));
  }
  return word;
}

}  // namespace

bool Job::returns_files() const {
  return std::any_of(words.begin(), words.end(), [](const JobWord& word) { return word.kind == JobWord::Kind::kOut; });
}

bool is_digest(std::string_view text) {
  constexpr size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_place(std::string_view path) {
  if (path.empty() || path.size() > kMaxPlace) {
    return false;
  }
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view name = path.substr(start, end - start);
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c != 0x7f; });
    if (name.empty() || name == "." || name == ".." || name.front() == '-' || !is_plain ||
        name.find('\\') != std::string_view::npos) {
      return false;
    }
    start = end + 1;
  }
  return true;
}

Json to_json(const std::vector<PlacedFile>& files) {
  Json json = Json::array();
  for (const PlacedFile& file : files) {
    json.push_back({{"place", file.place}, {"digest", file.digest}});
  }
  return json;
}

Result<std::vector<PlacedFile>> read_files(const Json& json) {
  if (!json.is_array() || json.size() > kMaxFiles) {
    return no_job(fmt::format("its files are no list of at most {}", kMaxFiles));
  }
  std::vector<PlacedFile> files;
  std::set<std::string> places;
  for (const Json& each : json) {
    PlacedFile file;
    STITCH_ASSIGN(file.place, json_string(each, "place"));
    STITCH_ASSIGN(file.digest, json_string(each, "digest"));
    if (!is_place(file.place) || !is_digest(file.digest) || each.size() != 2 || !places.insert(file.place).second) {
      return no_job(fmt::format("the file '{}' has a place or digest that cannot be", file.place));
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::string to_text(const Job& job) {
  Json words = Json::array();
  for (const JobWord& word : job.words) {
    words.push_back(word_json(word));
  }
  const Json json = {{"schema", kJobSchema},        {"verb", job.verb},       {"words", std::move(words)},
                     {"files", to_json(job.files)}, {"seconds", job.seconds}, {"memory_bytes", job.memory_bytes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Job> read_job(std::string_view text) {
  STITCH_ASSIGN(const Json json, parse_json(text, "a job"));
  if (!json.is_object()) {
    return no_job("it is no object");
  }
  STITCH_TRY(check_members(json, {"schema", "verb", "words", "files", "seconds", "memory_bytes"}));
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  Job job;
  STITCH_ASSIGN(job.verb, json_string(json, "verb"));
  if (schema != kJobSchema || !is_known_verb(job.verb)) {
    return no_job(fmt::format("it is '{}' and asks for '{}'", schema, job.verb));
  }
  STITCH_ASSIGN(const Json* files, json_array(json, "files"));
  STITCH_ASSIGN(job.files, read_files(*files));
  STITCH_ASSIGN(const Json* words, json_array(json, "words"));
  for (const Json& each : *words) {
    STITCH_ASSIGN(JobWord word, word_of(each, job.files));
    job.words.push_back(std::move(word));
  }
  STITCH_ASSIGN(job.seconds, json_double(json, "seconds"));
  STITCH_ASSIGN(const int64_t bytes, json_int(json, "memory_bytes"));
  const bool is_bounded = job.seconds > 0 && job.seconds <= kMaxSeconds && bytes > 0 && bytes <= kMaxMemory &&
                          job.words.size() <= kMaxWords;
  job.memory_bytes = static_cast<uint64_t>(bytes);
  return is_bounded ? Result<Job>(std::move(job)) : Result<Job>(no_job("its limits cannot be"));
}

}  // namespace stitch::farm
