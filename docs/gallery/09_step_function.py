"""A regression over one feature is a step function.

Each step is a leaf, its height the mean of the leaf's rows.
"""

from sklearn.datasets import load_diabetes

from treewright import CARTRegressor
from treewright.plot import RegionsDisplay

diabetes = load_diabetes(as_frame=True, scaled=False)
bmi = diabetes.data[["bmi"]]
picture = RegionsDisplay.compute(
    CARTRegressor(max_depth=3).fit(bmi, diabetes.target), bmi, diabetes.target
).to_svg()
