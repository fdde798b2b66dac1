//! The levels of SIMD that this machine has.

use fearless_simd::Level;

/// All of them, the best first.
pub fn levels() -> Vec<Level> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let levels = [
        best.as_avx512().map(Level::Avx512),
        best.as_avx2().map(Level::Avx2),
        best.as_sse4_2().map(Level::Sse4_2),
        best.as_sse2().map(Level::Sse2),
    ];
    #[cfg(target_arch = "aarch64")]
    let levels = [best.as_neon().map(Level::Neon)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let levels = [Some(best)];
    let missing = levels.iter().filter(|level| level.is_none()).count();
    if missing > 0 {
        println!("{missing} levels of SIMD are not tested: this machine has not more than {best:?}");
    }
    levels.into_iter().flatten().collect()
}

/// What every such processor has is used, or the tests over all levels would have nothing to test but the fallback.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn vector_instructions_are_used() {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let has_vectors = best.as_sse2().is_some();
    #[cfg(target_arch = "aarch64")]
    let has_vectors = best.as_neon().is_some();
    assert!(has_vectors, "{best:?}");
}
