// SPDX-License-Identifier: Apache-2.0
#include "observer/library_places.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace {

// They compute beside the device. Packages bring them along under longer names (libscipy_openblas64_.so).
constexpr std::array<std::string_view, 12> kComputing = {"torch",   "libc10",   "mkl",     "openblas",
                                                         "libblas", "libcblas", "lapack",  "gslcblas",
                                                         "libblis", "dnnl",     "libaten", "libatlas"};
// Libraries that may be opened by hand wherever they are installed: CUDA's own, as a program in C may use them.
constexpr std::array<std::string_view, 5> kOfTheDevice = {"libcuda", "libcublas", "libcudnn", "libnvrtc",
                                                          "libnvJitLink"};
constexpr std::string_view kTriton = "triton";

std::string own_folder;
std::vector<std::string> read_places;
std::vector<std::string> installed_places;
bool is_complete = false;

std::string real_path(const std::string& name) {
  char* found = ::realpath(name.c_str(), nullptr);
  std::string path = found == nullptr ? name : found;
  std::free(found);
  return path;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void add_lines(std::vector<std::string>& places, std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) {
      places.push_back(real_path(std::string(lines.substr(0, end))));
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

bool computes(std::string_view path) {
  return std::any_of(kComputing.begin(), kComputing.end(),
                     [&](std::string_view part) { return file_name(path).find(part) != std::string_view::npos; });
}

bool lies_in(std::string_view path, std::string_view place) {
  return path == place ||
         (path.size() > place.size() && path.starts_with(place) && (place.ends_with('/') || path[place.size()] == '/'));
}

bool lies_in_one_of(std::string_view path, const std::vector<std::string>& places) {
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) { return lies_in(path, place); });
}

// "numpy.libs" of ".../site-packages/numpy.libs/x.so"; empty for Python's and the system's own.
std::string_view package_of(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) {
      const std::string_view inside = path.substr(at + folder.size());
      const size_t end = inside.find('/');
      return end == std::string_view::npos ? std::string_view() : inside.substr(0, end);
    }
  }
  return {};
}

LibraryJudgement opened(std::string_view path) { return {"event", "opened " + std::string(file_name(path))}; }

LibraryJudgement judged_place(const std::string& path) {
  if (lies_in_one_of(path, read_places)) {
    return {"library", std::string(file_name(path))};
  }
  if (lies_in_one_of(path, installed_places) && (own_folder.empty() || !lies_in(path, own_folder))) {
    return {};
  }
  return {"event", "loaded " + std::string(file_name(path)) + ", which is not among the libraries that it came with"};
}

// A name without a folder is one of the system's, or of a library that is there already.
std::string place_of(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return real_path(name);
  }
  void* there = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  const link_map* map = nullptr;
  if (there == nullptr || ::dlinfo(there, RTLD_DI_LINKMAP, &map) != 0) {
    return name;
  }
  ::dlclose(there);
  return real_path(map->l_name);
}

}  // namespace

extern "C" void stitch_observer_libraries(const char* folder, const char* read, const char* installed) {
  if (!own_folder.empty()) {
    return;
  }
  own_folder = real_path(folder);
  add_lines(read_places, read);
  add_lines(installed_places, installed);
}

extern "C" void stitch_observer_allow(const char* read) {
  if (!is_complete) {
    add_lines(read_places, read);
  }
  is_complete = true;
}

LibraryJudgement judged_library(const std::string& name) {
  const std::string path = place_of(name);
  const bool was_read = lies_in_one_of(path, read_places);
  if (computes(path) || computes(name)) {
    return was_read ? LibraryJudgement{"library", std::string(file_name(path))} : opened(path);
  }
  if (path.find('/') == std::string::npos) {
    return {};
  }
  const std::string_view package = package_of(path);
  const bool is_named = std::find(installed_places.begin(), installed_places.end(), path) != installed_places.end();
  const bool is_device = package == kTriton || std::any_of(kOfTheDevice.begin(), kOfTheDevice.end(), [&](auto each) {
                           return file_name(path).starts_with(each);
                         });
  if (!package.empty() && !is_device && !is_named && !was_read && lies_in_one_of(path, installed_places)) {
    return {"event", "opened " + std::string(file_name(path)) + " of the package " + std::string(package)};
  }
  return judged_place(path);
}

LibraryJudgement judged_module(const std::string& module, const std::string& name) {
  const std::string path = real_path(name);
  const std::string_view package = package_of(path);
  const std::string_view top = std::string_view(module).substr(0, module.find('.'));
  const bool is_its_own = package.empty() || package == top || package.substr(0, package.find('.')) == top;
  if (lies_in_one_of(path, installed_places) && !lies_in_one_of(path, read_places) && (!is_its_own || top == "torch")) {
    return {"event", "loaded " + std::string(file_name(path)) + " of the package " + std::string(package) + " anew"};
  }
  return judged_place(path);
}

std::string computing_library_at(const void* address) {
  Dl_info found{};
  if (address == nullptr || ::dladdr(address, &found) == 0 || found.dli_fname == nullptr) {
    return {};
  }
  const std::string path = real_path(found.dli_fname);
  return computes(path) && !lies_in_one_of(path, read_places) ? std::string(file_name(path)) : std::string();
}

bool is_installed(const std::string& name) {
  const std::string path = real_path(name);
  return lies_in_one_of(path, installed_places) && (own_folder.empty() || !lies_in(path, own_folder));
}

bool is_computing_library(const std::string& path) { return computes(path); }

bool is_one_of_lines(std::string_view lines, std::string_view word) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (lines.substr(0, end) == word) {
      return true;
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return false;
}
