// Python's view of the booster's rounds.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/matrix_arrays.h"
#include "bind/tree_arrays.h"
#include "boost/histogram/histogram_grower.h"
#include "boost/rounds/drawn_rows.h"
#include "boost/rounds/held_out_matrix.h"
#include "boost/rounds/rounds.h"

namespace treewright {

namespace {

using Numbers = Vector<double>;
using Scores = nb::ndarray<const double, nb::ro, nb::ndim<2>, nb::device::cpu>;
// Matrix or, where values stand behind them, codes; targets, weights or None, raw scores.
using HeldOut = std::tuple<Matrix, Numbers, std::optional<Numbers>, Scores>;
using CodeValues = std::vector<Numbers>;

Targets targets_of(const Numbers& y, const std::optional<Numbers>& weights) {
  if (weights && weights->shape(0) != y.shape(0)) {
    throw std::invalid_argument("There must be one weight for every row.");
  }
  return {span_of(y), weights ? span_of(*weights) : std::span<const double>{}};
}

std::vector<double> by_output(const Scores& raw, std::size_t n_rows, std::size_t outputs) {
  if (raw.shape(0) != n_rows || raw.shape(1) != outputs) {
    throw std::invalid_argument("Raw scores need one row per target and one column per output.");
  }
  std::vector<double> result(n_rows * outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t i = 0; i < n_rows; ++i) result[k * n_rows + i] = raw(i, k);
  }
  return result;
}

// Scores as Python's functions get them: (n_rows, outputs), output by output in memory, a copy.
nb::object scores_array(const std::vector<double>& raw, std::size_t outputs) {
  const std::size_t n = raw.size() / outputs;
  return own_array(std::vector<double>(raw), {outputs, n}).attr("T");
}

void copy_scores(nb::handle object, std::size_t n_rows, std::size_t outputs, double* out) {
  const std::vector<double> values = by_output(nb::cast<Scores>(object), n_rows, outputs);
  std::copy(values.begin(), values.end(), out);
}

template <class T>
std::unique_ptr<HeldOutRows> held_out_codes(const Matrix& codes, const CodeValues& values,
                                            std::span<const Code> n_codes) {
  std::vector<std::span<const double>> spans;
  for (const Numbers& of_column : values) spans.push_back(span_of(of_column));
  auto rows = std::make_unique<HeldOutCodes<T>>(matrix_view<T>(codes), std::move(spans), n_codes);
  if (!rows->are_known()) throw std::invalid_argument("A validation row has a code without a value.");
  return rows;
}

std::unique_ptr<HeldOutRows> held_out_rows(const Matrix& matrix, const std::optional<CodeValues>& values,
                                           std::span<const Code> n_codes) {
  if (matrix.ndim() != 2 || matrix.shape(1) != n_codes.size()) {
    throw std::invalid_argument("The validation matrix must have one column per feature.");
  }
  if (values) {
    if (values->size() != n_codes.size()) {
      throw std::invalid_argument("There must be values of codes for every column.");
    }
    if (matrix.dtype() == nb::dtype<std::uint8_t>()) {
      return held_out_codes<std::uint8_t>(matrix, *values, n_codes);
    }
    if (matrix.dtype() == nb::dtype<std::uint16_t>()) {
      return held_out_codes<std::uint16_t>(matrix, *values, n_codes);
    }
    if (matrix.dtype() == nb::dtype<std::uint32_t>()) {
      return held_out_codes<std::uint32_t>(matrix, *values, n_codes);
    }
    throw nb::type_error("Codes of validation rows must have 8, 16 or 32 bits.");
  }
  if (matrix.dtype() == nb::dtype<float>()) {
    return std::make_unique<HeldOutMatrix<float>>(matrix_view<float>(matrix), n_codes);
  }
  if (matrix.dtype() == nb::dtype<double>()) {
    return std::make_unique<HeldOutMatrix<double>>(matrix_view<double>(matrix), n_codes);
  }
  throw nb::type_error("The validation matrix must be of float32 or float64.");
}

void check_plan(const Dataset& data, const BoostPlan& plan) {
  if (!plan.monotone.empty() && plan.monotone.size() != data.columns.size()) {
    throw std::invalid_argument("The plan must name a monotone direction for every column.");
  }
  for (const auto& group : plan.interactions) {
    for (const FeatureId feature : group) {
      if (feature < 0 || feature >= data.n_features()) {
        throw std::invalid_argument("An interaction names a feature that does not exist.");
      }
    }
  }
}

nb::dict result_arrays(BoostedTrees&& grown) {
  nb::dict arrays = arrays_from_forest(std::move(grown.forest));
  arrays["gradient"] = own_array(std::move(grown.gradient));
  arrays["train_score"] = own_array(std::move(grown.train_score));
  arrays["validation_score"] = own_array(std::move(grown.validation_score));
  arrays["oob_score"] = own_array(std::move(grown.oob_score));
  arrays["least_gain"] = own_array(std::move(grown.least_gain));
  arrays["chance_gain"] = grown.chance_gain;
  arrays["gain"] = own_array(std::move(grown.gain));
  arrays["count"] = own_array(std::move(grown.count));
  arrays["cover"] = own_array(std::move(grown.cover));
  arrays["n_rounds"] = grown.n_rounds;
  arrays["best_round"] = grown.best_round;
  arrays["was_stopped"] = grown.was_stopped;
  return arrays;
}

// Calls a function of the user's. When the rounds that are done shall be kept, Ctrl-C inside of it ends them
// instead of the call.
template <class Call>
auto guarded(bool keep_partial, Team* const& running, Call&& call) {
  const nb::gil_scoped_acquire gil;
  try {
    return call();
  } catch (const nb::python_error& error) {
    if (!keep_partial || !error.matches(PyExc_KeyboardInterrupt)) throw;
    running->stop().request();
    throw Stopped();
  }
}

// An exchange that Python implements: n_rows, first_row, add_up(array) and gather(array), which return arrays
// of the same length.
class PyRowExchange final : public RowExchange {
 public:
  explicit PyRowExchange(nb::object exchange)
      : exchange_(std::move(exchange)),
        n_rows_(nb::cast<std::size_t>(exchange_.attr("n_rows"))),
        first_row_(nb::cast<std::size_t>(exchange_.attr("first_row"))) {}

