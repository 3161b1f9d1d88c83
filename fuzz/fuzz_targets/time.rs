//! Any text is a time or says why not; ticks that were read print and read back as themselves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marey_fuzz::model::Clock;
use marey_fuzz::model::clock::TimeParser;
use marey_fuzz::spec::{Decimal, TimeUnit, Value, format_time};

fuzz_target!(|text: &[u8]| {
    if text.len() > 512 {
        return;
    }
    let finer = [
        TimeUnit::Picosecond,
        TimeUnit::Nanosecond,
        TimeUnit::Microsecond,
    ];
    for resolution in finer {
        for unit in TimeUnit::ALL {
            round_trip(Clock::physical(unit, resolution), text);
        }
    }
    round_trip(Clock::logical(), text);
    if let Some(number) = std::str::from_utf8(text).ok().and_then(Decimal::parse) {
        // Only what the language may print: exponents of its own numbers are small.
        if number.exponent.unsigned_abs() < 400 {
            let shown = number.to_string();
            let value = |text: &str| text.parse::<f64>().ok();
            if number.digits.unsigned_abs() < 1 << 53 {
                assert_eq!(
                    value(&shown),
                    std::str::from_utf8(text)
                        .ok()
                        .map(|t| t.replace('_', ""))
                        .as_deref()
                        .and_then(value),
                    "{shown}"
                );
            }
        }
        if let Some(exact) = number.times_exact(1_000_000_000_000) {
            let _ = (format_time(exact), Value::Time(exact).to_string());
            let _ = Value::LogicalTime(exact).to_string();
        }
    }
});

fn round_trip(clock: Clock, text: &[u8]) {
    let fast = TimeParser::new(clock).parse(text);
    assert_eq!(fast, clock.parse(text));
    let Ok(parsed) = fast else { return };
    for unit in [
        None,
        Some(TimeUnit::Nanosecond),
        Some(TimeUnit::Second),
        Some(TimeUnit::Hour),
    ] {
        let shown = clock.format_in(parsed.ticks, unit);
        let reads = Clock {
            unit: clock.unit.and(unit.or(clock.unit)),
            ..clock
        };
        let back = reads.parse(shown.as_bytes());
        assert_eq!(
            back.map(|back| back.ticks),
            Ok(parsed.ticks),
            "{shown} {clock:?} {unit:?}"
        );
    }
    let exact = clock.to_exact(parsed.ticks);
    assert_eq!(clock.from_exact(exact), Some(parsed.ticks));
}
