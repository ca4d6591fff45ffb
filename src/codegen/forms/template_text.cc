// SPDX-License-Identifier: Apache-2.0
#include "codegen/forms/template_text.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/fs/files.h"

namespace stitch::codegen {

Result<std::string> filled_template(const std::string& runtime_folder, const std::string& name,
                                    const Fillings& fillings) {
  STITCH_ASSIGN(const std::string text, read_file(std::filesystem::path(runtime_folder) / "project" / name));
  std::string filled;
  size_t at = 0;
  while (at < text.size()) {
    const std::string* found = nullptr;
    size_t length = 1;
    for (const auto& [marker, value] : fillings) {
      const std::string whole = fmt::format("@{}@", marker);
      if (text.compare(at, whole.size(), whole) == 0) {
        found = &value;
        length = whole.size();
      }
    }
    filled += found == nullptr ? text.substr(at, 1) : *found;
    at += length;
  }
  return filled;
}

}  // namespace stitch::codegen
