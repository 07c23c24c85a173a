"""What a fitted model is: trees as arrays, nodes and splits in words, and the model that holds them."""

from treewright.model.model import Model, Task
from treewright.model.node import Node, TreeView
from treewright.model.split import Split
from treewright.model.tree import Tree

__all__ = ["Model", "Node", "Split", "Task", "Tree", "TreeView"]
