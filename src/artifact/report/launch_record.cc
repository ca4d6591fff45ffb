// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/launch_record.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr size_t kMaxNameLength = 256;

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

struct AccessNumber {
  const char* name;
  int64_t MemoryAccesses::*field;
};
constexpr AccessNumber kAccessNumbers[] = {{"bytes_read", &MemoryAccesses::bytes_read},
                                           {"bytes_written", &MemoryAccesses::bytes_written},
                                           {"requests_read", &MemoryAccesses::requests_read},
                                           {"requests_written", &MemoryAccesses::requests_written},
                                           {"sectors_read", &MemoryAccesses::sectors_read},
                                           {"sectors_written", &MemoryAccesses::sectors_written},
                                           {"atomics", &MemoryAccesses::atomics},
                                           {"atomic_sectors", &MemoryAccesses::atomic_sectors},
                                           {"shared_requests", &MemoryAccesses::shared_requests},
                                           {"wavefronts", &MemoryAccesses::wavefronts},
                                           {"shared_atomics", &MemoryAccesses::shared_atomics},
                                           {"tf32_flops", &MemoryAccesses::tf32_flops},
                                           {"half_flops", &MemoryAccesses::half_flops},
                                           {"group_flops", &MemoryAccesses::group_flops},
                                           {"sectors_missed", &MemoryAccesses::sectors_missed},
                                           {"memory_waits", &MemoryAccesses::memory_waits},
                                           {"shared_waits", &MemoryAccesses::shared_waits}};
constexpr int64_t kMaxSteps = 1 << 20;

Result<int64_t> possible_number(const Json& json, const char* name) {
  STITCH_ASSIGN(const int64_t number, json_int(json, name));
  if (number < 0 || number > kMaxLaunchNumber) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} of a kernel is {}, which is impossible", name, number));
  }
  return number;
}

// Of a record whose accesses were counted.
Result<void> read_counted(const Json& entry, LaunchRecord& record) {
  STITCH_ASSIGN(record.step, json_int(entry, "step"));
  if (record.step < -1 || record.step > kMaxSteps) {
    return failure(ErrorCode::kFileInvalid, fmt::format("a kernel is of step {}, which is impossible", record.step));
  }
  STITCH_ASSIGN(const Json* counted, json_object(entry, "accesses"));
  MemoryAccesses& accesses = record.accesses.emplace();
  for (const AccessNumber& number : kAccessNumbers) {
    STITCH_ASSIGN(accesses.*number.field, possible_number(*counted, number.name));
  }
  return {};
}

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

Json to_json(const MemoryAccesses& accesses) {
  Json json = Json::object();
  for (const AccessNumber& number : kAccessNumbers) {
    json[number.name] = accesses.*number.field;
  }
  return json;
}

Json to_json(const std::vector<LaunchRecord>& records) {
  Json list = Json::array();
  for (const LaunchRecord& record : records) {
    Json entry = {{"name", record.name}, {"file", record.file}};
    for (const Number& number : kNumbers) {
      entry[number.name] = record.*number.field;
    }
    if (record.accesses.has_value()) {
      entry["step"] = record.step;
      entry["accesses"] = to_json(*record.accesses);
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
  if (list->size() > kMaxLaunchRecords) {
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
      STITCH_ASSIGN(record.*number.field, possible_number(entry, number.name));
    }
    if (entry.contains("accesses")) {
      STITCH_TRY(read_counted(entry, record));
    }
    if (entry.contains("is_idle")) {
      STITCH_ASSIGN(record.is_idle, json_bool(entry, "is_idle"));
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace stitch
