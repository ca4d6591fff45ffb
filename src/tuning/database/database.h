// SPDX-License-Identifier: Apache-2.0
// Measured times of steps, kept from run to run in one SQLite file. A time holds for a device, a toolchain, a math mode
// and a step's signature (plan::step_signature) with one setting. Several processes may use the file at once.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "kernels/template/kernel_template.h"

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
  Result<int64_t> size() const;

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
