// The list of criteria: a new one is a file in this folder and a line here. Growing, forests, pruning,
// reports and Python take their criteria from this list, so that a name which is not on it is refused
// everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "criterion/absolute_error.h"
#include "criterion/criterion.h"
#include "criterion/entropy.h"
#include "criterion/gini.h"
#include "criterion/poisson.h"
#include "criterion/squared_error.h"

namespace treewright {

// What a leaf predicts, and so what the target of a criterion is.
enum class Task : std::uint8_t { kClasses, kNumbers };

// Constant, name, task, type for rows that all weigh 1, type for rows with weights. The logarithms of Poisson
// cost more than its weights do, so it is not compiled without.
#define TREEWRIGHT_CRITERIA(CRITERION)                                                         \
  CRITERION(kGini, "gini", kClasses, Gini<false>, Gini<true>)                                  \
  CRITERION(kEntropy, "entropy", kClasses, Entropy<false>, Entropy<true>)                      \
  CRITERION(kSquaredError, "squared_error", kNumbers, SquaredError<false>, SquaredError<true>) \
  CRITERION(kPoisson, "poisson", kNumbers, Poisson<true>, Poisson<true>)                       \
  CRITERION(kAbsoluteError, "absolute_error", kNumbers, AbsoluteError, AbsoluteError)

#define TREEWRIGHT_CONSTANT(constant, name, task, Unweighted, Weighted) constant,
enum class CriterionName : std::uint8_t { TREEWRIGHT_CRITERIA(TREEWRIGHT_CONSTANT) };
#undef TREEWRIGHT_CONSTANT

struct CriterionEntry {
  CriterionName criterion;
  std::string_view name;
  Task task;
  bool in_bits;
};

#define TREEWRIGHT_ENTRY(constant, name, task, Unweighted, Weighted) \
  CriterionEntry{CriterionName::constant, name, Task::task, IsInBits<Weighted>},
inline constexpr std::array kCriteria{TREEWRIGHT_CRITERIA(TREEWRIGHT_ENTRY)};
#undef TREEWRIGHT_ENTRY

// Throws std::invalid_argument where a number is none of them.
inline const CriterionEntry& entry_of(CriterionName criterion) {
  const auto place = static_cast<std::size_t>(criterion);
  if (place >= kCriteria.size()) throw std::invalid_argument("There is no such criterion.");
  return kCriteria[place];
}

inline bool is_for_classes(CriterionName criterion) {
  return entry_of(criterion).task == Task::kClasses;
}

template <class UnweightedType, class WeightedType>
struct CriterionTypes {
  static_assert(IsCriterion<UnweightedType> && IsCriterion<WeightedType>);
  using Unweighted = UnweightedType;
  using Weighted = WeightedType;
};

// body(CriterionTypes) of a criterion for this task. Throws std::invalid_argument where it is for another
// one.
template <Task kTask, class Body>
decltype(auto) visit_criterion(CriterionName criterion, Body&& body) {
  if (entry_of(criterion).task != kTask) {
    throw std::invalid_argument(kTask == Task::kClasses
                                    ? "This criterion needs numbers, not classes, as target."
                                    : "This criterion needs classes, not numbers, as target.");
  }
  switch (criterion) {
#define TREEWRIGHT_CASE(constant, name, task, Unweighted, Weighted)        \
  case CriterionName::constant:                                            \
    if constexpr (Task::task == kTask) {                                   \
      static_assert(kTask == Task::kNumbers || HasLossOfTotals<Weighted>); \
      return body(CriterionTypes<Unweighted, Weighted>{});                 \
    } else {                                                               \
      break;                                                               \
    }
    TREEWRIGHT_CRITERIA(TREEWRIGHT_CASE)
#undef TREEWRIGHT_CASE
  }
  throw std::logic_error("The list of criteria is not in the order of their numbers.");
}

}  // namespace treewright
