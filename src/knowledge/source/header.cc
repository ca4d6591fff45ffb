// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxDeclarationBytes = 700;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Blanks of any kind become one.
std::string squeezed(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  return line;
}

// Doxygen's commands, by what becomes of the line that they begin.
constexpr auto kSilentCommands = std::to_array<std::string_view>(
    {"\\ingroup", "\\note_", "\\notefnerr", "\\sa", "\\req", "\\internal", "\\endinternal", "\\exception-guarantee",
     "\\behavior", "\\defgroup", "\\addtogroup", "\\{", "\\}", "@{", "@}", "\\retval", "\\see"});

bool is_silent(std::string_view line) {
  return std::any_of(kSilentCommands.begin(), kSilentCommands.end(),
                     [&](std::string_view command) { return line.starts_with(command); });
}

// "\brief Copies \p count bytes, see ::cudaMemcpy" -> "Copies count bytes, see cudaMemcpy"
std::string without_commands(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size();) {
    const bool begins = (line[i] == '\\' || line[i] == '@') && i + 1 < line.size() && is_name_character(line[i + 1]);
    if (begins) {
      const std::string_view rest = line.substr(i);
      size_t end = 1;
      while (end < rest.size() && (is_name_character(rest[end]))) {
        ++end;
      }
      const std::string_view command = rest.substr(1, end - 1);
      text += command == "param" ? "Parameter" : command == "returns" || command == "return" ? "Returns:" : "";
      i += end + (command == "param" || command.starts_with("return") || end == rest.size() ? 0 : 1);
      if (i < line.size() && command == "param" && line[i] == '[') {
        i = std::min(line.find(']', i), line.size() - 1) + 1;
      }
    } else if (line.substr(i).starts_with("::")) {
      i += 2;
    } else {
      text += line[i++];
    }
  }
  return text;
}

// The text of "/** ... */", "/*!< ... */" or "/* ... */", without its stars.
std::string comment_text(std::string_view comment) {
  std::string text;
  bool in_see_also = false;
  for (size_t at = 0; at < comment.size();) {
    const size_t end = std::min(comment.find('\n', at), comment.size());
    std::string_view line = comment.substr(at, end - at);
    at = end + 1;
    const size_t begin = line.find_first_not_of(" \t\r*/!<");
    line = begin == std::string_view::npos ? std::string_view() : line.substr(begin);
    if (line.ends_with("*/")) {
      line.remove_suffix(2);
    }
    // A list of references goes on until a command or an empty line.
    in_see_also = line.starts_with("\\sa") || (in_see_also && !line.empty() && line[0] != '\\');
    if (!in_see_also && !is_silent(line)) {
      text += without_commands(line) + "\n";
    }
  }
  while (text.find("\n\n\n") != std::string::npos) {
    text.replace(text.find("\n\n\n"), 3, "\n\n");
  }
  const size_t begin = text.find_first_not_of(" \n");
  const size_t last = text.find_last_not_of(" \n");
  return begin == std::string::npos ? std::string() : text.substr(begin, last + 1 - begin);
}

constexpr auto kNoNames =
    std::to_array<std::string_view>({"__attribute__", "__declspec", "if", "for", "while", "switch", "return", "sizeof",
                                     "defined", "__align__", "alignas", "__dv", "__specialization_static", "operator",
                                     "__launch_bounds__", "decltype", "static_assert", "throw"});

// The name in front of the first "(" that is no attribute's; empty where there is none.
std::string function_name(std::string_view declaration) {
  for (size_t open = declaration.find('('); open != std::string_view::npos; open = declaration.find('(', open + 1)) {
    size_t end = open;
    while (end > 0 && is_blank(declaration[end - 1])) {
      --end;
    }
    size_t begin = end;
    while (begin > 0 && is_name_character(declaration[begin - 1])) {
      --begin;
    }
    const std::string_view name = declaration.substr(begin, end - begin);
    const bool is_shouted = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (name.size() > 1 && !is_shouted && std::find(kNoNames.begin(), kNoNames.end(), name) == kNoNames.end()) {
      return std::string(name);
    }
  }
  return {};
}

// "enum cudaMemcpyKind {", "typedef struct X {" -> the name; of "typedef enum {...} Name;" nothing yet.
std::string type_name(std::string_view declaration) {
  for (const std::string_view keyword : {"enum ", "struct ", "union ", "class "}) {
    const size_t at = declaration.find(keyword);
    if (at == std::string_view::npos || (at > 0 && is_name_character(declaration[at - 1]))) {
      continue;
    }
    // The last name before the brace: macros of alignment stand between.
    const size_t stop = declaration.find_first_of("{:;", at);
    std::string name;
    std::string piece;
    for (const char c : std::string(declaration.substr(at + keyword.size(), stop - at - keyword.size())) + " ") {
      if (is_name_character(c)) {
        piece += c;
      } else if (!piece.empty()) {
        name = std::exchange(piece, {});
      }
    }
    return name;
  }
  return {};
}

class HeaderReader {
 public:
  HeaderReader(const std::string& name, const std::string& source, std::string_view text)
      : name_(name), source_(source), text_(text) {}

