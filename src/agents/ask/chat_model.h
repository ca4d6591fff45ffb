// SPDX-License-Identifier: Apache-2.0
// A model at an endpoint, through stitchcuda-chat.
#pragma once

#include "agents/ask/model.h"
#include "llm/client/client.h"
#include "llm/config/config.h"

namespace stitch::agents {

class ChatModel : public Model {
 public:
  // `dialect` as a probe has learned it. `told` hears of what is asked again.
  ChatModel(llm::Endpoint endpoint, llm::Dialect dialect, std::function<void(const std::string&)> told)
      : endpoint_(std::move(endpoint)), dialect_(dialect), told_(std::move(told)) {}

  Result<llm::Completion> answer(const Question& question) override;

 private:
  Result<llm::Completion> complete(const llm::ChatRequest& request, std::optional<double> seconds);

  llm::Endpoint endpoint_;
  llm::Dialect dialect_;
  std::function<void(const std::string&)> told_;
  std::optional<llm::ChatClient> client_;  // started at the first question
};

}  // namespace stitch::agents
