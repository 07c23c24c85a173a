// The loss of several classes: −ln of the probability of the row's class; probabilities are e^raw of each
// class, divided by their sum.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/exponential.h"
#include "base/processor.h"
#include "objective/check_rows.h"
#include "objective/families.h"

namespace treewright {

namespace {

constexpr std::size_t kBlock = 256;  // rows at a time, so that their probabilities stay in the cache
using RowNumbers = std::array<double, kBlock>;

// For n rows: the largest score, e^(raw − largest) of each class at powers[k * n], and the sum of those.
TREEWRIGHT_WIDE_REGISTERS
void softmax(const double* raw, std::size_t stride, std::size_t n, std::size_t n_classes,
             double* __restrict largest, double* __restrict powers, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) largest[i] = raw[i];
  for (std::size_t k = 1; k < n_classes; ++k) {
    const double* scores = raw + k * stride;
    for (std::size_t i = 0; i < n; ++i) largest[i] = scores[i] > largest[i] ? scores[i] : largest[i];
  }
  for (std::size_t i = 0; i < n; ++i) sum[i] = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double* scores = raw + k * stride;
    double* of_class = powers + k * n;
    for (std::size_t i = 0; i < n; ++i) of_class[i] = exponential_of_negative(scores[i] - largest[i]);
    for (std::size_t i = 0; i < n; ++i) sum[i] += of_class[i];
  }
}

template <class Number>
TREEWRIGHT_INLINE void fill(const double* y, const double* weights, const double* powers, const double* sum,
                            std::size_t n, double label, Number* __restrict gradient,
                            Number* __restrict hessian) {
  for (std::size_t i = 0; i < n; ++i) {
    const double p = powers[i] / sum[i];
    const double weight = weights == nullptr ? 1.0 : weights[i];
    gradient[i] = static_cast<Number>(weight * (p - (y[i] == label ? 1.0 : 0.0)));
    hessian[i] = static_cast<Number>(weight * (p * (1.0 - p)));
  }
}

TREEWRIGHT_WIDE_REGISTERS
void fill_class(const double* y, const double* weights, const double* powers, const double* sum,
                std::size_t n, double label, float* gradient, float* hessian) {
  fill(y, weights, powers, sum, n, label, gradient, hessian);
}

TREEWRIGHT_WIDE_REGISTERS
void fill_class(const double* y, const double* weights, const double* powers, const double* sum,
                std::size_t n, double label, double* gradient, double* hessian) {
  fill(y, weights, powers, sum, n, label, gradient, hessian);
}

}  // namespace

class MultinomialObjective final : public Objective {
 public:
  static constexpr std::string_view kName = "multinomial";
  static constexpr AnswerKind kAnswer = AnswerKind::kSeveralClasses;
  static constexpr std::string_view kLink = "softmax";
  static std::unique_ptr<Objective> make(const ObjectiveParams& params) {
    if (params.n_classes < 2) throw std::invalid_argument("There must be at least two classes.");
    return std::make_unique<MultinomialObjective>(params.n_classes);
  }

  explicit MultinomialObjective(std::size_t n_classes) : n_classes_(n_classes) {}

  std::size_t outputs() const override { return n_classes_; }

