// Runs all C++ tests, or those whose name contains the first argument; finding none is a failure.
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

namespace treewright::test {

namespace {

std::mutex mutex;
std::size_t n_failures = 0;

// A function, not a global: tests of other files register themselves before a global here need exist.
std::vector<Test>& registered_tests() {
  static std::vector<Test> tests;
  return tests;
}

}  // namespace

Registration::Registration(const char* name, void (*run)()) {
  registered_tests().push_back({name, run});
}

void fail(const char* file, int line, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex);
  ++n_failures;
  std::printf("  %s:%d: %s\n", file, line, what.c_str());
}

namespace {

bool passes(const Test& test) {
  const std::size_t before = n_failures;
  try {
    test.run();
  } catch (const std::exception& error) {
    fail(test.name, 0, std::string("unexpected exception: ") + error.what());
  }
  if (n_failures != before) std::printf("FAILED %s\n", test.name);
  return n_failures == before;
}

// A filter must be able to name one test.
bool names_differ() {
  std::set<std::string_view> names;
  for (const Test& test : registered_tests()) {
    if (names.insert(test.name).second) continue;
    std::printf("two tests are called: %s\n", test.name);
    return false;
  }
  return true;
}

}  // namespace

}  // namespace treewright::test

int main(int argc, char** argv) {
  using namespace treewright::test;
  if (!names_differ()) return 1;
  const std::string wanted = argc > 1 ? argv[1] : "";
  int passed = 0;
  int failed = 0;
  for (const Test& test : registered_tests()) {
    if (std::string(test.name).find(wanted) == std::string::npos) continue;
    ++(passes(test) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  if (passed + failed == 0) std::printf("no test has \"%s\" in its name\n", wanted.c_str());
  return failed == 0 && passed > 0 ? 0 : 1;
}
