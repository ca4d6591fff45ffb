// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/activity.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace stitch::profile {
namespace {

constexpr std::string_view kHeader = "stitchcuda.activity/1 ";
constexpr size_t kMaxRecords = 2'000'000;
constexpr size_t kMaxName = 4000;

Unexpected unreadable_activity(size_t line, const std::string& what) {
  return failure(ErrorCode::kFileInvalid, fmt::format("line {} of the activity of the device: {}", line, what), "",
                 "profile again; if it stays, name another profiler with --rung");
}

// Words of a line, one after another, and what is left of it.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view word() {
    const size_t end = rest_.find(' ');
    const std::string_view found = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return found;
  }
  template <typename T>
  T number() {
    const std::string_view text = word();
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    is_good_ = is_good_ && error == std::errc() && end == text.data() + text.size() && value >= 0;
    return value;
  }
  std::string_view rest() const { return rest_; }
  bool is_good() const { return is_good_; }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

void read_shape(Words& words, LaunchShape& shape) {
  for (std::optional<double>* field : {&shape.blocks, &shape.block_threads, &shape.registers, &shape.static_shared,
                                       &shape.dynamic_shared, &shape.local_bytes}) {
    *field = static_cast<double>(words.number<int64_t>());
  }
}

const std::map<std::string_view, RecordKind>& kinds() {
  static const std::map<std::string_view, RecordKind> all = {{"kernel", RecordKind::kKernel},
                                                             {"copy", RecordKind::kCopy},
                                                             {"fill", RecordKind::kFill},
                                                             {"wait", RecordKind::kWait},
                                                             {"call", RecordKind::kCall}};
  return all;
}

Result<Record> read_record(RecordKind kind, Words& words, size_t line) {
  Record record;
  record.kind = kind;
  record.start_ns = words.number<int64_t>();
  record.end_ns = words.number<int64_t>();
  record.correlation = words.number<uint64_t>();
  if (kind == RecordKind::kKernel) {
    read_shape(words, record.shape);
  } else if (kind == RecordKind::kCopy || kind == RecordKind::kFill) {
    record.bytes = words.number<uint64_t>();
  }
  record.name = std::string(words.rest().substr(0, kMaxName));
  const bool is_named = kind == RecordKind::kKernel || kind == RecordKind::kCopy || kind == RecordKind::kCall;
  if (!words.is_good() || (is_named && record.name.empty())) {
    return unreadable_activity(line, "a record without all of its figures: it was cut");
  }
  if (record.end_ns < record.start_ns) {
    return unreadable_activity(line, "a record ends before it begins");
  }
  return record;
}

}  // namespace

Result<std::vector<Record>> read_activity(std::string_view text) {
  if (!text.starts_with(kHeader)) {
    return unreadable_activity(
        1, text.empty() ? "it is empty: the program ended before it used the device, or CUPTI was not loaded"
                        : "it does not begin with " + std::string(kHeader));
  }
  std::vector<Record> records;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) {
      return unreadable_activity(number + 1, "it ends within a line: it was cut");
    }
    Words words(text.substr(begin, end - begin));
    begin = end + 1;
    if (number == 0) {
      continue;
    }
    const std::string_view what = words.word();
    if (what == "dropped") {
      const auto lost = words.number<int64_t>();
      return unreadable_activity(number + 1,
                                 fmt::format("CUPTI dropped {} records, so that no figure would be whole", lost));
    }
    if (what == "end") {
      const bool is_whole = words.number<uint64_t>() == records.size() && words.is_good() && begin == text.size();
      return is_whole ? Result<std::vector<Record>>(std::move(records))
                      : unreadable_activity(number + 1, "it says that it ends, with another number of records");
    }
    const auto kind = kinds().find(what);
    if (kind == kinds().end()) {
      return unreadable_activity(number + 1, "no record begins with the word " + std::string(what.substr(0, 40)));
    }
    if (records.size() == kMaxRecords) {
      return unreadable_activity(number + 1, fmt::format("more than {} records", kMaxRecords));
    }
    STITCH_ASSIGN(Record record, read_record(kind->second, words, number + 1));
    records.push_back(std::move(record));
  }
  return unreadable_activity(number + 1,
                             "it has no end: the program was killed, or ended itself without leaving main()");
}

}  // namespace stitch::profile
