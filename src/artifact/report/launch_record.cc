// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/launch_record.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr size_t kMaxRecords = 4096;
constexpr size_t kMaxNameLength = 256;
constexpr int64_t kMaxNumber = int64_t{1} << 49;  // so that sums over all records, and twice those, are numbers

struct Number {
  const char* name;
  int64_t LaunchRecord::*field;
};
constexpr Number kNumbers[] = {{"line", &LaunchRecord::line},
                               {"launches", &LaunchRecord::launches},
                               {"blocks", &LaunchRecord::blocks},
                               {"threads", &LaunchRecord::threads},
                               {"barriers", &LaunchRecord::barriers},
                               {"warp_operations", &LaunchRecord::warp_operations},
                               {"matrix_operations", &LaunchRecord::matrix_operations},
                               {"async_copies", &LaunchRecord::async_copies},
                               {"shared_bytes", &LaunchRecord::shared_bytes},
                               {"nanoseconds", &LaunchRecord::nanoseconds},
                               {"library_flops", &LaunchRecord::library_flops},
                               {"epilogues", &LaunchRecord::epilogues}};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

// The emulator spells an expression of the launch: "(rows<4 >)" is rows<4>.
std::string kernel_name(std::string_view spelled) {
  while (spelled.size() > 1 && spelled.front() == '(' && spelled.back() == ')') {
    spelled = spelled.substr(1, spelled.size() - 2);
    while (!spelled.empty() && is_blank(spelled.back())) {
      spelled.remove_suffix(1);
    }
  }
  std::string name;
  for (size_t i = 0; i < spelled.size(); ++i) {
    const bool is_last = i + 1 == spelled.size();
    const bool separates = is_blank(spelled[i]) && !name.empty() && !is_last && !is_blank(spelled[i + 1]) &&
                           name.back() != '<' && spelled[i + 1] != '>' && spelled[i + 1] != ',';
    if (separates || !is_blank(spelled[i])) {
      name += is_blank(spelled[i]) ? ' ' : spelled[i];
    }
  }
  return name;
}

// Never through the middle of a character: the records are written as JSON again.
void cut(std::string& text) {
  constexpr unsigned kLead = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  if (text.size() <= kMaxNameLength) {
    return;
  }
  text.resize(kMaxNameLength);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & kLead) == kContinuation) {
    text.pop_back();
  }
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= kLead) {
    text.pop_back();
  }
}

}  // namespace

Json to_json(const std::vector<LaunchRecord>& records) {
  Json list = Json::array();
  for (const LaunchRecord& record : records) {
    Json entry = {{"name", record.name}, {"file", record.file}};
    for (const Number& number : kNumbers) {
      entry[number.name] = record.*number.field;
    }
    if (record.is_idle) {
      entry["is_idle"] = true;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Result<std::vector<LaunchRecord>> launch_records_from_json(const Json& json, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(json, key));
  if (list->size() > kMaxRecords) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} lists {} kernels", key, list->size()));
  }
  std::vector<LaunchRecord> records;
  for (const Json& entry : *list) {
    LaunchRecord record;
    STITCH_ASSIGN(record.name, json_string(entry, "name"));
    STITCH_ASSIGN(record.file, json_string(entry, "file"));
    record.name = kernel_name(record.name);
    cut(record.name);
    cut(record.file);
    for (const Number& number : kNumbers) {
      STITCH_ASSIGN(record.*number.field, json_int(entry, number.name));
      if (record.*number.field < 0 || record.*number.field > kMaxNumber) {
        return failure(ErrorCode::kFileInvalid,
                       fmt::format("{} of a kernel is {}, which is impossible", number.name, record.*number.field));
      }
    }
    if (entry.contains("is_idle")) {
      STITCH_ASSIGN(record.is_idle, json_bool(entry, "is_idle"));
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace stitch
