#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| retold_fuzzing::call("sqlite", bytes));
