"""The same by a forest.

A hundred trees average their rectangles: the border becomes smoother and less sure of itself.
"""

from sklearn.datasets import load_iris

from treewright import ExtraTreesClassifier
from treewright.plot import RegionsDisplay

iris = load_iris(as_frame=True)
petals = iris.data[["petal length (cm)", "petal width (cm)"]]
species = iris.target.map(dict(enumerate(iris.target_names)))
forest = ExtraTreesClassifier(random_state=0).fit(petals, species)
picture = RegionsDisplay.compute(forest, petals, species, resolution=60).to_svg()
