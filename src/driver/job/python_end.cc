// SPDX-License-Identifier: Apache-2.0
#include "driver/job/python_end.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <filesystem>

namespace stitch::driver {
namespace {

// CHANNEL_CLOSED_STATUS of stitchcuda_python/channel.py.
constexpr int kChannelClosedStatus = 97;

// Python's fault handler leaves its frames on standard error, the innermost first: `  File "PATH", line 3 in NAME`.
// "PATH:3" of the first one in `file`, else `file` alone.
std::string location_in(const std::string& file, const std::string& said) {
  const std::string mark = fmt::format("File \"{}\", line ", file);
  const size_t found = said.find(mark);
  if (found == std::string::npos) {
    return file;
  }
  const size_t digits = found + mark.size();
  return fmt::format("{}:{}", file, said.substr(digits, said.find_first_not_of("0123456789", digits) - digits));
}

}  // namespace

Error explain_end(const JsonChannel::End& end, const std::string& file, double seconds) {
  const std::string name = std::filesystem::path(file).filename().string();
  const std::string location = location_in(file, end.said);
  if (end.was_late) {
    return {ErrorCode::kTimeout, fmt::format("{} did not end within {:g} s", name, seconds), location,
            "make the program smaller, look for a loop without an end, or allow more time with --import-timeout"};
  }
  if (end.exit.timed_out || (end.exit.signal == 0 && end.exit.exit_code == kChannelClosedStatus)) {
    return {ErrorCode::kProgramInvalid,
            fmt::format("{} closed the connection of the Python process that runs it", name), location,
            "remove the call that closes every file descriptor"};
  }
  if (end.exit.signal == SIGKILL) {
    return {ErrorCode::kEnvironment, fmt::format("the Python process was killed while it ran {}", name), location,
            "check that the machine has enough free memory"};
  }
  if (end.exit.signal != 0) {
    return {ErrorCode::kProgramInvalid,
            fmt::format("{} crashed the Python process that runs it ({})", name, ::strsignal(end.exit.signal)),
            location, fmt::format("check that it runs in plain PyTorch: python {}", name)};
  }
  return {ErrorCode::kProgramInvalid,
          fmt::format("{} ended the Python process that runs it, with status {}", name, end.exit.exit_code), location,
          "remove the call that exits"};
}

}  // namespace stitch::driver
