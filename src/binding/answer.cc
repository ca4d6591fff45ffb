// SPDX-License-Identifier: Apache-2.0
#include "binding/answer.h"

#include <fmt/format.h>

#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "binding/arguments.h"
#include "binding/verbs.h"
#include "driver/job/resources_beside.h"
#include "driver/job/unwatched.h"

namespace stitch::binding {
namespace {

Result<const Verb*> find_verb(const std::string& name) {
  std::string known;
  for (const Verb& verb : verbs()) {
    if (name == verb.name) {
      return &verb;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", verb.name);
  }
  return failure(ErrorCode::kUsage, fmt::format("\"{}\" is nothing that can be asked in process", name), "verb",
                 fmt::format("ask one of {}; the others are verbs of the program stitchcuda", known));
}

Result<Json> answered(std::string_view text, const std::filesystem::path& programs) {
  const Result<Json> request = parse_json(text, "the request");
  if (!request.has_value() || !request->is_object()) {
    return failure(ErrorCode::kUsage, request.has_value() ? "the request is no JSON object" : request.error().message);
  }
  STITCH_ASSIGN(const std::string name, text_argument(*request, "verb"));
  STITCH_ASSIGN(const Verb* verb, find_verb(name));
  driver::Resources resources;
  if (verb->needs_own_files) {
    STITCH_ASSIGN(resources, driver::resources_beside(programs));
  }
  driver::Unwatched nobody;  // requests that start no process are over before anybody could watch
  return verb->run(*request, driver::Services{std::move(resources), nobody});
}

Json as_answer(const Error& error) {
  return Json{{"error",
               {{"code", to_string(error.code)},
                {"sentence", error.message},
                {"place", error.location},
                {"remedy", error.remedy}}}};
}

}  // namespace

std::string answer(std::string_view request, const std::filesystem::path& programs) {
  const Result<Result<Json>> done =
      guarded([&] { return answered(request, programs); }, ErrorCode::kInternal, "an unexpected failure");
  const Result<Json> made = done.has_value() ? *done : Result<Json>(failure(done.error()));
  const Json json = made.has_value() ? *made : as_answer(made.error());
  // Bytes that are no UTF-8 (a path) must not cost the caller the whole answer.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stitch::binding
