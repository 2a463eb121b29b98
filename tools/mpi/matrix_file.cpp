// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "mpi/matrix_file.hpp"

#include "files/mapped_file.hpp"
#include "mpi/together.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace xpose::tools {
namespace {

// MPI counts in int; and one call of 1 GiB is as fast as one of 2.
constexpr index most_bytes_of_call = index{1} << 30;

/// A file that all processes have open.
class shared_file {
 public:
  /// `path` is the name in messages.
  shared_file(MPI_Comm communicator, std::string const& name, std::string path, int mode)
      : communicator_(communicator), path_(std::move(path)) {
    int const code = MPI_File_open(communicator, name.c_str(), mode, MPI_INFO_NULL, &file_);
    together(communicator, [&] { require(code, path_); });
  }
  ~shared_file() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }
  shared_file(shared_file const&) = delete;
  shared_file& operator=(shared_file const&) = delete;

  void read(index offset, char* data, index bytes) {
    each_call(offset, data, bytes, [&](MPI_Offset at, char* part, int count) {
      MPI_Status status;
      require(MPI_File_read_at(file_, at, part, count, MPI_BYTE, &status), path_);
      int done = 0;
      MPI_Get_count(&status, MPI_BYTE, &done);
      if (done != count) throw failure(path_, "ends before its data do");
    });
  }
  void write(index offset, char const* data, index bytes) {
    each_call(offset, data, bytes, [&](MPI_Offset at, char const* part, int count) {
      require(MPI_File_write_at(file_, at, part, count, MPI_BYTE, MPI_STATUS_IGNORE), path_);
    });
  }
  /// Collective.
  void close() {
    int const code = MPI_File_close(&file_);
    together(communicator_, [&] { require(code, path_); });
  }

 private:
  template <class Data, class Call>
  static void each_call(index offset, Data* data, index bytes, Call const& call) {
    for (index done = 0; done < bytes; done += most_bytes_of_call)
      call(static_cast<MPI_Offset>(offset + done), data + done,
           static_cast<int>(std::min(most_bytes_of_call, bytes - done)));
  }

  MPI_Comm communicator_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

void check_is_matrix(std::string const& path, npy_header const& header) {
  if (header.shape.size() != 2)
    throw failure(path, "has the shape ", shape_text(header.shape),
                  "; xpose-mpi transposes matrices, xpose transpose takes batches too");
  if (header.kind == 'O') throw failure(path, "holds Python objects, which are no bytes");
}

/// The numbers that processes other than rank 0 need; the dtype's name is for the output's header.
struct shared_numbers {
  index rows, cols, bytes_per_element, bytes_before_data;
  int is_fortran_order;
};

/// The first byte and the number of bytes of this process's rows.
struct byte_span {
  index first;
  index bytes;
};
byte_span span_of(mpi_context const& context, index rows, index cols, index bytes_per_element) {
  auto const slabs = dist_layout::row_slabs(rows, cols, context.size());
  index const row_bytes = cols * bytes_per_element;
  return {context.rank() * slabs.block_rows * row_bytes,
          slabs.local_rows(context.rank()) * row_bytes};
}

std::string unfinished_name(std::string const& path) {
  std::filesystem::path const whole(path);
  return (whole.parent_path() / ("." + whole.filename().string() + ".xpose-mpi")).string();
}

}  // namespace

matrix_header read_matrix_header(mpi_context const& context, std::string const& path) {
  matrix_header header{};
  together(context.communicator(), [&] {
    if (context.rank() != 0) return;
    input_file const file(path);
    header.npy = read_npy_header(path, file.bytes());
    check_is_matrix(path, header.npy);
  });
  shared_numbers numbers{};
  if (context.rank() == 0)
    numbers = {header.npy.shape[0], header.npy.shape[1], header.npy.bytes_per_element,
               static_cast<index>(header.npy.bytes_before_data), header.npy.is_fortran_order};
  MPI_Bcast(&numbers, sizeof(numbers), MPI_BYTE, 0, context.communicator());
  header.npy.shape = {numbers.rows, numbers.cols};
  header.npy.bytes_per_element = numbers.bytes_per_element;
  header.npy.bytes_before_data = static_cast<std::size_t>(numbers.bytes_before_data);
  header.npy.is_fortran_order = numbers.is_fortran_order != 0;
  header.rows = numbers.is_fortran_order ? numbers.cols : numbers.rows;
  header.cols = numbers.is_fortran_order ? numbers.rows : numbers.cols;
  return header;
}

std::vector<char> read_rows(mpi_context const& context, std::string const& path,
                            matrix_header const& header) {
  byte_span const span = span_of(context, header.rows, header.cols, header.npy.bytes_per_element);
  std::vector<char> rows;
  shared_file file(context.communicator(), path, path, MPI_MODE_RDONLY);
  together(context.communicator(), [&] {
    rows.resize(static_cast<std::size_t>(span.bytes));
    file.read(static_cast<index>(header.npy.bytes_before_data) + span.first, rows.data(),
              span.bytes);
  });
  return rows;
}

void write_rows(mpi_context const& context, std::string const& path, npy_header const& header,
                std::vector<char> const& rows) {
  MPI_Comm const all = context.communicator();
  // Only rank 0 knows the dtype's name, so it alone writes the header, and tells its length.
  std::string const start = context.rank() == 0 ? npy_header_bytes(header) : std::string();
  auto bytes_before_data = static_cast<index>(start.size());
  MPI_Bcast(&bytes_before_data, 1, MPI_INT64_T, 0, all);
  std::string const unfinished = unfinished_name(path);
  auto const remove_it = [&] {
    if (context.rank() == 0) std::remove(unfinished.c_str());
  };
  remove_it();
  MPI_Barrier(all);
  try {
    shared_file file(all, unfinished, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
    together(all, [&] {
      file.write(0, start.data(), static_cast<index>(start.size()));
      byte_span const span =
          span_of(context, header.shape[0], header.shape[1], header.bytes_per_element);
      file.write(bytes_before_data + span.first, rows.data(), span.bytes);
    });
    file.close();
    together(all, [&] {
      if (context.rank() == 0 && std::rename(unfinished.c_str(), path.c_str()) != 0)
        throw failure(path, std::strerror(errno));
    });
  } catch (...) {
    remove_it();
    throw;
  }
}

}  // namespace xpose::tools
