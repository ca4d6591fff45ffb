// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/session.h"

#include <map>

#include "base/json/json.h"

namespace stitch::cli {
namespace {

struct Told {
  const char* stage;
  const char* sentence;
};

// What the user waits for while the Python process works.
Told told_as(const std::string& verb) {
  static const std::map<std::string, Told> known = {
      {"import", {"import", "PyTorch exports the program"}},
      {"batch_axis", {"batch", "PyTorch looks for the batch of the inputs"}},
      {"small_scale", {"shapes", "PyTorch looks for sizes that are quick to verify"}},
      {"hidden_shapes", {"shapes", "PyTorch looks for other sizes to verify"}},
      {"oracle.open", {"oracle", "PyTorch makes the module for its references"}},
      {"oracle.draw", {"oracle", "PyTorch computes the references of the next draw"}},
      {"forms", {"forms", "PyTorch reads the program's own source"}},
      {"weights", {"weights", "PyTorch saves the weights"}},
  };
  const auto found = known.find(verb);
  return found == known.end() ? Told{"python", "PyTorch is at work"} : found->second;
}

}  // namespace

Result<JsonChannel*> Session::python() {
  if (!python_.has_value()) {
    STITCH_ASSIGN(TemporaryDirectory temporary, TemporaryDirectory::make("stitchcuda-python"));
    python_temporary_.emplace(std::move(temporary));
    ChildOptions options;
    options.arguments = {resources_.python.string(), "-m", "stitchcuda_python.server"};
    options.environment = {{"PYTHONPATH", resources_.python_path().string()},
                           {"PYTHONDONTWRITEBYTECODE", "1"},
                           {"TMPDIR", python_temporary_->path().string()}};
    STITCH_ASSIGN(JsonChannel channel, JsonChannel::start(std::move(options)));
    python_.emplace(std::move(channel));
  }
  return &*python_;
}

Result<Json> Session::ask(const std::string& verb, const Json& arguments, int64_t timeout_ms) {
  const auto [stage, sentence] = told_as(verb);
  Reporter::Wait wait = reporter_.wait(stage, sentence);
  STITCH_ASSIGN(JsonChannel * channel, python());
  return channel->request(verb, arguments, timeout_ms, [&](const std::string& said) { wait.say(said); });
}

}  // namespace stitch::cli
