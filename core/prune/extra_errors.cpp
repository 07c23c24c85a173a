#include "prune/extra_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace treewright {

namespace {

// Release 8 interpolates in this table; J48 uses the exact deviate.
double tabulated_deviate(double confidence) {
  constexpr std::array<double, 9> kLevel{0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0};
  constexpr std::array<double, 9> kDeviate{4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0};
  std::size_t i = 1;
  while (i + 1 < kLevel.size() && confidence > kLevel[i]) ++i;
  const double share = (confidence - kLevel[i - 1]) / (kLevel[i] - kLevel[i - 1]);
  return kDeviate[i - 1] + share * (kDeviate[i] - kDeviate[i - 1]);
}

double square_of_deviate(PruneProgram program, double confidence) {
  double z = 0.0;
  if (program == PruneProgram::kRelease8) {
    z = tabulated_deviate(confidence);
  } else if (confidence <= 0.5) {  // J48 has no penalty above
    // J48 rounds the complement as well; it is never 1 but for a confidence below that precision.
    const double below = static_cast<double>(1.0F - static_cast<float>(confidence));
    z = upper_deviate(below < 1 ? 1.0 - below : confidence);
  }
  return z * z;
}

// Both programs keep the confidence in single precision.
double stored_confidence(double confidence) {
  if (!(confidence > 0 && confidence <= 1)) {
    throw std::invalid_argument("The confidence must be above 0 and at most 1.");
  }
  const auto stored = static_cast<double>(static_cast<float>(confidence));
  return stored > 0 ? stored : confidence;
}

constexpr std::size_t kTableSize = 4096;

}  // namespace

double upper_deviate(double probability) {
  if (probability >= 0.5) return 0.0;
  // A rough start (the tail of the normal density), then Newton steps on the logarithm of the tail, which is
  // nearly a parabola: they converge from any start to the last digits.
  double z = std::sqrt(std::max(0.0, -2.0 * std::log(2.0 * probability)));
  for (int step = 0; step < 30; ++step) {
    const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
    if (!(tail > 0) || !(density > 0)) break;
    const double change = std::log(tail / probability) * (tail / density);
    z += change;
    if (std::abs(change) <= 1e-15 * std::abs(z)) break;
  }
  return z;
}

ExtraErrors::ExtraErrors(PruneProgram program, double confidence)
    : program_(program),
      confidence_(stored_confidence(confidence)),
      square_(square_of_deviate(program, confidence_)),
      no_error_(kTableSize) {
  for (std::size_t n = 1; n < kTableSize; ++n) {
    const auto weight = static_cast<double>(n);
    no_error_[n] = weight * (1.0 - std::pow(confidence_, 1.0 / weight));
  }
}

// The exact limit of the binomial interval for no error.
double ExtraErrors::without_errors(double weight) const {
  if (weight < static_cast<double>(kTableSize) && weight >= 1) {
    const auto whole = static_cast<std::size_t>(weight);
    if (static_cast<double>(whole) == weight) return no_error_[whole];
  }
  return weight * (1.0 - std::pow(confidence_, 1.0 / weight));
}

// The normal approximation with a correction for whole numbers.
double ExtraErrors::upper_limit(double weight, double errors) const {
  const double seen = errors + 0.5;
  const double root = std::sqrt(square_ * (seen * (1.0 - seen / weight) + square_ / 4));
  return weight * ((seen + square_ / 2 + root) / (weight + square_)) - errors;
}

double ExtraErrors::release_8(double weight, double errors) const {
  const auto from_one_error_on = [&](double count) {
    return count + 0.5 >= weight ? 0.67 * (weight - count) : upper_limit(weight, count);
  };
  if (errors < 1e-6) return without_errors(weight);
  if (errors < 0.9999) {
    const double base = without_errors(weight);
    return base + errors * (from_one_error_on(1.0) - base);
  }
  return from_one_error_on(errors);
}

double ExtraErrors::j48(double weight, double errors) const {
  const auto from_one_error_on = [&](double count) {
    return count + 0.5 >= weight ? std::max(weight - count, 0.0) : upper_limit(weight, count);
  };
  if (confidence_ > 0.5) return 0.0;
  if (errors < 1) {
    const double base = without_errors(weight);
    return errors == 0 ? base : base + errors * (from_one_error_on(1.0) - base);
  }
  return from_one_error_on(errors);
}

}  // namespace treewright
