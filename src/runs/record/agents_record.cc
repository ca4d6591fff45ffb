// SPDX-License-Identifier: Apache-2.0
#include "runs/record/agents_record.h"

#include <fmt/format.h>

#include <utility>

#include "base/json/json.h"
#include "runs/record/agents_fields.h"

namespace stitch::runs {
namespace {

template <typename T>
concept HasFields = requires(T& value) { visit_fields(value, [](const char*, auto&) {}); };

template <typename T>
Json field_json(const T& value);

template <typename T>
Json field_json(const std::optional<T>& value) {
  return value.has_value() ? field_json(*value) : Json();
}

template <typename T>
Json field_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& each : values) {
    list.push_back(field_json(each));
  }
  return list;
}

template <typename T>
Json field_json(const T& value) {
  if constexpr (HasFields<const T>) {
    Json object = Json::object();
    visit_fields(value, [&](const char* name, const auto& field) { object[name] = field_json(field); });
    return object;
  } else {
    return value;
  }
}

// Reads what is there; the first member of another kind is the problem.
class FieldReader {
 public:
  template <typename T>
  void read(const Json& json, const char* name, T& into) {
    if constexpr (HasFields<T>) {
      if (is(json.is_object(), name)) {
        visit_fields(into, [&](const char* member, auto& field) {
          const auto found = json.find(member);
          if (found != json.end() && !found->is_null()) {
            read(*found, member, field);
          }
        });
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      take(json.is_boolean(), json, name, into);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      const bool fits = !json.is_number_unsigned() || std::in_range<int64_t>(json.get<uint64_t>());
      take(json.is_number_integer() && fits, json, name, into);
    } else if constexpr (std::is_same_v<T, double>) {
      take(json.is_number(), json, name, into);
    } else {
      take(json.is_string(), json, name, into);
    }
  }
  template <typename T>
  void read(const Json& json, const char* name, std::optional<T>& into) {
    read(json, name, into.emplace());
  }
  template <typename T>
  void read(const Json& json, const char* name, std::vector<T>& into) {
    for (size_t i = 0; is(json.is_array(), name) && i < json.size(); ++i) {
      read(json[i], name, into.emplace_back());
    }
  }
  void read(const Json& json, const char* name, std::map<std::string, std::string>& into) {
    if (is(json.is_object(), name)) {
      for (const auto& [key, value] : json.items()) {
        read(value, name, into[key]);
      }
    }
  }

  const std::string& problem() const { return problem_; }

 private:
  bool is(bool is_kind, const char* name) {
    if (!is_kind && problem_.empty()) {
      problem_ = fmt::format("{} is not of the kind that we write", name);
    }
    return is_kind;
  }
  template <typename T>
  void take(bool is_kind, const Json& json, const char* name, T& into) {
    if (is(is_kind, name)) {
      into = json.get<T>();
    }
  }

  std::string problem_;
};

}  // namespace

Json to_json(const AgentsRecord& record) { return field_json(record); }

Result<AgentsRecord> agents_record_from_json(const Json& json) {
  AgentsRecord record;
  FieldReader reader;
  reader.read(json, "it", record);
  if (!reader.problem().empty()) {
    return failure(ErrorCode::kFileInvalid,
                   "what the record of a run says of its agents cannot be read: " + reader.problem());
  }
  return record;
}

}  // namespace stitch::runs
