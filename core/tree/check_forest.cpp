#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tree/check.h"
#include "tree/fault.h"
#include "tree/forest.h"
#include "tree/row_sums.h"
#include "tree/table.h"
#include "tree/table_spans.h"

namespace treewright {

namespace {

constexpr auto kMostNodes = static_cast<std::int64_t>(std::numeric_limits<NodeId>::max());

// A node of a predictor has this many bits for its feature (predict/forest_nodes.h).
constexpr std::size_t kMostFeatures = std::size_t{1} << 29;

[[noreturn]] void refuse(const std::string& rule, const std::string& found) {
  throw TreeFault(rule, "Not a valid forest: " + found);
}

class Checker {
 public:
  // Without n_codes any feature may exist.
  Checker(const ForestView& forest, std::optional<std::span<const Code>> n_codes)
      : forest_(forest), n_codes_(n_codes) {}

  void check() {
    if (n_codes_) check_columns(*n_codes_);
    check_sizes();
    check_distributions();
    for (std::size_t tree = 0; tree < forest_.n_trees(); ++tree) check_tree(tree);
    if (const auto node = tables_.find_overlap()) {
      refuse_node(*node, "has a table that overlaps another one", "its table overlaps another one");
    }
    for (const TableSpan& table : tables_.all()) check_entries(table);
  }

  void check_stored(std::span<const double> gradient) {
    check();
    if (forest_.n_trees() == 0) refuse("the forest has no tree", "it has no tree.");
    for (std::size_t node = 0; node < forest_.n_nodes(); ++node) {
      if (forest_.is_classes() && forest_.is_leaf(node) && forest_.number[node] != 0) {
        refuse_node(node, "has a number beside its class distribution",
                    "it has a number beside its distribution");
      }
      check_sums(node);
    }
    if (!gradient.empty()) check_length("gradient", gradient.size());
    for (std::size_t node = 0; node < gradient.size(); ++node) {
      if (!std::isfinite(gradient[node])) {
        refuse_node(node, "has a gradient that is not a finite number",
                    "its gradient is not a finite number");
      }
    }
  }

 private:
  // `node` counts from the first one of the forest.
  [[noreturn]] void refuse_node(std::size_t node, const std::string& rule, const std::string& found) const {
    std::size_t tree = 0;
    while (static_cast<std::size_t>(forest_.begin[tree + 1]) <= node) ++tree;
    const std::string id = std::to_string(node - static_cast<std::size_t>(forest_.begin[tree]));
    refuse("node " + id + " of tree " + std::to_string(tree) + " " + rule,
           "tree " + std::to_string(tree) + ", node " + id + ": " + found + ".");
  }

  static void check_columns(std::span<const Code> n_codes) {
    if (n_codes.size() >= kMostFeatures)
      refuse("there are too many features", "there are too many features.");
    for (std::size_t feature = 0; feature < n_codes.size(); ++feature) {
      // Room is needed above for the code of an unseen category and below kStopHere.
      if (n_codes[feature] >= kStopHere - 1) {
        const std::string fault = "feature " + std::to_string(feature) + " has too many codes";
        refuse(fault, fault + ".");
      }
    }
  }

  void check_length(const char* name, std::size_t size) const {
    const std::size_t n = forest_.n_nodes();
    if (size == n) return;
    const std::string has = "array '" + std::string(name) + "' has " + std::to_string(size) + " entries";
    refuse(has + " for " + std::to_string(n) + " nodes", has + ", expected " + std::to_string(n) + ".");
  }

