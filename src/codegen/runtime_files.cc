// SPDX-License-Identifier: Apache-2.0
#include "codegen/runtime_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/fs/files.h"

namespace stitch::codegen {
namespace {

namespace fs = std::filesystem;

// Units that every program has beside its own, and sources of the example host, which is not part of the library.
constexpr const char* kUnits[] = {"host/program.cc", "host/arena.cc", "host/arguments.cc"};
constexpr const char* kExampleSources[] = {"example/main.cc",     "example/host_timing.cc", "example/tensors.cc",
                                           "host/graph_cache.cc", "host/host_calls.cc",     "host/json_reader.cc",
                                           "host/safetensors.cc"};
// Units of an optional library, for programs with a step that includes its header.
struct LibraryUnits {
  const char* header;
  std::array<const char*, 3> units;
};
constexpr LibraryUnits kLibraries[] = {
    {"runtime/libraries/cublaslt.h",
     {"libraries/cublaslt.cc", "libraries/cublaslt_api.cc", "libraries/dynamic_library.cc"}},
    {"runtime/libraries/cudnn.h", {"libraries/cudnn.cc", "libraries/cudnn_api.cc", "libraries/dynamic_library.cc"}},
    {"runtime/libraries/cudnn_rnn.h",
     {"libraries/cudnn_rnn.cc", "libraries/cudnn_api.cc", "libraries/dynamic_library.cc"}},
};
constexpr const char* kProjectTemplate = "project/CMakeLists.txt.in";
constexpr const char* kStyle = ".clang-format";
constexpr const char* kNameMarker = "@STITCH_NAME@";
constexpr const char* kArchitecturesMarker = "@STITCH_ARCHITECTURES@";

std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> names;
  constexpr const char* kDirective = "#include \"";
  const size_t length = std::string(kDirective).size();
  for (size_t at = text.find(kDirective); at != std::string::npos; at = text.find(kDirective, at + 1)) {
    const size_t end = text.find('"', at + length);
    if (end != std::string::npos) {
      names.push_back(text.substr(at + length, end - at - length));
    }
  }
  return names;
}

class Collector {
 public:
  Collector(fs::path folder, SourceBundle& bundle) : folder_(std::move(folder)), bundle_(bundle) {}

  // Adds runtime/`name` and all it includes.
  Result<void> add(const std::string& name) {
    const std::string path = "runtime/" + name;
    if (bundle_.files.count(path) > 0) {
      return {};
    }
    STITCH_ASSIGN(const std::string text, read_file(folder_ / name));
    bundle_.files[path] = text;
    return add_includes_of(text, fs::path(name).parent_path());
  }

  Result<void> add_includes_of(const std::string& text, const fs::path& own_folder) {
    for (const std::string& include : quoted_includes(text)) {
      for (const fs::path& candidate : {own_folder / include, fs::path("include") / include, fs::path(include)}) {
        const fs::path relative = candidate.lexically_normal();
        if (fs::is_regular_file(folder_ / relative)) {
          STITCH_TRY(add(relative.string()));
          break;
        }
      }
    }
    return {};
  }

 private:
  fs::path folder_;
  SourceBundle& bundle_;
};

Result<void> add_library_units(Collector& collector, SourceBundle& bundle) {
  for (const LibraryUnits& library : kLibraries) {
    if (bundle.files.count(library.header) == 0) {
      continue;
    }
    for (const char* name : library.units) {
      const std::string unit = std::string("runtime/") + name;
      STITCH_TRY(collector.add(name));
      if (std::find(bundle.units.begin(), bundle.units.end(), unit) == bundle.units.end()) {
        bundle.units.push_back(unit);
      }
    }
  }
  return {};
}

void replace_all(std::string& text, const std::string& marker, const std::string& by) {
  for (size_t at = text.find(marker); at != std::string::npos; at = text.find(marker, at + by.size())) {
    text.replace(at, marker.size(), by);
  }
}

// "80-real 90a-real": code for these and nothing else. Where none is named, code that later ones can translate too.
std::string cmake_architectures(const std::vector<std::string>& architectures) {
  constexpr const char* kDefault = "80-real 90a-real 120";
  std::string list;
  for (const std::string& architecture : architectures) {
    list += (list.empty() ? "" : " ") + architecture.substr(architecture.find('_') + 1) + "-real";
  }
  return list.empty() ? kDefault : list;
}

}  // namespace

Result<void> add_runtime_files(const std::string& runtime_folder, const std::vector<std::string>& architectures,
                               SourceBundle& bundle) {
  Collector collector(runtime_folder, bundle);
  const auto own_files = bundle.files;
  for (const auto& [path, text] : own_files) {
    STITCH_TRY(collector.add_includes_of(text, "include"));
  }
  for (const char* unit : kUnits) {
    STITCH_TRY(collector.add(unit));
    bundle.units.push_back(std::string("runtime/") + unit);
  }
  STITCH_TRY(add_library_units(collector, bundle));
  for (const char* source : kExampleSources) {
    STITCH_TRY(collector.add(source));
  }
  STITCH_ASSIGN(std::string project, read_file(fs::path(runtime_folder) / kProjectTemplate));
  replace_all(project, kNameMarker, bundle.name);
  replace_all(project, kArchitecturesMarker, cmake_architectures(architectures));
  bundle.files["CMakeLists.txt"] = project;
  STITCH_ASSIGN(bundle.files[kStyle], read_file(fs::path(runtime_folder) / "project" / kStyle));
  return {};
}

}  // namespace stitch::codegen
