#include "model/attention/kv_cache.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace mha {
namespace {

void reserve(at::Tensor& buffer, const at::Tensor& like, std::int64_t used, std::int64_t needed) {
  if (buffer.defined() && buffer.size(2) >= needed) return;
  const std::int64_t capacity = std::max<std::int64_t>({16, needed, buffer.defined() ? 2 * buffer.size(2) : 0});
  at::Tensor grown = at::empty({like.size(0), like.size(1), capacity, like.size(3)}, like.options());
  if (used > 0) grown.narrow(2, 0, used).copy_(buffer.narrow(2, 0, used));
  buffer = grown;
}

}  // namespace

void KvCache::append(const at::Tensor& k, const at::Tensor& v) {
  const std::int64_t added = k.size(2);
  reserve(k_, k, length_, length_ + added);
  reserve(v_, v, length_, length_ + added);
  k_.narrow(2, length_, added).copy_(k);
  v_.narrow(2, length_, added).copy_(v);
  length_ += added;
}

void KvCache::select(const at::Tensor& rows) {
  if (length_ == 0) return;
  k_ = keys().index_select(0, rows);  // without the capacity behind them
  v_ = values().index_select(0, rows);
}

}  // namespace mha
