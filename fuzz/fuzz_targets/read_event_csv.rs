//! Any bytes load as `event_csv`, or say why not.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| marey_fuzz::load::loaded("event_csv", bytes));
