//! Any text parses in bounded time, the same way twice, and its mistakes can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marey_fuzz::text;

fuzz_target!(|script: &str| {
    if script.len() <= text::LIMIT {
        text::parsed(script);
    }
});
