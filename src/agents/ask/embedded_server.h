// SPDX-License-Identifier: Apache-2.0
// `--model embedded`: a model of our own decoder, served on loopback by a stitchcuda-train that is started and ended
// with the run. It is asked as any other endpoint is, so that caps, schemas and the journal are those of all models.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agents/ask/chat_model.h"
#include "base/process/child.h"

namespace stitch::agents {

inline constexpr const char* kEmbedded = "embedded";

// `checkpoint`, which serve-model takes: a model, an adapter or a checkpoint of `train`. An empty one is embedded-model
// (or embedded-model.gguf) in the folder of state, else models/coder of this installation. kFileInvalid, with what to
// install, where there is none.
struct EmbeddedWeights {
  std::filesystem::path path;
  bool writes_steps_alone = false;  // those of the installation: they have learned nothing of plans and reviews
};
Result<EmbeddedWeights> find_embedded_weights(const std::filesystem::path& checkpoint);

class EmbeddedServer {
 public:
  // Waits until it listens. kEnvironment where LibTorch or the weights are missing, with the server's own sentence
  // where it said one. It dies with the thread that started it.
  static Result<std::shared_ptr<EmbeddedServer>> start(const std::filesystem::path& weights);
  const std::string& url() const { return url_; }

 private:
  explicit EmbeddedServer(Child child) : child_(std::move(child)) {}
  Result<void> wait_until_it_listens();

  Child child_;
  std::string url_;  // "http://127.0.0.1:PORT/v1"
};

// The address in what the server says when it listens; empty in any other text.
std::string address_in(const std::string& said);

// An empty answer, of which `told` hears, in the place of an Error that says that a question is longer than the model
// takes: waiting makes nobody's context longer, and what the run has without that answer stands.
Result<llm::Completion> or_no_answer(Result<llm::Completion> answered,
                                     const std::function<void(const std::string&)>& told);

// A model whose server lives as long as it does.
class EmbeddedModel : public Model {
 public:
  EmbeddedModel(std::shared_ptr<EmbeddedServer> server, ChatModel chat, std::function<void(const std::string&)> told)
      : server_(std::move(server)), chat_(std::move(chat)), told_(std::move(told)) {}
  Result<llm::Completion> answer(const Question& question) override {
    return or_no_answer(chat_.answer(question), told_);
  }

 private:
  std::shared_ptr<EmbeddedServer> server_;
  ChatModel chat_;
  std::function<void(const std::string&)> told_;
};

}  // namespace stitch::agents
