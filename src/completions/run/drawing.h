// SPDX-License-Identifier: Apache-2.0
// One request on its way through the engine: its prompt in tokens, what may follow which token, and its answers.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "completions/run/writing.h"

namespace stitch::completions {

// Of schemas that were asked for lately: agents ask for the same ones again and again. For the engine's thread.
class MaskStore {
 public:
  // Shared with the answers that are under way, which go on with them when the store has forgotten them.
  std::shared_ptr<grammar::TokenMasks> masks_of(const std::string& schema, const grammar::Grammar& grammar,
                                                const std::shared_ptr<const grammar::Vocabulary>& vocabulary);

 private:
  std::map<std::string, std::shared_ptr<grammar::TokenMasks>> masks_;
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

  int64_t count() const { return draw_.count; }  // of answers

  // On the engine's thread, and once: what it draws for keeps `this` and `is_over` until the draw ends. Once `is_over`
  // is true the answers end at their next token.
  Result<DrawId> begin(Engine& engine, MaskStore& masks, Told told, const std::atomic<bool>& is_over);
  std::vector<Choice> finish(const std::vector<Drawn>& drawn);

 private:
  Drawing(const ModelText& text, CompletionRequest request) : text_(&text), request_(std::move(request)) {}
  Result<void> read_limits();
  void tell(size_t choice, const std::string& text) const;

  const ModelText* text_;
  CompletionRequest request_;
  DrawRequest draw_;
  std::optional<grammar::Grammar> grammar_;
  Told told_;
  std::shared_ptr<grammar::TokenMasks> masks_;  // null: any text may be written
  std::deque<Writing> writings_;                // by answer, once it has begun
};

}  // namespace stitch::completions
