// SPDX-License-Identifier: Apache-2.0
// What the user sees: progress on stderr, one result on stdout, errors as sentences. On a terminal, what is waited for
// is drawn again in place (live_display.h); elsewhere progress is plain lines.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/error/error.h"
#include "base/json/json_forward.h"
#include "cli/output/live_display.h"
#include "cli/output/style.h"
#include "driver/job/progress.h"

namespace stitch::cli {

class Reporter final : public driver::Progress {
 public:
  Reporter(bool json, bool quiet, ColorChoice color = ColorChoice::kAuto);

  // All from any thread. Where nothing is drawn again, how far it is makes a line more, unless a line of its stage came
  // within a second; a fact always does, and hints are for a terminal alone.
  void fact(const std::string& stage, const std::string& message) override;
  void built(DeviceKind device, size_t done, size_t total) override;
  void installed() override;

  // Prints the result: the object with --json, else `text`. No progress is shown after it.
  void result(const Json& object, const std::string& text);
  // Prints the error: inside `object` (which may already name the task) with --json, always as a sentence on stderr.
  void error(const Error& error, Json object);
  // From here on nothing is printed but the last word of the one who calls this.
  void hush();
  void last_word(const Error& error, Json object);

  // Told of everything that is said, also of what is not printed; from the thread that says it.
  struct Listener {
    std::function<void(const std::string& stage, const std::string& message)> said;
    std::function<void(DeviceKind device, size_t done, size_t total)> built;
    std::function<void()> installed;
  };
  // Once.
  void listen(Listener listener);

  double elapsed_seconds() const;

 private:
  int begin(const std::string& stage, const std::string& message) override;
  void say(int id, const std::string& stage, const std::string& message) override;
  void hint(int id, const std::string& stage, const std::string& message) override;
  void end(int id) override;

  void line_of_progress(const std::string& stage, const std::string& message);
  void print_line(const std::string& stage, const std::string& message);  // mutex_ is held
  void print_error(const Error& error, Json object);
  void tell(const std::string& stage, const std::string& message);

  bool json_;
  bool quiet_;
  Style style_;
  std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  bool hushed_ = false;
  std::string last_stage_;
  double last_line_seconds_ = 0;
  std::optional<Listener> listener_;
  std::unique_ptr<LiveDisplay> live_;  // on a terminal
};

// "What happened (where). What to do."
std::string error_text(const Error& error);
// {"code", "sentence", "place", "remedy"}
Json to_json(const Error& error);

}  // namespace stitch::cli
