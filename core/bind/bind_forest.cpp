// Python's view of grown forests: prediction, single trees, rows outside the bags, quantiles.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/matrix_arrays.h"
#include "bind/tree_arrays.h"
#include "forest/bag_rule.h"
#include "forest/unpack_forest.h"
#include "predict/bag_permutation.h"
#include "predict/forest_predictor.h"
#include "predict/forest_quantiles.h"
#include "predict/out_of_bag.h"

namespace treewright {

namespace {

// The predictor and the arrays that it reads.
struct ForestOfArrays {
  ForestOfArrays(const nb::dict& arrays, const Vector<std::uint32_t>& n_codes)
      : borrowed(arrays), predictor(borrowed.view(), span_of(n_codes)) {}

  BorrowedForest borrowed;
  ForestPredictor predictor;
};

MatrixResult<double> values(const ForestOfArrays& forest, const Matrix& matrix, int n_threads) {
  return fill_matrix<double>(
      matrix, forest.predictor.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { forest.predictor.values(view, team, out); });
}

MatrixResult<double> votes(const ForestOfArrays& forest, const Matrix& matrix, int n_threads) {
  return fill_matrix<double>(
      matrix, forest.predictor.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { forest.predictor.votes(view, team, out); });
}

using Scores = nb::ndarray<const double, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

MatrixResult<double> sums(const ForestOfArrays& forest, const Matrix& matrix, const Scores& start,
                          std::size_t first_tree, std::size_t last_tree, int n_threads, bool single) {
  const std::size_t n_outputs = start.shape(1);
  const std::size_t n_rows = matrix.ndim() == 2 ? matrix.shape(0) : 0;
  if (start.shape(0) != 1 && start.shape(0) != n_rows) {
    throw std::invalid_argument("There must be one row of scores to start from, or one for every row.");
  }
  return fill_matrix<double>(matrix, n_outputs, n_threads, [&](const auto& view, Team& team, double* out) {
    const std::size_t step = start.shape(0) == 1 ? 0 : n_outputs;
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::copy_n(start.data() + row * step, n_outputs, out + row * n_outputs);
    }
    forest.predictor.add_sums(view, n_outputs, first_tree, last_tree, team, out, single);
  });
}

MatrixResult<NodeId> apply(const ForestOfArrays& forest, const Matrix& matrix, int n_threads) {
  return fill_matrix<NodeId>(
      matrix, forest.predictor.n_trees(), n_threads,
      [&](const auto& view, Team& team, NodeId* out) { forest.predictor.apply(view, team, out); });
}

nb::object leaf_values(const ForestOfArrays& forest, const Matrix& matrix, int n_threads) {
  const ForestPredictor& predictor = forest.predictor;
  if (predictor.is_classes()) {
    return nb::cast(fill_matrix<std::int32_t>(
        matrix, predictor.n_trees(), n_threads,
        [&](const auto& view, Team& team, std::int32_t* out) { predictor.leaf_classes(view, team, out); }));
  }
  return nb::cast(fill_matrix<double>(
      matrix, predictor.n_trees(), n_threads,
      [&](const auto& view, Team& team, double* out) { predictor.leaf_numbers(view, team, out); }));
}

nb::dict unpack_tree(const nb::dict& arrays, std::size_t tree, CriterionName criterion) {
  const BorrowedForest borrowed(arrays);
  return arrays_from_tree(unpack_checked(borrowed.view(), tree, criterion));
}

BagOfTree bag_of(const BagDraw& draw) {
  return [&draw](std::size_t tree) { return draw.counts(tree); };
}

nb::tuple oob_values(const ForestOfArrays& forest, const Dataset& data, const BagRule& rule,
                     std::size_t first_tree, std::size_t last_tree, bool votes, int n_threads) {
  OutOfBag found = run_interruptible(n_threads, [&](Team& team) {
    const BagDraw draw(rule, data.n_rows);
    return out_of_bag(forest.predictor, data, bag_of(draw), first_tree, last_tree, votes, team);
  });
  return nb::make_tuple(own_array(std::move(found.sums), {data.n_rows, forest.predictor.n_outputs()}),
                        own_array(std::move(found.n_trees)));
}

// Labels or numbers, as numbers.
std::vector<double> target_of(const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& target) {
  const std::size_t n = target.shape(0);
  if (target.dtype() == nb::dtype<double>()) {
    const auto* data = static_cast<const double*>(target.data());
    return {data, data + n};
  }
  if (target.dtype() == nb::dtype<std::int32_t>()) {
    const auto* data = static_cast<const std::int32_t*>(target.data());
    return {data, data + n};
  }
  throw nb::type_error("The target must hold int32 labels or float64 numbers.");
}

NumpyArray<double> oob_permutation(
    const ForestOfArrays& forest, const Dataset& data, const BagRule& rule,
    const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& target, std::size_t n_repeats,
    std::uint64_t seed, int n_threads) {
  const std::vector<double> truth = target_of(target);
  std::vector<double> found = run_interruptible(n_threads, [&](Team& team) {
    const BagDraw draw(rule, data.n_rows);
    return bag_permutation(forest.predictor, data, bag_of(draw), truth, {n_repeats, seed}, team);
  });
  return own_numpy(std::move(found), {forest.predictor.n_trees(), forest.predictor.n_features(), n_repeats});
}

// The quantiles of a forest and all that they read.
struct QuantilesOfArrays {
  QuantilesOfArrays(const ForestOfArrays& forest, Vector<std::int64_t> leaf_begin,
                    Vector<std::uint32_t> leaf_rows, const Vector<double>& y,
                    std::optional<Vector<double>> weights, const BagRule& rule, int n_threads)
      : leaf_begin(std::move(leaf_begin)), leaf_rows(std::move(leaf_rows)), weights(std::move(weights)) {
    const std::span<const double> targets = span_of(y);
    run_interruptible(n_threads, [&](Team& team) {
      const BagDraw draw(rule, targets.size());
      // With every row once there is nothing to draw.
      const BagOfTree bag = rule.draws > 0 ? bag_of(draw) : BagOfTree();
      const LeafRows leaves{span_of(this->leaf_begin), span_of(this->leaf_rows)};
      quantiles = std::make_unique<ForestQuantiles>(forest.predictor, leaves, targets, span_of(this->weights),
                                                    bag, team);
    });
  }

