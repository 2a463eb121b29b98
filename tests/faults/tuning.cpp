// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// tune() on a GPU whose kernels take the time that they are said to take, and what calls then
// choose.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/fake_clock.hpp"
#include "faults/fake/in_child.hpp"
#include "support/tuning_folder.hpp"

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/cuda/tuning/settings.hpp>
#include <xpose/explain.hpp>
#include <xpose/tuning.hpp>

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using xpose::detail::bit_copy;
using xpose::detail::residency;
using xpose::detail::transpose_config;
using xpose::detail::tuned_move_class;
using xpose::detail::tuned_setting;
using xpose::detail::tuning_file;
using xpose::detail::write_tuning_file;

/// The transpose of packed matrices, at addresses that nothing reads.
bit_copy transpose_of(xpose::index rows, xpose::index cols, int bytes, char* in, char* out,
                      xpose::index batch = 1) {
  constexpr auto type = xpose::detail::element_type::other;
  xpose::index const area = rows * cols;
  xpose::detail::operand from{in, batch, cols, rows, area, 1, cols, bytes, 1, type, false};
  xpose::detail::operand to{out, batch, cols, rows, area, rows, 1, bytes, 1, type, false};
  return xpose::detail::plan_bit_copy(as_tensor(from), as_tensor(to));
}
bit_copy transpose_of(xpose::index rows, xpose::index cols, int bytes, xpose::index batch = 1) {
  return transpose_of(rows, cols, bytes, reinterpret_cast<char*>(xpose::index{1} << 40),
                      reinterpret_cast<char*>(xpose::index{1} << 41), batch);
}

/// The kernel that a config launches for a transpose.
void const* kernel_of(transpose_config const& config, bit_copy const& copy) {
  xpose::detail::execution where{};
  where.backend = xpose::detail::backend_id::cuda;
  where.nosync = true;
  config.launch(where, config, copy);
  return fake::launches().back().kernel;
}

tuned_setting const* find(std::vector<tuned_setting> const& settings, std::string const& name) {
  auto const found = std::find_if(settings.begin(), settings.end(),
                                  [&](tuned_setting const& s) { return s.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

/// A file for this GPU with one setting.
std::string file_with(tuning_folder const& here, tuned_setting const& setting) {
  std::string const path = here.path("t.json");
  write_tuning_file(path, {1, XPOSE_VERSION, "cuda", xpose::detail::cuda_device(), {setting}});
  return path;
}

/// Another tile than the table's for 700x700 floats.
transpose_config const& another_config(bit_copy const& copy) {
  transpose_config const& of_table = xpose::detail::select_transpose_kernel(copy, 90);
  for (auto const* config : xpose::detail::tile_configs(4, 90))
    if (config->suits(copy, *config) && config->launch != of_table.launch) return *config;
  return of_table;
}

TEST_CASE("tune() finds the tile that is fastest, in its class and no other") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          bit_copy const copy = transpose_of(704, 704, 4);
          transpose_config const& other = another_config(copy);
          fake::set_time_of(kernel_of(other, copy), 0.4);
          auto const settings = xpose::detail::cuda_measure(0, false, {});
          auto const* const small = find(settings, "aligned_4_small");
          if (small == nullptr) return "no setting for small floats";
          if (small->value != label_of(other)) return "not the fastest: " + small->value;
          if (small->gain < 2.4 || small->gain > 2.6) return "another gain";
          if (small->built_in == small->value) return "the table's own";
          for (tuned_setting const& s : settings)
            if (s.name.find("_4_") == std::string::npos && s.value != s.built_in)
              return s.name + " changed without a reason";
          if (find(settings, "aligned_4_huge") != nullptr) return "larger than the memory";
          if (find(settings, "gemm_l2_percent") != nullptr) return "gemm, which nobody asked for";
          return "";
        }) == "");
}

