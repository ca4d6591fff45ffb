// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/extension_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/json/json.h"
#include "evaluate/processes/worker_process.h"

namespace stitch::evaluate {
namespace {

constexpr int64_t kTimeoutMs = 120'000;
constexpr uint64_t kMemoryBytes = uint64_t{16} << 30;
constexpr size_t kMaxFiles = 200;

bool is_identifier(const std::string& name) {
  const auto fits = [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; };
  return !name.empty() && name.size() < 200 && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name.size() < 200 && name.front() != '.' && name.find('/') == std::string::npos &&
         name.front() != '-' && name.find('\0') == std::string::npos;
}

Unexpected invalid(const std::string& message) { return failure(ErrorCode::kProgramInvalid, message); }

// The macros beside what the form asks for: values are words of ours to a compiler, without a shell between.
Result<std::vector<std::string>> read_macros(const Json& request) {
  STITCH_ASSIGN(const Json* list, json_array(request, "macros"));
  std::vector<std::string> macros;
  for (const Json& item : *list) {
    const std::string text = item.is_string() ? item.get<std::string>() : std::string();
    const std::string name = text.substr(std::min<size_t>(2, text.size()), text.find('=') - 2);
    if ((!text.starts_with("-D") && !text.starts_with("-U")) || !is_identifier(name) || name.starts_with("STITCH")) {
      return invalid("load_inline is given the flag " + text + ", which names no macro of its own");
    }
    macros.push_back(text);
  }
  return macros;
}

Result<ExtensionRequest> read_request(const Json& item) {
  ExtensionRequest found;
  STITCH_ASSIGN(found.key, json_string(item, "key"));
  STITCH_ASSIGN(const std::string text, json_string(item, "text"));
  STITCH_ASSIGN(const Json request, parse_json(text, "what load_inline was asked for"));
  STITCH_ASSIGN(found.bundle.name, json_string(request, "name"));
  if (!is_identifier(found.bundle.name)) {
    return invalid("load_inline is given the name \"" + found.bundle.name + "\", which no module can have");
  }
  const auto files = request.find("files");
  if (files == request.end() || !files->is_object() || files->size() > kMaxFiles) {
    return invalid("load_inline is given no sources, or too many files");
  }
  for (const auto& [name, content] : files->items()) {
    if (!is_plain_file_name(name) || !content.is_string()) {
      return invalid("load is given a source whose name is none");
    }
    found.bundle.files[name] = content.get<std::string>();
  }
  STITCH_ASSIGN(const Json* units, json_array(request, "units"));
  for (const Json& unit : *units) {
    if (!unit.is_string() || found.bundle.files.count(unit.get<std::string>()) == 0) {
      return invalid("load is given a source that is not there");
    }
    found.bundle.units.push_back(unit.get<std::string>());
  }
  STITCH_ASSIGN(found.macros, read_macros(request));
  return found;
}

Result<ExtensionRequests> read_requests(const Json& answer) {
  ExtensionRequests found;
  STITCH_ASSIGN(found.is_cut, json_bool(answer, "is_cut"));
  STITCH_ASSIGN(const Json* list, json_array(answer, "requests"));
  for (const Json& item : *list) {
    STITCH_ASSIGN(ExtensionRequest request, read_request(item));
    found.requests.push_back(std::move(request));
  }
  return found;
}

}  // namespace

Result<ExtensionRequests> extension_requests_from_json(const Json& answer) {
  Result<ExtensionRequests> found = read_requests(answer);
  if (!found.has_value() && found.error().code != ErrorCode::kProgramInvalid) {
    return invalid("the program wrote into its worker's channel: " + found.error().message);
  }
  return found;
}

Result<ExtensionRequests> extension_requests(const CandidateBinary& binary, sandbox::CageMode cage) {
  CandidateBinary own = binary;
  own.python->ledger = std::make_shared<CandidateLedger>();  // the verdict has its own
  WorkerLimits limits;
  limits.timeout_ms = kTimeoutMs;
  limits.memory_bytes = kMemoryBytes;
  limits.cage = cage;
  STITCH_ASSIGN(WorkerProcess worker, WorkerProcess::start(own, limits));
  Json arguments;
  arguments["library"] = own.library;
  arguments["extensions"] = own.python->extensions.value_or(std::map<std::string, std::string>());
  STITCH_ASSIGN(arguments["interface"], parse_json(own.python->interface, "the interface of a candidate"));
  STITCH_ASSIGN(const WorkerReply reply, worker.ask("collect", arguments));
  const auto* answer = std::get_if<wire::Answer>(&reply);
  return answer == nullptr ? ExtensionRequests() : extension_requests_from_json(answer->json());
}

}  // namespace stitch::evaluate
