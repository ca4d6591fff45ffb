// SPDX-License-Identifier: Apache-2.0
#include "agents/acp/requests.h"

#include <algorithm>
#include <array>

#include "base/json/json.h"
#include "base/json/shown.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr std::array kPermittedKinds = {"read", "edit", "delete", "move", "search", "think", "other", "switch_mode"};

Json refusal(const Json& id, int code, const std::string& sentence) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", sentence}}}};
}

Json answered(const Json& id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

std::string lines_of(const std::string& text, int64_t first, int64_t count) {
  size_t begin = 0;
  for (int64_t line = 1; line < first && begin < text.size(); ++line) {
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  }
  size_t end = begin;
  for (int64_t line = 0; line < count && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(begin, end - begin);
}

Result<Json> read_file_for(const Json& params, const fs::path& workspace) {
  STITCH_ASSIGN(const std::string path, json_string(params, "path"));
  STITCH_ASSIGN(const tools::Beneath files, tools::Beneath::open(workspace));
  STITCH_ASSIGN(const std::string text, files.read(path, tools::kMaxFileBytes));
  const int64_t all = static_cast<int64_t>(text.size()) + 1;
  return Json{{"content", lines_of(text, shown_int(params, "line", 1), shown_int(params, "limit", all))}};
}

Result<Json> write_file_for(const Json& params, const fs::path& workspace) {
  STITCH_ASSIGN(const std::string path, json_string(params, "path"));
  STITCH_ASSIGN(const std::string content, json_string(params, "content"));
  if (content.size() > tools::kMaxFileBytes) {
    return failure(ErrorCode::kUsage, "the text is longer than 1 MiB");
  }
  STITCH_ASSIGN(const tools::Beneath files, tools::Beneath::open(workspace));
  STITCH_TRY(files.write(path, content));
  return Json::object();
}

// The option of one of these kinds, the first kind first.
std::string option_of(const Json& options, const std::array<const char*, 2>& kinds) {
  for (const char* kind : kinds) {
    for (const Json& option : options) {
      if (shown_string(option, "kind", "") == kind) {
        return shown_string(option, "optionId", "");
      }
    }
  }
  return "";
}

Json permission(const Json& params, const fs::path& workspace) {
  const Json call = params.value("toolCall", Json::object());
  const Json options = params.value("options", Json::array());
  const bool permitted = is_permitted(call, workspace);
  const std::string chosen = permitted ? option_of(options, {"allow_once", "allow_always"})
                                       : option_of(options, {"reject_once", "reject_always"});
  const Json outcome =
      chosen.empty() ? Json{{"outcome", "cancelled"}} : Json{{"outcome", "selected"}, {"optionId", chosen}};
  return {{"outcome", outcome}};
}

}  // namespace

bool is_permitted(const Json& tool_call, const fs::path& workspace) {
  const std::string kind = shown_string(tool_call, "kind", "other");
  if (std::find(kPermittedKinds.begin(), kPermittedKinds.end(), kind) == kPermittedKinds.end()) {
    return false;
  }
  const auto locations = tool_call.find("locations");
  if (locations == tool_call.end() || !locations->is_array()) {
    return true;
  }
  std::error_code failed;
  const fs::path root = fs::canonical(workspace, failed);
  return std::all_of(locations->begin(), locations->end(), [&](const Json& location) {
    const fs::path path = fs::weakly_canonical(workspace / shown_string(location, "path", ""), failed);
    return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
  });
}

Json response_to(const Json& request, const fs::path& workspace) {
  const std::string method = shown_string(request, "method", "");
  const Json id = request.value("id", Json());
  const Json params = request.value("params", Json::object());
  if (!params.is_object()) {
    return refusal(id, kInvalidParams, "the parameters are no object");
  }
  if (method == "session/request_permission") {
    return answered(id, permission(params, workspace));
  }
  const bool reads = method == "fs/read_text_file";
  if (!reads && method != "fs/write_text_file") {
    return refusal(id, kMethodNotFound, "this client does not offer " + method.substr(0, 80));
  }
  Result<Json> result = reads ? read_file_for(params, workspace) : write_file_for(params, workspace);
  return result.has_value() ? answered(id, std::move(*result)) : refusal(id, kInvalidParams, result.error().message);
}

}  // namespace stitch::agents
