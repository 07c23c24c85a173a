#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/exponential.h"
#include "base/random.h"
#include "check.h"
#include "objective/objective.h"

namespace treewright::test {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::size_t kClasses = 4;

std::unique_ptr<Objective> objective(std::string_view name) {
  return make_objective({.name = name, .n_classes = kClasses, .quantile = 0.8, .power = 1.3});
}

// All that are registered.
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const ObjectiveEntry& entry : objectives()) names.push_back(entry.name);
  return names;
}

// Those whose second derivative is the true one.
std::vector<std::string_view> smooth_names() {
  std::vector<std::string_view> names = all_names();
  std::erase_if(names, [](std::string_view name) { return objective(name)->renews_leaves(); });
  return names;
}

double real(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.uniform(1U << 30U)) / static_cast<double>(1U << 30U);
}

double target(std::string_view name, Random& random) {
  switch (objective_entry(name).answer) {
    case AnswerKind::kTwoClasses: return static_cast<double>(random.uniform(2));
    case AnswerKind::kSeveralClasses: return static_cast<double>(random.uniform(kClasses));
    case AnswerKind::kNumber: break;
  }
  if (name == "poisson") return static_cast<double>(random.uniform(5));
  if (name == "gamma") return real(random, 0.1, 4.0);
  if (name == "tweedie") return std::max(0.0, real(random, -1.0, 4.0));
  return real(random, -3.0, 3.0);
}

struct Rows {
  std::vector<double> y, weights, raw;

  Rows(std::string_view name, std::size_t n, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      y.push_back(target(name, random));
      weights.push_back(static_cast<double>(1 + random.uniform(3)));
    }
    const std::size_t outputs = objective(name)->outputs();
    for (std::size_t i = 0; i < n * outputs; ++i) raw.push_back(real(random, -2.0, 2.0));
  }

  Targets plain() const { return {y, {}}; }
  Targets weighted() const { return {y, weights}; }
};

bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

TEST("the exponential is right to two units in the last place") {
  Random random(1);
  const auto units = [](double value, long double exact) {
    const auto rounded = static_cast<double>(exact);
    const double unit = std::nextafter(rounded, kInf) - rounded;
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact)) / unit;
  };
  double worst = 0, worst_negative = 0, worst_log = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 2 == 0 ? real(random, -708, 709.7) : real(random, -2, 2);
    worst = std::max(worst, units(exponential(x), std::exp(static_cast<long double>(x))));
    const double below = real(random, -708, 0);
    const auto exact = std::exp(static_cast<long double>(below));
    worst_negative = std::max(worst_negative, units(exponential_of_negative(below), exact));
    const double e = std::ldexp(real(random, 0.5, 1.0), -static_cast<int>(random.uniform(60)));
    worst_log = std::max(worst_log, units(log_one_plus(e), std::log1p(static_cast<long double>(e))));
  }
  CHECK(worst <= 2);
  CHECK(worst_negative <= 2);
  CHECK(worst_log <= 2);
  CHECK(exponential(0) == 1 && exponential(kInf) == kInf && exponential(-kInf) == 0);
  CHECK(exponential(1000) == kInf && exponential(-1000) == 0 && exponential_of_negative(-kInf) == 0);
  CHECK(log_one_plus(0) == 0 && close(log_one_plus(1), std::log(2.0), 1e-15));
}

TEST("gradients are the slopes of the loss") {
  for (const std::string_view name : all_names()) {
    const Rows rows(name, 60, 7);
    const auto loss = objective(name);
    loss->begin_round(rows.weighted(), rows.raw.data());
    const std::size_t n = rows.y.size(), outputs = loss->outputs();
    std::vector<double> g(n * outputs), h(n * outputs);
    loss->gradients(rows.weighted(), rows.raw.data(), 0, n, g.data(), h.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < outputs; ++k) {
        constexpr double kStep = 1e-6;
        std::vector<double> raw = rows.raw;
        raw[k * n + i] += kStep;
        const double above = loss->total(rows.weighted(), raw.data(), i, i + 1);
        raw[k * n + i] -= 2 * kStep;
        const double below = loss->total(rows.weighted(), raw.data(), i, i + 1);
        CHECK(close(g[k * n + i], (above - below) / (2 * kStep), 1e-7));
        CHECK(h[k * n + i] >= 0);
      }
    }
  }
}

