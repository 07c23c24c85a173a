#include "tree/forest.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/random.h"

namespace treewright {

namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two

std::uint64_t hash_of(const double* value, std::size_t n) {
  std::uint64_t hash = n;
  for (std::size_t k = 0; k < n; ++k) {
    hash = std::rotl(hash, 23) ^ std::bit_cast<std::uint64_t>(value[k]);
    hash *= 0x9E3779B97F4A7C15U;
  }
  return mix_bits(hash);
}

}  // namespace

ForestBuilder::ForestBuilder(Answer answer, std::size_t n_outputs, std::size_t n_features,
                             std::size_t n_trees)
    : answer_(answer),
      narrow_(n_features <= Forest::kMostNarrowFeatures),
      n_trees_(n_trees),
      slots_(kFirstSlots, 0) {
  if (n_outputs < 1 || (answer == Answer::kNumber && n_outputs != 1)) {
    throw std::invalid_argument("A forest needs one output, or one per class.");
  }
  forest_.n_outputs = n_outputs;
}

void ForestBuilder::append(const Tree& tree) {
  if (tree.outputs != static_cast<std::int32_t>(forest_.n_outputs)) {
    throw std::invalid_argument("The trees of a forest must have the same number of outputs.");
  }
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] > NodeKind::kSubset || tree.missing[node] > 1) {
      throw std::invalid_argument(
          "A forest holds trees whose every test sends a row to one of two children.");
    }
  }
  reserve(tree);
  const auto table_base = static_cast<std::int64_t>(forest_.tables.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    double number = 0;
    std::uint32_t child = 0;
    std::uint8_t flags = 0;
    if (tree.kind[node] == NodeKind::kLeaf) {
      const double* value = tree.value.data() + node * forest_.n_outputs;
      if (answer_ == Answer::kClasses) {
        child = distribution_row(value);
      } else {
        number = *value;
      }
    } else {
      const bool is_subset = tree.kind[node] == NodeKind::kSubset;
      number = is_subset ? static_cast<double>(table_base + tree.table[node]) : tree.threshold[node];
      child = static_cast<std::uint32_t>(tree.first_child[node]);
      if (tree.missing[node] == 1) flags |= kMissingGoesRight;
      if (is_subset) flags |= kSubsetTest;
    }
    forest_.number.push_back(number);
    forest_.child.push_back(child);
    forest_.flags.push_back(flags);
    forest_.weight.push_back(static_cast<float>(tree.weight[node]));
    forest_.rows.push_back(static_cast<std::uint32_t>(tree.rows[node]));
    if (narrow_) {
      forest_.feature16.push_back(static_cast<std::int16_t>(tree.feature[node]));
    } else {
      forest_.feature32.push_back(tree.feature[node]);
    }
  }
  forest_.tables.insert(forest_.tables.end(), tree.tables.begin(), tree.tables.end());
  forest_.begin.push_back(static_cast<std::int64_t>(forest_.number.size()));
}

// Trees of a forest are of similar size. Memory that is reserved but never written costs nothing.
void ForestBuilder::reserve(const Tree& tree) {
  const std::size_t n = forest_.n_nodes() + tree.size();
  if (n <= forest_.number.capacity()) return;
  const std::size_t n_done = forest_.n_trees() + 1;
  const std::size_t expected = (n + n_done - 1) / n_done * std::max(n_trees_, n_done);
  const std::size_t wanted = std::max(n, expected + expected / 16);
  forest_.number.reserve(wanted);
  forest_.child.reserve(wanted);
  forest_.flags.reserve(wanted);
  forest_.weight.reserve(wanted);
  forest_.rows.reserve(wanted);
  if (narrow_) {
    forest_.feature16.reserve(wanted);
  } else {
    forest_.feature32.reserve(wanted);
  }
}

// The slot that holds this distribution, or the free one where it belongs.
std::size_t ForestBuilder::slot_of(const double* value) const {
  const std::size_t n = forest_.n_outputs;
  std::size_t slot = hash_of(value, n) & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const double* other = forest_.distributions.data() + (slots_[slot] - 1) * n;
    if (std::memcmp(value, other, n * sizeof(double)) == 0) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::uint32_t ForestBuilder::distribution_row(const double* value) {
  const std::size_t slot = slot_of(value);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  const std::size_t row = forest_.distributions.size() / forest_.n_outputs;
  if (row >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("The forest has too many different leaves.");
  }
  forest_.distributions.insert(forest_.distributions.end(), value, value + forest_.n_outputs);
  slots_[slot] = static_cast<std::uint32_t>(row + 1);
  if (2 * (row + 1) > slots_.size()) enlarge_slots();
  return static_cast<std::uint32_t>(row);
}

void ForestBuilder::enlarge_slots() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t n_rows = forest_.distributions.size() / forest_.n_outputs;
  for (std::size_t row = 0; row < n_rows; ++row) {
    slots_[slot_of(forest_.distributions.data() + row * forest_.n_outputs)] =
        static_cast<std::uint32_t>(row + 1);
  }
}

Forest ForestBuilder::finish() {
  slots_.clear();
  return std::move(forest_);
}

}  // namespace treewright
