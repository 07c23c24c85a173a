// SplitRules: how a test may look, the same for every node; part of the plan that a tree grows by.
// Limits: what a test at one node must respect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "split/monotone.h"

namespace treewright {

// What candidates of different features compete on.
enum class Ranking : std::uint8_t { kGain, kGainRatio };

// How the categories of a nominal column become children.
// kSubset          two sets of categories (CART)
// kMultiway        one branch per category (ID3, C4.5)
// kMerged          branches of several categories, merged while the gain ratio rises (C4.5 -s)
// kOneAgainstRest  one category against all others (J48 -B)
enum class CategoryGrouping : std::uint8_t { kSubset, kMultiway, kMerged, kOneAgainstRest };

// How class counts are added up and compared.
// kExact     double precision; ties as the plan says
// kSingle    single precision after every step and strict comparisons: Release 8 of C4.5
// kTolerant  double precision, numbers within 1e-6 are equal: J48
enum class Arithmetic : std::uint8_t { kExact, kSingle, kTolerant };

// Where between two neighbouring values the threshold stands: half-way, or at the largest training value not
// above the middle (C4.5).
enum class CutRule : std::uint8_t { kMidpoint, kValueBelow };

// kLearned     rows with a missing value are tried on both sides and alone
// kMajority    the gain comes from known rows; missing ones follow the larger child
// kSurrogate   as kMajority, but substitute tests are asked first (Breiman et al. 1984)
// kFractional  the gain comes from known rows; missing ones go down every branch with a share of their weight
// (C4.5) kOwnBranch   missing is one more category (ID3)
enum class MissingRule : std::uint8_t { kLearned, kMajority, kSurrogate, kFractional, kOwnBranch };

struct SplitRules {
  Ranking ranking = Ranking::kGain;
  CategoryGrouping categories = CategoryGrouping::kSubset;
  CutRule cut = CutRule::kMidpoint;
  MissingRule missing = MissingRule::kLearned;
  Arithmetic arithmetic = Arithmetic::kExact;

  // C4.5 only.
  double min_branch_weight = 0.0;     // at least two branches of a multiway split must weigh this much
  std::int64_t declared_classes = 0;  // > 0: smallest side of a cut = clamp(0.1 * known / classes, m, 25)
  bool cut_penalty = false;           // a numeric test pays log2(cuts tried) bits
  double min_value_gap = 0.0;         // neighbouring values closer than this are one value

  // Forests: what keeps tests of many categories from learning chance (split/many_categories.h).
  double category_price = 0.0;         // how often such a test pays what chance gains with each category
  std::int64_t min_category_rows = 1;  // of many categories, those with fewer rows in the node are as one
};

inline constexpr double kTolerance = 1e-6;  // of Arithmetic::kTolerant
inline constexpr double kSlack = 1e-3;      // "Epsilon" of Release 8

// Whether a weight reaches a minimum.
inline bool at_least(double weight, double minimum, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kSingle: return static_cast<float>(weight) >= static_cast<float>(minimum);
    case Arithmetic::kTolerant: return weight > minimum - kTolerance;
    case Arithmetic::kExact: return weight >= minimum;
  }
  throw std::logic_error("There is no such arithmetic.");
}

// Limits: what a test at this node must respect, the same for every feature but for `monotone`.
struct Limits {
  std::size_t min_rows = 1;                                 // rows per side
  double min_weight = 0;                                    // weight per side
  double tie = 0;                                           // a better candidate is better by more than this
  double floor = -std::numeric_limits<double>::infinity();  // and the first one better than this by as much
  // What a test of categories must rank above, by more than `tie`, to be asked for: others need not be found.
  double to_beat = -std::numeric_limits<double>::infinity();
  ValueBounds bounds;    // set by monotone constraints above
  int monotone = 0;      // -1, 0, 1: direction asked of this feature
  bool bounded = false;  // some feature has a monotone constraint

  // A feature without a direction may leave the bounds: its children's values are clipped to them.
  bool allow(double left_value, double right_value) const {
    if (monotone == 0) return true;
    return bounds.holds(left_value) && bounds.holds(right_value) &&
           keeps_direction(monotone, left_value, right_value);
  }
};

}  // namespace treewright
