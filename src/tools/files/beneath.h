// SPDX-License-Identifier: Apache-2.0
// Files of a folder that somebody else writes to at the same time: every step of a path is opened without following
// links, so that none leads out, whatever is exchanged meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch::tools {

struct FileBeneath {
  std::string path;  // relative to the folder, "expert/steps/00_a.cu"
  uint64_t bytes = 0;
};

class Beneath {
 public:
  // kEnvironment where the folder cannot be opened.
  static Result<Beneath> open(const std::filesystem::path& folder);

  // All of them are kUsage for a path that leads out, by dots or by a link, or that is no plain file where one is
  // needed. `path` may be absolute where it lies in the folder.
  Result<std::string> read(const std::string& path, uint64_t max_bytes) const;
  // Makes missing folders; what another name of the same file holds is left as it is.
  Result<void> write(const std::string& path, const std::string& text) const;
  // A file or a link of that name; none there is fine.
  Result<void> remove(const std::string& path) const;
  // The plain files, by path, at most `max_files`; links, pipes and the like are passed over.
  std::vector<FileBeneath> list(size_t max_files) const;

 private:
  Beneath(Descriptor root, std::filesystem::path folder) : root_(std::move(root)), folder_(std::move(folder)) {}
  struct Place {
    Descriptor folder;
    std::string name;
  };
  Result<std::vector<std::string>> parts_of(const std::string& path) const;
  Result<Place> place_of(const std::string& path, bool makes_folders) const;
  void list(int folder, const std::string& prefix, size_t max_files, std::vector<FileBeneath>& found) const;

  Descriptor root_;
  std::filesystem::path folder_;
};

}  // namespace stitch::tools