TEST_CASE("tune() writes a file for the GPU, which calls then follow") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          tuning_folder const here;
          std::string const folder = here.path(""),
                            path = here.path("cuda-fake-132-multiprocessors.json");
          operands const o;
          bit_copy const copy = transpose_of(704, 704, 4, o.a.as<char>(), o.c.as<char>());
          transpose_config const& other = another_config(copy);
          void const* const fast = kernel_of(other, copy);
          fake::set_time_of(fast, 0.4);
          xpose::tune_options options;
          options.seconds = 0;
          options.omp = false;
          options.path = folder.c_str();
          xpose::tune(options);
          auto const file = xpose::detail::read_tuning_file(path);
          if (!file) return "no file " + path;
          if (file->device != "fake, 132 multiprocessors") return file->device;
          xpose::transpose(xpose::cuda, o.in<float>(704, 704), o.out<float>(704, 704));
          if (fake::launches().back().kernel != fast) return "not followed";

          options.omp = true;
          options.path = path.c_str();
          try {
            xpose::tune(options);
            return "two devices in one file";
          } catch (xpose::backend_error const& e) {
            std::string const said = e.what();
            return said.find("is one file, and there are two devices") != std::string::npos ? ""
                                                                                            : said;
          }
        }) == "");
}

TEST_CASE("tune() gives back all that it takes, whichever call fails") {
  auto const fails_at = [](int number) {
    return in_child([number]() -> std::string {
      fake::start();
      xpose::detail::cuda_device();  // asks what a thread asks once
      int const before = fake::things_of_tuning();
      fake::fail({number, false, cudaErrorMemoryAllocation});
      try {
        xpose::detail::cuda_measure(0, false, {});
        return "nothing thrown";
      } catch (std::bad_alloc const&) {
      } catch (xpose::cuda_error const&) {
      }
      return fake::things_of_tuning() == before ? "" : "something is left";
    });
  };
  // Memory, the stream, the events, and the first times; a call behind them may be a candidate's.
  for (int number = 0; number < 8; ++number) {
    CAPTURE(number);
    CHECK(fails_at(number) == "");
  }
  CHECK(in_child([]() -> std::string {
          fake::start();
          int const before = fake::things_of_tuning();
          xpose::detail::cuda_measure(0, true, {});
          return fake::things_of_tuning() == before ? "" : "something is left";
        }) == "");
}

TEST_CASE("a candidate whose time makes no sense is left out") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          bit_copy const copy = transpose_of(704, 704, 4);
          std::string const table = label_of(xpose::detail::select_transpose_kernel(copy, 90));
          fake::set_time_of(kernel_of(another_config(copy), copy), -1);
          auto const settings = xpose::detail::cuda_measure(0, false, {});
          return find(settings, "aligned_4_small")->value == table ? "" : "it was chosen";
        }) == "");
}

TEST_CASE("calls take the tile that the file names, and the table's with XPOSE_TUNING=off") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          operands const o;
          auto const in = o.in<float>(704, 704);
          auto const out = o.out<float>(704, 704);
          bit_copy const copy = transpose_of(704, 704, 4, o.a.as<char>(), o.c.as<char>());
          transpose_config const& table = xpose::detail::select_transpose_kernel(copy, 90);
          transpose_config const& other = another_config(copy);
          void const* const of_table = kernel_of(table, copy);
          void const* const of_other = kernel_of(other, copy);
          auto const launched = [&] {
            xpose::transpose(xpose::cuda, in, out);
            return fake::launches().back().kernel;
          };
          xpose::load_tuning("off");
          if (launched() != of_table) return "not the table's";
          tuning_folder const here;
          std::string const path =
              file_with(here, {name_of(class_of(copy)), label_of(other), label_of(table), 1.5});
          xpose::load_tuning(path.c_str());
          if (launched() != of_other) return "not the file's";
          auto const told = xpose::explain(xpose::cuda, xpose::operation::transpose, in, out);
          if (told.kernel != other.name) return "explain() says " + told.kernel;
          setenv("XPOSE_TUNING", "off", 1);
          xpose::load_tuning(nullptr);
          return launched() == of_table ? "" : "off is not the table's";
        }) == "");
}

