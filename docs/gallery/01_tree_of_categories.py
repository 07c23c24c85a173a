"""A tree of categories, with the rows in its nodes.

C4.5 on Quinlan's fourteen days: each card shows its test, how the rows of each value fall, and the gain.
"""

from treewright import C45Classifier, export_svg
from treewright.datasets import load_tennis

tennis = load_tennis()
tree = C45Classifier().fit(tennis.X, tennis.y)
picture = export_svg(
    tree, X=tennis.X, y=tennis.y, feature_names=tennis.feature_names, target_name=tennis.target_name
)
