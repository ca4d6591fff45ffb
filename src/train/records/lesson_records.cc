// SPDX-License-Identifier: Apache-2.0
#include "train/records/lesson_records.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/parallel/for_each_parallel.h"
#include "base/text/filled_lines.h"
#include "base/text/printable.h"
#include "weights/gguf/gguf_file.h"
#include "weights/gguf/gguf_tokenizer.h"

namespace stitch::train {
namespace {

constexpr const char* kSchema = "stitchcuda.lesson/1";
constexpr const char* kEndOfTurn = "<|im_end|>";  // of all templates that tokens::ChatTemplate names

// The same, of that file where nothing says of which.
Unexpected of_file(Error error, const std::filesystem::path& path) {
  error.location = error.location.empty() ? path.string() : error.location;
  return failure(std::move(error));
}

Result<std::string> tokenizer_json(const std::filesystem::path& path) {
  if (path.extension() != ".gguf") {
    return read_file(path);
  }
  STITCH_ASSIGN(const auto file, weights::GgufFile::open(path));
  auto text = weights::gguf_tokenizer_json(file);
  return text.has_value() ? std::move(text) : Result<std::string>(of_file(text.error(), path));
}

std::optional<tokens::Role> role_of(const std::string& word) {
  for (const tokens::Role role : {tokens::Role::kSystem, tokens::Role::kUser, tokens::Role::kAssistant}) {
    const char* const names[] = {"system", "user", "assistant"};
    if (word == names[static_cast<size_t>(role)]) {
      return role;
    }
  }
  return std::nullopt;
}

}  // namespace

bool has_tools(const Json& messages) {
  for (const Json& message : messages) {
    if (message.is_object() && (message.value("role", Json()) == Json("tool") || message.contains("tool_calls"))) {
      return true;
    }
  }
  return false;
}

// What a line came to: a record, or the count of those that were left out for the same reason.
using OfLine = std::variant<TrainingRecord, int64_t LessonsLeftOut::*>;

// The lines of one file, each by itself: a tokenizer needs some milliseconds for one.
class LessonLines {
 public:
  LessonLines(const LessonReader& reader, std::string path, int64_t max_tokens, RecordKind kind)
      : reader_(reader), path_(std::move(path)), max_tokens_(max_tokens), kind_(kind) {}

  Result<OfLine> of(std::string_view text, int64_t line) const {
    const std::string where = path_ + ":" + std::to_string(line);
    STITCH_ASSIGN(const Json lesson, parse_json(std::string(text), where));
    auto taken = of(lesson);
    if (!taken.has_value()) {
      return failure(ErrorCode::kFileInvalid, taken.error().message, where,
                     "name a file that 'stitchcuda harvest' wrote, or change or remove this line");
    }
    return taken;
  }

  Result<LessonFile> joined(std::vector<Result<OfLine>> lines, std::string sha256) const {
    LessonFile file{{{}, std::move(sha256)}, {}};
    for (Result<OfLine>& line : lines) {
      if (!line.has_value()) {
        return failure(line.error());
      }
      if (auto* record = std::get_if<TrainingRecord>(&*line)) {
        file.file.records.push_back(std::move(*record));
      } else {
        ++(file.left_out.*std::get<int64_t LessonsLeftOut::*>(*line));
      }
    }
    if (file.file.records.empty()) {
      const LessonsLeftOut& left_out = file.left_out;
      return failure(ErrorCode::kFileInvalid,
                     "nothing is left of the file's " + std::to_string(lines.size()) +
                         " lessons: " + std::to_string(left_out.not_positive) + " are not positive, " +
                         std::to_string(left_out.with_tools) + " have tools, " + std::to_string(left_out.too_long) +
                         " are longer than " + std::to_string(max_tokens_) + " tokens",
                     path_, "name a file with others, or take more of them ('lessons.which', 'max_tokens')");
    }
    return file;
  }

 private:
  Result<OfLine> of(const Json& lesson) const {
    if (!lesson.is_object() || lesson.value("schema", Json()) != Json(kSchema)) {
      return failure(ErrorCode::kFileInvalid, std::string("the line is no lesson, whose \"schema\" is ") + kSchema);
    }
    STITCH_ASSIGN(const bool is_positive, json_bool(lesson, "is_positive"));
    STITCH_ASSIGN(const Json* messages, json_array(lesson, "messages"));
    STITCH_ASSIGN(const std::string answer, json_string(lesson, "answer"));
    if (!is_positive && reader_.source_.which == WhichLessons::kPositive) {
      return OfLine(&LessonsLeftOut::not_positive);
    }
    if (has_tools(*messages)) {
      return OfLine(&LessonsLeftOut::with_tools);
    }
    TrainingRecord record;
    STITCH_ASSIGN(record.prompt, reader_.prompt_of(*messages));
    if (kind_ == RecordKind::kTraining) {
      STITCH_ASSIGN(record.response, reader_.answer_of(answer));
      record.mask.assign(record.response.size(), true);
    }
    if (static_cast<int64_t>(record.prompt.size() + record.response.size()) > max_tokens_) {
      return OfLine(&LessonsLeftOut::too_long);
    }
    return OfLine(std::move(record));
  }

