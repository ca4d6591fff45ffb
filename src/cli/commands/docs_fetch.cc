// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/docs_fetch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "knowledge/fetch/fetch.h"
#include "llm/client/client.h"

namespace stitch::cli {
namespace {

std::string without_last_stroke(std::string address) {
  while (address.ends_with('/')) {
    address.pop_back();
  }
  return address;
}

// The licence goes to stderr, so that stdout stays for the result.
Result<void> ask(const CommandLine& line, const std::string& address, const std::string& licence) {
  if (line.accepts_licence) {
    return {};
  }
  fmt::print(stderr, "{}\n\n{}\n", printable_lines(licence), address);
  if (::isatty(STDIN_FILENO) == 0) {
    return failure(ErrorCode::kUsage, "nobody is here to accept NVIDIA's licence", address,
                   "read it, and repeat the command with --accept-licence");
  }
  fmt::print(stderr, "Do you accept this licence? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "Y" && answer != "yes") {
    return failure(ErrorCode::kUsage, "the licence was not accepted, and nothing was fetched");
  }
  return {};
}

Json as_json(const std::vector<knowledge::FetchedGuide>& guides) {
  Json rows = Json::array();
  for (const knowledge::FetchedGuide& guide : guides) {
    rows.push_back({{"name", guide.name}, {"url", guide.url}, {"file", guide.file.string()}, {"bytes", guide.bytes}});
  }
  return rows;
}

}  // namespace

Result<int> fetch_guides(Invocation& invocation, const knowledge::Places& places) {
  const CommandLine& line = invocation.line();
  Reporter& reporter = invocation.reporter();
  STITCH_ASSIGN(llm::ChatClient client, llm::ChatClient::start());
  const knowledge::Download download = [&](const std::string& url, const std::filesystem::path& file) -> Result<void> {
    reporter.fact("fetch", url);
    STITCH_TRY(client.fetch({.url = url, .file = file.string()}));
    return {};
  };
  knowledge::FetchRequest request{.guides = line.words, .folder = knowledge::guides_folder(places)};
  request.server = line.mirror.empty() ? request.server : without_last_stroke(line.mirror);
  STITCH_ASSIGN(const std::string licence, knowledge::fetch_licence(request, download));
  STITCH_TRY(ask(line, request.server + knowledge::kLicencePath, licence));
  STITCH_ASSIGN(const std::vector<knowledge::FetchedGuide> guides, knowledge::fetch_guides(request, licence, download));
  STITCH_ASSIGN(const knowledge::Library library, knowledge::Library::open(places));
  reporter.result(
      Json{{"schema", "stitchcuda.docs_fetch/1"}, {"guides", as_json(guides)}, {"passages", library.facts().guides}},
      fmt::format("{} guides in {}, {} passages in the index", guides.size(), request.folder.string(),
                  library.facts().guides));
  return 0;
}

}  // namespace stitch::cli
