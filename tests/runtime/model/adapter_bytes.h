// An adapter's file with its metadata rewritten.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/model/adapter_file.h"
#include "tests/runtime/model/model_bytes.h"

namespace rondo {

inline ModelBytes RewriteAdapter(const ModelBytes& bytes,
                                 const std::function<void(format::AdapterT&)>& change) {
  const FileHeader old = bytes.header();
  const std::unique_ptr<format::AdapterT> adapter(
      format::GetAdapter(bytes.bytes().data() + old.metadata_offset)->UnPack());
  change(*adapter);
  flatbuffers::FlatBufferBuilder builder;
  format::FinishAdapterBuffer(builder, format::Adapter::Pack(builder, adapter.get()));
  std::vector<uint8_t> whole(bytes.bytes().begin(),
                             bytes.bytes().begin() + static_cast<long>(old.metadata_offset));
  whole.insert(whole.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  FileHeader header = old;
  header.metadata_bytes = builder.GetSize();
  header.file_bytes = whole.size();
  ModelBytes rewritten(whole);
  rewritten.set_header(header);
  rewritten.SealMetadata();
  return rewritten;
}

}  // namespace rondo