TEST_CASE("a GPU's file that is wrong is refused, and one of another GPU not followed") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          operands const o;
          auto const call = [&] {
            xpose::transpose(xpose::cuda, o.in<float>(704, 704), o.out<float>(704, 704));
          };
          struct {
            tuned_setting setting;
            char const* says;
          } const wrong[] = {
              {{"aligned_4_small", "transpose_tile_ideal<4>", "x", 2}, "there is no such kernel"},
              {{"aligned_5_small", "x", "y", 2}, "cuda has no setting \"aligned_5_small\""},
              {{"move_team_bytes", "70000", "65536", 2}, "cuda has no setting"},
              {{"gemm_l2_percent", "0", "100", 2}, "\"gemm_l2_percent\" is 0, and must be"},
          };
          tuning_folder const here;
          for (auto const& w : wrong) {
            xpose::load_tuning(file_with(here, w.setting).c_str());
            try {
              call();
              return std::string("taken: ") + w.setting.name;
            } catch (xpose::backend_error const& e) {
              std::string const said = e.what();
              if (said.find(w.says) == std::string::npos) return said;
              if (said.find("cannot be used: ") == std::string::npos) return said;
            }
          }
          std::string const path = file_with(here, {"aligned_4_small", "no kernel", "x", 2});
          tuning_file other = *xpose::detail::read_tuning_file(path);
          other.device = "another GPU, 1 multiprocessors";
          write_tuning_file(path, other);
          xpose::load_tuning(path.c_str());
          call();
          return "";
        }) == "");
}

TEST_CASE("tuned tiles are taken for transposes that they suit, and for no other") {
  std::set<std::string> labels;
  for (int const word : xpose::detail::tuned_words) {
    auto const configs = xpose::detail::tile_configs(word, 90);
    CHECK(configs.size() > 1);
    for (auto const* config : configs) {
      labels.insert(label_of(*config));
      xpose::detail::tuned_moves moves;
      for (auto& of_alignment : moves.configs[class_of(transpose_of(64, 64, word)).word])
        for (auto& of_size : of_alignment) of_size = config;
      for (xpose::index const side : {40, 255, 256, 300, 704, 3000, 9001})
        for (int const bytes : {1, 2, 3, 4, 8, 16}) {
          CAPTURE(side);
          CAPTURE(bytes);
          bit_copy const copy = transpose_of(side, side, bytes);
          auto const& table = xpose::detail::select_transpose_kernel(copy, 90);
          auto const& chosen = xpose::detail::select_transpose_kernel(copy, {90, &moves});
          bool const may_change = side >= 256 && copy.word_bytes == word && bytes == word;
          if (!may_change) CHECK(&chosen == &table);
          else if (&chosen != &table) CHECK(chosen.suits(copy, chosen));
          if (may_change && config->suits(copy, *config) && table.words_in_run == 1)
            CHECK(&chosen == config);
        }
      bit_copy const badly_filled = transpose_of(257, 9000, word);
      if (config->suits(badly_filled, *config))
        CHECK(&xpose::detail::select_transpose_kernel(badly_filled, {90, &moves}) == config);
    }
  }
  CHECK(labels.size() > 15);
}

TEST_CASE("a matrix that would fill a tenth less of wider tiles is transposed in narrower ones") {
  auto const cols_of_tile = [](xpose::index rows, xpose::index cols, int bytes) {
    return xpose::detail::select_transpose_kernel(transpose_of(rows, cols, bytes), 90).kernel.cols;
  };
  for (int const bytes : {2, 4}) {
    CAPTURE(bytes);
    CHECK(cols_of_tile(30001, 160, bytes) == 32);
    CHECK(cols_of_tile(30001, 128, bytes) > 32);
    CHECK(cols_of_tile(30001, 2000, bytes) > 32);
  }
  CHECK(cols_of_tile(30001, 160, 1) == 64);
  CHECK(cols_of_tile(30001, 128, 1) == 128);
  CHECK(cols_of_tile(30001, 80, 4) == 32);
  CHECK(cols_of_tile(30016, 80, 4) == 32);
  for (int const bytes : {2, 4}) CHECK(cols_of_tile(30016, 128, bytes) > 32);
}

TEST_CASE("aligned bytes go by tiles of 128x128 unless others are filled a tenth better") {
  auto const tile = [](xpose::index batch, xpose::index rows, xpose::index cols) {
    auto const& kernel =
        xpose::detail::select_transpose_kernel(transpose_of(rows, cols, 1, batch), 90).kernel;
    return std::pair(kernel.rows, kernel.cols);
  };
  CHECK(tile(1, 8192, 8192) == std::pair(128, 128));
  CHECK(tile(1, 1 << 20, 864) == std::pair(128, 128));
  CHECK(tile(16, 2144, 4160) == std::pair(128, 128));
  CHECK(tile(2690, 288, 576) == std::pair(64, 128));
  CHECK(tile(1000, 320, 512) == std::pair(64, 256));
}

