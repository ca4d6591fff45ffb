// SPDX-License-Identifier: Apache-2.0
// The verbs and their options as data, read from the parser's own tables: help, completion and the man page are written
// from it, so that none of them is a second list.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stitch::cli {

struct OptionReference {
  std::vector<std::string> names{};  // "--out"; empty for a positional argument
  std::string value{};               // "FILE", "DIR", "N", "auto|gpu|emulated"; empty for a flag
  std::string text{};
  std::string group{};
  bool is_required = false;
  bool is_repeated = false;

  bool is_positional() const { return names.empty(); }
  // The words it can be; empty when it can be anything.
  std::vector<std::string> choices() const;
};

struct VerbReference {
  std::string name{};
  std::string text{};
  std::string group{};
  std::vector<OptionReference> options{};
  std::vector<VerbReference> verbs{};   // "list" of "runs"
  std::vector<std::string> examples{};  // whole commands; what follows " # " says what each is for
  std::string closing{};                // a paragraph under all else

  // The verb of that name below this one; null when there is none.
  const VerbReference* find(const std::string& verb) const;
};

VerbReference make_reference(const CLI::App& application);

}  // namespace stitch::cli
