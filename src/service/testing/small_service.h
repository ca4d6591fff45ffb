// SPDX-License-Identifier: Apache-2.0
// A service in a folder of its own, whose workers run candidates that are scripts in the place of a verb: what a
// candidate's text says is what the verb prints.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "service/routes/routes.h"
#include "service/run/local_workers.h"

namespace stitch::service {

// Right, and marked with 16 of 20; leaves a line in `executions` each time that it is judged.
extern const char* const kRightCandidate;
std::string candidate_of(const std::string& kind);  // its verdict's

class SmallService {
 public:
  SmallService();
  ~SmallService();

  void start(const std::function<void(EvaluationsOptions&)>& change = {});
  void stop();
  void start_workers(int count = 1);
  void stop_workers() { workers_.reset(); }

  struct Answer {
    int status = 0;
    Json json;
    std::string body;
    std::map<std::string, std::string> headers;
  };
  Answer ask(const std::string& method, const std::string& target, const std::string& body = "",
             const std::string& token = kToken);
  Answer post(const Json& request, const std::string& wait = "20");
  int executions() const;
  const std::filesystem::path& folder() const { return folder_.path(); }
  Evaluations& evaluations() { return *evaluations_; }

  static Json request(const std::string& request_id, const std::string& code);
  static constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

 private:
  TemporaryDirectory folder_;
  TaskList tasks_;
  EvaluationsOptions options_;
  RouteOptions route_options_;
  std::unique_ptr<Evaluations> evaluations_;
  std::unique_ptr<Routes> routes_;
  std::unique_ptr<LocalWorkers> workers_;
  Stop stop_;
};

}  // namespace stitch::service