  MatrixResult<double> predict(const Matrix& matrix, const Vector<double>& q, int n_threads) const {
    return fill_matrix<double>(matrix, q.shape(0), n_threads, [&](const auto& view, Team& team, double* out) {
      quantiles->predict(view, span_of(q), team, out);
    });
  }

  MatrixResult<double> places_out_of_bag(const Matrix& matrix, const Vector<std::uint32_t>& rows,
                                         int n_threads) const {
    constexpr std::size_t kNumbers = ForestQuantiles::kPlaceNumbers;
    return fill_matrix<double>(matrix, kNumbers, n_threads, [&](const auto& view, Team& team, double* out) {
      quantiles->places_out_of_bag(view, span_of(rows), team, out);
    });
  }

  Vector<std::int64_t> leaf_begin;
  Vector<std::uint32_t> leaf_rows;
  std::optional<Vector<double>> weights;
  std::unique_ptr<ForestQuantiles> quantiles;
};

MatrixResult<double> forest_quantiles(const ForestOfArrays& forest, const Vector<std::int64_t>& leaf_begin,
                                      const Vector<std::uint32_t>& leaf_rows, const Vector<double>& y,
                                      const std::optional<Vector<double>>& weights, const BagRule& rule,
                                      const Matrix& matrix, const Vector<double>& q, int n_threads) {
  return QuantilesOfArrays(forest, leaf_begin, leaf_rows, y, weights, rule, n_threads)
      .predict(matrix, q, n_threads);
}

void bind_predictor(nb::module_& m) {
  nb::class_<ForestOfArrays>(
      m, "ForestPredictor",
      "A forest made ready for prediction. May be used from several threads at once.\n\n"
      "It reads the arrays that it was made from, so they must not be changed.")
      .def(nb::init<const nb::dict&, const Vector<std::uint32_t>&>(), nb::arg("arrays"), nb::arg("n_codes"),
           "Check a forest (dict of arrays); n_codes holds the categories per feature, 0 for numeric.")
      .def_prop_ro("n_trees", [](const ForestOfArrays& self) { return self.predictor.n_trees(); })
      .def_prop_ro("n_features", [](const ForestOfArrays& self) { return self.predictor.n_features(); })
      .def_prop_ro("n_outputs", [](const ForestOfArrays& self) { return self.predictor.n_outputs(); })
      .def("values", &values, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "The mean of the trees' answers, float64 (n_rows, n_outputs).")
      .def("votes", &votes, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "The share of trees whose most likely class (the first among equals) is k, float64 (n_rows, "
           "n_outputs).")
      .def("sums", &sums, nb::arg("matrix"), nb::arg("start"), nb::arg("first_tree"), nb::arg("last_tree"),
           nb::arg("n_threads") = 1, nb::arg("single") = false,
           "Start, float64 (1 or n_rows, n_outputs), and the leaf numbers of the trees first_tree ... "
           "last_tree - 1 added to it in their order; tree t adds to output t % n_outputs. With single, "
           "every sum is rounded to single precision.")
      .def("apply", &apply, nb::arg("matrix"), nb::arg("n_threads") = 1, "Leaf ids, int32 (n_rows, n_trees).")
      .def("leaf_values", &leaf_values, nb::arg("matrix"), nb::arg("n_threads") = 1,
           nb::sig("def leaf_values(self, matrix: numpy.typing.NDArray, n_threads: int = 1) -> "
                   "numpy.typing.NDArray"),
           "Each tree's own answer (n_rows, n_trees): its most likely class, int32, or its number, float64.");
}

}  // namespace

