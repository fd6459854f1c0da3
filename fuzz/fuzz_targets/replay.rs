#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bridgemaster_fuzz::replay::run(bytes));
