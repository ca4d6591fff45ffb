// SPDX-License-Identifier: Apache-2.0
// Measured times of steps, kept from run to run in one SQLite file. A time holds for a device, a toolchain, a math mode
// and a step's signature (plan::step_signature) with one setting. Several processes may use the file at once.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "kernels/template/kernel_template.h"
#include "tuning/database/step_record.h"

struct sqlite3;

namespace stitch::tuning {

// What all steps of a program share.
struct Context {
  std::string device;     // as its driver calls it: "NVIDIA H200"
  std::string toolchain;  // what compiled the kernels
  std::string math;       // "fp32", "tf32"...
};

struct Measurement {
  double median_us = 0;  // infinity: the setting does not work there
  double spread = 0;     // median distance from the median, as a part of it
};

// A time with all that is known of what was timed.
struct KnownTime {
  Context context;
  std::string signature;
  kernels::Setting setting;
  Measurement measurement;
  std::optional<StepRecord> record;  // nothing of a whole program, and of steps that an older version has timed
};

class TuningDatabase {
 public:
  // Makes the file, and its table, when they are not there. kEnvironment when it cannot be written, kFileInvalid when
  // it is no database of ours.
  static Result<TuningDatabase> open(const std::filesystem::path& file);
  TuningDatabase(TuningDatabase&&) noexcept = default;
  TuningDatabase& operator=(TuningDatabase&&) noexcept = default;

  Result<std::optional<Measurement>> find(const Context& context, const std::string& signature,
                                          const kernels::Setting& setting) const;
  // Replaces what was known.
  Result<void> store(const Context& context, const std::string& signature, const kernels::Setting& setting,
                     const Measurement& measurement);
  // What a signature stands for. Nothing happens where that is known.
  Result<void> describe(const std::string& signature, const StepRecord& record);
  Result<int64_t> size() const;
  // All times, in the order of their keys.
  Result<std::vector<KnownTime>> all() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  TuningDatabase(std::unique_ptr<sqlite3, Close> database, std::string file)
      : database_(std::move(database)), file_(std::move(file)) {}

  std::unique_ptr<sqlite3, Close> database_;
  std::string file_;
};

}  // namespace stitch::tuning
