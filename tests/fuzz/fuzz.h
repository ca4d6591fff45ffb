// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: inputs as files that live in memory, and the properties that must hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/process/descriptor.h"

namespace stitch::fuzz {

// A broken property is a finding like a crash: prints `message` and aborts.
void require(bool holds, const char* message);

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// One file in memory, with a path for functions that want one.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text);
  std::string path() const;

 private:
  Descriptor file_;
};

// An input that stands for a folder: a line "=== NAME" begins the file NAME, the lines after it are its text, and
// "=== NAME -> TARGET" is a link, "=== NAME -> |" a named pipe. Names that would leave the folder are left out, since
// they cannot lie in one.
struct FolderText {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;
};
FolderText folder_text(std::string_view input);

// A folder laid out from it, in memory where the machine has a place for that; removed with all it holds.
class ScratchFolder {
 public:
  explicit ScratchFolder(const FolderText& text);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stitch::fuzz
