// SPDX-License-Identifier: Apache-2.0
// Looks up what documents say, for a prompt: few passages, of a known size.
#pragma once

#include <optional>
#include <string>

#include "knowledge/library/library.h"

namespace stitch::agents {

inline constexpr int kMaxToldPassages = 3;
inline constexpr size_t kMaxToldPassageBytes = 1'800;  // a card fits whole
inline constexpr size_t kMaxDocumentsBytes = 6'000;    // of all of them together, their headings included

struct Found {
  std::string text{};  // passages, each under its id and title; empty: none
  std::string note{};  // why nothing can be looked up; told once
};

class Retriever {
 public:
  // Without places nothing is looked up. The index is opened with the first question.
  explicit Retriever(std::optional<knowledge::Places> places) : places_(std::move(places)) {}

  // Never fails: a run goes on without documents.
  Found look_up(const knowledge::Query& query);

 private:
  std::optional<knowledge::Places> places_;
  std::optional<knowledge::Library> library_{};
};

}  // namespace stitch::agents