  void check(const Targets& rows) const override {
    const double last = static_cast<double>(n_classes_) - 1;
    check_rows(rows, "classes are whole numbers from 0 to " + std::to_string(n_classes_ - 1),
               [last](double y) { return y >= 0 && y <= last && y == std::floor(y); });
  }

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    std::vector<double> weight(n_classes_, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) weight[label(rows, i)] += rows.weight(i);
    const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
    std::vector<double> raw(n_classes_, 0.0);
    if (!(all > 0)) return raw;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      weight[k] = std::clamp(weight[k] / all, kLeast, 1.0 - kLeast);
      raw[k] = std::log(weight[k]);
    }
    if (!offset.empty()) scale(rows, offset, weight, all, raw);
    const double mean = std::accumulate(raw.begin(), raw.end(), 0.0) / static_cast<double>(n_classes_);
    for (double& value : raw) value -= mean;
    return raw;
  }

  void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override {
    write(rows, raw, begin, end, gradient, hessian);
  }

  void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end, double* gradient,
                 double* hessian) const override {
    write(rows, raw, begin, end, gradient, hessian);
  }

  double total(const Targets& rows, const double* raw, std::size_t begin, std::size_t end) const override {
    double result = 0;
    for_blocks(rows, raw, begin, end, [&](const Block& block) {
      for (std::size_t i = 0; i < block.size; ++i) {
        const std::size_t row = block.begin + i;
        const double score = raw[label(rows, row) * rows.size() + row];
        result += rows.weight(row) * (std::log(block.sum[i]) + (block.largest[i] - score));
      }
    });
    return result;
  }

  // One Newton step with Friedman's factor (K − 1) / K.
  double leaf_value(const Targets& rows, const double* raw, std::size_t output,
                    std::span<const RowId> leaf) const override {
    double gradient = 0, hessian = 0;
    for (const RowId row : leaf) {
      double largest = raw[row];
      for (std::size_t k = 1; k < n_classes_; ++k) largest = std::max(largest, raw[k * rows.size() + row]);
      double sum = 0;
      for (std::size_t k = 0; k < n_classes_; ++k)
        sum += exponential_of_negative(raw[k * rows.size() + row] - largest);
      const double p = exponential_of_negative(raw[output * rows.size() + row] - largest) / sum;
      gradient += rows.weight(row) * (p - (label(rows, row) == output ? 1.0 : 0.0));
      hessian += rows.weight(row) * p * (1.0 - p);
    }
    const auto k = static_cast<double>(n_classes_);
    return newton_step(gradient * (k - 1.0) / k, hessian);
  }

 private:
  static constexpr double kLeast = std::numeric_limits<double>::epsilon();

  struct Block {
    std::size_t begin;
    std::size_t size;
    const double* largest;
    const double* powers;
    const double* sum;
  };

  static std::size_t label(const Targets& rows, std::size_t row) {
    return static_cast<std::size_t>(rows.y[row]);
  }

  template <class Body>
  void for_blocks(const Targets& rows, const double* raw, std::size_t begin, std::size_t end,
                  Body&& body) const {
    RowNumbers largest, sum;
    std::vector<double> powers(kBlock * n_classes_);
    for (std::size_t at = begin; at < end; at += kBlock) {
      const std::size_t n = std::min(kBlock, end - at);
      softmax(raw + at, rows.size(), n, n_classes_, largest.data(), powers.data(), sum.data());
      body(Block{at, n, largest.data(), powers.data(), sum.data()});
    }
  }

  template <class Number>
  void write(const Targets& rows, const double* raw, std::size_t begin, std::size_t end, Number* gradient,
             Number* hessian) const {
    for_blocks(rows, raw, begin, end, [&](const Block& block) {
      const double* weights = rows.weights.empty() ? nullptr : rows.weights.data() + block.begin;
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const std::size_t to = k * (end - begin) + (block.begin - begin);
        fill_class(rows.y.data() + block.begin, weights, block.powers + k * block.size, block.sum, block.size,
                   static_cast<double>(k), gradient + to, hessian + to);
      }
    });
  }

  // With an offset there is no formula. Iterative scaling: each score moves by the logarithm of the share its
  // class has over the share it is given, which never makes the loss larger.
  void scale(const Targets& rows, std::span<const double> offset, const std::vector<double>& shares,
             double all, std::vector<double>& raw) const {
    constexpr int kSteps = 200;
    const std::size_t n = rows.size();
    std::vector<double> scores(n * n_classes_);
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t k = 0; k < n_classes_; ++k) {
        for (std::size_t i = 0; i < n; ++i) scores[k * n + i] = raw[k] + offset[k * n + i];
      }
      std::vector<double> given(n_classes_, 0.0);
      for_blocks(rows, scores.data(), 0, n, [&](const Block& block) {
        for (std::size_t k = 0; k < n_classes_; ++k) {
          for (std::size_t i = 0; i < block.size; ++i) {
            const double p = block.powers[k * block.size + i] / block.sum[i];
            given[k] += rows.weight(block.begin + i) * p;
          }
        }
      });
      double largest = 0;
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const double move = std::log(shares[k] / std::max(given[k] / all, kLeast));
        raw[k] += move;
        largest = std::max(largest, std::abs(move));
      }
      if (largest < 1e-12) return;
    }
  }

  const std::size_t n_classes_;
};

template ObjectiveEntry entry_of<MultinomialObjective>();

}  // namespace treewright
