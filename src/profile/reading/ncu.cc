// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/ncu.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "profile/reading/csv.h"
#include "profile/values/metrics.h"

namespace stitch::profile {
namespace {

constexpr size_t kMaxLaunches = 100'000;
constexpr std::string_view kOwnLine = "==";
constexpr std::string_view kError = "==ERROR== ";
constexpr std::string_view kProfiling = "==PROF== Profiling ";

struct Scale {
  const char* unit;
  const char* base;  // of metrics.def
  double factor;
};
// Releases before 2023 write "nsecond" and "Kbyte/second", later ones "ns" and "Kbyte/s".
constexpr Scale kScales[] = {
    {"nsecond", "ns", 1},
    {"usecond", "ns", 1e3},
    {"msecond", "ns", 1e6},
    {"second", "ns", 1e9},
    {"us", "ns", 1e3},
    {"ms", "ns", 1e6},
    {"s", "ns", 1e9},
    {"Kbyte", "byte", 1e3},
    {"Mbyte", "byte", 1e6},
    {"Gbyte", "byte", 1e9},
    {"Tbyte", "byte", 1e12},
    {"byte/s", "byte/second", 1},
    {"byte/block", "byte", 1},
    {"Kbyte/block", "byte", 1e3},
    {"Kbyte/s", "byte/second", 1e3},
    {"Mbyte/s", "byte/second", 1e6},
    {"Gbyte/s", "byte/second", 1e9},
    {"Tbyte/s", "byte/second", 1e12},
    {"Kbyte/second", "byte/second", 1e3},
    {"Mbyte/second", "byte/second", 1e6},
    {"Gbyte/second", "byte/second", 1e9},
    {"Tbyte/second", "byte/second", 1e12},
};

Unexpected unreadable_table(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "the output of ncu cannot be read: " + what, "",
                 "profile again; if it stays, this release of ncu prints a form that is not known");
}

struct Column {
  const Metric* metric = nullptr;  // null: none of ours
  double factor = 1;
};

Result<double> factor_of(const Metric& metric, const std::string& unit) {
  const auto scale = std::find_if(std::begin(kScales), std::end(kScales),
                                  [&](const Scale& each) { return unit == each.unit && metric.unit == each.base; });
  if (scale != std::end(kScales)) {
    return scale->factor;
  }
  // A ratio is told as a part, percent as a hundredth; counts have whichever noun the release gives them.
  const bool is_size = unit.find("byte") != std::string::npos || unit.find("second") != std::string::npos;
  if (is_size && unit != metric.unit && !unit.starts_with(metric.unit)) {
    return unreadable_table(
        fmt::format("{} is in {}, which is no known unit of {}", metric.names.front(), unit, metric.unit));
  }
  return 1.0;
}

struct Table {
  std::vector<std::string> header;
  std::vector<Column> columns;
  size_t name_column = 0;
};

Result<Table> read_header(const std::string& names, const std::string& units) {
  Table table;
  Result<std::vector<std::string>> header = csv_fields(names);
  Result<std::vector<std::string>> unit = csv_fields(units);
  if (!header.has_value() || !unit.has_value()) {
    return unreadable_table("its header: " + (header.has_value() ? unit.error() : header.error()).message);
  }
  table.header = std::move(*header);
  if (unit->size() != table.header.size()) {
    return unreadable_table(fmt::format("{} names of columns and {} units", table.header.size(), unit->size()));
  }
  const auto name = std::find(table.header.begin(), table.header.end(), "Kernel Name");
  if (name == table.header.end()) {
    return unreadable_table("there is no column Kernel Name");
  }
  table.name_column = static_cast<size_t>(name - table.header.begin());
  for (size_t index = 0; index < table.header.size(); ++index) {
    Column column;
    column.metric = metric_of(table.header[index]);
    if (column.metric != nullptr) {
      STITCH_ASSIGN(column.factor, factor_of(*column.metric, (*unit)[index]));
    }
    table.columns.push_back(column);
  }
  return table;
}

Result<NcuLaunch> read_row(const Table& table, const std::string& line, size_t number) {
  Result<std::vector<std::string>> fields = csv_fields(line);
  if (!fields.has_value()) {
    return unreadable_table(fmt::format("row {}: {}", number, fields.error().message));
  }
  if (fields->size() != table.header.size()) {
    return unreadable_table(
        fmt::format("row {} has {} columns of {}: the output was cut, or another program wrote into it", number,
                    fields->size(), table.header.size()));
  }
  NcuLaunch launch;
  launch.name = (*fields)[table.name_column];
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const Column& column = table.columns[index];
    const std::string& text = (*fields)[index];
    const bool is_absent = text.empty() || text == "n/a" || text == "nan" || text == "no data";
    if (column.metric == nullptr || is_absent || launch.values.contains(column.metric->id)) {
      continue;
    }
    Result<double> value = csv_number(text, table.header[index]);
    if (!value.has_value()) {
      return unreadable_table(fmt::format("row {}: {}", number, value.error().message));
    }
    launch.values[column.metric->id] = *value * column.factor;
  }
  return launch;
}

