// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/mend.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/options/reference/completion.h"

namespace stitch::cli::doctor {
namespace {

bool is_in_path(const char* program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string install_packages(const std::string& debian, const std::string& fedora, const std::string& otherwise) {
  const std::string as_root = ::geteuid() == 0 ? "" : "sudo ";
  if (is_in_path("apt-get")) {
    return as_root + "apt-get install " + debian;
  }
  return is_in_path("dnf") ? as_root + "dnf install " + fedora : otherwise;
}

std::string set_up(const driver::Resources& resources) {
  std::error_code ignored;
  const bool is_source_tree = std::filesystem::exists(resources.root / "tools" / "setup", ignored);
  return is_source_tree ? "make -C " + shell_word(resources.root.string()) + " setup" : "";
}

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  return !text.empty() && text.find_first_not_of(kPlain) == std::string::npos ? text : in_single_quotes(text);
}

}  // namespace stitch::cli::doctor
