#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| integration_tests::fuzzed::base_url(data));
