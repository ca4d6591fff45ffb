// SPDX-License-Identifier: Apache-2.0
// docs index, search, show, fetch: what the agents look up, for people.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "cli/commands/commands.h"
#include "cli/commands/docs_fetch.h"
#include "cli/output/columns.h"
#include "cli/output/terminal.h"
#include "knowledge/library/folders.h"
#include "knowledge/library/library.h"
#include "tools/requests/knowledge_places.h"

namespace stitch::cli {
namespace {

using knowledge::IndexFacts;
using knowledge::Library;
using knowledge::Passage;
using knowledge::Places;

constexpr size_t kMaxLogBytes = 1u << 20;
constexpr size_t kMaxTextColumns = 100;

// Until the end, or as much as is looked at.
std::string read_standard_input() {
  std::string text;
  std::array<char, 65536> bytes{};
  while (text.size() < kMaxLogBytes) {
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) {
      break;
    }
    text.append(bytes.data(), static_cast<size_t>(count));
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

Result<knowledge::Query> query_of(const CommandLine& line) {
  const bool has_profile =
      !(line.bound.empty() && line.step_kind.empty() && line.dtype.empty() && line.architecture.empty());
  const int kinds = (line.words.empty() ? 0 : 1) + (line.error_log.empty() ? 0 : 1) + (has_profile ? 1 : 0);
  if (kinds != 1) {
    return failure(ErrorCode::kUsage, "docs search takes words, --error FILE, or what a profile found: one of them", "",
                   "see 'stitchcuda docs search --help'");
  }
  if (has_profile) {
    return knowledge::Query(knowledge::ProfileQuery{.bound = knowledge::bound_from_string(line.bound),
                                                    .step_kind = line.step_kind,
                                                    .dtype = line.dtype,
                                                    .device = line.architecture});
  }
  if (!line.words.empty()) {
    return knowledge::Query(knowledge::TextQuery{joined(line.words)});
  }
  if (line.error_log == "-") {
    return knowledge::Query(knowledge::ErrorQuery{read_standard_input()});
  }
  STITCH_ASSIGN(std::string log, read_file(line.error_log));
  return knowledge::Query(knowledge::ErrorQuery{std::move(log)});
}

Json as_json(const Passage& passage) {
  return {{"id", passage.id},
          {"origin", to_string(passage.origin)},
          {"title", passage.title},
          {"source", passage.source},
          {"place", passage.place}};
}

// "1  Coalesce global loads and stores\n   card:memory/coalescing\n   snippet, wrapped"
std::string as_text(const std::vector<Passage>& passages, const Terminal& terminal) {
  const size_t width = std::min(static_cast<size_t>(std::max(terminal.columns, 40)), kMaxTextColumns);
  std::string text;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    text += fmt::format(
        "{}{:>2}  {}\n    {}{}\n    {}\n", i == 0 ? "" : "\n", i + 1, terminal.bold(printable_line(passage.title, 200)),
        terminal.dim(printable_line(passage.id, 200)), passage.place.empty() ? "" : terminal.dim("  " + passage.place),
        hanging(passage.snippet, 4, width));
  }
  text.pop_back();
  return text;
}

Result<int> search(Invocation& invocation) {
  STITCH_ASSIGN(const knowledge::Query query, query_of(invocation.line()));
  STITCH_ASSIGN(const Places places, tools::find_knowledge_places(invocation.services().resources));
  STITCH_ASSIGN(Library library, Library::open(places));
  STITCH_ASSIGN(const std::vector<Passage> found, library.search(query, invocation.line().limit));
  Json passages = Json::array();
  for (const Passage& passage : found) {
    Json row = as_json(passage);
    row["score"] = passage.score;
    row["snippet"] = passage.snippet;
    passages.push_back(std::move(row));
  }
  const Terminal terminal = find_terminal(STDOUT_FILENO, invocation.line().color);
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.docs_search/1"}, {"passages", std::move(passages)}},
      found.empty() ? "Nothing is known of that: other words may do better." : as_text(found, terminal));
  return 0;
}

Result<int> show(Invocation& invocation) {
  STITCH_ASSIGN(const Places places, tools::find_knowledge_places(invocation.services().resources));
  STITCH_ASSIGN(Library library, Library::open(places));
  STITCH_ASSIGN(const Passage passage, library.find(invocation.line().words.front()));
  Json object = {{"schema", "stitchcuda.docs_show/1"}};
  object.update(as_json(passage));
  object["text"] = passage.text;
  const std::string place = passage.place.empty() ? passage.source : passage.source + ", " + passage.place;
  invocation.reporter().result(object, printable_lines(passage.text) + "\n" + printable_line(place, 500));
  return 0;
}

std::string as_text(const Library& library, const Places& places, double seconds) {
  const IndexFacts& facts = library.facts();
  std::string text = fmt::format("{}\n", places.index.string());
  text +=
      fmt::format("{} cards, {} declarations of CUDA's headers, {} passages of guides, {} of your folders; {:.1f} s",
                  facts.cards, facts.headers, facts.guides, facts.folders, seconds);
  for (const std::filesystem::path& folder : library.sources().folders) {
    text += fmt::format("\n  {}", folder.string());
  }
  for (const std::string& sentence : facts.skipped) {
    text += "\n  " + printable_line(sentence, 400);
  }
  return text;
}

Result<int> index(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const Places places, tools::find_knowledge_places(invocation.services().resources));
  if (line.forget && line.words.empty()) {
    return failure(ErrorCode::kUsage, "--forget needs a folder", "", "stitchcuda docs index lists them");
  }
  if (!line.words.empty()) {
    STITCH_TRY(line.forget ? knowledge::forget_folders(places.own, line.words)
                           : knowledge::add_folders(places.own, line.words));
  }
  const auto start = std::chrono::steady_clock::now();
  STITCH_ASSIGN(const Library library, Library::rebuild(places));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const IndexFacts& facts = library.facts();
  Json folders = Json::array();
  for (const std::filesystem::path& folder : library.sources().folders) {
    folders.push_back(folder.string());
  }
  invocation.reporter().result(Json{{"schema", "stitchcuda.docs_index/1"},
                                    {"index", places.index.string()},
                                    {"cards", facts.cards},
                                    {"headers", facts.headers},
                                    {"guides", facts.guides},
                                    {"own", facts.folders},
                                    {"folders", std::move(folders)},
                                    {"skipped", facts.skipped},
                                    {"seconds", seconds}},
                               as_text(library, places, seconds));
  return 0;
}

}  // namespace

Result<int> run_docs(Invocation& invocation) {
  const std::string& action = invocation.line().action;
  if (action == "search") {
    return search(invocation);
  }
  if (action == "show") {
    return show(invocation);
  }
  if (action == "index") {
    return index(invocation);
  }
  STITCH_ASSIGN(const Places places, tools::find_knowledge_places(invocation.services().resources));
  return fetch_guides(invocation, places);
}

}  // namespace stitch::cli