  std::size_t n_rows() const override { return n_rows_; }
  std::size_t first_row() const override { return first_row_; }
  void add_up(std::span<std::int64_t> numbers) override { exchange("add_up", numbers); }
  void gather(std::span<double> numbers) override { exchange("gather", numbers); }

 private:
  template <class T>
  void exchange(const char* method, std::span<T> numbers) {
    using Result = nb::ndarray<const T, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    const nb::gil_scoped_acquire gil;
    const nb::object found =
        exchange_.attr(method)(own_array(std::vector<T>(numbers.begin(), numbers.end())));
    const auto result = nb::cast<Result>(found);
    if (result.shape(0) != numbers.size()) {
      throw std::invalid_argument("An exchange returned another number of sums than it was given.");
    }
    std::copy_n(result.data(), numbers.size(), numbers.begin());
  }

  nb::object exchange_;
  std::size_t n_rows_, first_row_;
};

nb::dict py_boost(const Dataset& data, const Numbers& y, const std::optional<Numbers>& weights,
                  const Scores& raw, Objective& objective, const BoostPlan& plan, std::size_t n_rounds,
                  std::size_t first_round, const std::optional<HeldOut>& held_out,
                  const std::optional<CodeValues>& code_values, std::size_t score_rows, std::size_t patience,
                  double tolerance, const nb::object& after_round, const nb::object& gradients,
                  const nb::object& metric, bool keep_partial, bool exact, const GrowPlan* tree,
                  const nb::object& exchange, int n_threads) {
  check_plan(data, plan);
  if (y.shape(0) != data.n_rows) throw std::invalid_argument("There must be one target for every row.");
  const std::size_t outputs = objective.outputs(), n = data.n_rows;
  BoostTask task{.data = data,
                 .rows = targets_of(y, weights),
                 .raw = by_output(raw, n, outputs),
                 .objective = objective,
                 .plan = plan};
  task.exact = exact;
  task.mean_tree = tree;
  task.n_rounds = n_rounds;
  task.first_round = first_round;
  task.score_rows = score_rows;
  task.patience = patience;
  task.tolerance = tolerance;
  task.keep_partial = keep_partial;

  std::unique_ptr<PyRowExchange> others;
  if (!exchange.is_none()) {
    others = std::make_unique<PyRowExchange>(exchange);
    task.others = others.get();
  }

  std::vector<Code> n_codes;
  for (const Column& column : data.columns) {
    n_codes.push_back(column.kind == ColumnKind::kNumeric ? 0 : column.n_codes);
  }
  std::unique_ptr<HeldOutRows> rows;
  if (held_out) {
    const auto& [matrix, y_val, weights_val, raw_val] = *held_out;
    rows = held_out_rows(matrix, code_values, n_codes);
    if (y_val.shape(0) != rows->size()) throw std::invalid_argument("Validation rows and targets differ.");
    task.held_out = rows.get();
    task.held_out_rows = targets_of(y_val, weights_val);
    task.held_out_raw = by_output(raw_val, rows->size(), outputs);
  }
  // All three are called by this thread, from inside the rounds.
  Team* running = nullptr;
  if (!after_round.is_none()) {
    task.after_round = [&](const RoundReport& report) {
      return guarded(keep_partial, running, [&] {
        return nb::cast<bool>(after_round(report.round, report.train_score, report.validation_score));
      });
    };
  }
  if (!gradients.is_none()) {
    task.gradients = [&](const std::vector<double>& now, double* gradient, double* hessian) {
      guarded(keep_partial, running, [&] {
        const nb::tuple both = nb::cast<nb::tuple>(gradients(scores_array(now, outputs)));
        copy_scores(both[0], n, outputs, gradient);
        copy_scores(both[1], n, outputs, hessian);
      });
    };
  }
  if (!metric.is_none()) {
    task.metric = [&](const std::vector<double>& now) {
      return guarded(keep_partial, running,
                     [&] { return nb::cast<double>(metric(scores_array(now, outputs))); });
    };
  }

  BoostedTrees grown;
  const std::function<void()> poll = [&] {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return;
    if (keep_partial && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      PyErr_Clear();
      running->stop().request();  // the rounds end with what they have
      return;
    }
    throw nb::python_error();
  };
  const bool polls = on_main_thread();
  {
    const nb::gil_scoped_release release;
    Team team(n_threads, polls ? poll : std::function<void()>());
    running = &team;
    grown = boost(std::move(task), team);
  }
  constexpr std::size_t kManyRows = 50'000;
  if (n >= kManyRows) release_freed_memory();
  return result_arrays(std::move(grown));
}

using Floats = nb::ndarray<const float, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Ticks>
BoostedTree one_tree(const Dataset& data, const Gradients& gradients, const BoostPlan& plan, Team& team) {
  return HistogramGrower<Ticks>(data, plan, team).grow(gradients, 0, 0);
}

nb::dict boost_histogram_tree(const Dataset& data, const Floats& gradients, const Floats& hessians,
                              const BoostPlan& plan, bool packed, bool equal_hessians, int n_threads) {
  check_plan(data, plan);
  if (gradients.shape(0) != data.n_rows || hessians.shape(0) != data.n_rows) {
    throw std::invalid_argument("There must be a gradient and a hessian for every row.");
  }
  Gradients given{{gradients.data(), data.n_rows}, {hessians.data(), data.n_rows}};
  given.equal_hessians = equal_hessians;
  BoostedTree grown = run_interruptible(n_threads, [&](Team& team) {
    return packed ? one_tree<PackedTicks>(data, given, plan, team)
                  : one_tree<WideTicks>(data, given, plan, team);
  });
  nb::dict arrays = arrays_from_tree(std::move(grown.tree));
  arrays["gradient"] = own_array(std::move(grown.gradient));
  return arrays;
}

nb::object boost_sample(const BoostPlan& plan, std::size_t n_rows, std::size_t round) {
  if (n_rows == 0 || plan.other_share > 0) {
    throw std::invalid_argument("Rows that are drawn by their gradients cannot be drawn again.");
  }
  DrawnRows drawn(plan, n_rows, 1);
  Team team(1, {});
  drawn.draw(round, {}, team);
  const std::span<const std::uint8_t> flags = drawn.flags();
  return own_array(flags.empty() ? std::vector<std::uint8_t>(n_rows, 1)
                                 : std::vector<std::uint8_t>(flags.begin(), flags.end()));
}

}  // namespace