// What is told of it on one line, without what surrounds it.
std::string trimmed(std::string_view line) {
  const size_t end = line.find_last_not_of(" \r\t");
  return std::string(line.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

Unexpected refused(const std::string& sentence) {
  const bool is_permission = sentence.find("ERR_NVGPUCTRPERM") != std::string::npos;
  return failure(ErrorCode::kEnvironment, "ncu did not profile: " + sentence, "",
                 is_permission
                     ? "as root: modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0; in a container: give it "
                       "SYS_ADMIN"
                     : "");
}

struct Sorted {
  std::vector<std::string> rows;  // from the header on
  std::string error;              // ncu's first
  size_t profiled = 0;            // launches that ncu says it has profiled
};

Sorted sort_lines(std::string_view text) {
  Sorted sorted;
  std::istringstream lines{std::string(text)};
  for (std::string raw; std::getline(lines, raw);) {
    const std::string line = trimmed(raw);
    if (line.starts_with(kError)) {
      sorted.error = sorted.error.empty() ? line.substr(kError.size()) : sorted.error;
    } else if (line.starts_with(kProfiling)) {
      ++sorted.profiled;
    } else if (line.starts_with(kOwnLine) || line.empty()) {
      continue;
    } else if (!sorted.rows.empty() || line.starts_with("\"ID\",") || line.starts_with("ID,")) {
      sorted.rows.push_back(line);  // what comes before the header is the program's own
    }
  }
  return sorted;
}

std::vector<std::string> absent_of(const std::vector<NcuLaunch>& launches) {
  std::vector<std::string> absent;
  for (const Metric& metric : all_metrics()) {
    const bool is_there = std::any_of(launches.begin(), launches.end(),
                                      [&](const NcuLaunch& launch) { return launch.values.contains(metric.id); });
    if (metric.is_told && !is_there) {
      absent.push_back(metric.id);
    }
  }
  return absent;
}

std::optional<double> value_of(const NcuLaunch& launch, const char* id) {
  const auto found = launch.values.find(id);
  return found == launch.values.end() ? std::nullopt : std::optional(found->second);
}

// Nothing where none of them is known.
std::optional<double> sum_of(const NcuLaunch& launch, std::initializer_list<std::pair<const char*, double>> terms) {
  std::optional<double> sum;
  for (const auto& [id, factor] : terms) {
    if (const std::optional<double> value = value_of(launch, id)) {
      sum = sum.value_or(0) + factor * *value;
    }
  }
  return sum;
}

std::optional<double> share_of(const NcuLaunch& launch, std::initializer_list<const char*> ids) {
  std::optional<double> greatest;
  for (const char* id : ids) {
    if (const std::optional<double> percent = value_of(launch, id)) {
      greatest = std::max(greatest.value_or(0), *percent / 100);
    }
  }
  return greatest;
}

Kernel kernel_of(const NcuLaunch& launch) {
  Kernel kernel;
  kernel.name = launch.name;
  kernel.launches = 1;
  if (const std::optional<double> duration = value_of(launch, "duration")) {
    kernel.time_us = *duration * 1e-3;
  }
  kernel.bytes = sum_of(launch, {{"dram_read", 1}, {"dram_written", 1}});
  kernel.flops = sum_of(launch, {{"fp32_additions", 1}, {"fp32_products", 1}, {"fp32_fused", 2}});
  kernel.tensor_flops = sum_of(launch, {{"tensor_fp16_fp16", 1},
                                        {"tensor_fp16_fp32", 1},
                                        {"tensor_bf16_fp32", 1},
                                        {"tensor_tf32_fp32", 1},
                                        {"group_fp16", 1},
                                        {"group_bf16", 1},
                                        {"group_tf32", 1}});
  kernel.memory_share = share_of(launch, {"dram_throughput", "dram_of_device"});
  kernel.compute_share = share_of(launch, {"fp32_pipe", "tensor_pipe", "sm_throughput"});
  kernel.shape = {value_of(launch, "grid_blocks"),   value_of(launch, "block_threads"),  value_of(launch, "registers"),
                  value_of(launch, "static_shared"), value_of(launch, "dynamic_shared"), std::nullopt};
  for (const Metric& metric : all_metrics()) {
    if (const std::optional<double> value = value_of(launch, metric.id.c_str()); metric.is_told && value.has_value()) {
      kernel.metrics[metric.id] = *value;
    }
  }
  return kernel;
}

}  // namespace

Result<NcuReading> read_ncu(std::string_view text) {
  const Sorted sorted = sort_lines(text);
  if (!sorted.error.empty()) {
    return refused(sorted.error);
  }
  if (sorted.rows.empty()) {
    return text.find("No kernels were profiled") != std::string_view::npos
               ? refused("no kernel ran")
               : unreadable_table("there is no table in it");
  }
  if (sorted.rows.size() < 3) {
    return unreadable_table("its table has no row: it was cut");
  }
  STITCH_ASSIGN(const Table table, read_header(sorted.rows[0], sorted.rows[1]));
  NcuReading reading;
  for (size_t index = 2; index < sorted.rows.size() && index < kMaxLaunches; ++index) {
    STITCH_ASSIGN(NcuLaunch launch, read_row(table, sorted.rows[index], index - 1));
    reading.launches.push_back(std::move(launch));
  }
  if (sorted.profiled > 0 && sorted.profiled != reading.launches.size()) {
    return unreadable_table(fmt::format("ncu profiled {} launches and its table has {}: it was cut", sorted.profiled,
                                        reading.launches.size()));
  }
  reading.absent = absent_of(reading.launches);
  return reading;
}

Result<Measurement> measurement_of(const NcuReading& reading, int calls) {
  const size_t count = reading.launches.size();
  if (calls < 1 || count % static_cast<size_t>(calls) != 0) {
    return unreadable_table(fmt::format("{} launches are not those of {} equal calls", count, calls));
  }
  Measurement measured;
  measured.rung = RungKind::kNcu;
  std::vector<Kernel> last;  // call: the others have warmed nothing, since ncu empties the caches before each launch
  for (size_t index = count - count / static_cast<size_t>(calls); index < count; ++index) {
    last.push_back(kernel_of(reading.launches[index]));
  }
  measured.kernels = std::move(last);
  if (!reading.absent.empty()) {
    std::string names;
    for (const std::string& id : reading.absent) {
      names += (names.empty() ? "" : ", ") + id;
    }
    measured.notes.push_back("not on this chip or in this release: " + names);
  }
  return measured;
}

std::vector<std::string> read_ncu_metric_names(std::string_view text) {
  std::vector<std::string> names;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find_first_of(" \t\r"));
    if (name.find("__") != std::string::npos) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace stitch::profile