  const LessonReader& reader_;
  std::string path_;
  int64_t max_tokens_;
  RecordKind kind_;
};

Json to_json(const LessonsLeftOut& left_out) {
  return {
      {"not_positive", left_out.not_positive}, {"with_tools", left_out.with_tools}, {"too_long", left_out.too_long}};
}

Result<LessonReader> LessonReader::open(const LessonSource& source, int64_t vocab) {
  STITCH_ASSIGN(const std::string text, tokenizer_json(source.tokenizer));
  STITCH_ASSIGN(auto tokenizer, tokens::Tokenizer::from_json(text, source.tokenizer.string()));
  if (tokenizer.vocab_size() > vocab) {
    return failure(ErrorCode::kUsage,
                   "the tokenizer has " + std::to_string(tokenizer.vocab_size()) +
                       " tokens, and the model's vocabulary " + std::to_string(vocab),
                   source.tokenizer.string(), "name the tokenizer that belongs to the model");
  }
  LessonReader reader(source, std::move(tokenizer), sha256_hex(text));
  // Whether its control tokens are there is asked before any lesson is read.
  const auto controls = tokens::encode_chat(reader.tokenizer_, {{"<|im_start|>", true}, {kEndOfTurn, true}});
  if (!controls.has_value()) {
    return of_file(controls.error(), source.tokenizer);
  }
  reader.end_of_turn_ = controls->back();
  return reader;
}

Result<LessonFile> LessonReader::read(const std::filesystem::path& path, int64_t max_tokens, RecordKind kind) const {
  STITCH_ASSIGN(const std::string text, read_file(path));
  std::vector<std::pair<std::string_view, int64_t>> lines;
  STITCH_TRY(for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    lines.emplace_back(line, number);
    return {};
  }));
  const LessonLines reading(*this, path.string(), max_tokens, kind);
  std::vector<Result<OfLine>> taken(lines.size(), OfLine());
  STITCH_TRY(for_each_parallel(lines.size(), 0, [&](size_t i) -> Result<void> {
    taken[i] = reading.of(lines[i].first, lines[i].second);
    return {};  // of all failures the first line's is told
  }));
  return reading.joined(std::move(taken), sha256_hex(text));
}

// Ends where the assistant begins, so that it is what a model is asked with when it draws.
Result<std::vector<int64_t>> LessonReader::prompt_of(const Json& messages) const {
  tokens::Conversation conversation;
  conversation.thinks = false;  // an answer is learned without thoughts before it
  for (const Json& message : messages) {
    if (!message.is_object()) {
      return failure(ErrorCode::kFileInvalid, "a message is no object");
    }
    STITCH_ASSIGN(const std::string word, json_string(message, "role"));
    STITCH_ASSIGN(std::string content, json_string(message, "content"));
    const auto role = role_of(word);
    if (!role.has_value()) {
      constexpr size_t kMaxShown = 40;
      return failure(ErrorCode::kFileInvalid,
                     "a message has the role '" + printable_line(word, kMaxShown) + "', which no template knows");
    }
    conversation.messages.push_back({*role, std::move(content), std::nullopt, {}});
  }
  if (conversation.messages.empty()) {
    return failure(ErrorCode::kFileInvalid, "there is no message");
  }
  STITCH_ASSIGN(const auto pieces, tokens::chat_pieces(source_.chat, conversation));
  return tokens::encode_chat(tokenizer_, pieces);
}

Result<std::vector<int64_t>> LessonReader::answer_of(const std::string& answer) const {
  return tokens::encode_chat(tokenizer_, {{answer}, {kEndOfTurn, true}});
}

// What a template puts behind the first end of a turn is what follows any other: "\n", and the user's turn.
Result<std::vector<int64_t>> LessonReader::next_turn_of(const std::string& content) const {
  tokens::Conversation conversation;
  conversation.thinks = false;
  conversation.messages = {{tokens::Role::kSystem, "", std::nullopt, {}},
                           {tokens::Role::kUser, content, std::nullopt, {}}};
  STITCH_ASSIGN(auto pieces, tokens::chat_pieces(source_.chat, conversation));
  const auto first_end = std::find_if(pieces.begin(), pieces.end(), [](const tokens::ChatPiece& piece) {
    return piece.is_control && piece.text == kEndOfTurn;
  });
  STITCH_CHECK(first_end != pieces.end()) << "a turn of the template has no end";
  pieces.erase(pieces.begin(), first_end + 1);
  return tokens::encode_chat(tokenizer_, pieces);
}

}  // namespace stitch::train
