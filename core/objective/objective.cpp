#include "objective/objective.h"

#include <stdexcept>

#include "objective/families.h"

namespace treewright {

std::unique_ptr<Objective> make_objective(const ObjectiveParams& params) {
  switch (params.name) {
    case ObjectiveName::kSquaredError: return make_squared_error();
    case ObjectiveName::kAbsoluteError: return make_absolute_error();
    case ObjectiveName::kHuber:
    case ObjectiveName::kQuantile:
      if (!(params.quantile > 0 && params.quantile < 1)) {
        throw std::invalid_argument("The quantile must be between 0 and 1, neither included.");
      }
      return params.name == ObjectiveName::kHuber ? make_huber(params.quantile)
                                                  : make_quantile(params.quantile);
    case ObjectiveName::kPoisson:
    case ObjectiveName::kGamma: return make_log_link(params.name, 0);
    case ObjectiveName::kTweedie:
      if (!(params.power > 1 && params.power < 2)) {
        throw std::invalid_argument("The power of the variance must be between 1 and 2, neither included.");
      }
      return make_log_link(params.name, params.power);
    case ObjectiveName::kLogLoss: return make_log_loss();
    case ObjectiveName::kMultinomial:
      if (params.n_classes < 2) throw std::invalid_argument("There must be at least two classes.");
      return make_multinomial(params.n_classes);
    case ObjectiveName::kExponential: return make_exponential();
  }
  throw std::invalid_argument("There is no objective of this number.");
}

}  // namespace treewright
