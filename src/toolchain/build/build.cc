// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/fs/files.h"
#include "base/parallel/for_each_parallel.h"
#include "base/process/last_will.h"
#include "toolchain/build/build_key.h"
#include "toolchain/build/compile_unit.h"
#include "toolchain/build/prelude.h"
#include "toolchain/build/tool_cage.h"
#include "toolchain/build/trial_build.h"
#include "toolchain/cache/key_turn.h"
#include "toolchain/cache/object_cache.h"
#include "toolchain/source/include_closure.h"
#include "toolchain/source/step_form.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSlowMs = 15'000;

// One object to have: every unit with this key shares it.
struct Piece {
  std::string key;
  std::string unit;  // the first of them
  int unit_count = 0;
  bool from_cache = false;
  bool is_elsewhere = false;  // another build had the turn to compile it
  UnitResult result;
};

struct Work {
  const BuildRequest& request;
  const Toolchain& tools;
  Target target;
  ObjectCache cache;
  std::vector<std::string> unit_keys;
  std::vector<Piece> pieces;
  std::vector<SymbolAlias> aliases;
  std::mutex mutex;
  int units_done = 0;
  std::atomic<bool> has_failed = false;  // with an Error
  std::mutex prelude_mutex;
  std::optional<Result<fs::path>> prelude;  // looked for when the first unit has to be compiled
  TrialBuild trial{target, tools};
};

// A tool that takes this long may be one that never ends: then so does the trial.
WhenSlow when_slow(Work& work, const fs::path& prelude) {
  return {.after_ms = kSlowMs, .ask = [&work, prelude] { return work.trial.run(prelude); }};
}

Result<fs::path> prelude_of(Work& work) {
  const std::lock_guard lock(work.prelude_mutex);
  if (!work.prelude.has_value()) {
    work.prelude.emplace(find_prelude(work.target, work.tools, when_slow(work, {})));
  }
  return *work.prelude;
}

// As far as it is known: for the trial of the tools.
fs::path found_prelude(const Work& work) {
  return work.prelude.has_value() && work.prelude->has_value() ? **work.prelude : fs::path();
}

// From the cache, else as it was made when stitchcuda was built.
std::optional<std::string> load_object(const Work& work, const std::string& key) {
  std::optional<std::string> object = work.cache.load(key);
  return object.has_value() || work.tools.prebuilt.empty() ? object : ObjectCache(work.tools.prebuilt).load(key);
}

Target target_of(const Work& work, const std::string& unit) {
  Target target = work.target;
  target.hides_sanitizers = work.request.authors.is_stranger(unit);
  return target;
}

// The pieces of steps by their form, where steps of one form are to be one piece.
class EqualSteps {
 public:
  explicit EqualSteps(const SourceBundle& bundle) {
    for (const auto& [path, text] : bundle.files) {
      if (std::find(bundle.units.begin(), bundle.units.end(), path) == bundle.units.end()) {
        elsewhere_.merge(names_in(text));
      }
    }
  }

  // The piece that steps of this form have already, with the alias that makes this step of it. Else `next` is its own.
  std::optional<std::pair<size_t, SymbolAlias>> find(const SourceBundle& bundle, const std::string& unit, size_t next) {
    const std::optional<StepForm> form = step_form(bundle.files.at(unit), elsewhere_);
    if (!form.has_value()) {
      return std::nullopt;
    }
    const auto [found, is_new] = pieces_.emplace(fs::path(unit).parent_path().string() + "\n" + form->text,
                                                 std::pair(next, form->function));  // headers are looked for from there
    if (is_new) {
      return std::nullopt;
    }
    return std::pair(found->second.first, SymbolAlias{form->function, found->second.second});
  }

 private:
  Names elsewhere_;
  std::map<std::string, std::pair<size_t, std::string>> pieces_;
};

