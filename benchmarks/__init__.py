"""Speed and memory of Treewright beside scikit-learn's; never part of the tests' verdict."""
