// SPDX-License-Identifier: Apache-2.0
// All tools there are, by name. Built in main() or in a test and handed on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/spec/tool.h"

namespace stitch::tools {

class ToolTable {
 public:
  explicit ToolTable(std::vector<std::unique_ptr<Tool>> tools) : tools_(std::move(tools)) {}

  const std::vector<std::unique_ptr<Tool>>& tools() const { return tools_; }
  // Null where there is none.
  const Tool* find(const std::string& name) const;
  // "check, compile, import"
  std::string names() const;

 private:
  std::vector<std::unique_ptr<Tool>> tools_;
};

// Those over the driver's requests.
ToolTable builtin_tools();

}  // namespace stitch::tools
