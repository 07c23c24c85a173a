// check_rows: are the targets in the range of an objective?
#pragma once

#include <cmath>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/row_error.h"
#include "objective/objective.h"

namespace treewright {

[[noreturn]] inline void refuse_row(std::size_t row, const char* what, double value,
                                    const std::string& rule) {
  std::ostringstream text;
  text << "has " << what << " " << value << ", but " << rule << ".";
  throw RowError(row, text.str());
}

// Throws RowError for the first row whose target is not a finite number for which
// `allowed` holds, or whose weight is not a finite number of at least 0. `rule` says what y must be.
template <class Allowed>
void check_rows(const Targets& rows, const std::string& rule, Allowed&& allowed) {
  if (rows.size() == 0) throw std::invalid_argument("There are no rows to learn from.");
  if (!rows.weights.empty() && rows.weights.size() != rows.size()) {
    throw std::invalid_argument("There must be one weight for every row.");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows.y[i]) || !allowed(rows.y[i])) refuse_row(i, "the target", rows.y[i], rule);
  }
  for (std::size_t i = 0; i < rows.weights.size(); ++i) {
    if (!std::isfinite(rows.weights[i]) || rows.weights[i] < 0) {
      refuse_row(i, "the weight", rows.weights[i], "weights must be finite and not negative");
    }
  }
}

}  // namespace treewright
