"""The same data and the same settings in Treewright and in another library."""