TEST_CASE("bytes at any address go by tiles of 128 rows where rows of the output are long") {
  auto const rows_of_tile = [](xpose::index rows, xpose::index cols) {
    return xpose::detail::select_transpose_kernel(transpose_of(rows, cols, 1), 90).kernel.rows;
  };
  for (xpose::index const rows : {64, 190, 256, 1023}) CHECK(rows_of_tile(rows, 50001) == 64);
  CHECK(rows_of_tile(1025, 8189) == 128);
  CHECK(rows_of_tile(1025, 8179) == 64);  // below 2^23
}

TEST_CASE("aligned words of 2 and 4 bytes go by their largest tiles where these are many") {
  auto const tile = [](xpose::index rows, xpose::index cols, int bytes) {
    auto const& kernel =
        xpose::detail::select_transpose_kernel(transpose_of(rows, cols, bytes), 90).kernel;
    return std::pair(kernel.rows, kernel.cols);
  };
  CHECK(tile(8192, 4096, 4) == std::pair(64, 64));
  CHECK(tile(8192, 4064, 4) == std::pair(32, 64));
  CHECK(tile(1 << 17, 496, 4) == std::pair(32, 64));
  CHECK(tile(4096, 4096, 2) == std::pair(64, 128));
  CHECK(tile(4096, 4080, 2) == std::pair(64, 64));
  CHECK(tile(1 << 16, 496, 2) == std::pair(64, 64));
}

TEST_CASE("many matrices that fit blocks of 8 KB go to blocks of 32 KB") {
  auto const block_of = [](xpose::index batch, xpose::index rows, xpose::index cols, int bytes) {
    return xpose::detail::select_transpose_kernel(transpose_of(rows, cols, bytes, batch), 90)
        .kernel.smem_bytes;
  };
  CHECK(block_of(7001, 100, 50, 1) == 32 << 10);
  CHECK(block_of(24400, 13, 106, 1) == 32 << 10);
  CHECK(block_of(6000, 100, 50, 1) == 8 << 10);  // 30 MB
  CHECK(block_of(30000, 41, 33, 1) == 32 << 10);
  CHECK(block_of(20000, 50, 40, 1) == 8 << 10);  // in 4x4 bytes: four fill 98 %
  CHECK(block_of(20000, 41, 33, 2) == 32 << 10);
  CHECK(block_of(6000, 41, 33, 4) == 8 << 10);
  CHECK(block_of(60000, 13, 7, 8) == 8 << 10);  // of words of up to 4 bytes alone
}

TEST_CASE(
    "rows that are a tile and a part, and fewer than 64 of 3 bytes, are stored as one range") {
  auto const kernel = [](xpose::index rows, xpose::index cols, int bytes) {
    return std::string(
        xpose::detail::select_transpose_kernel(transpose_of(rows, cols, bytes), 90).name);
  };
  for (xpose::index const rows : {33, 67, 101, 111, 127, 129, 159})
    CHECK(kernel(rows, 70001, 1) == "transpose_skinny_bytes<1>");
  CHECK(kernel(32, 70001, 1) == "transpose_skinny_rows<1>");
  CHECK(kernel(33, 30001, 1) == "transpose_skinny_rows<1>");
  CHECK(kernel(67, 9001, 1) == "transpose_skinny_rows<1>");
  CHECK(kernel(33, 12001, 1) == "transpose_tile_strided<1>");
  CHECK(kernel(111, 9001, 1) == "transpose_tile_strided<1>");
  for (xpose::index const rows : {128, 160})
    CHECK(kernel(rows, 70001, 1) == "transpose_tile_unaligned_bytes<1>");
  CHECK(kernel(79, 30001, 2) == "transpose_skinny_rows<2>");
  CHECK(kernel(81, 30001, 2) == "transpose_tile_unaligned<2>");
  CHECK(kernel(63, 9001, 3) == "transpose_skinny_rows<1>");
  CHECK(kernel(64, 9001, 3) == "transpose_tile_unaligned<1,3>");
  CHECK(kernel(65, 9001, 3) == "transpose_tile_unaligned<1,3>");
}