void list_pieces(Work& work) {
  std::map<std::string, size_t> index_of_key;
  std::optional<EqualSteps> steps;
  if (work.request.joins_equal_steps) {
    steps.emplace(work.request.bundle);
  }
  for (const std::string& unit : work.request.bundle.units) {
    const bool may_join = steps.has_value() && !work.request.authors.is_stranger(unit);
    const auto equal = may_join ? steps->find(work.request.bundle, unit, work.pieces.size()) : std::nullopt;
    if (equal.has_value()) {
      const auto& [index, alias] = *equal;
      ++work.pieces[index].unit_count;
      work.unit_keys.push_back(fmt::format("{} {} is {}", work.pieces[index].key, alias.name, alias.means));
      work.aliases.push_back(alias);
      continue;
    }
    work.unit_keys.push_back(unit_key(work.request.bundle, unit, target_of(work, unit), work.tools));
    const auto [found, is_new] = index_of_key.emplace(work.unit_keys.back(), work.pieces.size());
    if (is_new) {
      work.pieces.push_back({.key = work.unit_keys.back(), .unit = unit, .result = {}});
    }
    ++work.pieces[found->second].unit_count;
  }
}

bool load_piece(const Work& work, Piece& piece) {
  std::optional<std::string> object = load_object(work, piece.key);
  piece.from_cache = object.has_value();
  piece.result.object = std::move(object).value_or("");
  return piece.from_cache;
}

void tell_compiling(Work& work, const Piece& piece) {
  if (work.request.compiling) {
    const std::lock_guard lock(work.mutex);
    work.request.compiling(piece.unit);
  }
}

void tell_ready(Work& work, const Piece& piece) {
  const std::lock_guard lock(work.mutex);
  work.units_done += piece.unit_count;
  if (work.request.progress) {
    work.request.progress({.done = work.units_done,
                           .total = static_cast<int>(work.request.bundle.units.size()),
                           .unit = piece.unit,
                           .from_cache = piece.from_cache});
  }
}

Result<void> compile_piece(Work& work, Piece& piece) {
  STITCH_ASSIGN(const fs::path prelude, prelude_of(work));
  tell_compiling(work, piece);
  STITCH_ASSIGN(piece.result, compile_unit(work.request.bundle, piece.unit, target_of(work, piece.unit), work.tools,
                                           prelude, when_slow(work, prelude)));
  return piece.result.object.empty() ? Result<void>() : work.cache.store(piece.key, piece.result.object);
}

// For whoever has the turn, or goes on without one: another may have made it meanwhile.
Result<void> load_or_compile(Work& work, Piece& piece) {
  if (!load_piece(work, piece)) {
    const Result<void> compiled = compile_piece(work, piece);
    if (!compiled.has_value()) {
      work.has_failed = true;
      return compiled;
    }
  }
  tell_ready(work, piece);
  return {};
}

// A piece that another build compiles now is left for later, so that builds of one program share its pieces.
Result<void> make_piece(Work& work, Piece& piece) {
  if (load_piece(work, piece)) {
    tell_ready(work, piece);
    return {};
  }
  const std::optional<KeyTurn> turn = KeyTurn::try_take(work.tools.cache, piece.key);
  piece.is_elsewhere = !turn.has_value();
  return piece.is_elsewhere ? Result<void>() : load_or_compile(work, piece);
}

TurnWait turn_wait(const Work& work) {
  return {.limit_ms = kToolLimitMs, .is_abandoned = [&work] { return work.has_failed || no_more_children(); }};
}

Result<void> await_piece(Work& work, Piece& piece) {
  tell_compiling(work, piece);
  const KeyTurn turn = KeyTurn::wait(work.tools.cache, piece.key, turn_wait(work),
                                     [&] { return work.cache.load(piece.key).has_value(); });
  return work.has_failed ? Result<void>() : load_or_compile(work, piece);  // whose error the build returns anyway
}

Result<void> make_pieces(Work& work) {
  const int jobs = work.request.jobs;
  STITCH_TRY(
      for_each_parallel(work.pieces.size(), jobs, [&](size_t index) { return make_piece(work, work.pieces[index]); }));
  std::vector<Piece*> elsewhere;
  for (Piece& piece : work.pieces) {
    if (piece.is_elsewhere) {
      elsewhere.push_back(&piece);
    }
  }
  return for_each_parallel(elsewhere.size(), jobs, [&](size_t index) { return await_piece(work, *elsewhere[index]); });
}

