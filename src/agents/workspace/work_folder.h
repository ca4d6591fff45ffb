// SPDX-License-Identifier: Apache-2.0
// The folder that an agent works in, as texts that a run keeps: what was changed is known after every call, so that a
// run that was killed goes on with the very same files, and what judges is a copy that the agent cannot write to.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "agents/journal/run_folder.h"
#include "agents/workspace/pristine.h"

namespace stitch::agents {

// Paths with the digests of their texts; an empty one: the file is gone.
using Changes = std::map<std::string, std::string>;

class WorkFolder {
 public:
  // In `folder`/workspace, whatever lies there goes; texts are kept in `texts`.
  WorkFolder(std::filesystem::path folder, RunFolder texts, Pristine pristine);

  std::filesystem::path root() const { return folder_ / "workspace"; }
  const Pristine& pristine() const { return pristine_; }

  // Writes all files as they are known; at the beginning the pristine ones.
  Result<void> restore();
  // What is different from what was known. Long files and those beyond some thousand are not kept.
  Result<Changes> look();
  // What a look of an earlier process found.
  Result<void> take(const Changes& changes);

  // What a tool made of the program in judged_copy(), which it drew anew, is that of the workspace: its steps are the
  // answers from here on, and what lies beside them is as at the beginning. Returns what is different.
  Result<Changes> take_program();
  // The same, found by an earlier process.
  Result<void> take_program(const Changes& changes);
  // Groups that were drawn in the workspace itself, which is known by now; whatever else its plan says is nobody's. The
  // tool that draws them writes the whole program anew: its files beside the answers count as there from the beginning.
  void take_groups();
  // A copy for what compiles and judges: the agent's files, but those that are not the answer and were there at the
  // beginning as they were then.
  Result<std::filesystem::path> judged_copy();
  // The step's text as it is known now; the pristine one where there is none.
  const std::string& text_of(const std::string& step) const;
  // Whether a text of the step is another than at the beginning, whatever its number. Groups have none to begin with.
  bool is_changed(const std::string& step, const std::string& text) const;
  // Files beside those that were there at the beginning, and those of them that were altered or removed.
  size_t strays() const;
  size_t altered() const;
  // All of it goes, what the run keeps stays.
  void remove();

 private:
  bool is_answer(const std::string& path) const;
  Result<void> draw_answers(const std::map<std::string, std::string>& files);

  std::filesystem::path folder_;
  RunFolder texts_;
  Pristine first_;                             // as the session began
  Pristine pristine_;                          // of the program as it is drawn now
  std::map<std::string, std::string> known_;   // path to text
  std::map<std::string, std::string> judged_;  // of the copy, as it lies there
  bool has_copy_ = false;
};

}  // namespace stitch::agents
