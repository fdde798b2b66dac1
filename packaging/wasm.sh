#!/bin/sh
# Builds build/urlset.wasm, the core for the checker in the browser, as small as it gets.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/wasm}"
std=""
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] && ! rustup target add "$target" 2>/dev/null; then
    echo "rustup cannot add $target: the compiler comes from Debian, and compiles the standard library too"
    sh packaging/rust-from-debian.sh target/rust
    export RUSTC="$PWD/target/rust/bin/rustc" RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$PWD/target/rust/bin/wasm-ld"
    std=-Zbuild-std=std,panic_abort
fi
cargo build $std --target "$target" --profile wasm --locked --package urlset-wasm
mkdir -p build
cp "$CARGO_TARGET_DIR/$target/wasm/urlset_wasm.wasm" build/urlset.wasm
printf 'build/urlset.wasm: %s bytes, %s gzipped\n' "$(wc -c < build/urlset.wasm)" "$(gzip -9c build/urlset.wasm | wc -c)"
