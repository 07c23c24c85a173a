// Runs all C++ tests, or those whose name contains the first argument.
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "check.h"
#include "tests.h"

namespace treewright::test {

namespace {

std::mutex mutex;
std::size_t n_failures = 0;

}  // namespace

void fail(const char* file, int line, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex);
  ++n_failures;
  std::printf("  %s:%d: %s\n", file, line, what.c_str());
}

namespace {

bool passes(const Test& test) {
  const std::size_t before = n_failures;
  try {
    test.run();
  } catch (const std::exception& error) {
    fail(test.name, 0, std::string("unexpected exception: ") + error.what());
  }
  if (n_failures != before) std::printf("FAILED %s\n", test.name);
  return n_failures == before;
}

std::vector<Test> all_tests() {
  std::vector<Test> tests;
  for (const auto& group : {team_tests(),
                            random_tests(),
                            radix_sort_tests(),
                            quantile_bins_tests(),
                            encode_numeric_tests(),
                            encode_category_tests(),
                            tree_canonical_tests(),
                            tree_check_tests(),
                            predict_cases_tests(),
                            predict_reference_tests(),
                            criterion_scan_tests(),
                            criterion_median_tests(),
                            split_threshold_tests(),
                            split_subset_tests(),
                            many_categories_tests(),
                            single_precision_tests(),
                            split_select_tests(),
                            grow_tree_tests(),
                            grow_partition_tests(),
                            grow_candidates_tests(),
                            grow_sampler_tests(),
                            grow_forest_tests(),
                            exact_grower_tests(),
                            key_lanes_tests(),
                            surrogates_tests(),
                            prune_tests(),
                            forest_store_tests(),
                            forest_predict_tests(),
                            forest_bags_tests(),
                            objective_tests(),
                            boost_parts_tests(),
                            boost_rounds_tests(),
                            mask_tables_tests()}) {
    tests.insert(tests.end(), group.begin(), group.end());
  }
  return tests;
}

}  // namespace

}  // namespace treewright::test

int main(int argc, char** argv) {
  using namespace treewright::test;
  const std::string wanted = argc > 1 ? argv[1] : "";
  int passed = 0;
  int failed = 0;
  for (const Test& test : all_tests()) {
    if (std::string(test.name).find(wanted) == std::string::npos) continue;
    ++(passes(test) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
