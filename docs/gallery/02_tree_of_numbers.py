"""A regression tree over its rows.

Points are rows over the tested feature, the wedge is the threshold, lines are the means of the two sides.
"""

from sklearn.datasets import load_diabetes

from treewright import CARTRegressor, export_svg

diabetes = load_diabetes(as_frame=True, scaled=False)
tree = CARTRegressor(max_depth=2).fit(diabetes.data, diabetes.target)
picture = export_svg(tree, X=diabetes.data, y=diabetes.target)
