// SPDX-License-Identifier: Apache-2.0
// The members of a body, one by one. Wrong ones and those that nobody asked for are refused.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/error/result.h"
#include "base/json/json.h"

namespace stitch::completions {

class BodyReader {
 public:
  explicit BodyReader(const Json& body) : body_(body) {}

  // nullptr where it is not there or null.
  const Json* find(const std::string& key);
  std::optional<double> number(const std::string& key, double least, double most);
  std::optional<int64_t> whole(const std::string& key, int64_t least, int64_t most);
  bool flag(const std::string& key);
  std::string text(const std::string& key);
  // Only the value that changes nothing is taken: 0, false, or an empty list or object.
  void only_idle(const std::string& key);
  // Says nothing about what is answered.
  void ignore(const std::string& key) { known_.insert(key); }
  void refuse(const std::string& sentence);

  // Fails with what was wrong first, or with a member that nobody asked for.
  Result<void> finish();

 private:
  const Json& body_;
  std::set<std::string> known_;
  std::optional<std::string> wrong_;
};

}  // namespace stitch::completions
