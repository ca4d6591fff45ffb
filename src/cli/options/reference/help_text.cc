// SPDX-License-Identifier: Apache-2.0
#include "cli/options/reference/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/columns.h"

namespace stitch::cli {
namespace {

constexpr size_t kMaxWidth = 100;   // longer lines are hard to read, however wide the terminal is
constexpr size_t kLeftColumn = 30;  // names; what is longer has its text on the next line

struct Entry {
  std::string left;
  std::string right;
};

std::string option_name(const OptionReference& option) {
  if (option.is_positional()) {
    return option.value;
  }
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

std::string block(const std::string& title, const std::vector<Entry>& entries, const Terminal& terminal) {
  const size_t width = std::min<size_t>(kMaxWidth, static_cast<size_t>(std::max(terminal.columns, 40)));
  const size_t indent = width < 60 ? 6 : kLeftColumn + 2;
  std::string text = "\n" + terminal.bold(title) + "\n";
  for (const Entry& entry : entries) {
    const std::string right = hanging(entry.right, indent, width);
    const bool fits = visible_width(entry.left) + 4 <= indent;
    text += "  " + (fits ? padded(entry.left, indent - 2) : entry.left);
    text += fits || right.empty() ? "" : "\n" + std::string(indent, ' ');
    text += right + "\n";
  }
  return text;
}

// One block for each group, in the order in which groups come first; what has no group of its own under `otherwise`.
template <typename Item>
std::string grouped(const std::vector<Item>& items, const std::string& otherwise, const Terminal& terminal) {
  std::vector<std::string> titles;
  for (const Item& item : items) {
    if (std::find(titles.begin(), titles.end(), item.group) == titles.end()) {
      titles.push_back(item.group);
    }
  }
  // The parser's own group ("Options", with --help in it) closes the list.
  std::stable_partition(titles.begin(), titles.end(), [](const std::string& title) { return title != "Options"; });
  std::string text;
  for (const std::string& title : titles) {
    std::vector<Entry> entries;
    for (const Item& item : items) {
      if (item.group == title) {
        if constexpr (std::is_same_v<Item, OptionReference>) {
          entries.push_back({option_name(item), item.text});
        } else {
          entries.push_back({item.name, item.text});
        }
      }
    }
    text += block(title == "Options" || title == "Subcommands" ? otherwise : title, entries, terminal);
  }
  return text;
}

std::string examples(const VerbReference& verb, const Terminal& terminal) {
  std::string text = "\n" + terminal.bold("Examples") + "\n";
  for (const std::string& example : verb.examples) {
    const size_t comment = example.find(" # ");
    const std::string command = example.substr(0, comment);
    text += comment == std::string::npos ? "" : "  " + terminal.dim(example.substr(comment + 1)) + "\n";
    text += "  " + command + "\n";
  }
  return text;
}

}  // namespace

std::string usage(const VerbReference& verb, const std::string& path) {
  std::string text = path;
  std::string positional;
  bool has_options = false;
  for (const OptionReference& option : verb.options) {
    has_options = has_options || (!option.is_positional() && option.group != "Options");
    if (option.is_positional()) {
      const std::string value = option.value + (option.is_repeated ? "..." : "");
      positional += option.is_required ? " " + value : " [" + value + "]";
    }
  }
  text += verb.verbs.empty() ? "" : " VERB";
  return text + (has_options || !verb.verbs.empty() ? " [options]" : "") + positional;
}

std::string help_text(const VerbReference& verb, const std::string& path, const Terminal& terminal) {
  const size_t width = std::min<size_t>(kMaxWidth, static_cast<size_t>(std::max(terminal.columns, 40)));
  std::vector<OptionReference> arguments;
  std::vector<OptionReference> options;
  for (const OptionReference& option : verb.options) {
    (option.is_positional() ? arguments : options).push_back(option);
  }
  std::string text = hanging(verb.text + (verb.text.ends_with('.') ? "" : "."), 0, width) + "\n";
  text += "\n" + terminal.bold("Usage") + "\n  " + usage(verb, path) + "\n";
  text += grouped(verb.verbs, "Verbs", terminal);
  text += grouped(arguments, "Arguments", terminal);
  text += verb.examples.empty() ? "" : examples(verb, terminal);
  text += grouped(options, "Options", terminal);
  return text + (verb.closing.empty() ? "" : "\n" + hanging(verb.closing, 0, width) + "\n");
}

}  // namespace stitch::cli
