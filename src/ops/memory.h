#pragma once

namespace mha {

/// Makes the C allocator keep freed blocks of up to 32 MB instead of returning them to the kernel: LibTorch allocates
/// the same sizes again every step, and page faults cost a third of a small model's time. Call once, before the first
/// tensor.
void keep_freed_pages();

/// Bounds what LibTorch's matrix products remember of shapes that they have seen: on padded batches every shape is a
/// new one, and a thousand compiled kernels are most of a gigabyte. A bound that the environment gives stays. Call
/// before the first product.
void bound_product_caches();

/// Numbers too small for normal floating point become zero in this thread and in LibTorch's pool (started here with
/// `threads` threads): sharp attention makes denormals, which are a hundred times slower.
void start_threads(int threads);

}  // namespace mha
