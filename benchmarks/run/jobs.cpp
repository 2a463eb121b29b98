// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/jobs.hpp"

#include "core/shape.hpp"
#include "peers/peers.hpp"
#include "run/random_cases.hpp"
#include "run/suites.hpp"
#include "types/cast.hpp"
#include "types/gemm_type.hpp"

#include <algorithm>
#include <stdexcept>

namespace xpose::bench {
namespace {

suite const* find_suite(std::string const& name) {
  for (auto const& s : suites)
    if (name == s.name) return &s;
  return nullptr;
}

std::string suite_names(std::string const& operation) {
  std::string names;
  for (auto const& s : suites)
    if (operation == s.operation) names += (names.empty() ? "" : ", ") + std::string(s.name);
  for (auto const& s : random_suites())
    if (operation == s.operation) names += (names.empty() ? "" : ", ") + std::string(s.name);
  return names.empty() ? "none for " + operation : names;
}

using job_check = void (*)(bench_settings const&, job const&);

struct checked_operation {
  char const* name;
  job_check
      check;  ///< throws std::invalid_argument if the operation cannot have that type or shape
};

constexpr checked_operation checks[] = {
    {"transpose",
     [](bench_settings const& settings, job const& j) {
       element_type const in = element_type_named(type_of_in(j.type));
       auto const what = make_transpose_case(parse_shape(j.shape, 2), in, settings.in_place);
       if (is_cast(j.type)) make_cast_case(what, j.type, false);
     }},
    {"copy",
     [](bench_settings const&, job const& j) {
       element_type const in = element_type_named(type_of_in(j.type));
       auto const what = make_copy_case(parse_shape(j.shape, 2), in);
       if (is_cast(j.type)) make_cast_case(what, j.type, true);
     }},
    {"permute",
     [](bench_settings const&, job const& j) {
       make_permute_case(parse_tensor_shape(j.shape), element_type_named(j.type));
     }},
    {"add",
     [](bench_settings const&, job const& j) {
       make_add_case(parse_sum_shape(j.shape), element_type_named(j.type));
     }},
    {"gemm",
     [](bench_settings const&, job const& j) {
       gemm_type const type = gemm_type_named(j.type);
       make_gemm_case(parse_shape(j.shape, 3), type.in, type.out);
     }},
};

void require_valid(bench_settings const& settings, job const& j) {
  for (auto const& operation : checks)
    if (settings.operation == operation.name) return operation.check(settings, j);
}

/// The command line has checked the name.
operand_state state_named(std::string const& name) {
  return static_cast<operand_state>(
      std::find(std::begin(state_names), std::end(state_names), name) - std::begin(state_names));
}

/// The job in every state that the settings ask for, or else in the suite's.
void add_jobs(bench_settings const& settings, job j, std::vector<std::string> const& of_suite,
              job_list& list) {
  try {
    require_valid(settings, j);
    for (auto const& state : settings.states.empty() ? of_suite : settings.states) {
      j.state = state_named(state);
      list.jobs.push_back(j);
    }
  } catch (std::invalid_argument const& error) {
    if (std::find(list.problems.begin(), list.problems.end(), error.what()) == list.problems.end())
      list.problems.emplace_back(error.what());
  }
}

std::size_t element_bytes(std::string const& operation, std::string const& type) {
  return operation == "gemm" ? gemm_type_named(type).in.bytes
                             : element_type_named(type_of_in(type)).bytes;
}

job_list make_random_jobs(bench_settings const& settings, random_suite const& suite) {
  job_list list;
  std::vector<std::string> const states = {"cold", "warm", "written"};
  int const first = settings.one_case.value_or(0);
  int const end = settings.one_case ? first + 1 : settings.cases;
  for (auto const& policy : settings.policies)
    for (auto const& type : settings.types.empty() ? suite.types : settings.types)
      for (int number = first; number < end; ++number) {
        try {
          auto const drawn = suite.draw(
              {settings.seed, number, element_bytes(suite.operation, type), policy == "cuda"});
          case_origin const origin{suite.name, settings.seed, number, drawn.shape_class};
          add_jobs(settings, {policy, type, drawn.shape, origin}, states, list);
        } catch (std::invalid_argument const& error) {
          list.problems.emplace_back(error.what());
          break;
        }
      }
  return list;
}

std::string with_batch(std::string const& text, long long batch) {
  return batch == 1 || text.find('*') != std::string::npos ? text
                                                           : std::to_string(batch) + "*" + text;
}

}  // namespace

job_list make_jobs(bench_settings const& settings) {
  job_list list;
  suite const* const chosen = settings.suite.empty() ? nullptr : find_suite(settings.suite);
  bool const is_random = find_random_suite(settings.operation, settings.suite) != nullptr;
  if (!is_random && !settings.suite.empty() &&
      (chosen == nullptr || settings.operation != chosen->operation))
    list.problems.push_back("unknown suite '" + settings.suite + "'; suites of " +
                            settings.operation + ": " + suite_names(settings.operation));
  random_suite const* const random = find_random_suite(settings.operation, settings.suite);
  if (random != nullptr) return make_random_jobs(settings, *random);
  auto types = settings.types;
  types.insert(types.end(), settings.casts.begin(), settings.casts.end());
  if (types.empty() && chosen != nullptr) types = chosen->types;
  if (types.empty()) types = {"f32"};
  for (auto const& policy : settings.policies) {
    auto shapes = settings.shapes;
    if (chosen != nullptr) {
      shapes.insert(shapes.end(), chosen->shapes.begin(), chosen->shapes.end());
      if (policy == "cuda")
        shapes.insert(shapes.end(), chosen->device_shapes.begin(), chosen->device_shapes.end());
    }
    for (auto const& type : types)
      for (auto const& text : shapes) {
        case_origin const origin{settings.suite, {}, 0, ""};
        add_jobs(settings, {policy, type, with_batch(text, settings.batch), origin}, {"by-size"},
                 list);
      }
  }
  return list;
}

void adopt_suite(bench_settings& settings) {
  suite const* const chosen = find_suite(settings.suite);
  if (chosen != nullptr && chosen->in_place) settings.in_place = true;
  random_suite const* const random = find_random_suite(settings.operation, settings.suite);
  if (random != nullptr && random->in_place) settings.in_place = true;
}

std::vector<std::string> drop_unknown_peers(bench_settings& settings) {
  auto known = peer_groups();
  known.insert(known.end(), {"none", "self"});
  for (bool const is_device : {false, true})
    for (auto const& name : peer_names(is_device))
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  std::string names;
  for (auto const& name : known) names += (names.empty() ? "" : ", ") + name;
  std::vector<std::string> problems;
  auto const is_unknown = [&](std::string const& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return false;
    problems.push_back("unknown peer '" + name + "'; peers are " + names);
    return true;
  };
  settings.peers.erase(std::remove_if(settings.peers.begin(), settings.peers.end(), is_unknown),
                       settings.peers.end());
  return problems;
}

}  // namespace xpose::bench