  void check_sizes() const {
    check_length("child", forest_.child.size());
    check_length("feature", forest_.feature16.size() + forest_.feature32.size());
    check_length("flags", forest_.flags.size());
    check_length("weight", forest_.weight.size());
    check_length("rows", forest_.rows.size());
    if (!forest_.feature16.empty() && !forest_.feature32.empty()) {
      refuse("there are two arrays of features", "there are two arrays of features.");
    }
    const std::string rule = forest_.begin.size() < 2
                                 ? "the forest has no tree"
                                 : "array 'begin' does not divide the nodes among the trees";
    if (forest_.begin.empty() || forest_.begin.front() != 0) refuse(rule, "'begin' does not start with 0.");
    if (forest_.begin.back() != static_cast<std::int64_t>(forest_.n_nodes())) {
      refuse(rule, "'begin' does not end with the number of nodes.");
    }
    for (std::size_t tree = 0; tree < forest_.n_trees(); ++tree) {
      // Both lie between 0 and n or an earlier difference was not positive, so nothing overflows.
      if (forest_.begin[tree + 1] <= forest_.begin[tree]) {
        refuse(rule, "'begin' is not ascending at tree " + std::to_string(tree) + ".");
      }
      if (forest_.begin[tree + 1] - forest_.begin[tree] > kMostNodes) {
        refuse("a tree has more than " + std::to_string(kMostNodes) + " nodes",
               "tree " + std::to_string(tree) + " has too many nodes.");
      }
    }
  }

  void check_distributions() const {
    const char* no_class = "array 'distributions' has no class";
    if (forest_.n_outputs < 1 || forest_.n_outputs > INT32_MAX) refuse(no_class, "it has no output.");
    if (forest_.distributions.size() % forest_.n_outputs != 0) {
      refuse("array 'distributions' has an incomplete row", "'distributions' has an incomplete row.");
    }
    if (!forest_.is_classes() && forest_.n_outputs != 1) {
      refuse(no_class, "it has classes but no distribution of them.");
    }
    for (const double share : forest_.distributions) {
      if (!(share >= 0) || std::isinf(share)) {
        refuse("a class distribution holds something else than shares",
               "a distribution holds something else than shares.");
      }
    }
  }

  void check_tree(std::size_t tree) {
    const auto first = static_cast<std::size_t>(forest_.begin[tree]);
    const std::size_t n = static_cast<std::size_t>(forest_.begin[tree + 1]) - first;
    has_parent_.assign(n, false);
    for (std::size_t node = first; node < first + n; ++node) {
      if (!(forest_.weight[node] >= 0) || std::isinf(forest_.weight[node])) {
        refuse_node(node, "has a weight that is not a finite number of at least 0",
                    "its weight is not a finite number of at least 0");
      }
      if (forest_.is_leaf(node)) {
        check_leaf(node);
      } else {
        check_test(node);
        check_children(node, first, n);
      }
    }
    // Parents come before their children, so having a parent means being reachable from the root.
    for (std::size_t node = 1; node < n; ++node) {
      if (!has_parent_[node]) {
        refuse_node(first + node, "does not have exactly one parent", "it is not the child of any node");
      }
    }
  }

  void check_leaf(std::size_t node) const {
    if (forest_.flags[node] != 0) {
      refuse_node(node, "is a leaf, but has flags of a test", "it is a leaf but has flags of a test");
    }
    if (!std::isfinite(forest_.number[node])) {
      refuse_node(
          node,
          forest_.is_classes() ? "has a number that is not one" : "has a value that is not a finite number",
          "its value is not a finite number");
    }
    if (forest_.is_classes() ? forest_.child[node] >= forest_.n_distributions() : forest_.child[node] != 0) {
      refuse_node(
          node,
          forest_.is_classes() ? "has a class distribution that does not exist"
                               : "has a class distribution in a forest without classes",
          "it refers to distribution " + std::to_string(forest_.child[node]) + ", which does not exist");
    }
  }

  // Categories of the feature that a node tests.
  Code categories(std::size_t node) const {
    return n_codes_ ? (*n_codes_)[static_cast<std::size_t>(forest_.feature(node))] : kStopHere - 2;
  }

  void check_test(std::size_t node) {
    const FeatureId feature = forest_.feature(node);
    if (feature < 0 || (n_codes_ && static_cast<std::size_t>(feature) >= n_codes_->size())) {
      refuse_node(node, "tests a feature that does not exist",
                  "it tests feature " + std::to_string(feature) + ", which does not exist");
    }
    if (forest_.flags[node] > (kMissingGoesRight | kSubsetTest)) {
      refuse_node(node, "has an unknown flag", "it has unknown flags");
    }
    if ((forest_.flags[node] & kSubsetTest) == 0) {
      if (std::isnan(forest_.number[node])) {
        refuse_node(node, "has a number that is not one", "its threshold is not a number");
      }
      return;
    }
    if (categories(node) == 0) {
      refuse_node(node, "tests categories of a numeric feature", "it tests categories of a numeric feature");
    }
    check_table(node, forest_.number[node]);
  }