void bind_forest(nb::module_& m) {
  bind_predictor(m);
  m.def("unpack_tree", &unpack_tree, nb::arg("arrays"), nb::arg("tree"), nb::arg("criterion"),
        "One tree of a forest as the arrays of a full tree.\n\n"
        "Values of inner nodes and gains are computed from the leaves; the loss is NaN where trees predict "
        "numbers, and so is the gain under the absolute error.");
  m.def(
      "oob_values", &oob_values, nb::arg("predictor"), nb::arg("dataset"), nb::arg("rule"),
      nb::arg("first_tree"), nb::arg("last_tree"), nb::arg("votes") = false, nb::arg("n_threads") = 1,
      nb::sig("def oob_values(predictor: ForestPredictor, dataset: Dataset, rule: BagRule, first_tree: int, "
              "last_tree: int, votes: bool = False, n_threads: int = 1) -> tuple[numpy.typing.NDArray, "
              "numpy.typing.NDArray]"),
      "For each training row, the sum of what the trees first_tree ... last_tree - 1 that did not see it "
      "say, float64 (n_rows, n_outputs), and how many these are, uint32.");
  m.def("oob_permutation", &oob_permutation, nb::arg("predictor"), nb::arg("dataset"), nb::arg("rule"),
        nb::arg("target"), nb::arg("n_repeats") = 1, nb::arg("seed") = 0, nb::arg("n_threads") = 1,
        "How much worse each tree does on the rows that it did not see when a feature is shuffled among "
        "them,\nfloat64 (n_trees, n_features, n_repeats): decrease of accuracy (int32 labels) or increase of "
        "the mean\nsquared error (float64 numbers). NaN where a tree has seen every row.");
  nb::class_<QuantilesOfArrays>(
      m, "ForestQuantiles",
      "Quantiles of the training targets that share leaves with a row (Meinshausen "
      "2006).\n\nweights are those of the training rows where trees grew from all of "
      "them; with a drawn bag\nthe rule counts the rows.")
      .def(nb::init<const ForestOfArrays&, Vector<std::int64_t>, Vector<std::uint32_t>, const Vector<double>&,
                    std::optional<Vector<double>>, const BagRule&, int>(),
           nb::keep_alive<1, 2>(), nb::arg("predictor"), nb::arg("leaf_begin"), nb::arg("leaf_rows"),
           nb::arg("y"), nb::arg("weights").none(), nb::arg("rule"), nb::arg("n_threads") = 1)
      .def("predict", &QuantilesOfArrays::predict, nb::arg("matrix"), nb::arg("q"), nb::arg("n_threads") = 1,
           "The quantiles q (between 0 and 1) for every row, float64 (n_rows, n_q).")
      .def("places_out_of_bag", &QuantilesOfArrays::places_out_of_bag, nb::arg("matrix"), nb::arg("rows"),
           nb::arg("n_threads") = 1,
           "Where the targets of training rows (uint32 numbers, and their features) lie in what the trees "
           "predict that\nhave not seen them, float64 (n_rows, 4): the shares of weight below and up to the "
           "target, how many equal\nweights would say as much, and the number of trees. NaN for a row that "
           "all trees have seen.");
  m.def("forest_quantiles", &forest_quantiles, nb::arg("predictor"), nb::arg("leaf_begin"),
        nb::arg("leaf_rows"), nb::arg("y"), nb::arg("weights").none(), nb::arg("rule"), nb::arg("matrix"),
        nb::arg("q"), nb::arg("n_threads") = 1, "ForestQuantiles for a single call, float64 (n_rows, n_q).");
}

}  // namespace treewright
