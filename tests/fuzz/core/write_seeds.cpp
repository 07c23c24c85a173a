// Writes cases that the engine accepts, with every kind of node, for the fuzzer to begin with:
// core_fuzz_seeds FOLDER.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "case_bytes.h"
#include "forest_data.h"
#include "random_tree.h"

namespace {

using treewright::fuzz::Case;

void write(const std::string& folder, const std::string& name, const Case& one) {
  const std::vector<std::uint8_t> bytes = treewright::fuzz::write_case(one);
  std::ofstream file(folder + "/" + name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Two competitors of the root, as a fit remembers them.
void add_candidates(treewright::Tree& tree) {
  using treewright::NodeKind;
  for (int i = 0; i < 2; ++i) {
    tree.candidate_node.push_back(0);
    tree.candidate_feature.push_back(i);
    tree.candidate_kind.push_back(NodeKind::kThreshold);
    tree.candidate_threshold.push_back(0.5 + i);
    tree.candidate_table.push_back(-1);
    tree.candidate_branches.push_back(2);
    tree.candidate_tries.push_back(3);
    tree.candidate_left.push_back(10.0);
    tree.candidate_right.push_back(20.0);
    tree.candidate_gain.push_back(0.5 - 0.1 * i);
    tree.candidate_split_info.push_back(0.0);
    tree.candidate_least_gain.push_back(0.0);
  }
}

Case tree_case(std::uint64_t seed) {
  treewright::test::RandomTree random(seed);
  treewright::test::Shape shape;
  shape.n_codes = {0, 0, 5, 40};
  shape.n_splits = 1 + seed % 7;
  shape.outputs = 1 + static_cast<std::int32_t>(seed % 3);
  shape.thresholds_only = seed % 5 == 0;
  shape.fractional = seed % 4 == 1;
  shape.surrogates = seed % 4 == 2;
  Case one;
  one.kind = 0;
  one.n_codes = shape.n_codes;
  one.tree = random.tree(shape);
  if (seed % 3 == 0) add_candidates(one.tree);
  one.rows = random.rows(6, shape.n_codes, 5);
  return one;
}

Case forest_case(std::uint64_t seed) {
  treewright::test::ForestShape shape;
  shape.n_trees = 1 + seed % 3;
  shape.n_splits = 1 + seed % 6;
  shape.n_codes = {0, 0, 5, 70};
  shape.n_classes = seed % 2 == 0 ? 0 : 3;
  shape.thresholds_only = seed % 5 == 0;
  Case one;
  one.kind = seed % 8 == 7 ? 3 : 1;
  one.n_codes = shape.n_codes;
  one.forest = treewright::test::random_forest(seed, shape).forest;
  if (seed % 4 == 0) one.gradient.assign(one.forest.n_nodes(), 0.25);
  one.rows = treewright::test::RandomTree(seed).rows(6, shape.n_codes, 5);
  return one;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    write(argv[1], "tree_" + std::to_string(seed), tree_case(seed));
    write(argv[1], "forest_" + std::to_string(seed), forest_case(seed));
  }
  return 0;
}
