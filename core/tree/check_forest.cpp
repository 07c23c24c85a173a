#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tree/forest.h"
#include "tree/table.h"

namespace treewright {

namespace {

constexpr auto kMostNodes = static_cast<std::int64_t>(std::numeric_limits<NodeId>::max());

// A node of a predictor has this many bits for its feature (predict/forest_nodes.h).
constexpr std::size_t kMostFeatures = std::size_t{1} << 29;

[[noreturn]] void fail(const std::string& sentence) {
  throw std::invalid_argument("Not a valid forest: " + sentence);
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
    for (tree_ = 0; tree_ < forest_.n_trees(); ++tree_) check_tree();
  }

 private:
  [[noreturn]] void fail_at(std::size_t node, const std::string& what) const {
    fail("tree " + std::to_string(tree_) + ", node " + std::to_string(node) + ": " + what + ".");
  }

  static void check_columns(std::span<const Code> n_codes) {
    if (n_codes.size() >= kMostFeatures) fail("there are too many features.");
    for (std::size_t feature = 0; feature < n_codes.size(); ++feature) {
      // Room is needed above for the code of an unseen category and below kStopHere.
      if (n_codes[feature] >= kStopHere - 1) {
        fail("feature " + std::to_string(feature) + " has too many codes.");
      }
    }
  }

  void check_length(std::size_t size, std::size_t wanted, const char* name) const {
    if (size == wanted) return;
    fail("array '" + std::string(name) + "' has " + std::to_string(size) + " entries, expected " +
         std::to_string(wanted) + ".");
  }

  void check_sizes() const {
    const std::size_t n = forest_.number.size();
    check_length(forest_.child.size(), n, "child");
    check_length(forest_.feature16.size() + forest_.feature32.size(), n, "feature");
    check_length(forest_.flags.size(), n, "flags");
    check_length(forest_.weight.size(), n, "weight");
    check_length(forest_.rows.size(), n, "rows");
    if (!forest_.feature16.empty() && !forest_.feature32.empty()) fail("there are two arrays of features.");
    if (forest_.begin.empty() || forest_.begin.front() != 0) fail("'begin' does not start with 0.");
    if (forest_.begin.back() != static_cast<std::int64_t>(n)) {
      fail("'begin' does not end with the number of nodes.");
    }
    for (std::size_t tree = 0; tree < forest_.n_trees(); ++tree) {
      // Both lie between 0 and n or an earlier difference was not positive, so nothing overflows.
      if (forest_.begin[tree + 1] <= forest_.begin[tree]) {
        fail("'begin' is not ascending at tree " + std::to_string(tree) + ".");
      }
      if (forest_.begin[tree + 1] - forest_.begin[tree] > kMostNodes) {
        fail("tree " + std::to_string(tree) + " has too many nodes.");
      }
    }
  }

  void check_distributions() const {
    if (forest_.n_outputs < 1 || forest_.n_outputs > INT32_MAX) fail("it has no output.");
    if (forest_.distributions.size() % forest_.n_outputs != 0) fail("'distributions' has an incomplete row.");
    if (!forest_.is_classes() && forest_.n_outputs != 1) fail("it has classes but no distribution of them.");
    for (const double share : forest_.distributions) {
      if (!(share >= 0) || std::isinf(share)) fail("a distribution holds something else than shares.");
    }
  }

  void check_tree() {
    first_ = static_cast<std::size_t>(forest_.begin[tree_]);
    n_ = static_cast<std::size_t>(forest_.begin[tree_ + 1]) - first_;
    has_parent_.assign(n_, false);
    for (std::size_t node = 0; node < n_; ++node) {
      const std::size_t at = first_ + node;
      if (!(forest_.weight[at] >= 0) || std::isinf(forest_.weight[at])) {
        fail_at(node, "its weight is not a finite number of at least 0");
      }
      if (forest_.is_leaf(at)) {
        check_leaf(node, at);
      } else {
        check_test(node, at);
        check_children(node, at);
      }
    }
    // Parents come before their children, so having a parent means being reachable from the root.
    for (std::size_t node = 1; node < n_; ++node) {
      if (!has_parent_[node]) fail_at(node, "it is not the child of any node");
    }
  }

