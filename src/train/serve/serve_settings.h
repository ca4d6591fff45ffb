// SPDX-License-Identifier: Apache-2.0
// What a server of one model is told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "completions/run/model_text.h"
#include "train/loop/loop_settings.h"

namespace stitch::train {

struct ServeSettings {
  ModelSource model{};
  std::string name{};       // of the adapter, where there is one, else of the base; empty: of its file or folder
  std::string tokenizer{};  // empty: the model's own
  std::string chat{};       // the template's name; empty: the model's own
  std::string device = "cpu";
  std::string listen = "0";
  std::string token_file{};      // empty: in the folder of state
  bool needs_token = false;      // for every request; else for changes of adapters alone
  int64_t threads = 0;           // of the processor; 0: all but one, 16 at most
  int64_t max_tokens = 0;        // of an answer where nobody says how many; 0: all positions that are left
  int64_t max_batch = 8;         // answers drawn at once
  int64_t max_waiting = 64;      // requests
  std::filesystem::path base{};  // the folder that paths are relative to
};

// What a file or folder of weights is called where nobody says how.
std::string served_name(const std::filesystem::path& path);

// Of `serve-model --config FILE`, or of the same keys as options: `--model PATH --adapter PATH --listen PORT` ...
Result<ServeSettings> read_serve_settings(const std::vector<std::string>& words);

// A model that is a checkpoint becomes the model, or base and adapter, that it holds, called after its folder where
// nobody says how. Errors as find_weights(); kUsage where another adapter is named.
Result<void> resolve_weights(ServeSettings& settings);

// The tokenizer and template that the settings name, or those that the model's own files hold.
Result<completions::ModelText> read_model_text(const ServeSettings& settings, const weights::ModelConfig& sizes);

}  // namespace stitch::train
