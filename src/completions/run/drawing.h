// SPDX-License-Identifier: Apache-2.0
// One request on its way through the engine: its prompt in tokens, what may follow which token, and its answers.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "completions/answer/stop_finder.h"
#include "completions/run/engine.h"
#include "completions/run/model_text.h"
#include "grammar/masks/token_masks.h"

namespace stitch::completions {

struct Choice {
  std::string text{};
  TokenIds tokens{};
  std::vector<float> log_probs{};
  bool is_stopped = false;  // else it reached its limit
};

// Of schemas that were asked for lately: agents ask for the same ones again and again. For the engine's thread.
class MaskStore {
 public:
  grammar::TokenMasks& masks_of(const std::string& schema, const grammar::Grammar& grammar,
                                const std::shared_ptr<const grammar::Vocabulary>& vocabulary);

 private:
  std::map<std::string, std::unique_ptr<grammar::TokenMasks>> masks_;
};

class Drawing {
 public:
  // Told of text as soon as nothing that follows can take it back; on the engine's thread.
  using Told = std::function<void(size_t choice, const std::string& text)>;

  // kUsage for a prompt that is too long, a schema that cannot be read, tokens that there are not. `text` must outlive
  // it.
  static Result<Drawing> prepare(const ModelText& text, CompletionRequest request);

  const CompletionRequest& request() const { return request_; }
  const TokenIds& prompt() const { return draw_.prompt; }

  // On the engine's thread. Once `is_over` is true what is under way ends at the next token.
  Result<std::vector<Choice>> run(Engine& engine, MaskStore& masks, const Told& told, const std::atomic<bool>& is_over);

 private:
  Drawing(const ModelText& text, CompletionRequest request) : text_(&text), request_(std::move(request)) {}
  Result<void> read_limits();

  const ModelText* text_;
  CompletionRequest request_;
  DrawRequest draw_;
  std::optional<grammar::Grammar> grammar_;
};

}  // namespace stitch::completions
