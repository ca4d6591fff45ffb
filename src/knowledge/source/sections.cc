// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxTitleBytes = 200;
constexpr size_t kMaxSlugBytes = 60;

// "Kernel-level tuning" -> "kernel-level-tuning"
std::string slug_of(const std::string& title) {
  std::string slug;
  for (const Word& word : words_of(title)) {
    slug += (slug.empty() ? "" : "-") + word.whole;
  }
  return std::string(cut_utf8(slug, kMaxSlugBytes));
}

int heading_level(std::string_view line) {
  const size_t level = line.find_first_not_of('#');
  return level != std::string_view::npos && level > 0 && level <= 6 && line[level] == ' ' ? static_cast<int>(level) : 0;
}

class SectionReader {
 public:
  explicit SectionReader(const Document& base) : base_(base), title_(base.title) {}

  void take(std::string_view line, size_t number) {
    is_code_ = line.starts_with("```") || line.starts_with("~~~") ? !is_code_ : is_code_;
    const int level = is_code_ ? 0 : heading_level(line);
    if (level > 0) {
      end_section();
      begin_section(level, std::string(cut_utf8(line.substr(static_cast<size_t>(level) + 1), kMaxTitleBytes)), number);
    }
    body_ += std::string(line) + "\n";
    has_text_ = has_text_ || (level == 0 && line.find_first_not_of(" \t\r") != std::string_view::npos);
  }

  std::vector<Document> finish() {
    end_section();
    return std::move(documents_);
  }

 private:
  void begin_section(int level, std::string title, size_t number) {
    title_ = std::move(title);
    line_ = number;
    above_.resize(std::min(above_.size(), static_cast<size_t>(level - 1)));
    above_.resize(static_cast<size_t>(level - 1));
    above_.push_back(title_);
  }

  void end_section() {
    if (has_text_) {
      Document section = base_;
      const std::string slug = documents_.empty() && above_.empty() ? "" : slug_of(title_);
      section.id += slug.empty() ? "" : "#" + slug;
      section.title = title_;
      for (size_t i = 0; i + 1 < above_.size(); ++i) {
        section.when += above_[i] + " ";
      }
      section.body = body_;
      section.place = fmt::format("line {}", line_);
      for (Document& piece : cut_to_size(std::move(section))) {
        documents_.push_back(std::move(piece));
      }
    }
    body_.clear();
    has_text_ = false;
  }

  const Document& base_;
  std::string title_;
  std::string body_;
  std::vector<std::string> above_;  // the headings that the section stands under, itself the last
  std::vector<Document> documents_;
  size_t line_ = 1;
  bool is_code_ = false;
  bool has_text_ = false;
};

// --- HTML -----------------------------------------------------------------------------------------------------------

constexpr auto kSilent = std::to_array<std::string_view>({"script", "style", "head", "nav", "svg", "noscript"});
constexpr auto kBreaking =
    std::to_array<std::string_view>({"p", "div", "br", "tr", "table", "ul", "ol", "section", "article", "dt", "dd",
                                     "dl", "blockquote", "header", "footer", "main"});
struct Entity {
  std::string_view name;
  const char* text;
};
constexpr auto kEntities = std::to_array<Entity>({{"&lt;", "<"},
                                                  {"&gt;", ">"},
                                                  {"&amp;", "&"},
                                                  {"&quot;", "\""},
                                                  {"&apos;", "'"},
                                                  {"&#39;", "'"},
                                                  {"&nbsp;", " "},
                                                  {"&#160;", " "}});

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) {}

  std::string read() {
    while (at_ < html_.size()) {
      if (html_.substr(at_).starts_with("<!--")) {
        skip_past("-->");
      } else if (html_[at_] == '<' && at_ + 1 < html_.size() && is_tag_begin(html_[at_ + 1])) {
        tag();
      } else {
        character();
      }
    }
    return std::move(text_);
  }

 private:
  static bool is_tag_begin(char c) {
    return c == '/' || c == '!' || c == '?' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  void skip_past(std::string_view end) {
    const size_t found = html_.find(end, at_);
    at_ = found == std::string_view::npos ? html_.size() : found + end.size();
  }

  void tag() {
    const bool closes = html_[at_ + 1] == '/';
    std::string name;
    for (size_t i = at_ + (closes ? 2 : 1); i < html_.size() && name.size() < 16; ++i) {
      const char c = html_[i];
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) {
        break;
      }
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    skip_past(">");
    if (!closes && std::find(kSilent.begin(), kSilent.end(), name) != kSilent.end()) {
      skip_past(fmt::format("</{}", name));
      return skip_past(">");
    }
    apply(name, closes);
  }

  void apply(const std::string& name, bool closes) {
    const bool is_heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (is_heading) {
      text_ += closes ? std::string("\n") : "\n\n" + std::string(static_cast<size_t>(name[1] - '0'), '#') + " ";
      in_heading_ = !closes;
    } else if (name == "pre") {
      text_ += closes ? "\n```\n" : "\n```\n";
      in_code_ = !closes;
    } else if (name == "li" && !closes) {
      text_ += "\n- ";
    } else if (std::find(kBreaking.begin(), kBreaking.end(), name) != kBreaking.end()) {
      text_ += in_heading_ ? " " : "\n";
    } else if (name == "td" || name == "th") {
      text_ += " ";
    }
  }

  void character() {
    if (html_[at_] == '&') {
      for (const Entity& entity : kEntities) {
        if (html_.substr(at_).starts_with(entity.name)) {
          text_ += entity.text;
          at_ += entity.name.size();
          return;
        }
      }
    }
    const char c = html_[at_++];
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space || in_code_) {
      text_ += c;
    } else if (!text_.empty() && text_.back() != ' ' && text_.back() != '\n') {
      text_ += ' ';
    }
  }

  std::string_view html_;
  std::string text_;
  size_t at_ = 0;
  bool in_heading_ = false;
  bool in_code_ = false;
};

template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    take(text.substr(at, end - at), ++number);
    at = end + 1;
  }
}

}  // namespace

std::vector<Document> markdown_sections(const Document& base, std::string_view text) {
  SectionReader reader(base);
  for_each_line(text, [&](std::string_view line, size_t number) { reader.take(line, number); });
  return reader.finish();
}

std::string html_to_markdown(std::string_view html) { return HtmlReader(html).read(); }

std::vector<Document> plain_sections(const Document& base, std::string_view text) {
  constexpr size_t kParagraphsBytes = 1500;
  std::vector<Document> documents;
  std::string body;
  size_t first_line = 1;
  const auto end_part = [&](size_t next_line) {
    if (body.find_first_not_of(" \t\r\n\f") != std::string::npos) {
      Document part = base;
      part.id += documents.empty() ? "" : fmt::format("~{}", documents.size() + 1);
      part.place = fmt::format("line {}", first_line);
      part.body = std::move(body);
      for (Document& piece : cut_to_size(std::move(part))) {
        documents.push_back(std::move(piece));
      }
    }
    body.clear();
    first_line = next_line;
  };
  for_each_line(text, [&](std::string_view line, size_t number) {
    const bool is_empty = line.find_first_not_of(" \t\r\f") == std::string_view::npos;
    if (is_empty && body.size() > kParagraphsBytes) {
      end_part(number + 1);
    } else {
      body += std::string(line) + "\n";
    }
  });
  end_part(0);
  return documents;
}

}  // namespace stitch::knowledge
