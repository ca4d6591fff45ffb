// SPDX-License-Identifier: Apache-2.0
#include "train/serve/serve_model.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

#include "base/fs/state_folder.h"
#include "base/hash/sha256.h"
#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "completions/routes/routes.h"
#include "http/server/access.h"
#include "http/server/serve.h"
#include "train/serve/serve_settings.h"
#include "train/serve/torch_engine.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListenRemedy = "say --listen 8941, or --listen 0.0.0.0:8941 where other machines may ask";
constexpr const char* kCanary = "Write a CUDA kernel that adds two vectors.";

// Wished for by signals, which may come as long as the process lives.
Stop& serve_stop() {
  static Stop stop;
  return stop;
}

// One processor is the server's own, and whoever asks has work to do as well where there are many.
int threads_here() {
  constexpr unsigned kMost = 16;
  const unsigned processors = std::max(std::thread::hardware_concurrency(), 2U);
  return static_cast<int>(std::min(processors - 1, kMost));
}

// Weights are not hashed, which takes minutes for large ones: where they came from and what sizes they have.
std::string fingerprint_of(const std::string& path, const weights::ModelConfig& sizes) {
  constexpr size_t kDigits = 16;
  std::error_code ignored;
  const fs::path file = path;
  const std::string size = fs::is_regular_file(file, ignored) ? std::to_string(fs::file_size(file, ignored)) : "";
  return sha256_hex(file.filename().string() + " " + size + " " + weights::to_json(sizes).dump()).substr(0, kDigits);
}

Result<std::string> token_of(const ServeSettings& settings, std::string& place) {
  fs::path file = settings.base / settings.token_file;
  if (settings.token_file.empty()) {
    STITCH_ASSIGN(const fs::path state, state_folder());
    file = state / "serve-model-token";
  }
  place = file.string();
  return http::read_or_make_token(file);
}

// The base, and the adapter that it was started with.
Result<std::unique_ptr<TorchEngine>> engine_of(const ServeSettings& settings, const completions::ModelText& text) {
  ModelSource source = settings.model;
  const std::string adapter = std::exchange(source.adapter, {});
  const std::string path = source.path.empty() ? source.config : source.path;
  STITCH_ASSIGN(Decoder base, load_model(source, settings.base, settings.device));
  completions::ServedModel about{.name = served_name(path), .path = (settings.base / path).string()};
  about.name = adapter.empty() && !settings.name.empty() ? settings.name : about.name;
  about.fingerprint = fingerprint_of(about.path, base.config());
  const std::vector<tokens::ChatMessage> question = {
      {.role = tokens::Role::kUser, .content = kCanary, .thoughts = std::nullopt, .calls = {}}};
  STITCH_ASSIGN(std::vector<int64_t> canary, completions::encode_prompt(text, question));
  auto engine = std::make_unique<TorchEngine>(std::move(base), std::move(about), std::move(canary));
  if (!adapter.empty()) {
    STITCH_TRY(
        engine->load(settings.name.empty() ? served_name(adapter) : settings.name, (settings.base / adapter).string()));
  }
  return engine;
}

void say_listening(const http::ServeOptions& serving, int port, const TorchEngine& engine, const std::string& token) {
  std::string names;
  for (const completions::ServedModel& model : engine.models()) {
    names += (names.empty() ? "" : ", ") + model.name;
  }
  std::fprintf(stderr, "listening on http://%s:%d/v1; models: %s; the token that changes of adapters need is in %s\n",
               serving.address.c_str(), port, names.c_str(), token.c_str());
  std::fflush(stderr);
}

Result<Json> serve_until_stopped(ServeSettings settings) {
  STITCH_ASSIGN(http::ServeOptions serving, http::read_address(settings.listen, kListenRemedy));
  constexpr uint64_t kMaxBodyBytes = uint64_t{32} << 20U;
  serving.limits.max_body_bytes = kMaxBodyBytes;
  completions::RouteOptions options;
  options.is_loopback = serving.address.starts_with("127.");
  options.needs_token = settings.needs_token || !options.is_loopback;
  options.limits = {.max_waiting = static_cast<size_t>(settings.max_waiting), .max_rows = settings.max_batch};
  // Each that waits holds its connection, and a few more are to be told that they cannot.
  constexpr int64_t kMoreConnections = 64;
  serving.max_connections = static_cast<int>(settings.max_batch + settings.max_waiting + kMoreConnections);
  options.created = static_cast<int64_t>(std::time(nullptr));
  std::string token_place;
  STITCH_ASSIGN(options.token, token_of(settings, token_place));
  STITCH_TRY(resolve_weights(settings));
  STITCH_ASSIGN(const weights::ModelConfig sizes, model_config_of(settings.model, settings.base));
  STITCH_ASSIGN(const completions::ModelText text, read_model_text(settings, sizes));
  STITCH_ASSIGN(const std::unique_ptr<TorchEngine> engine, engine_of(settings, text));
  completions::Routes routes(*engine, text, options);
  STITCH_TRY(http::serve(
      serving, [&](http::Exchange& exchange) { routes.answer(exchange); },
      [&](int port) { say_listening(serving, port, *engine, token_place); }, serve_stop()));
  return Json{{"schema", "stitchcuda.serve_model/1"}, {"ended", true}};
}

}  // namespace

Result<Json> run_serve_model(const std::vector<std::string>& words) {
  exit_on_interrupt({.before = [] {}, .after = [] {}});
  Stop& stop = serve_stop();
  on_first_signal([&stop](int) { stop.wish(); });
  STITCH_ASSIGN(ServeSettings settings, read_serve_settings(words));
  at::set_num_threads(settings.threads > 0 ? static_cast<int>(settings.threads) : threads_here());
  return serve_until_stopped(std::move(settings));
}

}  // namespace stitch::train