  std::vector<Document> read() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("/*")) {
        take_comment();
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '#' && declaration_.find_first_not_of(" \n\t\r") == std::string::npos) {
        skip_directive();
      } else {
        take(text_[at_++]);
      }
    }
    std::vector<Document> documents;
    for (const std::string& id : order_) {
      for (Document& piece : cut_to_size(std::move(found_[id]))) {
        documents.push_back(std::move(piece));
      }
    }
    return documents;
  }

 private:
  void take_comment() {
    const size_t end = text_.find("*/", at_ + 2);
    const size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
    const std::string_view comment = text_.substr(at_, stop - at_);
    at_ = stop;
    const bool is_behind = comment.starts_with("/**<") || comment.starts_with("/*!<");
    if (is_behind && in_enum_) {
      enumerator_behind(comment_text(comment));
    } else if (comment.starts_with("/**") || comment.starts_with("/*!")) {
      comment_ = comment_text(comment);
    }
  }

  void skip_directive() {
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      const bool goes_on = end > at_ && text_.substr(at_, end - at_).find_last_of('\\') == end - at_ - 1;
      at_ = end + 1;
      if (!goes_on) {
        break;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  void take(char c) {
    if (in_enum_) {
      return take_in_enum(c);
    }
    if (c == ';' || c == '{' || c == '}') {
      end_declaration(c);
    } else {
      declaration_ += c;
    }
  }

  void end_declaration(char end) {
    const std::string declaration = squeezed(declaration_);
    declaration_.clear();
    const bool is_enum = end == '{' && (declaration.starts_with("enum ") || declaration.starts_with("typedef enum"));
    const std::string function = is_enum ? "" : function_name(declaration);
    const std::string type = function.empty() ? type_name(declaration) : "";
    const std::string& thing = function.empty() ? type : function;
    if (is_enum) {
      in_enum_ = true;
      enum_name_ = type;
      enum_comment_ = comment_;
    } else if (!thing.empty() && !comment_.empty()) {
      add(thing, declaration, comment_);
    }
    comment_.clear();
  }

  void take_in_enum(char c) {
    if (c != ',' && c != '}') {
      declaration_ += c;
      return;
    }
    end_enumerator();
    if (c == '}') {
      in_enum_ = false;
      const size_t end = std::min(text_.find(';', at_), text_.size());
      const std::string behind = squeezed(text_.substr(at_, std::min<size_t>(end - at_, 200)));
      enum_name_ = behind.empty() ? enum_name_ : behind.substr(0, behind.find_first_of(" ,"));  // of a typedef
      if (!enum_name_.empty() && !enumerators_.empty()) {
        add(enum_name_, "enum " + enum_name_, enum_comment_ + "\n\n" + enumerators_);
      }
      enumerators_.clear();
      at_ = end;
    }
  }

  void end_enumerator() {
    const std::string line = squeezed(declaration_);
    declaration_.clear();
    last_enumerator_ = line.substr(0, line.find_first_of(" =("));
    if (!last_enumerator_.empty()) {
      enumerators_ += line + "\n";
      if (!comment_.empty()) {
        add(last_enumerator_, line + "  // " + (enum_name_.empty() ? "an enumerator" : "of " + enum_name_), comment_);
      }
    }
    comment_.clear();
  }

  // "name = 1, /**< what it means */": the comment follows the comma; of the last one there is none.
  void enumerator_behind(const std::string& comment) {
    if (!squeezed(declaration_).empty()) {
      end_enumerator();
    }
    if (!last_enumerator_.empty() && found_.count("header:" + last_enumerator_) == 0) {
      add(last_enumerator_, last_enumerator_ + "  // " + (enum_name_.empty() ? "an enumerator" : "of " + enum_name_),
          comment);
    }
  }

  void add(const std::string& thing, const std::string& declaration, const std::string& comment) {
    const std::string id = "header:" + thing;
    Document& document = found_[id];
    if (document.id.empty()) {
      order_.push_back(id);
      document = {.id = id, .origin = Origin::kHeader, .title = thing, .source = source_};
      document.place = fmt::format("line {}", line_at(at_));
      document.when = comment.substr(0, comment.find_first_of(".\n"));
      document.body = fmt::format("{}\n\n#include <{}>\n{}\n\n{}\n", thing, name_,
                                  cut_utf8(declaration, kMaxDeclarationBytes), comment);
    } else if (document.body.find(declaration) == std::string::npos && document.body.size() < kMaxDocumentBytes / 2) {
      document.body += fmt::format("\n{}\n", cut_utf8(declaration, kMaxDeclarationBytes));
    }
  }

  size_t line_at(size_t at) {
    lines_ += static_cast<size_t>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(counted_), text_.begin() + static_cast<ptrdiff_t>(at), '\n'));
    counted_ = at;
    return lines_ + 1;
  }

  const std::string& name_;
  const std::string& source_;
  std::string_view text_;
  size_t at_ = 0;
  size_t counted_ = 0;
  size_t lines_ = 0;
  std::string declaration_;
  std::string comment_;  // the last one, if nothing was declared since
  bool in_enum_ = false;
  std::string enum_name_;
  std::string enum_comment_;
  std::string enumerators_;
  std::string last_enumerator_;
  std::map<std::string, Document> found_;
  std::vector<std::string> order_;
};

}  // namespace

std::vector<Document> read_header(const std::string& name, const std::string& source, std::string_view text) {
  return HeaderReader(name, source, text).read();
}

}  // namespace stitch::knowledge
