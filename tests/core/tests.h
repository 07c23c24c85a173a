// The list of test files: each gives its tests through one function.
#pragma once

#include <vector>

#include "check.h"

namespace treewright::test {

std::vector<Test> team_tests();
std::vector<Test> random_tests();
std::vector<Test> radix_sort_tests();
std::vector<Test> encode_numeric_tests();
std::vector<Test> encode_category_tests();
std::vector<Test> quantile_bins_tests();
std::vector<Test> tree_canonical_tests();
std::vector<Test> tree_check_tests();
std::vector<Test> predict_cases_tests();
std::vector<Test> predict_reference_tests();
std::vector<Test> criterion_scan_tests();
std::vector<Test> criterion_median_tests();
std::vector<Test> split_threshold_tests();
std::vector<Test> split_subset_tests();
std::vector<Test> many_categories_tests();
std::vector<Test> single_precision_tests();
std::vector<Test> split_select_tests();
std::vector<Test> grow_tree_tests();
std::vector<Test> grow_partition_tests();
std::vector<Test> grow_candidates_tests();
std::vector<Test> grow_sampler_tests();
std::vector<Test> grow_forest_tests();
std::vector<Test> exact_grower_tests();
std::vector<Test> key_lanes_tests();
std::vector<Test> surrogates_tests();
std::vector<Test> prune_tests();
std::vector<Test> forest_store_tests();
std::vector<Test> forest_predict_tests();
std::vector<Test> forest_bags_tests();
std::vector<Test> objective_tests();
std::vector<Test> boost_parts_tests();
std::vector<Test> boost_rounds_tests();
std::vector<Test> mask_tables_tests();

}  // namespace treewright::test
