// TreeFault: arrays that are not a tree or a forest. It names the broken rule in the words that the reader of
// a model file gets ("node 3 has an unknown kind"); its text says what was found ("node 3: it has the unknown
// kind 9"), for whoever calls the engine.
#pragma once

#include <stdexcept>
#include <string>

namespace treewright {

class TreeFault : public std::invalid_argument {
 public:
  TreeFault(const std::string& rule, const std::string& text) : std::invalid_argument(text), rule_(rule) {}

  // Without a full stop: it becomes part of a longer sentence.
  const std::string& rule() const noexcept { return rule_; }

 private:
  std::string rule_;
};

}  // namespace treewright