TEST_CASE("dimensions are merged into the sides that fill tiles best together") {
  // [66][9][17][113][14] -> [14][66][113][17][9]: the 113 may continue rows or columns.
  xpose::index const in[] = {66, 9, 17, 113, 14}, order[] = {4, 0, 3, 2, 1};
  xpose::detail::tensor_operand from{}, to{};
  from.data = reinterpret_cast<char*>(xpose::index{1} << 40);
  to.data = reinterpret_cast<char*>(xpose::index{1} << 41);
  from.count = to.count = 5;
  from.bytes_per_element = to.bytes_per_element = 2;
  for (xpose::index d = 4, step = 1; d >= 0; step *= in[d--]) from.dimensions[d] = {in[d], step};
  for (xpose::index d = 4, step = 1; d >= 0; step *= in[order[d--]])
    to.dimensions[order[d]] = {in[order[d]], step};
  bit_copy const copy = xpose::detail::plan_bit_copy(from, to);
  auto const& config = xpose::detail::select_transpose_kernel(copy, 90);
  CHECK(std::string(config.name) == "transpose_tile_merged<2>");
  auto const sides = xpose::detail::merged_sides_of(copy, config.kernel.rows, config.kernel.cols);
  CHECK(sides.rows.extent() == 9 * 17);
  CHECK(sides.cols.extent() == 113 * 14);
}

TEST_CASE("matrices of a batch go to whole blocks unless tiles are faster") {
  auto const has_whole_blocks = [](xpose::index batch, xpose::index rows, xpose::index cols,
                                   int bytes) {
    return xpose::detail::select_transpose_kernel(transpose_of(rows, cols, bytes, batch), 90)
        .reads_whole_matrices;
  };
  CHECK(has_whole_blocks(100, 201, 203, 1));
  CHECK(!has_whole_blocks(63, 201, 203, 1));
  CHECK(!has_whole_blocks(1000, 112, 320, 1));  // fills aligned tiles
  CHECK(!has_whole_blocks(800, 120, 118, 4));   // fills tiles of 32x64
  CHECK(has_whole_blocks(800, 65, 200, 4));
  CHECK(!has_whole_blocks(800, 68, 164, 4));
  CHECK(!has_whole_blocks(800, 104, 80, 4));  // fills tiles of 64x32
  CHECK(!has_whole_blocks(300, 48, 300, 3));  // bytes in 64 KB
  CHECK(has_whole_blocks(300, 36, 300, 3));
}

TEST_CASE(
    "each class of transposes has a name of its own, and its label leads back to the config") {
  std::set<std::string> names;
  for (std::size_t word = 0; word < 5; ++word)
    for (bool const is_aligned : {false, true})
      for (std::size_t size = 0; size < 4; ++size) {
        tuned_move_class const of{word, is_aligned, size};
        CHECK(names.insert(name_of(of)).second);
        for (auto const* config :
             xpose::detail::tile_configs(xpose::detail::tuned_words[word], 90)) {
          if (!is_aligned && config->suits == xpose::detail::transpose_table::is_aligned) continue;
          tuning_file tuning;
          tuning.settings = {{name_of(of), label_of(*config), "the table's", 2}};
          auto const read = device_tuning_of(tuning, 90);
          auto const* const found = read.moves.configs[word][is_aligned ? 1 : 0][size];
          REQUIRE(found != nullptr);
          CHECK((found->launch == config->launch));
        }
      }
}

TEST_CASE("gemm's rates are measured if its sums may change their order, and then change choices") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          auto const settings = xpose::detail::cuda_measure(0, true, {});
          for (char const* name : {"gemm_memory_percent", "gemm_l2_percent", "gemm_launch_percent"})
            if (find(settings, name) == nullptr) return std::string("without ") + name;
          operands const o;
          tuning_folder const here;
          auto const kernels = [&](char const* memory) {
            std::string const path = file_with(here, {"gemm_memory_percent", memory, "100", 1.2});
            xpose::load_tuning(path.c_str());
            std::string all;
            for (xpose::index const extent : {48, 96, 200, 400, 700})
              for (xpose::index const k : {500, 2000})
                all += xpose::explain(xpose::cuda, xpose::operation::gemm,
                                      o.in<xpose::float16>(extent, k),
                                      xpose::matrix_view<xpose::float16 const>(
                                          o.b.as<xpose::float16>(), k, 3 * extent),
                                      o.out<xpose::float16>(extent, 3 * extent))
                           .kernel +
                       ' ';
            return all;
          };
          if (kernels("100") != kernels("100")) return "not the same choices again";
          return kernels("10") != kernels("100") ? "" : "the rates change nothing";
        }) == "");
}

}  // namespace
