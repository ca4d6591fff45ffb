// SPDX-License-Identifier: Apache-2.0
#include "driver/job/job.h"

#include <map>

#include "base/json/json.h"
#include "driver/job/forked_python.h"
#include "driver/job/python_end.h"

namespace stitch::driver {
namespace {

struct Told {
  const char* stage;
  const char* message;
};

// What the user waits for while the Python process works.
Told told_as(const std::string& verb) {
  static const std::map<std::string, Told> known = {
      {"ahead", {"import", "PyTorch is loaded"}},
      {"import", {"import", "PyTorch exports the program"}},
      {"batch_axis", {"batch", "PyTorch looks for the batch of the inputs"}},
      {"small_scale", {"shapes", "PyTorch looks for sizes that are quick to verify"}},
      {"hidden_shapes", {"shapes", "PyTorch looks for other sizes to verify"}},
      {"oracle.open", {"oracle", "PyTorch makes the module for its references"}},
      {"oracle.draw", {"oracle", "PyTorch computes the references of the next draw"}},
      {"oracle.given", {"oracle", "PyTorch computes the references of contents that were mixed"}},
      {"forms", {"forms", "PyTorch reads the program's own source"}},
      {"weights", {"weights", "PyTorch saves the weights"}},
  };
  const auto found = known.find(verb);
  return found == known.end() ? Told{"python", "PyTorch is at work"} : found->second;
}

}  // namespace

Result<JsonChannel*> Job::python() {
  if (!python_.has_value()) {
    STITCH_ASSIGN(TemporaryDirectory temporary, TemporaryDirectory::make("stitchcuda-python"));
    python_temporary_.emplace(std::move(temporary));
    if (take_forked_python()) {
      return &*python_;
    }
    ChildOptions options = python_options(resources_, "server");
    options.environment.emplace_back("TMPDIR", python_temporary_->path().string());
    STITCH_ASSIGN(JsonChannel channel, JsonChannel::start(std::move(options)));
    python_.emplace(std::move(channel));
  }
  return &*python_;
}

// False where there is none, or it does not answer: then one is started.
bool Job::take_forked_python() {
  constexpr int64_t kTimeoutMs = 30'000;
  python_ = resources_.forked_python == nullptr ? std::nullopt : resources_.forked_python->take();
  if (python_.has_value() &&
      !python_->request("settle", {{"temporary", python_temporary_->path().string()}}, kTimeoutMs).has_value()) {
    python_.reset();
  }
  return python_.has_value();
}

double Job::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

Result<Json> Job::ask(const std::string& verb, const Json& arguments, int64_t timeout_ms) {
  const auto [stage, message] = told_as(verb);
  Progress::Wait wait = progress_.wait(stage, message);
  STITCH_ASSIGN(JsonChannel * channel, python());
  if (arguments.contains("file") && arguments["file"].is_string()) {
    python_program_ = arguments["file"].get<std::string>();
  }
  Result<Json> answer = channel->request(verb, arguments, timeout_ms, [&](const std::string& said) { wait.say(said); });
  // A Python process that ended before it looked into a request is the environment's fault, later the program's.
  if (!answer.has_value() && channel->end().has_value() && channel->end()->had_begun && !python_program_.empty()) {
    return failure(explain_end(*channel->end(), python_program_, static_cast<double>(timeout_ms) / 1000));
  }
  return answer;
}

}  // namespace stitch::driver
