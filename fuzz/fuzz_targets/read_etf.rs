//! Any bytes load as `etf`, or say why not.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| marey_fuzz::load::loaded("etf", bytes));
