// Rows that go down several branches at once (C4.5's treatment of unknown values): at a node that shares a
// row, branch k receives share * weight(child k) / weight(node). An explicit stack, so depth does not matter.
#include <algorithm>

#include "predict/compiled_tree.h"

namespace treewright {

// Pushes the parts that the children of part.node receive, branch 0 on top. False when no child has weight
// (which training does not produce): the row then ends at the node itself.
bool CompiledTree::push_shares(const Part& part, std::vector<Part>& stack) const {
  const double node_weight = weight_[static_cast<std::size_t>(part.node)];
  const NodeId first = general_.first_child(part.node);
  const std::size_t before = stack.size();
  for (std::uint32_t left = general_.n_children(part.node); left > 0; --left) {
    const NodeId child = first + static_cast<NodeId>(left - 1);
    const double child_weight = weight_[static_cast<std::size_t>(child)];
    if (child_weight > 0 && node_weight > 0)
      stack.push_back({child, part.share * (child_weight / node_weight)});
  }
  return stack.size() > before;
}

template <class T, class Visit, class Pass>
void CompiledTree::share_out(const T* row, Visit&& visit, Pass&& pass) const {
  std::vector<Part> stack{{0, 1.0}};
  while (!stack.empty()) {
    Part part = stack.back();
    stack.pop_back();
    const GeneralNodes::Landing landing = general_.descend(part.node, row, pass);
    part.node = landing.node;
    if (!landing.shared || !push_shares(part, stack)) visit(part.node, part.share);
  }
}

template <class T>
NodeId CompiledTree::main_leaf(const T* row) const {
  NodeId best = kNoNode;
  double best_share = 0;
  const auto keep_larger = [&](NodeId node, double share) {
    if (best != kNoNode && (share < best_share || (share == best_share && node > best))) return;
    best = node;
    best_share = share;
  };
  share_out(row, keep_larger, [](NodeId) {});
  return best;
}

template <class T>
void CompiledTree::add_shares(const T* row, double* out) const {
  const auto add = [&](NodeId node, double share) {
    const double* value = value_.data() + static_cast<std::size_t>(node) * n_outputs_;
    for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += share * value[k];
  };
  share_out(row, add, [](NodeId) {});
}

template <class T>
void CompiledTree::append_shared_path(const T* row, std::vector<NodeId>& out) const {
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  share_out(row, [](NodeId, double) {}, [&](NodeId node) { out.push_back(node); });
  std::sort(out.begin() + begin, out.end());
}

template NodeId CompiledTree::main_leaf(const float*) const;
template NodeId CompiledTree::main_leaf(const double*) const;
template void CompiledTree::add_shares(const float*, double*) const;
template void CompiledTree::add_shares(const double*, double*) const;
template void CompiledTree::append_shared_path(const float*, std::vector<NodeId>&) const;
template void CompiledTree::append_shared_path(const double*, std::vector<NodeId>&) const;

}  // namespace treewright
