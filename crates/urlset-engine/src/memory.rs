//! What the allocator does with memory that is freed.

use std::hint::black_box;
use std::sync::Once;

/// Bytes of the block that is shown to the allocator: nearly the most that it learns from, 32 MiB with its own numbers.
const BLOCK: usize = (32 << 20) - (1 << 16);

/// Has the allocator keep what one document takes when that is freed, for the next one.
///
/// That of glibc gives memory back to the system beyond twice the largest block that it has seen freed. The columns of a
/// usual document are larger together than that, and the table of its locs too. So each reading would have its pages made
/// anew, a fifth to a third of its time, and each writing, which holds a document three times, half of its time. The block
/// is never written to, so it costs no memory; other allocators do not mind.
pub fn keep_freed_memory() {
    static DONE: Once = Once::new();
    DONE.call_once(|| drop(black_box(Vec::<u8>::with_capacity(BLOCK))));
}
