"""AdaBoost's rounds: the errors of single stumps and of their vote.

Ten points on a line that no single stump can divide; after three rounds the vote is right everywhere.
"""

from treewright import AdaBoostClassifier

line, signs = [[x] for x in range(10)], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
booster = AdaBoostClassifier(n_estimators=3).fit(line, signs)
picture = booster.explain_rounds(line, signs).to_svg()
