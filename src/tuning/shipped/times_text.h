// SPDX-License-Identifier: Apache-2.0
// Measured times as text: what databases of several machines of one kind become, and what is shipped. docs/formats.md
// has the form. The same times always print the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuning/database/database.h"

namespace stitch::tuning {

struct KnownSetting {
  kernels::Setting setting;
  Measurement measurement;
};

struct KnownStep {
  std::string device;  // as its driver calls it: "NVIDIA H200"
  std::string math;
  std::string skeleton;          // "program" of a whole one
  std::string family;            // "-" where it is not known: of use for steps of its own signature alone
  std::string signature;         // its first kSignatureDigits
  double modelled_us = 0;        // 0 where it is not known
  std::vector<int64_t> extents;  // as StepRecord has them
  std::vector<KnownSetting> settings;
};

constexpr size_t kSignatureDigits = 24;
constexpr const char* kTimesSchema = "stitchcuda.times/1";

// Whether a driver's name of a device is of a kind that plans are made for: "NVIDIA H100 80GB HBM3" is an "H100".
bool is_of_kind(std::string_view device, std::string_view kind);
// Whether a file with this beginning is such a text.
bool is_times_text(std::string_view beginning);
std::string to_text(const std::vector<KnownStep>& steps);
// kFileInvalid, with the line, for what is no such text.
Result<std::vector<KnownStep>> parse_times(std::string_view text, const std::string& file);

}  // namespace stitch::tuning
