// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A tool for NVTX, as a profiler is one: the library that NVTX_INJECTION64_PATH names. It appends a
// line for each range of a domain to the file that XPOSE_TEST_RANGES names.

#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

template <class... Texts>
void append_line(Texts... texts) {
  char const* const path = std::getenv("XPOSE_TEST_RANGES");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "a");
  if (file == nullptr) return;
  (std::fputs(texts, file), ...);
  std::fputs("\n", file);
  std::fclose(file);
}

// A domain's handle is its name.
nvtxDomainHandle_t create_domain(char const* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new std::string(name));
}
char const* name_of(nvtxDomainHandle_t domain) {
  return reinterpret_cast<std::string const*>(domain)->c_str();
}

int push(nvtxDomainHandle_t domain, nvtxEventAttributes_t const* range) {
  append_line("push ", name_of(domain), ": ", range->message.ascii);
  return 0;
}

int pop(nvtxDomainHandle_t domain) {
  append_line("pop ", name_of(domain));
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  auto const* const callbacks =
      static_cast<NvtxExportTableCallbacks const*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &count) == 0)
    return 0;
  *functions[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *functions[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
