#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| urlset_fuzz::robots::run(data));
