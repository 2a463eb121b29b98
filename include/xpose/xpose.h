// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The C interface: C99 or C++, and all that another language needs of xpose. docs/c_api.md has
// programs.
//
// Every call checks its arguments in full before any work, and returns a status; no exception
// leaves it. NULL for a struct is an error that names it. Structs are read during the call only.
// Calls may be made from any thread.
//
// How it grows. xpose_policy and xpose_gemm_options begin with their size in the header that the
// caller was compiled with. New fields come behind the others, and zero in them means what calls
// did before. A library that meets a struct larger than its own takes it if what it does not know
// is zero, and refuses it otherwise. A size needs no allocation, no lifetime and no calls, which
// objects with setters would, and is one line in any language. The structs that describe memory are
// final, because they are parts of each other: what they cannot say becomes a new struct and a new
// function. Functions and enumerators are added, and never change.
#ifndef XPOSE_XPOSE_H
#define XPOSE_XPOSE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(XPOSE_STATIC_DEFINE)
#define XPOSE_C_EXPORT __attribute__((visibility("default")))
#else
#define XPOSE_C_EXPORT
#endif

// C++ may hold a number that is no enumerator only if the type of the enumeration is fixed.
#if defined(__cplusplus)
#define XPOSE_C_ENUM : int32_t
#define XPOSE_C_NOEXCEPT noexcept
extern "C" {
#else
#define XPOSE_C_ENUM
#define XPOSE_C_NOEXCEPT
#endif

/// One for each exception of the C++ library.
typedef enum xpose_status XPOSE_C_ENUM {
  XPOSE_OK = 0,
  XPOSE_ARGUMENT_ERROR = 1,   ///< null struct, number that is no enumerator, fields that do not fit
  XPOSE_SHAPE_ERROR = 2,      ///< extents are negative or do not fit each other
  XPOSE_LAYOUT_ERROR = 3,     ///< null data, misaligned data, elements of an output that coincide
  XPOSE_ALIAS_ERROR = 4,      ///< an output overlaps an input
  XPOSE_OVERFLOW_ERROR = 5,   ///< elements or bytes that 64 bits cannot count
  XPOSE_RESIDENCY_ERROR = 6,  ///< memory that the policy's backend cannot reach
  XPOSE_BACKEND_ERROR = 7,    ///< no such kernel is compiled, or the backend cannot run here
  XPOSE_CUDA_ERROR = 8,       ///< the CUDA runtime refused a call: xpose_last_cuda_error()
  XPOSE_OUT_OF_MEMORY = 9,
  XPOSE_UNKNOWN_ERROR = 10,
  XPOSE_DEVICE_LOST = 11  ///< a kernel failed, and CUDA refuses every later call of the process
} xpose_status;

/// Types of elements.
typedef enum xpose_dtype XPOSE_C_ENUM {
  XPOSE_RAW = 0,   ///< element_bytes bytes each, at any address; for moves
  XPOSE_BOOL = 1,  ///< one byte; for moves (where it is to be a number, say XPOSE_U8)
  XPOSE_I8 = 2,
  XPOSE_U8 = 3,
  XPOSE_I16 = 4,
  XPOSE_U16 = 5,
  XPOSE_I32 = 6,
  XPOSE_U32 = 7,
  XPOSE_I64 = 8,
  XPOSE_U64 = 9,
  XPOSE_F16 = 10,   ///< IEEE binary16
  XPOSE_BF16 = 11,  ///< the upper half of a float
  XPOSE_F32 = 12,
  XPOSE_F64 = 13,
  XPOSE_C64 = 14,   ///< two floats, as C's float _Complex
  XPOSE_C128 = 15,  ///< two doubles
  XPOSE_E4M3 = 16,  ///< a float8 of four bits of exponent and three of mantissa
  XPOSE_E5M2 = 17   ///< a float8 of five bits of exponent and two of mantissa
} xpose_dtype;

/// rows x cols elements; element (i, j) lies i * row_stride + j * col_stride elements from data.
/// Strides may be negative, and zero in inputs. Data of inputs are only read.
typedef struct xpose_matrix {
  void* data;  ///< element (0, 0), aligned to its type; may be null if there are no elements
  int64_t rows;
  int64_t cols;
  int64_t row_stride;
  int64_t col_stride;
  int64_t element_bytes;  ///< of XPOSE_RAW: 1 or more; else 0, or the size of the type
  xpose_dtype dtype;
  int32_t conjugated;  ///< not 0: an input that is read through complex conjugation
} xpose_matrix;

/// count matrices; matrix b lies b * batch_stride elements behind the first. A batch stride of 0
/// repeats one matrix (inputs only).
typedef struct xpose_batch {
  xpose_matrix first;
  int64_t count;
  int64_t batch_stride;
} xpose_batch;

/// Element (i0, i1, ..) lies i0 * strides[0] + i1 * strides[1] + .. elements from data.
typedef struct xpose_tensor {
  void* data;
  int64_t extents[8];
  int64_t strides[8];
  int64_t element_bytes;  ///< as in xpose_matrix
  xpose_dtype dtype;
  int32_t rank;  ///< 1 to 8; entries behind it are not looked at
} xpose_tensor;

/// Where a call runs: the policies of the C++ library.
typedef enum xpose_backend XPOSE_C_ENUM {
  XPOSE_AUTOMATIC = 0,  ///< where the data lives
  XPOSE_SEQ = 1,        ///< on the calling thread, by the kernels of XPOSE_OMP; calls no OpenMP
  XPOSE_OMP = 2,        ///< on the processor's cores
  XPOSE_CUDA = 3,       ///< on a CUDA device; without one, on the cores
  XPOSE_REFERENCE = 4   ///< on the calling thread, by plain loops to check the others against
} xpose_backend;

enum xpose_policy_flags {
  XPOSE_NOSYNC = 1,  ///< XPOSE_CUDA: return after enqueue
  XPOSE_STRICT = 2  ///< XPOSE_CUDA: XPOSE_BACKEND_ERROR where the call would fall back to the cores
};

/// Where and how a call runs. A field that the backend has no use for must be zero.
typedef struct xpose_policy {
  uint64_t size;  ///< sizeof(xpose_policy)
  xpose_backend backend;
  int32_t threads;  ///< XPOSE_OMP: 0 is OpenMP's own choice
  void* stream;     ///< XPOSE_CUDA: a cudaStream_t; null is the legacy default stream
  uint64_t flags;   ///< of xpose_policy_flags
  // Where temporary memory comes from; null functions are xpose's own memory. Memory for XPOSE_CUDA
  // must be reached by the device, for the others by the host; any alignment. A null result is
  // XPOSE_OUT_OF_MEMORY. The functions must not throw. XPOSE_AUTOMATIC takes none.
  void* memory_context;  ///< handed to both
  void* (*allocate)(void* context, size_t bytes, void* stream);
  void (*deallocate)(void* context, void* data, size_t bytes, void* stream);
} xpose_policy;

/// What happens to an element on its way.
typedef enum xpose_function XPOSE_C_ENUM {
  XPOSE_IDENTITY = 0,   ///< a copy of its bits; both dtypes are the same
  XPOSE_CONJUGATE = 1,  ///< complex conjugate; of real numbers, and of inputs that are conjugated
                        ///< already, a copy of the bits
  XPOSE_CAST = 2  ///< converted to the output's dtype, among the real ones and among the complex
                  ///< ones, as C does it; to F16, BF16, E4M3 and E5M2, the last two from and to
                  ///< F16, BF16 and F32 alone, rounded to nearest even
} xpose_function;

/// What gemm means by "add" and "multiply".
typedef enum xpose_semiring XPOSE_C_ENUM {
  XPOSE_PLUS_TIMES = 0,
  XPOSE_MIN_PLUS = 1,  ///< zero is +infinity, or the largest integer
  XPOSE_MAX_PLUS = 2,  ///< zero is -infinity, or the smallest integer
  XPOSE_OR_AND = 3     ///< 1 if any k has A(i, k) and B(k, j) both not 0, else 0
} xpose_semiring;

typedef enum xpose_precision XPOSE_C_ENUM {
  XPOSE_FULL = 0,
  XPOSE_FAST_F32 = 1,  ///< operands of XPOSE_F32 may be split into bfloat16 for tensor cores
  XPOSE_TF32 = 2,      ///< XPOSE_F32 may be rounded to ten bits of mantissa before it is multiplied
  XPOSE_THREE_PRODUCTS = 3  ///< complex numbers may be multiplied by three real products
} xpose_precision;

/// What a layer applies last. (layer_epilogue.hpp)
typedef enum xpose_activation XPOSE_C_ENUM {
  XPOSE_NO_ACTIVATION = 0,
  XPOSE_RELU = 1,  ///< max(x, 0); a NaN stays one
  XPOSE_GELU = 2   ///< x / 2 (1 + erf(x / sqrt 2))
} xpose_activation;

/// What gemm stores is activation(scale(i, j) x + bias(i, j)), with x = alpha A B + beta C,
/// calculated in the accumulate type, for integers in float. scale and bias have C's dtype, one row
/// or C's rows, one column or C's columns; a single one repeats, in every matrix of a batch. They
/// live where C does, and apart from it. For F32, F64, F16, BF16, and A and B of I8 with C of F32.
typedef struct xpose_layer {
  uint64_t size;  ///< sizeof(xpose_layer)
  xpose_activation activation;
  int32_t reserved;           ///< 0
  xpose_matrix const* scale;  ///< null: 1
  xpose_matrix const* bias;   ///< null: 0
} xpose_layer;

typedef struct xpose_gemm_options {
  uint64_t size;           ///< sizeof(xpose_gemm_options)
  xpose_dtype accumulate;  ///< type of sums, alpha and beta; 0 is the default of the element type
  xpose_semiring semiring;
  xpose_precision precision;
  int32_t reserved;          ///< 0
  xpose_layer const* layer;  ///< null: C = alpha A B + beta C
} xpose_gemm_options;

/// Which backend and kernel a call would run on, and why; each a C string.
typedef struct xpose_explanation {
  char backend[32];
  char kernel[64];
  char reason[416];
} xpose_explanation;

/// The version of the library, "0.1.0". Never freed, like every string below.
XPOSE_C_EXPORT char const* xpose_version(void) XPOSE_C_NOEXCEPT;

/// "shape_error" for XPOSE_SHAPE_ERROR and so on; "unknown status" for a number that is none.
XPOSE_C_EXPORT char const* xpose_status_name(xpose_status status) XPOSE_C_NOEXCEPT;

/// The message of the calling thread's last call that did not return XPOSE_OK, cut after 1023
/// bytes; "" if there was none. It names the operation, the operand, its values and the rule. The
/// text is valid until the thread's next failure. Memory for it exists beforehand, so that no
/// failure loses it.
XPOSE_C_EXPORT char const* xpose_last_error(void) XPOSE_C_NOEXCEPT;

/// The cudaError_t of that error if it was XPOSE_CUDA_ERROR, else 0.
XPOSE_C_EXPORT int32_t xpose_last_cuda_error(void) XPOSE_C_NOEXCEPT;

/// Later calls read XPOSE_VERBOSE, XPOSE_LOG, XPOSE_FALLBACK, XPOSE_ISA and XPOSE_TUNING anew, and
/// the files that the last one names. Without it each variable is read once, by the first call that
/// it may change.
XPOSE_C_EXPORT void xpose_reload_environment(void) XPOSE_C_NOEXCEPT;

// Operations. Elements of outputs must be distinct; outputs must be apart from inputs, except where
// said. What a call promises beyond this is in the header of its name, and in docs/semantics.md.

/// out(j, i) = function(in(i, j)). Every dtype; out is in.cols x in.rows. (transpose.hpp)
XPOSE_C_EXPORT xpose_status xpose_transpose(xpose_policy const* policy, xpose_matrix const* in,
                                            xpose_matrix const* out,
                                            xpose_function function) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_transpose_batch(xpose_policy const* policy, xpose_batch const* in,
                                                  xpose_batch const* out,
                                                  xpose_function function) XPOSE_C_NOEXCEPT;

/// out(i, j) = function(in(i, j)): any layout to any layout, and dtype to dtype. (copy.hpp)
XPOSE_C_EXPORT xpose_status xpose_copy(xpose_policy const* policy, xpose_matrix const* in,
                                       xpose_matrix const* out,
                                       xpose_function function) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_copy_batch(xpose_policy const* policy, xpose_batch const* in,
                                             xpose_batch const* out,
                                             xpose_function function) XPOSE_C_NOEXCEPT;

/// out(i0, i1, ..) is the element of in whose dimension permutation[k] has the index ik, through
/// the function. permutation has as many entries as in has dimensions, and so has out.
/// (permute.hpp)
XPOSE_C_EXPORT xpose_status xpose_permute(xpose_policy const* policy, xpose_tensor const* in,
                                          xpose_tensor const* out, int32_t const* permutation,
                                          xpose_function function) XPOSE_C_NOEXCEPT;

/// Moves element (i, j) to (j, i) within the view's memory, and changes *view to what reads it so:
/// cols x rows. On failure *view stays as it is. Square matrices of any strides, others packed.
/// (transpose_inplace.hpp)
XPOSE_C_EXPORT xpose_status xpose_transpose_inplace(xpose_policy const* policy,
                                                    xpose_matrix* view) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_transpose_inplace_batch(xpose_policy const* policy,
                                                          xpose_batch* view) XPOSE_C_NOEXCEPT;

/// C = alpha A + beta B. All numbers' dtypes, one for all three. alpha and beta point to host
/// memory: a float for XPOSE_F16 and XPOSE_BF16, else a number of the dtype; null stands for 1. C
/// may be A or B itself. With beta 0, B is not read: a scaled copy. (add.hpp)
XPOSE_C_EXPORT xpose_status xpose_add(xpose_policy const* policy, void const* alpha,
                                      xpose_matrix const* a, void const* beta,
                                      xpose_matrix const* b,
                                      xpose_matrix const* c) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_add_batch(xpose_policy const* policy, void const* alpha,
                                            xpose_batch const* a, void const* beta,
                                            xpose_batch const* b,
                                            xpose_batch const* c) XPOSE_C_NOEXCEPT;

/// C = alpha A B + beta C in the options' semiring. alpha and beta point to host memory: a number
/// of the accumulate type, which is XPOSE_F32 for XPOSE_F16, BF16, E4M3 and E5M2, XPOSE_I32 for
/// integers of one byte, else the dtype. Without alpha (null) the sum is not scaled; without beta C
/// is not read. options may be null; their layer scales, adds a bias and applies an activation.
/// docs/c_api.md lists the dtypes. (gemm.hpp)
XPOSE_C_EXPORT xpose_status xpose_gemm(xpose_policy const* policy, void const* alpha,
                                       xpose_matrix const* a, xpose_matrix const* b,
                                       void const* beta, xpose_matrix const* c,
                                       xpose_gemm_options const* options) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_gemm_batch(xpose_policy const* policy, void const* alpha,
                                             xpose_batch const* a, xpose_batch const* b,
                                             void const* beta, xpose_batch const* c,
                                             xpose_gemm_options const* options) XPOSE_C_NOEXCEPT;

// What a call would run on. These run nothing; they fail where the call would. A single matrix is a
// batch of one.

XPOSE_C_EXPORT xpose_status xpose_explain_transpose(xpose_policy const* policy,
                                                    xpose_batch const* in, xpose_batch const* out,
                                                    xpose_function function,
                                                    xpose_explanation* answer) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_explain_copy(xpose_policy const* policy, xpose_batch const* in,
                                               xpose_batch const* out, xpose_function function,
                                               xpose_explanation* answer) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_explain_permute(xpose_policy const* policy,
                                                  xpose_tensor const* in, xpose_tensor const* out,
                                                  int32_t const* permutation,
                                                  xpose_function function,
                                                  xpose_explanation* answer) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status
xpose_explain_transpose_inplace(xpose_policy const* policy, xpose_batch const* view,
                                xpose_explanation* answer) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_explain_add(xpose_policy const* policy, xpose_batch const* a,
                                              xpose_batch const* b, xpose_batch const* c,
                                              xpose_explanation* answer) XPOSE_C_NOEXCEPT;
XPOSE_C_EXPORT xpose_status xpose_explain_gemm(xpose_policy const* policy, xpose_batch const* a,
                                               xpose_batch const* b, xpose_batch const* c,
                                               xpose_gemm_options const* options,
                                               xpose_explanation* answer) XPOSE_C_NOEXCEPT;

// Structs filled in, for C and C++. Change a field afterwards where that is what you want.

static inline xpose_policy xpose_policy_of(xpose_backend backend) {
  xpose_policy policy;
  policy.size = sizeof policy;
  policy.backend = backend;
  policy.threads = 0;
  policy.stream = NULL;
  policy.flags = 0;
  policy.memory_context = NULL;
  policy.allocate = NULL;
  policy.deallocate = NULL;
  return policy;
}

static inline xpose_gemm_options xpose_default_gemm_options(void) {
  xpose_gemm_options options;
  options.size = sizeof options;
  options.accumulate = XPOSE_RAW;
  options.semiring = XPOSE_PLUS_TIMES;
  options.precision = XPOSE_FULL;
  options.reserved = 0;
  options.layer = NULL;
  return options;
}

static inline xpose_layer xpose_layer_of(xpose_activation activation, xpose_matrix const* scale,
                                         xpose_matrix const* bias) {
  xpose_layer layer;
  layer.size = sizeof layer;
  layer.activation = activation;
  layer.reserved = 0;
  layer.scale = scale;
  layer.bias = bias;
  return layer;
}

// Data are void const*, so that those of inputs need no cast; calls write to outputs all the same.

static inline void* xpose_mutable_data(void const* data) {
#if defined(__cplusplus)
  return const_cast<void*>(data);
#else
  return (void*)(uintptr_t)data;  // (void*)data is a warning of -Wcast-qual
#endif
}

/// a * b; 0 where a call refuses the extents, which are negative or too large.
static inline int64_t xpose_extent_product(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b)) return 0;
  return a * b;
}

