// SPDX-License-Identifier: Apache-2.0
// Many files as one: every quoted include is replaced by the file it names, once.
#pragma once

#include <set>
#include <string>

#include "artifact/source/source_bundle.h"
#include "base/error/result.h"

namespace stitch::codegen {

class Amalgamator {
 public:
  // Files beside the bundle's own are read from `runtime_folder`; their names begin with "runtime/".
  Amalgamator(const SourceBundle& bundle, std::string runtime_folder)
      : bundle_(bundle), runtime_folder_(std::move(runtime_folder)) {}

  // Appends `path` and what it includes. Where `name_space` is not empty, what the file itself defines goes into that
  // namespace, so that file-local names of several units do not meet; what it includes stays outside.
  Result<void> add(const std::string& path, const std::string& name_space = "");

  const std::string& text() const { return text_; }

 private:
  Result<std::string> read(const std::string& path) const;
  Result<std::string> resolve(const std::string& name, const std::string& from) const;
  Result<void> add_lines(const std::string& path, std::string* own);

  const SourceBundle& bundle_;
  std::string runtime_folder_;
  std::set<std::string> seen_;  // paths, and system headers as "<name>"
  std::string text_;
};

}  // namespace stitch::codegen
