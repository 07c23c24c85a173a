#include "boost/rounds/round_gradients.h"

#include <utility>

namespace treewright {

NewtonGradients::NewtonGradients(const Targets& rows, std::size_t n_all_rows, Objective& objective,
                                 OwnGradients own, const Precision& precision)
    : rows_(rows),
      objective_(objective),
      own_(std::move(own)),
      precision_(precision),
      n_(rows.size()),
      n_all_(n_all_rows),
      outputs_(objective.outputs()),
      gradient_(n_ * outputs_),
      hessian_(n_ * outputs_) {}

void NewtonGradients::find(const std::vector<double>& raw, Team& team) {
  if (own_) {
    own_gradient_.resize(n_ * outputs_);
    own_hessian_.resize(n_ * outputs_);
    own_(raw, own_gradient_.data(), own_hessian_.data());
    for (std::size_t i = 0; i < n_ * outputs_; ++i) {
      gradient_[i] = static_cast<float>(own_gradient_[i]);
      hessian_[i] = static_cast<float>(own_hessian_[i]);
    }
    return;
  }
  objective_.begin_round(rows_, raw.data());
  const bool is_fine = !rows_.weights.empty() || n_all_ <= kFewRows;
  if (is_fine && precision_.has_whole_gradients()) return find_whole(raw, team);
  find_single(raw, team);
}

void NewtonGradients::find_single(const std::vector<double>& raw, Team& team) {
  const float factor = precision_.hessian_factor(outputs_);
  gradient_blocks(n_, n_ * outputs_ * 8, team, [&](std::size_t begin, std::size_t end) {
    if (outputs_ == 1) {
      objective_.gradients(rows_, raw.data(), begin, end, gradient_.data() + begin, hessian_.data() + begin);
      return;
    }
    std::vector<float> g((end - begin) * outputs_), h(g.size());
    objective_.gradients(rows_, raw.data(), begin, end, g.data(), h.data());
    for (std::size_t k = 0; k < outputs_; ++k) {
      const auto from = static_cast<std::ptrdiff_t>(k * (end - begin));
      const auto to = from + static_cast<std::ptrdiff_t>(end - begin);
      std::copy(g.begin() + from, g.begin() + to, gradient_.data() + k * n_ + begin);
      std::transform(h.begin() + from, h.begin() + to, hessian_.data() + k * n_ + begin,
                     [factor](float hessian) { return hessian * factor; });
    }
  });
}

void NewtonGradients::find_whole(const std::vector<double>& raw, Team& team) {
  whole_gradient_.resize(n_ * outputs_);
  whole_hessian_.resize(n_ * outputs_);
  gradient_blocks(n_, n_ * outputs_ * 8, team, [&](std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    std::vector<double> g(size * outputs_), h(g.size());
    objective_.gradients(rows_, raw.data(), begin, end, g.data(), h.data());
    for (std::size_t i = 0; i < g.size(); ++i) {
      const std::size_t to = (i / size) * n_ + begin + i % size;
      gradient_[to] = static_cast<float>(whole_gradient_[to] = g[i]);
      hessian_[to] = static_cast<float>(whole_hessian_[to] = h[i]);
    }
  });
}

Gradients NewtonGradients::of_output(std::size_t output) const {
  const std::size_t at = output * n_;
  Gradients gradients{std::span(gradient_).subspan(at, n_), std::span(hessian_).subspan(at, n_)};
  gradients.equal_hessians = objective_.hessian_is_weight() && rows_.weights.empty() && !own_;
  if (!whole_gradient_.empty()) {
    gradients.whole_gradient = std::span(whole_gradient_).subspan(at, n_);
    gradients.whole_hessian = std::span(whole_hessian_).subspan(at, n_);
  }
  return gradients;
}

PlainGradients::PlainGradients(const Targets& rows, Objective& objective, OwnGradients own)
    : rows_(rows),
      objective_(objective),
      own_(std::move(own)),
      n_(rows.size()),
      outputs_(objective.outputs()),
      gradient_(n_ * outputs_) {}

void PlainGradients::find(const std::vector<double>& raw, Team& team) {
  if (own_) {
    hessian_.resize(n_ * outputs_);
    own_(raw, gradient_.data(), hessian_.data());
    for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] /= rows_.weight(i % n_);
    return;
  }
  objective_.begin_round(rows_, raw.data());
  const Targets unweighted{rows_.y, {}};
  gradient_blocks(n_, n_ * outputs_ * 4, team, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    std::vector<double> g(n * outputs_), h(n * outputs_);
    objective_.gradients(unweighted, raw.data(), begin, end, g.data(), h.data());
    for (std::size_t k = 0; k < outputs_; ++k) {
      for (std::size_t i = 0; i < n; ++i) gradient_[k * n_ + begin + i] = g[k * n + i];
    }
  });
}

Gradients PlainGradients::of_output(std::size_t output) const {
  Gradients gradients{};
  gradients.whole_gradient = std::span(gradient_).subspan(output * n_, n_);
  if (!hessian_.empty()) gradients.whole_hessian = std::span(hessian_).subspan(output * n_, n_);
  return gradients;
}

}  // namespace treewright
