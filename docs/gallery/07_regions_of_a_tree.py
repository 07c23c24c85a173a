"""Rectangles: what a tree of two features answers where.

A tree cuts along the axes; the deeper the colour, the surer the leaf.
"""

from sklearn.datasets import load_iris

from treewright import CARTClassifier
from treewright.plot import RegionsDisplay

iris = load_iris(as_frame=True)
petals = iris.data[["petal length (cm)", "petal width (cm)"]]
species = iris.target.map(dict(enumerate(iris.target_names)))
picture = RegionsDisplay.compute(CARTClassifier(max_depth=3).fit(petals, species), petals, species).to_svg()
