"""The way of one row through a tree.

What is highlighted is the path that `explain_prediction` works out in words.
"""

from sklearn.datasets import load_iris

from treewright import CARTClassifier, export_svg

iris = load_iris(as_frame=True)
species = iris.target.map(dict(enumerate(iris.target_names)))
tree = CARTClassifier(max_depth=3).fit(iris.data, species)
picture = export_svg(tree, highlight=iris.data.iloc[[77]])