/// Packed rows, one behind the other.
static inline xpose_matrix xpose_row_major(void const* data, xpose_dtype dtype, int64_t rows,
                                           int64_t cols) {
  xpose_matrix m;
  m.data = xpose_mutable_data(data);
  m.rows = rows;
  m.cols = cols;
  m.row_stride = cols;
  m.col_stride = 1;
  m.element_bytes = 0;
  m.dtype = dtype;
  m.conjugated = 0;
  return m;
}

/// Packed columns, one behind the other.
static inline xpose_matrix xpose_col_major(void const* data, xpose_dtype dtype, int64_t rows,
                                           int64_t cols) {
  xpose_matrix m = xpose_row_major(data, dtype, rows, cols);
  m.row_stride = 1;
  m.col_stride = rows;
  return m;
}

/// count packed row-major matrices, one behind the other.
static inline xpose_batch xpose_packed_batch(void const* data, xpose_dtype dtype, int64_t count,
                                             int64_t rows, int64_t cols) {
  xpose_batch b;
  b.first = xpose_row_major(data, dtype, rows, cols);
  b.count = count;
  b.batch_stride = xpose_extent_product(rows, cols);
  return b;
}

/// Packed, the last of `rank` dimensions fastest. A call refuses a rank that is not 1 to 8.
static inline xpose_tensor xpose_packed_tensor(void const* data, xpose_dtype dtype, int32_t rank,
                                               int64_t const* extents) {
  xpose_tensor t;
  int64_t stride = 1;
  int32_t d;
  t.data = xpose_mutable_data(data);
  for (d = 0; d < 8; ++d) t.extents[d] = t.strides[d] = 0;
  for (d = rank <= 8 ? rank : 0; d-- > 0; stride = xpose_extent_product(stride, extents[d])) {
    t.extents[d] = extents[d];
    t.strides[d] = stride;
  }
  t.element_bytes = 0;
  t.dtype = dtype;
  t.rank = rank;
  return t;
}

/// The same memory read as cols x rows: the op() of BLAS.
static inline xpose_matrix xpose_transposed(xpose_matrix matrix) {
  xpose_matrix result = matrix;
  result.rows = matrix.cols;
  result.cols = matrix.rows;
  result.row_stride = matrix.col_stride;
  result.col_stride = matrix.row_stride;
  return result;
}

// Numbers of enumerations take 32 bits in every language (a compiler's -fshort-enums would change
// that).
typedef char xpose_enumerations_take_32_bits[sizeof(xpose_dtype) == 4 ? 1 : -1];

#if defined(__cplusplus)
}
#endif

#endif
