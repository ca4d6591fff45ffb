// SPDX-License-Identifier: Apache-2.0
#include "rewriter/rewrite.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, error)) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string quoted(const std::string& name) {
  std::string result = "\"";
  for (const char c : name) {
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return result + "\"";
}

class Unit {
 public:
  explicit Unit(const RewriteOptions& options) : options_(options) {}

  RewriteOutcome run(const std::string& source) {
    RewriteOutcome outcome;
    outcome.text = "#line 1 " + quoted(options_.file_name) + "\n" +
                   file_text(source, fs::path(options_.path), options_.file_name, false);
    outcome.refusals = std::move(refusals_);
    return outcome;
  }

 private:
  std::string file_text(const std::string& source, const fs::path& path, const std::string& name, bool conditional) {
    const TokenList list = tokenise(source);
    const std::vector<Place> places = find_places(list);
    Changes changes;
    if (!options_.for_reading) {
      refuse_unsupported(list, places, changes);
    }
    rewrite_shared_memory(list, places, changes);
    rewrite_launches(list, places, changes);
    rewrite_declarations(list, places, changes);
    rewrite_words(list, places, changes);
    stack_.push_back(path);
    const bool inlines = !options_.include_directories.empty();
    for (const Directive& directive : list.directives) {
      if (inlines && directive.first < directive.last && !places[directive.first].inactive) {
        rewrite_directive(list, directive, name, conditional || places[directive.first].conditional, changes);
      }
    }
    stack_.pop_back();
    std::stable_sort(changes.refusals.begin(), changes.refusals.end(),
                     [](const Refusal& a, const Refusal& b) { return a.line < b.line; });
    for (const Refusal& refusal : changes.refusals) {
      refusals_.push_back(name + ":" + std::to_string(refusal.line) + ": error: " + refusal.message);
    }
    return apply_edits(source, std::move(changes.edits));
  }

  void rewrite_directive(const TokenList& list, const Directive& directive, const std::string& name, bool conditional,
                         Changes& changes) {
    const auto& tokens = list.tokens;
    const Token& word = tokens[directive.first];
    const bool is_once =
        word.is("pragma") && directive.last - directive.first == 2 && tokens[directive.first + 1].is("once");
    if (is_once && stack_.size() > 1) {
      changes.replace(directive.begin, directive.end, "");  // the includer's guard does this
    } else if (word.is("include") && directive.last - directive.first >= 2) {
      include(list, directive, name, conditional, changes);
    }
  }

  void include(const TokenList& list, const Directive& directive, const std::string& name, bool conditional,
               Changes& changes) {
    const Token& argument = list.tokens[directive.first + 1];
    const Token& end = list.tokens[directive.last - 1];
    const bool is_quoted = argument.kind == TokenKind::kString;
    if (!is_quoted && !argument.is("<")) {
      return;
    }
    const std::string spelled(
        list.source.substr(argument.begin + 1, (is_quoted ? argument.end : end.end) - 2 - argument.begin));
    const std::optional<fs::path> path = find(spelled, is_quoted);
    if (!path) {
      return;
    }
    changes.replace(
        directive.begin, directive.end,
        included_text(*path, conditional) + "#line " + std::to_string(directive.line + 1) + " " + quoted(name));
  }

  std::optional<fs::path> find(const std::string& spelled, bool beside) const {
    std::vector<fs::path> folders(options_.include_directories.begin(), options_.include_directories.end());
    if (beside) {
      folders.insert(folders.begin(), stack_.back().parent_path());
    }
    for (const fs::path& folder : folders) {
      std::error_code error;
      const fs::path path = (folder / spelled).lexically_normal();
      if (fs::is_regular_file(path, error)) {
        return path;
      }
    }
    return std::nullopt;
  }

  // A file that guards itself is wrapped in a guard of ours, since #pragma once means nothing for inlined text; once it
  // is sure to have been seen it need not be repeated.
  std::string included_text(const fs::path& path, bool conditional) {
    const std::string key = path.string();
    if (done_.count(key) != 0 || std::find(stack_.begin(), stack_.end(), path) != stack_.end()) {
      return "";
    }
    const std::optional<std::string> source = read_file(path);
    if (!source) {
      refusals_.push_back(key + ":1: error: the file could not be read");
      return "";
    }
    const std::string body = "#line 1 " + quoted(key) + "\n" + file_text(*source, path, key, conditional) + "\n";
    if (!included_once(tokenise(*source))) {
      return body;
    }
    if (!conditional) {
      done_.insert(key);
    }
    const int number = numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second;
    const std::string guard = "STITCH_INCLUDED_" + std::to_string(number);
    return "#ifndef " + guard + "\n#define " + guard + "\n" + body + "#endif\n";
  }

  const RewriteOptions& options_;
  std::vector<fs::path> stack_;
  std::set<std::string> done_;
  std::map<std::string, int> numbers_;
  std::vector<std::string> refusals_;
};

}  // namespace

RewriteOutcome rewrite(const std::string& source, const RewriteOptions& options) { return Unit(options).run(source); }

}  // namespace stitch::rewriter
