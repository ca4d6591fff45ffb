// SPDX-License-Identifier: Apache-2.0
// What the user sees: progress lines on stderr, one result on stdout, errors as sentences.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "base/error/error.h"
#include "base/json/json_forward.h"

namespace stitch::cli {

class Reporter {
 public:
  Reporter(bool json, bool quiet) : json_(json), quiet_(quiet), started_(std::chrono::steady_clock::now()) {}

  // "  plan      7 steps from 41 operators  (3.1 s)" on stderr; safe from any thread. Of lines of one stage that come
  // thicker than one a second, the rest are left out.
  void progress(const std::string& stage, const std::string& sentence);
  // Prints the result: the object with --json, else `text`.
  void result(const Json& object, const std::string& text);
  // Prints the error: inside `object` (which may already name the task) with --json, always as a sentence on stderr.
  void error(const Error& error, Json object);

  // Told of every progress line, also of those that are not printed; from the thread that says it. Set once.
  void listen(std::function<void(const std::string& stage, const std::string& sentence)> listener);

  double elapsed_seconds() const;

 private:
  bool json_;
  bool quiet_;
  std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  std::string last_stage_;
  double last_progress_seconds_ = 0;
  std::function<void(const std::string&, const std::string&)> listener_;
};

// "What happened (where). What to do."
std::string error_text(const Error& error);

// {"code", "sentence", "place", "remedy"}
Json to_json(const Error& error);

}  // namespace stitch::cli
