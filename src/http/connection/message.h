// SPDX-License-Identifier: Apache-2.0
// A request as it was read, and what is answered.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stitch::http {

struct Request {
  std::string method;  // "GET"
  std::string path;    // "/v1/evaluations": without the query
  std::map<std::string, std::string> query{};
  std::map<std::string, std::string> headers{};  // by their names in lower case
  std::string body{};
  bool is_http_1_0 = false;
  bool keeps_alive = true;

  // Empty where there is none.
  std::string header(const std::string& lower_case_name) const;
};

struct Response {
  int status = 200;
  std::string body{};
  std::string content_type = "application/json";  // of a body that is not empty
  std::vector<std::pair<std::string, std::string>> headers{};
};

// {"error": SENTENCE} on a line.
Response refusal(int status, const std::string& sentence);

// "/a?b=1&c=%20" apart: the path, and the query with its escapes undone. A name that comes again has its last value.
void read_target(std::string_view target, Request& request);

}  // namespace stitch::http
