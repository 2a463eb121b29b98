// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/trace/nvtx_range.hpp>

#if defined(XPOSE_HAS_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

#if defined(XPOSE_HAS_NVTX)

namespace {

/// Null without a tool. Never destroyed: calls may come until the process ends.
nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const created = nvtxDomainCreateA("xpose");
  return created;
}

}  // namespace

bool has_nvtx_tool() { return domain() != nullptr; }

nvtx_range::nvtx_range(std::string const& name) : is_open_(!name.empty()) {
  if (!is_open_) return;
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name.c_str();
  nvtxDomainRangePushEx(domain(), &range);
}

nvtx_range::~nvtx_range() {
  if (is_open_) nvtxDomainRangePop(domain());
}

#else

bool has_nvtx_tool() { return false; }
nvtx_range::nvtx_range(std::string const&) : is_open_(false) {}
nvtx_range::~nvtx_range() = default;

#endif

}  // namespace detail
}  // namespace v0
}  // namespace xpose
