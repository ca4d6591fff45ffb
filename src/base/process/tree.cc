// SPDX-License-Identifier: Apache-2.0
#include "base/process/tree.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace stitch {
namespace {

// The parent of a process, -1 when it is gone. The second field may hold spaces and parentheses: search from the end.
pid_t parent_of(const char* pid) {
  std::FILE* file = std::fopen((std::string("/proc/") + pid + "/stat").c_str(), "re");
  if (file == nullptr) {
    return -1;
  }
  char text[1024] = {};
  const size_t size = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  const std::string line(text, size);
  const size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 4 >= line.size()) {
    return -1;
  }
  return static_cast<pid_t>(std::strtol(line.c_str() + end_of_name + 4, nullptr, 10));  // skips ") S "
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) {
    return children;
  }
  while (const dirent* entry = ::readdir(folder)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      children.emplace(parent_of(entry->d_name), static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  ::closedir(folder);
  return children;
}

uint64_t resident_bytes(pid_t pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/statm").c_str(), "re");
  if (file == nullptr) {
    return 0;
  }
  unsigned long long size_pages = 0;
  unsigned long long resident_pages = 0;
  const int fields = std::fscanf(file, "%llu %llu", &size_pages, &resident_pages);
  std::fclose(file);
  return fields == 2 ? resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

// As its threads name them: much less to read than all of /proc. False where the kernel does not tell.
bool add_children(pid_t pid, std::vector<pid_t>& found) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* folder = ::opendir(tasks.c_str());
  if (folder == nullptr) {
    return true;  // it has ended
  }
  bool told = true;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) {
      continue;
    }
    std::FILE* file = std::fopen((tasks + "/" + entry->d_name + "/children").c_str(), "re");
    told = told && file != nullptr;
    for (long child = 0; file != nullptr && std::fscanf(file, "%ld", &child) == 1;) {
      found.push_back(static_cast<pid_t>(child));
    }
    if (file != nullptr) {
      std::fclose(file);
    }
  }
  ::closedir(folder);
  return told;
}

}  // namespace

std::vector<pid_t> list_tree(pid_t root) {
  std::vector<pid_t> tree = {root};
  for (size_t next = 0; next < tree.size(); ++next) {
    if (!add_children(tree[next], tree)) {
      tree = list_descendants(root);
      tree.push_back(root);
      break;
    }
  }
  return tree;
}

uint64_t resident_bytes_of_tree(pid_t root) {
  uint64_t bytes = 0;
  for (const pid_t pid : list_tree(root)) {
    bytes += resident_bytes(pid);
  }
  return bytes;
}

std::vector<pid_t> list_descendants(pid_t root) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> found = {root};
  for (size_t next = 0; next < found.size(); ++next) {
    const auto [begin, end] = children.equal_range(found[next]);
    for (auto child = begin; child != end; ++child) {
      if (std::find(found.begin(), found.end(), child->second) == found.end()) {
        found.push_back(child->second);
      }
    }
  }
  found.erase(found.begin());
  return found;
}

void kill_process_tree(pid_t root) {
  if (root <= 1) {
    return;
  }
  ::kill(root, SIGSTOP);
  std::set<pid_t> stopped;
  constexpr int kRounds = 16;  // a tree that still grows after so many rounds is killed as far as it is known
  for (int round = 0; round < kRounds; ++round) {
    bool grew = false;
    for (const pid_t descendant : list_descendants(root)) {
      if (stopped.insert(descendant).second) {
        ::kill(descendant, SIGSTOP);
        grew = true;
      }
    }
    if (!grew) {
      break;
    }
  }
  for (const pid_t descendant : stopped) {
    ::kill(descendant, SIGKILL);
  }
  ::kill(-root, SIGKILL);
  ::kill(root, SIGKILL);
}

}  // namespace stitch
