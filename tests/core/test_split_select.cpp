#include <limits>
#include <vector>

#include "check.h"
#include "split/select.h"
#include "tests.h"

namespace treewright::test {

namespace {

Candidate offer(double gain, double rank) {
  Candidate candidate;
  candidate.kind = NodeKind::kThreshold;
  candidate.gain = gain;
  candidate.rank = rank;
  return candidate;
}

void the_best_rank_wins_and_the_first_of_equals() {
  const std::vector<Candidate> candidates{Candidate{}, offer(1, 1), offer(2, 2), offer(2, 2),
                                          offer(1.5, 1.5)};
  CHECK(best_candidate(candidates, 0) == 2);
  CHECK(best_candidate(candidates, 1.5) == 1);  // none is better than the first by more than the tolerance
  CHECK(best_candidate({}, 0) == kNoCandidate);
  CHECK(best_candidate(std::vector<Candidate>{Candidate{}, Candidate{}}, 0) == kNoCandidate);
  CHECK(best_candidate(std::vector<Candidate>{offer(-1, -1)}, 0) == 0);
}

void only_gains_above_the_average_compete_by_ratio() {
  const auto all = [](const Candidate&) { return true; };
  // Gains per row 0.1, 0.6, 0.8 with average 0.5: the first has the best ratio but too little gain.
  const std::vector<Candidate> candidates{offer(1, 0.9), offer(6, 0.4), offer(8, 0.3), Candidate{}};
  CHECK(best_above_average(candidates, 10, all) == 1);
  // Without the last one in the average it is 0.35; without the two larger ones all pass.
  CHECK(best_above_average(candidates, 10, [](const Candidate& c) { return c.gain < 7; }) == 1);
  CHECK(best_above_average(candidates, 10, [](const Candidate& c) { return c.gain < 2; }) == 0);
  CHECK(best_above_average(candidates, 10, [](const Candidate&) { return false; }) ==
        1);  // none: all of them
  CHECK(best_above_average(std::vector<Candidate>{offer(5, 0.5), offer(5, 0.5)}, 10, all) == 0);
  CHECK(best_above_average({}, 10, all) == kNoCandidate);
  // A ratio that could not be divided never wins.
  const double none = -std::numeric_limits<double>::infinity();
  CHECK(best_above_average(std::vector<Candidate>{offer(5, none)}, 10, all) == kNoCandidate);
}

}  // namespace

std::vector<Test> split_select_tests() {
  return {
      {"the best rank wins and the first of equals", the_best_rank_wins_and_the_first_of_equals},
      {"only gains above the average compete by ratio", only_gains_above_the_average_compete_by_ratio},
  };
}

}  // namespace treewright::test