  void check_leaf(std::size_t node, std::size_t at) const {
    if (forest_.flags[at] != 0) fail_at(node, "it is a leaf but has flags of a test");
    if (!std::isfinite(forest_.number[at])) fail_at(node, "its value is not a finite number");
    if (forest_.is_classes() ? forest_.child[at] >= forest_.n_distributions() : forest_.child[at] != 0) {
      fail_at(node,
              "it refers to distribution " + std::to_string(forest_.child[at]) + ", which does not exist");
    }
  }

  void check_test(std::size_t node, std::size_t at) {
    const FeatureId feature = forest_.feature(at);
    if (feature < 0 || (n_codes_ && static_cast<std::size_t>(feature) >= n_codes_->size())) {
      fail_at(node, "it tests feature " + std::to_string(feature) + ", which does not exist");
    }
    if (forest_.flags[at] > (kMissingGoesRight | kSubsetTest)) fail_at(node, "it has unknown flags");
    if ((forest_.flags[at] & kSubsetTest) == 0) {
      if (std::isnan(forest_.number[at])) fail_at(node, "its threshold is not a number");
      return;
    }
    const Code n_codes = n_codes_ ? (*n_codes_)[static_cast<std::size_t>(feature)] : kStopHere - 2;
    if (n_codes == 0) fail_at(node, "it tests categories of a numeric feature");
    check_table(node, forest_.number[at], n_codes);
  }

  void check_table(std::size_t node, double number, Code n_codes) {
    const std::size_t size = forest_.tables.size();
    if (!(number >= 0) || size < 2 || number > static_cast<double>(size - 2) ||
        number != std::floor(number)) {
      fail_at(node, "its table lies outside 'tables'");
    }
    const auto offset = static_cast<std::size_t>(number);
    const std::uint32_t* table = forest_.tables.data() + offset;
    const std::size_t length = table[1];
    if (length > size - 2 - offset) fail_at(node, "its table ends outside 'tables'");
    // Tables may not share words: this keeps the whole check linear, whatever the file says.
    words_used_ += length + 2;
    if (words_used_ > size) fail_at(node, "its table overlaps another one");
    if (table[0] == static_cast<std::uint32_t>(TableFormat::kBits)) return;
    if (table[0] != static_cast<std::uint32_t>(TableFormat::kList) &&
        table[0] != static_cast<std::uint32_t>(TableFormat::kListLeft)) {
      fail_at(node, "its table has format " + std::to_string(table[0]) + ", which a subset does not allow");
    }
    const std::uint32_t* codes = table + 2;
    for (std::size_t i = 0; i < length; ++i) {
      if (codes[i] > n_codes + 1) {
        fail_at(node, "its table lists code " + std::to_string(codes[i]) + ", which does not exist");
      }
      if (i > 0 && codes[i] <= codes[i - 1]) fail_at(node, "the codes in its table are not ascending");
    }
  }

  void check_children(std::size_t node, std::size_t at) {
    const std::size_t child = forest_.child[at];
    if (child >= n_ || n_ - child < 2) fail_at(node, "its children lie outside the tree");
    if (child <= node) fail_at(node, "its children do not come after it");
    for (const std::size_t one : {child, child + 1}) {
      if (has_parent_[one]) fail_at(one, "it has two parents");
      has_parent_[one] = true;
    }
  }

  const ForestView& forest_;
  const std::optional<std::span<const Code>> n_codes_;
  std::size_t tree_ = 0;
  std::size_t first_ = 0;  // the tree's first node
  std::size_t n_ = 0;      // and how many it has
  std::vector<bool> has_parent_;
  std::size_t words_used_ = 0;
};

}  // namespace

void check_forest(const ForestView& forest, std::span<const Code> n_codes) {
  Checker(forest, n_codes).check();
}

void check_forest_alone(const ForestView& forest) {
  Checker(forest, std::nullopt).check();
}

}  // namespace treewright