void bind_boost(nb::module_& m) {
  m.def("rows_per_block", &RowBlocks::rows_per_block, nb::arg("n_rows"),
        "Rows of the blocks of a table of so many rows: shares of several processes end where blocks do.");
  m.def("more_l2_of", &more_l2_of, nb::arg("plan"), nb::arg("n_codes"),
        "Return what is added to λ while subsets of so many categories compete.");
  m.def("boost_sample", &boost_sample, nb::arg("plan"), nb::arg("n_rows"), nb::arg("round"),
        "Return which of the rows a round of a booster sees: 1, or 0 where it does not.");
  m.def("boost_histogram_tree", &boost_histogram_tree, nb::arg("dataset"), nb::arg("gradients"),
        nb::arg("hessians"), nb::arg("plan"), nb::arg("packed") = false, nb::arg("equal_hessians") = false,
        nb::arg("n_threads") = 1,
        "Grow one tree by histograms from float32 gradients and hessians; packed: by the coarser ticks that "
        "many rows\nare grown with. Returns the arrays of the tree and the sum of gradients of every node; "
        "values are those\nbefore the learning rate.");
  m.def("boost", &py_boost, nb::arg("dataset"), nb::arg("y"), nb::arg("weights").none(), nb::arg("raw"),
        nb::arg("objective"), nb::arg("plan"), nb::arg("n_rounds"), nb::kw_only(), nb::arg("first_round") = 0,
        nb::arg("held_out") = nb::none(), nb::arg("code_values") = nb::none(), nb::arg("score_rows") = 0,
        nb::arg("patience") = 0, nb::arg("tolerance") = 0.0, nb::arg("after_round") = nb::none(),
        nb::arg("gradients") = nb::none(), nb::arg("metric") = nb::none(), nb::arg("keep_partial") = false,
        nb::arg("exact") = false, nb::arg("tree").none() = nb::none(), nb::arg("exchange") = nb::none(),
        nb::arg("n_threads") = 1,
        nb::sig("def boost(dataset: Dataset, y: numpy.typing.NDArray, weights: numpy.typing.NDArray | None, "
                "raw: numpy.typing.NDArray, objective: Objective, plan: BoostPlan, n_rounds: int, *, "
                "first_round: int = 0, held_out: tuple | None = None, code_values: list | None = None, "
                "score_rows: int = 0, patience: int = 0, tolerance: float = 0.0, after_round: object = None, "
                "gradients: object = None, metric: "
                "object = None, keep_partial: bool = False, exact: bool = False, tree: GrowPlan | None = "
                "None, exchange: object = None, n_threads: int = 1) -> dict"),
        "Grow trees round by round from the raw scores `raw`, float64 (n_rows, outputs).\n\n"
        "held_out: (matrix, y, weights or None, raw scores) of validation rows. code_values: the matrix has "
        "codes, and these are the values behind those of each column. score_rows: training rows "
        "that the\ntrain score looks at, 0 for none. patience: rounds without an improvement of more than "
        "`tolerance` before\nthe end, 0 for all rounds. after_round(round, train score, validation score) "
        "returns whether to stop.\ngradients(raw) returns (gradient, hessian), (n_rows, outputs) each, in "
        "place of the objective's.\nmetric(raw) scores the validation rows in place of the loss; lower is "
        "better. tree: how least-squares trees grow, for gradient boosting (Friedman) in place of Newton "
        "boosting;\nof the plan only learning_rate, subsample and seed are read then.\n\nReturns the arrays "
        "of the forest and `gradient`, the sum of each node; train_score and "
        "validation_score\n(before the first round and after each), oob_score (the same of the rows that "
        "the round did not draw, empty\nfor Newton boosting), gain, count and cover by feature, n_rounds, "
        "best_round, was_stopped.");
}

}  // namespace treewright
