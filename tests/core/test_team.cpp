#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "check.h"

namespace treewright::test {

namespace {

constexpr std::size_t kMuch = Team::kSerialWork;

TEST("team: every index runs once") {
  for (const int n_threads : {1, 2, 5}) {
    for (const std::size_t work : {std::size_t{0}, kMuch}) {
      Team team(n_threads, [] {});
      for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
        std::vector<std::atomic<int>> seen(count);
        team.parallel_for(count, work, [&](std::size_t index, int worker) {
          CHECK(worker >= 0 && worker < team.size());
          ++seen[index];
        });
        for (const auto& times : seen) CHECK(times == 1);
      }
    }
  }
}

TEST("team: a worker runs one body at a time") {
  Team team(3);
  std::vector<int> unguarded(3, 0);  // the thread sanitizer would see two bodies with the same worker
  for (int round = 0; round < 200; ++round) {
    team.parallel_for(20, kMuch,
                      [&](std::size_t, int worker) { ++unguarded[static_cast<std::size_t>(worker)]; });
  }
  CHECK(unguarded[0] + unguarded[1] + unguarded[2] == 4000);
}

TEST("team: results of workers are visible to the caller") {
  Team team(2, [] {});
  std::vector<std::size_t> squares(64);
  for (std::size_t round = 0; round < 3000; ++round) {
    team.parallel_for(64, kMuch, [&](std::size_t i, int) { squares[i] = i * i + round; });
    for (std::size_t i = 0; i < 64; ++i) CHECK(squares[i] == i * i + round);
  }
}

TEST("team: the exception of the lowest index wins") {
  for (const std::size_t work : {std::size_t{0}, kMuch}) {
    Team team(4);
    for (int round = 0; round < 100; ++round) {
      std::string message;
      try {
        team.parallel_for(50, work, [&](std::size_t index, int) {
          if (index == 7) std::this_thread::sleep_for(std::chrono::microseconds(200));
          if (index >= 7) throw std::runtime_error(std::to_string(index));
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      CHECK(message == "7");
    }
    std::atomic<int> n_run{0};
    team.parallel_for(10, work, [&](std::size_t, int) { ++n_run; });
    CHECK(n_run == 10);  // an exception does not spoil the team
  }
}

TEST("team: a stop ends the loop and all that follow") {
  Team team(2);
  std::atomic<int> n_run{0};
  const auto body = [&](std::size_t index, int) {
    ++n_run;
    if (index == 3) team.stop().request();
  };
  CHECK(throws<Stopped>([&] { team.parallel_for(1'000'000, kMuch, body); }));
  CHECK(n_run < 1'000'000);
  n_run = 0;
  CHECK(throws<Stopped>([&] { team.parallel_for(10, 0, body); }));
  CHECK(throws<Stopped>([&] { team.poll(); }));
  CHECK(n_run == 0);
}

TEST("team: poll stops a long body") {
  for (const int n_threads : {1, 2}) {
    std::atomic<int> n_polls{0};
    Team* running = nullptr;
    Team team(n_threads, [&] {
      if (++n_polls == 2) running->stop().request();
    });
    running = &team;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(throws<Stopped>([&] {
      team.parallel_for(2, kMuch, [&](std::size_t, int) {
        while (true) team.stop().throw_if_requested();
      });
    }));
    CHECK(n_polls == 2);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  }
}

TEST("team: what poll throws reaches the caller") {
  Team team(2, [] { throw std::domain_error("interrupted"); });
  std::atomic<int> running{0};
  CHECK(throws<std::domain_error>([&] {
    team.parallel_for(2, kMuch, [&](std::size_t, int) {
      ++running;
      while (!team.stop().requested()) std::this_thread::yield();
      --running;
    });
  }));
  CHECK(running == 0);  // nobody still uses the caller's variables
}

TEST("team: poll is left alone for 20 ms") {
  int n_polls = 0;
  Team team(1, [&] { ++n_polls; });
  for (int i = 0; i < 100; ++i) team.poll();
  const int soon = n_polls;
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  for (int i = 0; i < 100; ++i) team.poll();
  CHECK(n_polls > soon && n_polls < 50);
}

TEST("team: a loop in a body runs as the same worker") {
  for (const std::size_t work : {std::size_t{0}, kMuch}) {
    Team team(3);
    std::atomic<int> n_run{0};
    team.parallel_for(8, work, [&](std::size_t, int outer) {
      team.parallel_for(5, kMuch, [&](std::size_t, int inner) {
        CHECK(inner == outer);
        ++n_run;
      });
    });
    CHECK(n_run == 40);
  }
}

TEST("team: sleeping workers wake up") {
  Team team(2, [] {});
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> n_run{0};
    team.parallel_for(4, kMuch, [&](std::size_t, int) { ++n_run; });
    CHECK(n_run == 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST("team: many small loops are cheap") {
  Team team(2, [] {});
  std::atomic<std::size_t> sum{0};
  for (std::size_t round = 0; round < 20'000; ++round) {
    team.parallel_for(2, round % 2 == 0 ? kMuch : 0, [&](std::size_t i, int) { sum += i; });
  }
  CHECK(sum == 20'000);
}

TEST("team: a team without threads still works") {
  Team team(-3);
  CHECK(team.size() == 1);
  std::size_t sum = 0;
  team.parallel_for(10, kMuch, [&](std::size_t i, int) { sum += i; });
  CHECK(sum == 45);
}

}  // namespace

}  // namespace treewright::test
