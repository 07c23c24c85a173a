"""What a fitted model is: trees as arrays, nodes and splits in words, and the model that holds them."""

from treewright.model.forest import Forest
from treewright.model.model import Aggregation, Model, Task
from treewright.model.node import Node, TreeView
from treewright.model.split import Split
from treewright.model.tree import Tree

__all__ = ["Aggregation", "Forest", "Model", "Node", "Split", "Task", "Tree", "TreeView"]