TEST("hessians are the slopes of the gradients") {
  for (const std::string_view name : smooth_names()) {
    const Rows rows(name, 60, 8);
    const auto loss = objective(name);
    const std::size_t n = rows.y.size(), outputs = loss->outputs();
    std::vector<double> g(n * outputs), h(n * outputs), above(n * outputs), below(n * outputs),
        ignored(n * outputs);
    loss->gradients(rows.weighted(), rows.raw.data(), 0, n, g.data(), h.data());
    for (std::size_t k = 0; k < outputs; ++k) {
      constexpr double kStep = 1e-6;
      std::vector<double> raw = rows.raw;
      for (std::size_t i = 0; i < n; ++i) raw[k * n + i] += kStep;
      loss->gradients(rows.weighted(), raw.data(), 0, n, above.data(), ignored.data());
      for (std::size_t i = 0; i < n; ++i) raw[k * n + i] -= 2 * kStep;
      loss->gradients(rows.weighted(), raw.data(), 0, n, below.data(), ignored.data());
      for (std::size_t i = k * n; i < (k + 1) * n; ++i) {
        CHECK(close(h[i], (above[i] - below[i]) / (2 * kStep), 1e-7));
      }
    }
  }
}

TEST("parts and single precision give the same gradients") {
  for (const std::string_view name : all_names()) {
    const Rows rows(name, 777, 9);
    const auto loss = objective(name);
    loss->begin_round(rows.plain(), rows.raw.data());
    const std::size_t n = rows.y.size(), outputs = loss->outputs(), begin = 130, end = 701;
    std::vector<double> g(n * outputs), h(n * outputs);
    loss->gradients(rows.plain(), rows.raw.data(), 0, n, g.data(), h.data());
    std::vector<float> part_g((end - begin) * outputs), part_h((end - begin) * outputs);
    loss->gradients(rows.plain(), rows.raw.data(), begin, end, part_g.data(), part_h.data());
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t at = k * (end - begin) + i - begin;
        CHECK(part_g[at] == static_cast<float>(g[k * n + i]));
        CHECK(part_h[at] == static_cast<float>(h[k * n + i]));
      }
    }
    const double whole = loss->total(rows.plain(), rows.raw.data(), 0, n);
    const double parts = loss->total(rows.plain(), rows.raw.data(), 0, begin) +
                         loss->total(rows.plain(), rows.raw.data(), begin, n);
    CHECK(close(whole, parts, 1e-12));
  }
}

// The loss when all rows get a constant more.
double shifted(const Objective& loss, const Targets& rows, const std::vector<double>& raw, std::size_t output,
               double by) {
  std::vector<double> moved = raw;
  const std::size_t n = rows.size();
  for (std::size_t i = 0; i < n; ++i) moved[output * n + i] += by;
  return loss.total(rows, moved.data(), 0, n);
}

TEST("no other constant has less loss than the start") {
  for (const std::string_view name : all_names()) {
    if (name == "huber") continue;  // starts at the median, whatever its scale
    for (const bool with_offset : {false, true}) {
      const Rows rows(name, 101, 10);
      const auto loss = objective(name);
      const std::size_t n = rows.y.size(), outputs = loss->outputs();
      const std::vector<double> zero(n * outputs, 0.0);
      const std::vector<double>& offset = with_offset ? rows.raw : zero;
      const std::vector<double> start = loss->start(
          rows.weighted(), with_offset ? std::span<const double>(rows.raw) : std::span<const double>{});
      CHECK(start.size() == outputs);
      std::vector<double> raw = offset;
      for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t i = 0; i < n; ++i) raw[k * n + i] += start[k];
      }
      const double least = loss->total(rows.weighted(), raw.data(), 0, n);
      for (std::size_t k = 0; k < outputs; ++k) {
        for (const double by : {-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0}) {
          CHECK(shifted(*loss, rows.weighted(), raw, k, by) >= least - 1e-9);
        }
      }
    }
  }
}

