#include "objective/objective.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace treewright {

template <class Family>
ObjectiveEntry entry_of();  // compiled in the file of the family, see families.h

// The one list of objectives. A new one is a file and a line here.
static constexpr ObjectiveEntry (*kFamilies[])() = {
    entry_of<class SquaredErrorObjective>, entry_of<class AbsoluteErrorObjective>,
    entry_of<class HuberObjective>,        entry_of<class QuantileObjective>,
    entry_of<class PoissonObjective>,      entry_of<class GammaObjective>,
    entry_of<class TweedieObjective>,      entry_of<class LogLossObjective>,
    entry_of<class MultinomialObjective>,  entry_of<class ExponentialObjective>,
};

std::span<const ObjectiveEntry> objectives() {
  static const std::vector<ObjectiveEntry> entries = [] {
    std::vector<ObjectiveEntry> made;
    for (const auto family : kFamilies) made.push_back(family());
    return made;
  }();
  return entries;
}

const ObjectiveEntry& objective_entry(std::string_view name) {
  for (const ObjectiveEntry& entry : objectives()) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument("There is no loss named " + std::string(name) + ".");
}

std::unique_ptr<Objective> make_objective(const ObjectiveParams& params) {
  return objective_entry(params.name).make(params);
}

}  // namespace treewright
