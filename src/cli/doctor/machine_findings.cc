// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "base/fs/files.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "cli/doctor/probe.h"
#include "cli/options/byte_size.h"
#include "cli/options/keep_limits.h"
#include "runs/store/run_store.h"

namespace stitch::cli::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMachineGroup = "This machine";
constexpr double kGigabyte = 1024.0 * 1024 * 1024;
constexpr double kMinDiskBytes = 2 * kGigabyte;    // objects of a few large programs
constexpr double kMinSharedBytes = 1 * kGigabyte;  // a draw of a large program, with its references
constexpr double kMinMemoryBytes = 3 * kGigabyte;  // PyTorch and two compilers at once

std::string gigabytes(double bytes) {
  return bytes < kGigabyte ? fmt::format("{:.0f} MB", bytes / kGigabyte * 1024)
                           : fmt::format("{:.1f} GB", bytes / kGigabyte);
}

// What a user without privileges may still write there.
std::optional<double> free_bytes(const fs::path& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
}

// The bytes of all files below; what two seconds do not suffice for is left out, and said.
std::string size_of(const fs::path& folder) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  double bytes = 0;
  std::error_code ignored;
  for (auto entry = fs::recursive_directory_iterator(folder, ignored); entry != fs::recursive_directory_iterator();
       entry.increment(ignored)) {
    if (std::chrono::steady_clock::now() > deadline) {
      return "more than " + gigabytes(bytes);
    }
    if (entry->is_regular_file(ignored)) {
      bytes += static_cast<double>(entry->file_size(ignored));
    }
  }
  return gigabytes(bytes);
}

Finding cache(const Examination& examination) {
  const fs::path& folder = examination.tools.cache;
  if (folder.empty()) {
    return {kMachineGroup,
            "cache",
            State::kMissing,
            "no folder for it can be written to",
            "Nothing can be built: objects are compiled into it.",
            "export STITCHCUDA_CACHE=FOLDER   (one that you may write to)"};
  }
  const std::optional<double> free = free_bytes(folder);
  Finding finding = {
      kMachineGroup, "cache", State::kHere, fmt::format("{}, {}", folder.string(), size_of(folder)), "", ""};
  if (free.has_value()) {
    finding.what += fmt::format(", {} free", gigabytes(*free));
  }
  if (free.has_value() && *free < kMinDiskBytes) {
    finding.state = State::kWarning;
    finding.cost =
        fmt::format("Builds of large programs may fail: {} or more should be free.", gigabytes(kMinDiskBytes));
    finding.mend = "export STITCHCUDA_CACHE=FOLDER   (one on a larger disk)";
  }
  return finding;
}

Finding shared_memory() {
  const std::optional<double> free = free_bytes("/dev/shm");
  if (!free.has_value()) {
    return {kMachineGroup,
            "/dev/shm",
            State::kAbsent,
            "not there",
            "Inputs and references of a verdict go through temporary files on a disk, which is slower.",
            ""};
  }
  if (*free < kMinSharedBytes) {
    const std::string as_root = ::geteuid() == 0 ? "" : "sudo ";
    return {kMachineGroup,
            "/dev/shm",
            State::kWarning,
            gigabytes(*free) + " free",
            "Inputs and references of a large program do not fit, and its verdict fails. In a container, start it with "
            "--shm-size=2g.",
            as_root + "mount -o remount,size=2g /dev/shm"};
  }
  return {kMachineGroup, "/dev/shm", State::kHere, gigabytes(*free) + " free", "", ""};
}

// The smallest of the machine's memory and the limits of the control groups that this process is in.
double usable_memory() {
  double bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const Result<std::string> text = read_file(file); text.has_value()) {
      const double limit = std::atof(text->c_str());  // "max": none
      bytes = limit > 0 && limit < bytes ? limit : bytes;
    }
  }
  return bytes;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

Finding memory() {
  const double bytes = usable_memory();
  Finding finding = {kMachineGroup,
                     "memory, cores",
                     State::kHere,
                     fmt::format("{}, {} core{}", gigabytes(bytes), usable_cores(), usable_cores() == 1 ? "" : "s"),
                     "",
                     ""};
  if (bytes < kMinMemoryBytes) {
    finding.state = State::kWarning;
    finding.cost = fmt::format("PyTorch and the compilers want {} or more; large programs may be killed.",
                               gigabytes(kMinMemoryBytes));
  }
  return finding;
}

Finding records() {
  constexpr const char* kCost = "Runs leave no record: 'stitchcuda runs' will not know of them.";
  constexpr const char* kMend = "export STITCHCUDA_STATE=FOLDER   (one that you may write to)";
  const Result<fs::path> folder = runs::state_folder();
  if (!folder.has_value()) {
    return {kMachineGroup, "records of runs", State::kAbsent, folder.error().message, kCost, kMend};
  }
  // It is made by the first run: until then its nearest parent must be writable.
  fs::path there = *folder;
  std::error_code ignored;
  while (!fs::exists(there, ignored) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!fs::is_directory(there, ignored) || ::access(there.c_str(), W_OK) != 0) {
    return {kMachineGroup, "records of runs", State::kAbsent, folder->string() + " cannot be written to", kCost, kMend};
  }
  const Result<runs::KeepLimits> limits = asked_keep_limits();
  if (!limits.has_value()) {
    return {kMachineGroup,
            "records of runs",
            State::kWarning,
            limits.error().message,
            "No older record is thrown away.",
            limits.error().remedy + "."};
  }
  const Result<runs::IndexTotals> totals = runs::RunStore(*folder).totals();
  const bool has_runs = totals.has_value() && totals->runs > 0;
  const std::string held =
      has_runs ? fmt::format(", {} runs, {}", totals->runs, bytes_text(static_cast<uint64_t>(totals->bytes))) : "";
  return {kMachineGroup, "records of runs", State::kHere, folder->string() + held, "", ""};
}

}  // namespace

std::vector<Finding> machine_findings(const Examination& examination) {
  return {memory(), cache(examination), shared_memory(), records()};
}

}  // namespace stitch::cli::doctor
