"""What each feature adds to one answer: Shapley values.

They add up to the difference between this row's raw score and the mean over all rows.
"""

from sklearn.datasets import load_diabetes

from treewright import LeafwiseBoostingRegressor

diabetes = load_diabetes(as_frame=True, scaled=False)
booster = LeafwiseBoostingRegressor(n_estimators=100, learning_rate=0.1).fit(diabetes.data, diabetes.target)
picture = booster.shap(diabetes.data.iloc[[3]])[0].to_svg()