  void check_table(std::size_t node, double number) {
    const std::size_t size = forest_.tables.size();
    if (!(number >= 0) || size < 2 || number > static_cast<double>(size - 2) ||
        number != std::floor(number)) {
      refuse_node(node, "has its table outside the tables", "its table lies outside 'tables'");
    }
    tables_.add(TableSpans::at(node, static_cast<std::size_t>(number), forest_.tables));
    if (tables_.all().back().end > size) {
      refuse_node(node, "has a table that ends outside the tables", "its table ends outside 'tables'");
    }
  }

  void check_entries(const TableSpan& table) const {
    const auto format = static_cast<TableFormat>(forest_.tables[table.begin]);
    if (format == TableFormat::kBits) return;
    if (format != TableFormat::kList && format != TableFormat::kListLeft) {
      refuse_node(table.owner, "has a table of unknown format",
                  "its table has format " + std::to_string(forest_.tables[table.begin]) +
                      ", which a subset does not allow");
    }
    const std::size_t first = table.begin + 2;
    for (std::size_t i = first; i < table.end; ++i) {
      const Code code = forest_.tables[i];
      if (code > categories(table.owner) + 1) {
        refuse_node(table.owner, "lists a category that does not exist",
                    "its table lists code " + std::to_string(code) + ", which does not exist");
      }
      if (i > first && code <= forest_.tables[i - 1]) {
        refuse_node(table.owner, "has a category list that is not ascending",
                    "the codes in its table are not ascending");
      }
    }
  }

  void check_sums(std::size_t node) {
    while (static_cast<std::size_t>(forest_.begin[summed_ + 1]) <= node) ++summed_;
    if (forest_.is_leaf(node)) return;
    const std::size_t child = static_cast<std::size_t>(forest_.begin[summed_]) + forest_.child[node];
    const double weight = double{forest_.weight[child]} + double{forest_.weight[child + 1]};
    const std::uint64_t rows = std::uint64_t{forest_.rows[child]} + forest_.rows[child + 1];
    const bool weights_fit = weights_add_up(weight, forest_.weight[node], {});
    if (weights_fit && rows_add_up(rows, forest_.rows[node], {})) return;
    const std::string fault =
        std::string("branches whose ") + (weights_fit ? "rows" : "weights") + " do not add up to its own";
    refuse_node(node, "has " + fault, "it has " + fault);
  }

  // The tree has n nodes, the first of them is node `first` of the forest.
  void check_children(std::size_t node, std::size_t first, std::size_t n) {
    const std::size_t child = forest_.child[node];
    if (child >= n || n - child < 2) {
      refuse_node(node, "has a child beyond the last node of its tree", "its children lie outside the tree");
    }
    if (child <= node - first) {
      refuse_node(node, "stands after one of its children", "its children do not come after it");
    }
    for (const std::size_t one : {child, child + 1}) {
      if (has_parent_[one]) {
        refuse_node(first + one, "does not have exactly one parent", "it has two parents");
      }
      has_parent_[one] = true;
    }
  }

  const ForestView& forest_;
  const std::optional<std::span<const Code>> n_codes_;
  std::vector<bool> has_parent_;  // of the nodes of one tree
  TableSpans tables_;
  std::size_t summed_ = 0;  // the tree whose sums are being checked
};

}  // namespace

void check_forest(const ForestView& forest, std::span<const Code> n_codes) {
  Checker(forest, n_codes).check();
}

void check_forest_alone(const ForestView& forest) {
  Checker(forest, std::nullopt).check();
}

void check_stored_forest(const ForestView& forest, std::span<const double> gradient,
                         std::span<const Code> n_codes) {
  Checker(forest, n_codes).check_stored(gradient);
}

}  // namespace treewright
