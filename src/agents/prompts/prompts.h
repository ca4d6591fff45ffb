// SPDX-License-Identifier: Apache-2.0
// What roles are told, `prompts/*.md` and `prompts/compact/*.md` ("compact/coder"): built in, and overridden file by
// file by a folder of the user's.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::agents {

class Prompts {
 public:
  // `folder` empty: those that are built in. kUsage for a folder with a text of a name that no prompt has, or one that
  // leaves out or adds a place to fill in.
  static Result<Prompts> load(const std::filesystem::path& folder);

  // The text with each {{name}} replaced; every name must be given. What is filled in is not looked at again.
  std::string fill(std::string_view name, const std::map<std::string, std::string>& places = {}) const;
  // SHA-256 of each text, for the record of a run.
  std::map<std::string, std::string> digests() const;

 private:
  Result<void> take_folder(const std::filesystem::path& folder, const std::string& prefix);

  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace stitch::agents
