#!/bin/sh
# Unpacks a Rust compiler with the source of its standard library from Debian's packages into a folder, for targets that
# this machine's Rust has no standard library for, where rustup cannot add one:
#
#     packaging/rust-from-debian.sh FOLDER
#
# Nothing is installed: the packages conflict with rustup's. FOLDER/bin has `rustc` and `wasm-ld`; cargo is the machine's.
# With FOLDER/bin/rustc as RUSTC and RUSTC_BOOTSTRAP=1, `cargo build -Zbuild-std` compiles the library for any target.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$folder/bin/done" ] && exit
version=$(apt-cache depends rustc-web | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p' | head -1)
[ -n "$version" ] || version=$(apt-cache search --names-only '^libstd-rust-web-[0-9]' | sort -V | tail -1 | cut -d' ' -f1)
if [ -z "$version" ]; then
    echo "there is no package rustc-web: run 'apt-get update', or add the target with rustup" >&2
    exit 2
fi
llvm=$(apt-cache depends "$version" | sed -n 's/.*Depends: libllvm\([0-9]*\)$/\1/p' | head -1)
packages="rustc-web rust-web-src libstd-rust-web-dev $version libllvm$llvm lld-$llvm"
mkdir -p "$folder/packages"
(cd "$folder/packages" && apt-get download --quiet --quiet $packages 2>/dev/null) || {
    echo "could not download: $packages" >&2
    exit 2
}
for package in "$folder"/packages/*.deb; do dpkg-deb --extract "$package" "$folder/root"; done
rm -r "$folder/packages"
mkdir -p "$folder/bin"
# Both load libLLVM from the folder.
for program in "rustc rustc" "wasm-ld wasm-ld-$llvm"; do
    set -- $program
    printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' \
        "$folder/root/usr/lib/x86_64-linux-gnu" "$folder/root/usr/bin/$2" > "$folder/bin/$1"
    chmod +x "$folder/bin/$1"
done
"$folder/bin/rustc" --version
touch "$folder/bin/done"
