// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/session.h"

#include "base/json/json.h"

namespace stitch::cli {

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
  STITCH_ASSIGN(JsonChannel * channel, python());
  return channel->request(verb, arguments, timeout_ms,
                          [&](const std::string& sentence) { reporter_.progress(verb, sentence); });
}

}  // namespace stitch::cli
