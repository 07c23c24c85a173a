// A very small test harness: a test is a function, CHECK counts, main.cpp lists the tests by hand.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace treewright::test {

struct Test {
  const char* name;  // a sentence
  void (*run)();
};

// Notes a failure of the running test; the test goes on.
void fail(const char* file, int line, const std::string& what);

// Whether `body` throws an Exception.
template <class Exception, class Body>
bool throws(Body&& body) {
  try {
    body();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace treewright::test

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::treewright::test::fail(__FILE__, __LINE__, #condition))