bool find_linked(const Work& work, CompileReport& report) {
  const std::optional<fs::path> library = work.cache.find_library(report.build_key);
  report.library = library.has_value() ? library->string() : "";
  report.ok = library.has_value();
  return report.ok;
}

Result<void> link(Work& work, CompileReport& report) {
  report.build_key = library_key(work.unit_keys, work.target, work.tools);
  if (find_linked(work, report)) {
    return {};
  }
  const KeyTurn turn = KeyTurn::wait(work.tools.cache, report.build_key, turn_wait(work),
                                     [&] { return work.cache.find_library(report.build_key).has_value(); });
  if (find_linked(work, report)) {
    return {};
  }
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-link"));
  std::vector<fs::path> objects;
  for (const Piece& piece : work.pieces) {
    objects.push_back(folder.path() / fmt::format("{}.o", objects.size()));
    STITCH_TRY(write_file(objects.back(), piece.result.object));
  }
  const fs::path exports = folder.path() / "exports.map";
  const fs::path library = folder.path() / "program.so";
  STITCH_TRY(write_file(exports, exports_of(work.target)));
  STITCH_ASSIGN(const ToolRun linked,
                run_tool(link_command(work.target, work.tools, {objects, work.aliases}, exports, library),
                         folder.path(), work.request.bundle.name, library,
                         tool_cage(work.tools, work.target, folder.path()), {.when_slow = when_slow(work, {})}));
  report.diagnostics.insert(report.diagnostics.end(), linked.diagnostics.begin(), linked.diagnostics.end());
  if (!linked.ok) {
    return work.trial.run(found_prelude(work));
  }
  STITCH_ASSIGN(const std::string bytes, read_file(library));
  STITCH_ASSIGN(const fs::path kept, work.cache.store_library(report.build_key, bytes));
  work.cache.prune(work.tools.cache_bytes);
  report.library = kept.string();
  report.ok = true;
  return {};
}

}  // namespace

Result<CompileReport> build(const BuildRequest& request, const Toolchain& tools) {
  STITCH_TRY(tools.supports(request.device));
  STITCH_TRY(check_bundle_paths(request.bundle));
  if (request.bundle.units.empty()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("the bundle {} has no translation unit", request.bundle.name),
                   "bundle.json", "list its sources under \"units\"");
  }
  Work work{.request = request,
            .tools = tools,
            .target = {request.device, request.architecture, request.line_info, request.nvtx, request.own_code_alone,
                       false, request.torch},
            .cache = ObjectCache(tools.cache),
            .unit_keys = {},
            .pieces = {},
            .aliases = {},
            .mutex = {},
            .prelude_mutex = {},
            .prelude = {}};
  list_pieces(work);
  STITCH_TRY(make_pieces(work));
  CompileReport report;
  bool all_compiled = true;
  bool is_beyond_device = true;
  for (const Piece& piece : work.pieces) {
    const bool is_compiled = !piece.result.object.empty();
    is_beyond_device = is_beyond_device && (is_compiled || piece.result.is_beyond_device);
    all_compiled = all_compiled && is_compiled;
    report.diagnostics.insert(report.diagnostics.end(), piece.result.diagnostics.begin(),
                              piece.result.diagnostics.end());
    report.units_from_cache += piece.from_cache ? piece.unit_count : 0;
    report.units_compiled += piece.from_cache ? 0 : 1;
  }
  if (!all_compiled) {
    STITCH_TRY(work.trial.run(found_prelude(work)));
  }
  report.is_beyond_device = !all_compiled && is_beyond_device;
  report.ok = all_compiled && request.objects_only;
  if (all_compiled && !request.objects_only) {
    STITCH_TRY(link(work, report));
  }
  return report;
}

}  // namespace stitch::toolchain
