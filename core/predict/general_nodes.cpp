#include "predict/general_nodes.h"

namespace treewright {

GeneralNodes::GeneralNodes(const Tree& tree, std::span<const Code> n_codes)
    : tables_(tree.tables), surrogate_begin_(tree.surrogate_begin) {
  const auto codes_of = [&](FeatureId feature) {
    return feature < 0 ? 0 : n_codes[static_cast<std::size_t>(feature)];
  };
  nodes_.reserve(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    nodes_.push_back({tree.threshold[i], tree.table[i], tree.feature[i], tree.first_child[i],
                      tree.n_children[i], tree.missing[i], codes_of(tree.feature[i]), tree.kind[i]});
  }
  surrogates_.reserve(tree.surrogate_feature.size());
  for (std::size_t i = 0; i < tree.surrogate_feature.size(); ++i) {
    surrogates_.push_back({tree.surrogate_threshold[i], tree.surrogate_table[i], tree.surrogate_feature[i],
                           codes_of(tree.surrogate_feature[i]), tree.surrogate_kind[i],
                           tree.surrogate_flip[i]});
  }
}

}  // namespace treewright
