// SPDX-License-Identifier: Apache-2.0
// What profilers print, canned, and what is read from it: figures, or a sentence for what is cut or damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/fs/files.h"
#include "base/testing/case_file.h"
#include "profile/ladder/ladder.h"
#include "profile/reading/activity.h"
#include "profile/reading/machine_code.h"
#include "profile/reading/ncu.h"
#include "profile/reading/nsys.h"

namespace stitch::profile {
namespace {

std::string told(const std::optional<double>& value) { return value.has_value() ? fmt::format("{:.6g}", *value) : "-"; }

std::string told(const LaunchShape& shape) {
  return fmt::format("{} blocks of {} threads, {} registers, shared {} + {}, local {}", told(shape.blocks),
                     told(shape.block_threads), told(shape.registers), told(shape.static_shared),
                     told(shape.dynamic_shared), told(shape.local_bytes));
}

std::string told(const Measurement& measured) {
  const Result<void> checked = check_measurement(measured, measured.rung);
  std::string text = checked.has_value() ? "" : "not accepted: " + checked.error().message + "\n";
  for (const Kernel& kernel : measured.kernels) {
    text += fmt::format("{}: {} us, {} bytes, {} + {} flops, memory {}, compute {}; {}\n", kernel.name,
                        told(kernel.time_us), told(kernel.bytes), told(kernel.flops), told(kernel.tensor_flops),
                        told(kernel.memory_share), told(kernel.compute_share), told(kernel.shape));
  }
  if (measured.system.has_value()) {
    const SystemFigures& system = *measured.system;
    text += fmt::format("a call: {:.6g} us, busy {:.6g}, host {:.6g}, {:.6g} launches, {:.6g} waits\n", system.wall_us,
                        system.busy_us, system.host_us, system.launches, system.waits);
    for (const Copies& copies : system.copies) {
      text += fmt::format("{}: {:.6g} of {:.6g} bytes, {:.6g} us\n", copies.kind, copies.count, copies.bytes,
                          copies.time_us);
    }
  }
  for (const std::string& note : measured.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

std::string refused(const Error& error) { return "refused: " + error.message + "\n"; }

std::string ncu(const std::string& text) {
  const Result<NcuReading> reading = read_ncu(text);
  if (!reading.has_value()) {
    return refused(reading.error());
  }
  const Result<Measurement> measured = measurement_of(*reading, 1);
  return measured.has_value() ? told(*measured) : refused(measured.error());
}

constexpr ReplayMarks kMarks = {1000, 1001, 2};

std::string timeline(Result<std::vector<Record>> records, RungKind rung) {
  if (!records.has_value()) {
    return refused(records.error());
  }
  const Result<Measurement> measured = measurement_of(std::move(*records), kMarks, rung);
  return measured.has_value() ? told(*measured) : refused(measured.error());
}

// SQL into a file, as nsys would have exported it; "cut N" as the first line leaves N bytes of it.
std::string nsys(const std::string& text) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("stitchcuda-test");
  const std::filesystem::path file = folder->path() / "report.sqlite";
  const bool is_cut = text.starts_with("cut ");
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  const std::string sql = is_cut ? text.substr(text.find('\n')) : text;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
  if (is_cut) {
    std::filesystem::resize_file(file, std::stoul(text.substr(4)));
  }
  return timeline(read_nsys(file), RungKind::kNsys);
}

// What -res-usage printed; a line "----" and what -sass printed.
std::string code(const std::string& text) {
  const size_t parted = text.find("----\n");
  Result<std::vector<CodeOfKernel>> kernels = read_resource_usage(text.substr(0, parted));
  if (!kernels.has_value()) {
    return refused(kernels.error());
  }
  const Result<void> read = read_opcodes(parted == std::string::npos ? "" : text.substr(parted + 5), *kernels);
  std::string said = read.has_value() ? "" : refused(read.error());
  for (const CodeOfKernel& kernel : *kernels) {
    said += fmt::format("{} on {}: {}", readable_name(kernel.name), kernel.architecture, told(kernel.shape));
    for (const auto& [family, count] : kernel.opcodes) {
      said += fmt::format(", {} {}", count, family);
    }
    said += "\n";
  }
  return said;
}

class ReadingCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ReadingCase, IsReadAsExpected) {
  const std::string differences = testing::differences(GetParam(), [](const testing::CaseFile& file) -> std::string {
    if (file.run == "ncu") {
      return ncu(file.input);
    }
    if (file.run == "activity") {
      return timeline(read_activity(file.input), RungKind::kCupti);
    }
    if (file.run == "nsys") {
      return nsys(file.input);
    }
    return file.run == "code" ? code(file.input) : "there is no such reader: " + file.run;
  });
  EXPECT_EQ(differences, "");
}

INSTANTIATE_TEST_SUITE_P(Reading, ReadingCase, ::testing::ValuesIn(testing::case_files("src/profile/testdata")),
                         [](const auto& info) {
                           return info.param.parent_path().filename().string() + "_" + info.param.stem().string();
                         });

// Whatever part of a file is left, no reader crashes, and none takes less than all of it for all.
TEST(Reading, ActivityThatIsCutAnywhereIsRefused) {
  const std::string whole =
      "stitchcuda.activity/1 130001\ncopy 10 20 1 1000 device to device\nkernel 30 50 2 64 256 40 0 1024 0 _Z1kPf\n"
      "call 25 26 2 cudaLaunchKernel_v7000\nwait 50 60 3\nend 4\n";
  EXPECT_TRUE(read_activity(whole).has_value());
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_activity(whole.substr(0, length)).has_value()) << length;
  }
}

}  // namespace
}  // namespace stitch::profile