TEST("the start of two classes with an offset is found from far away") {
  const auto loss = objective("log_loss");
  const std::vector<double> y{0, 1, 1, 0, 1}, offset{-40, 30, -25, 35, 0};
  const double start = loss->start({y, {}}, offset)[0];
  std::vector<double> raw = offset, g(5), h(5);
  for (double& score : raw) score += start;
  loss->gradients({y, {}}, raw.data(), 0, 5, g.data(), h.data());
  CHECK(std::abs(std::accumulate(g.begin(), g.end(), 0.0)) < 1e-6);
}

TEST("leaf values with a formula are the best on a fine grid") {
  for (const std::string_view name :
       {"squared_error", "absolute_error", "quantile", "poisson", "gamma", "tweedie"}) {
    const Rows rows(name, 51, 11);
    const auto loss = objective(name);
    std::vector<RowId> leaf(rows.y.size());
    std::iota(leaf.begin(), leaf.end(), 0U);
    for (const Targets& targets : {rows.plain(), rows.weighted()}) {
      const double value = loss->leaf_value(targets, rows.raw.data(), 0, leaf);
      const double least = shifted(*loss, targets, rows.raw, 0, value);
      for (double step = -4; step <= 4; step += 1e-3) {
        CHECK(shifted(*loss, targets, rows.raw, 0, step) >= least - 1e-10);
      }
    }
  }
}

TEST("other leaf values are Newton steps") {
  for (const std::string_view name : {"log_loss", "multinomial", "exponential"}) {
    const Rows rows(name, 51, 12);
    const auto loss = objective(name);
    const std::size_t n = rows.y.size(), outputs = loss->outputs();
    const std::vector<RowId> leaf{0, 3, 4, 17, 50};
    std::vector<double> g(n * outputs), h(n * outputs);
    loss->gradients(rows.weighted(), rows.raw.data(), 0, n, g.data(), h.data());
    for (std::size_t k = 0; k < outputs; ++k) {
      double gradient = 0, hessian = 0;
      for (const RowId row : leaf) {
        gradient += g[k * n + row];
        hessian += h[k * n + row];
      }
      const double factor = outputs == 1 ? 1.0 : (kClasses - 1.0) / kClasses;
      const double value = loss->leaf_value(rows.weighted(), rows.raw.data(), k, leaf);
      CHECK(close(value, -factor * gradient / hessian, 1e-12));
    }
  }
}

TEST("Huber's leaf lies between median and mean") {
  const auto loss = make_objective({.name = "huber", .quantile = 0.6});
  const std::vector<double> y{0, 1, 2, 3, 104}, raw(5, 0.0);
  loss->begin_round({y, {}}, raw.data());  // the third of five sizes: 2
  CHECK(close(loss->start({y, {}}, {})[0], 2.0, 1e-15));
  const std::vector<RowId> leaf{0, 1, 2, 3, 4};
  CHECK(close(loss->leaf_value({y, {}}, raw.data(), 0, leaf), 2.0 + (-2 - 1 + 0 + 1 + 2) / 5.0, 1e-12));
  CHECK(close(loss->total({y, {}}, raw.data(), 0, 5), 0 + 0.5 + 2 + 2 * (3 - 1.0) + 2 * (104 - 1.0), 1e-12));
}

