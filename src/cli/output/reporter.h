// SPDX-License-Identifier: Apache-2.0
// What the user sees: progress on stderr, one result on stdout, errors as sentences. On a terminal, what is waited for
// is drawn again in place (live_display.h); elsewhere progress is plain lines.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/error/error.h"
#include "base/json/json_forward.h"
#include "cli/output/live_display.h"
#include "cli/output/style.h"

namespace stitch::cli {

class Reporter {
 public:
  Reporter(bool json, bool quiet, ColorChoice color = ColorChoice::kAuto);

  // Something under way, until it goes out of scope.
  class Wait {
   public:
    Wait(Wait&& other) noexcept;
    Wait& operator=(Wait&&) = delete;
    ~Wait();
    // How far it is: the line on a terminal, a line more elsewhere, of which those that come thicker than one a second
    // are left out.
    void say(const std::string& sentence);
    // What it waits for now: on a terminal alone.
    void hint(const std::string& sentence);

   private:
    friend Reporter;
    Wait(Reporter* reporter, std::string stage, int id) : reporter_(reporter), stage_(std::move(stage)), id_(id) {}
    Reporter* reporter_;
    std::string stage_;
    int id_;
  };
  Wait wait(const std::string& stage, const std::string& sentence);

  // A fact that stays: "  plan      7 steps from 41 operators  (3.1 s)". All from any thread.
  void progress(const std::string& stage, const std::string& sentence);
  // Prints the result: the object with --json, else `text`. No progress is shown after it.
  void result(const Json& object, const std::string& text);
  // Prints the error: inside `object` (which may already name the task) with --json, always as a sentence on stderr.
  void error(const Error& error, Json object);
  // From here on nothing is printed but the last word of the one who calls this.
  void hush();
  void last_word(const Error& error, Json object);

  // Told of everything that is said, also of what is not printed; from the thread that says it. Set once.
  void listen(std::function<void(const std::string& stage, const std::string& sentence)> listener);

  double elapsed_seconds() const;

 private:
  void line(const std::string& stage, const std::string& sentence);
  void print_error(const Error& error, Json object);
  void tell(const std::string& stage, const std::string& sentence);

  bool json_;
  bool quiet_;
  Style style_;
  std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  bool hushed_ = false;
  std::string last_stage_;
  double last_progress_seconds_ = 0;
  std::function<void(const std::string&, const std::string&)> listener_;
  std::unique_ptr<LiveDisplay> live_;  // on a terminal
};

// "What happened (where). What to do."
std::string error_text(const Error& error);
// {"code", "sentence", "place", "remedy"}
Json to_json(const Error& error);

}  // namespace stitch::cli
