// SPDX-License-Identifier: Apache-2.0
#include "verify/decide/proof.h"

#include <fmt/format.h>

namespace stitch::verify {
namespace {

std::string lack_of(const PlannedDraws& draws) {
  if (!draws.refusal.empty()) {
    return {};
  }
  if (draws.planned <= 0) {
    return fmt::format("nothing was to be drawn at {}", draws.shape);
  }
  if (draws.judged + draws.told != draws.planned) {
    return fmt::format("{} of {} draws were judged at {}", draws.judged, draws.planned, draws.shape);
  }
  return {};
}

std::string lack_of(const CheckedDraws& checked) {
  if (checked.planned == 0 && checked.absence.empty()) {
    return "no draw was checked, and nobody said why";
  }
  if (checked.judged + checked.told != checked.planned) {
    return fmt::format("{} of {} checked draws were judged", checked.judged, checked.planned);
  }
  return {};
}

}  // namespace

std::string Proof::lack() const {
  if (builds_only) {
    return {};
  }
  if (shapes.empty()) {
    return "there was no shape to judge it at";
  }
  for (const PlannedDraws& draws : shapes) {
    if (std::string lacking = lack_of(draws); !lacking.empty()) {
      return lacking;
    }
  }
  if (shapes.front().judged <= 0) {
    return fmt::format("no draw was judged at {}", shapes.front().shape);
  }
  return lack_of(checked);
}

}  // namespace stitch::verify
