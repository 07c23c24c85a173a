#include "objective/weighted_quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace treewright {

namespace {

struct Place {
  double value;
  double next;    // the value that follows, or the same at the end
  double excess;  // weight up to the value beyond the share that was asked for, in rows of average weight
};

Place place_of_equals(std::vector<double>& values, double share) {
  const std::size_t n = values.size();
  const double wanted = share * static_cast<double>(n);
  const auto at = std::min(static_cast<std::size_t>(std::max(std::ceil(wanted) - 1.0, 0.0)), n - 1);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), middle, values.end());
  const double next = at + 1 < n ? *std::min_element(middle + 1, values.end()) : *middle;
  return {*middle, next, static_cast<double>(at + 1) - wanted};
}

Place place_of_weighted(const WeightedNumbers& numbers, double share) {
  const std::size_t n = numbers.values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return numbers.values[a] != numbers.values[b] ? numbers.values[a] < numbers.values[b] : a < b;
  });
  std::vector<double> so_far(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) so_far[i] = sum += numbers.weights[order[i]];
  const double wanted = share * sum;
  const auto found = std::lower_bound(so_far.begin(), so_far.end(), wanted);
  const auto at = std::min(static_cast<std::size_t>(found - so_far.begin()), n - 1);
  const double excess = (so_far[at] - wanted) / sum * static_cast<double>(n);
  return {numbers.values[order[at]], numbers.values[order[std::min(at + 1, n - 1)]], excess};
}

Place place(WeightedNumbers& numbers, double share) {
  return numbers.weights.empty() ? place_of_equals(numbers.values, share) : place_of_weighted(numbers, share);
}

}  // namespace

double checked_quantile(double share) {
  if (share > 0 && share < 1) return share;
  throw std::invalid_argument("The quantile must be between 0 and 1, neither included.");
}

double lower_quantile(WeightedNumbers& numbers, double share) {
  return numbers.values.empty() ? 0.0 : place(numbers, share).value;
}

double middle_quantile(WeightedNumbers& numbers, double share) {
  if (numbers.values.empty()) return 0.0;
  const Place found = place(numbers, share);
  if (found.excess > std::numeric_limits<double>::epsilon()) return found.value;
  return found.value + 0.5 * (found.next - found.value);
}

}  // namespace treewright
