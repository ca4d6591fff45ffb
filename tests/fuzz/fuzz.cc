// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace stitch::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "=== ";
constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kPipe = "|";

bool can_lie_in_a_folder(const std::string& name) {
  const bool is_plain = name.find('\0') == std::string::npos && name.find("//") == std::string::npos;
  if (name.empty() || !is_plain || name.back() == '/' || name.front() == '/') {
    return false;
  }
  for (const fs::path& part : fs::path(name)) {
    if (part == ".." || part == "." || part.empty() || part.string().size() > 100) {
      return false;
    }
  }
  return name.size() < 300;
}

fs::path scratch_parent() {
  constexpr const char* kSharedMemory = "/dev/shm";
  return ::access(kSharedMemory, W_OK) == 0 ? fs::path(kSharedMemory) : fs::temp_directory_path();
}

}  // namespace

void require(bool holds, const char* message) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", message);
    std::abort();
  }
}

MemoryFile::MemoryFile(std::string_view text) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    require(written > 0, "an input can be written to memory");
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

FolderText folder_text(std::string_view input) {
  FolderText folder;
  std::string* text = nullptr;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (!line.starts_with(kMark)) {
      if (text != nullptr) {
        text->append(line).append("\n");
      }
      continue;
    }
    const std::string_view named = line.substr(kMark.size());
    const size_t arrow = named.find(kArrow);
    const std::string name(named.substr(0, arrow));
    text = nullptr;
    if (can_lie_in_a_folder(name) && arrow != std::string_view::npos) {
      folder.links[name] = std::string(named.substr(arrow + kArrow.size()));
    } else if (can_lie_in_a_folder(name)) {
      text = &folder.files[name];
    }
  }
  return folder;
}

ScratchFolder::ScratchFolder(const FolderText& text) {
  std::string name = (scratch_parent() / "stitch-fuzz-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, "a scratch folder can be made");
  path_ = name;
  std::error_code ignored;
  for (const auto& [file, contents] : text.files) {
    fs::create_directories((path_ / file).parent_path(), ignored);
    std::ofstream(path_ / file, std::ios::binary) << contents;
  }
  for (const auto& [link, target] : text.links) {
    fs::create_directories((path_ / link).parent_path(), ignored);
    if (target == kPipe) {
      ::mkfifo((path_ / link).c_str(), 0600);
    } else {
      fs::create_symlink(target, path_ / link, ignored);
    }
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace stitch::fuzz
