#include <limits>
#include <vector>

#include "check.h"
#include "grow/choice.h"

namespace treewright::test {

namespace {

Candidate offer(double gain, double rank) {
  Candidate candidate;
  candidate.kind = NodeKind::kThreshold;
  candidate.gain = candidate.mean_gain = gain;
  candidate.rank = rank;
  return candidate;
}

TEST("the best rank wins and the first of equals") {
  const std::vector<Candidate> candidates{Candidate{}, offer(1, 1), offer(2, 2), offer(2, 2),
                                          offer(1.5, 1.5)};
  CHECK(best_candidate(candidates, 0) == 2);
  CHECK(best_candidate(candidates, 1.5) == 1);  // none is better than the first by more than the tolerance
  CHECK(best_candidate({}, 0) == kNoCandidate);
  CHECK(best_candidate(std::vector<Candidate>{Candidate{}, Candidate{}}, 0) == kNoCandidate);
  CHECK(best_candidate(std::vector<Candidate>{offer(-1, -1)}, 0) == 0);
}

TEST("only gains above the average compete by ratio") {
  const auto all = [](const Candidate&) { return true; };
  const auto winner = [](std::vector<Candidate> candidates, auto counts) {
    drop_below_average(candidates, average_gain<double>(candidates, counts));
    return best_candidate(candidates, 0, -kSlack);
  };
  // Gains 0.1, 0.6, 0.8 with average 0.5: the first has the best ratio but too little gain.
  const std::vector<Candidate> candidates{offer(0.1, 0.9), offer(0.6, 0.4), offer(0.8, 0.3), Candidate{}};
  CHECK(winner(candidates, all) == 1);
  // Without the last one in the average it is 0.35; without the two larger ones all pass.
  CHECK(winner(candidates, [](const Candidate& c) { return c.mean_gain < 0.7; }) == 1);
  CHECK(winner(candidates, [](const Candidate& c) { return c.mean_gain < 0.2; }) == 0);
  CHECK(winner(candidates, [](const Candidate&) { return false; }) == kNoCandidate);
  CHECK(winner({offer(0.5, 0.5), offer(0.5, 0.5)}, all) == 0);
  CHECK(winner({}, all) == kNoCandidate);
  // A ratio that could not be divided never wins, one of nothing can.
  CHECK(winner({offer(0.5, -std::numeric_limits<double>::infinity())}, all) == kNoCandidate);
  CHECK(winner({offer(0, 0)}, all) == 0);
  CHECK(best_candidate(std::vector<Candidate>{offer(0, 0)}, 1e-6, 0) == kNoCandidate);
}

}  // namespace

}  // namespace treewright::test
