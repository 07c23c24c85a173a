// The makers of the objectives, one per file.
#pragma once

#include <cstddef>
#include <memory>

#include "objective/objective.h"

namespace treewright {

std::unique_ptr<Objective> make_squared_error();
std::unique_ptr<Objective> make_absolute_error();
std::unique_ptr<Objective> make_quantile(double level);
std::unique_ptr<Objective> make_huber(double share);
std::unique_ptr<Objective> make_log_link(ObjectiveName name, double power);
std::unique_ptr<Objective> make_log_loss();
std::unique_ptr<Objective> make_multinomial(std::size_t n_classes);
std::unique_ptr<Objective> make_exponential();

}  // namespace treewright
