// Registering an objective: its file ends with `template ObjectiveEntry entry_of<ItsClass>();`, and
// objective.cpp names the class in its table.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>

#include "objective/objective.h"

namespace treewright {

// What the table must know of a class: what it is called, what it answers, and how it is made. It may also
// have kScoreFactor, kParameter and kOfSeveralClasses, see ObjectiveEntry.
template <class Family>
concept ObjectiveFamily = std::derived_from<Family, Objective> && requires(const ObjectiveParams& params) {
  { Family::kName } -> std::convertible_to<std::string_view>;
  { Family::kAnswer } -> std::convertible_to<AnswerKind>;
  { Family::kLink } -> std::convertible_to<std::string_view>;
  { Family::make(params) } -> std::same_as<std::unique_ptr<Objective>>;
};

template <class Family>
ObjectiveEntry entry_of() {
  static_assert(ObjectiveFamily<Family>);
  ObjectiveEntry entry{Family::kName, Family::kAnswer, Family::kLink, 1.0, {}, {}, &Family::make};
  if constexpr (requires { Family::kScoreFactor; }) entry.score_factor = Family::kScoreFactor;
  if constexpr (requires { Family::kParameter; }) entry.parameter = Family::kParameter;
  if constexpr (requires { Family::kOfSeveralClasses; }) entry.of_several_classes = Family::kOfSeveralClasses;
  return entry;
}

}  // namespace treewright