TEST("a weight is a number of equal rows") {
  for (const std::string_view name : all_names()) {
    const Rows rows(name, 40, 13);
    const auto once = objective(name), repeated = objective(name);
    const std::size_t n = rows.y.size(), outputs = once->outputs();
    std::vector<std::size_t> source;
    for (std::size_t i = 0; i < n; ++i)
      source.insert(source.end(), static_cast<std::size_t>(rows.weights[i]), i);
    std::vector<double> y, raw;
    for (const std::size_t i : source) y.push_back(rows.y[i]);
    for (std::size_t k = 0; k < outputs; ++k) {
      for (const std::size_t i : source) raw.push_back(rows.raw[k * n + i]);
    }
    const Targets many{y, {}};
    once->begin_round(rows.weighted(), rows.raw.data());
    repeated->begin_round(many, raw.data());
    const auto start = once->start(rows.weighted(), {}), start_many = repeated->start(many, {});
    CHECK(close(once->total(rows.weighted(), rows.raw.data(), 0, n),
                repeated->total(many, raw.data(), 0, y.size()), 1e-12));
    std::vector<RowId> leaf, leaf_many;
    for (RowId row = 0; row < n; row += 3) leaf.push_back(row);
    for (RowId row = 0; row < source.size(); ++row) {
      if (source[row] % 3 == 0) leaf_many.push_back(row);
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      CHECK(close(start[k], start_many[k], 1e-12));
      CHECK(close(once->leaf_value(rows.weighted(), rows.raw.data(), k, leaf),
                  repeated->leaf_value(many, raw.data(), k, leaf_many), 1e-11));
    }
  }
}

std::string refusal(const Objective& loss, const std::vector<double>& y,
                    const std::vector<double>& weights = {}) {
  try {
    loss.check({y, weights});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST("targets outside of the range are refused with row and value") {
  const auto names = [](const std::string& text, const std::string& row, const std::string& value) {
    return text.find("Row " + row) == 0 && text.find(value) != std::string::npos;
  };
  CHECK(names(refusal(*objective("poisson"), {1, 2, -3}), "2", "-3"));
  CHECK(names(refusal(*objective("gamma"), {1, 0}), "1", " 0"));
  CHECK(names(refusal(*objective("tweedie"), {-0.5, 1}), "0", "-0.5"));
  CHECK(names(refusal(*objective("log_loss"), {0, 1, 2}), "2", " 2"));
  CHECK(names(refusal(*objective("exponential"), {0, 0.5}), "1", "0.5"));
  CHECK(names(refusal(*objective("multinomial"), {0, 1, 4}), "2", " 4"));
  CHECK(names(refusal(*objective("multinomial"), {0, 1.5}), "1", "1.5"));
  CHECK(refusal(*objective("poisson"), {0, 0}).find("above 0") != std::string::npos);
  for (const std::string_view name : all_names()) {
    const auto loss = objective(name);
    CHECK(names(refusal(*loss, {1, std::numeric_limits<double>::quiet_NaN()}), "1", "nan"));
    CHECK(names(refusal(*loss, {kInf, 1}), "0", "inf"));
    CHECK(names(refusal(*loss, {1, 1}, {1, -2}), "1", "-2"));
    CHECK(refusal(*loss, {1, 1}, {1, 2}).empty());
    CHECK(!refusal(*loss, {}).empty());
  }
}

TEST("a loss that nobody knows is refused, and every other one tells its name") {
  CHECK(throws<std::invalid_argument>([] { make_objective({.name = "no_such_loss"}); }));
  for (const std::string_view name : all_names()) CHECK(objective_entry(name).name == name);
  CHECK(all_names().size() >= 10);  // the lists of this file are not empty; a new loss needs no line here
  CHECK(smooth_names().size() >= 7);
}

TEST("parameters of a loss without a meaning are refused") {
  const auto refused = [](const ObjectiveParams& params) {
    return throws<std::invalid_argument>([&] { make_objective(params); });
  };
  CHECK(refused({.name = "quantile", .quantile = 1.0}));
  CHECK(refused({.name = "huber", .quantile = 0.0}));
  CHECK(refused({.name = "tweedie", .power = 2.0}));
  CHECK(refused({.name = "multinomial", .n_classes = 1}));
}

}  // namespace

}  // namespace treewright::test
