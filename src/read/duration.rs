//! Durations that files print beside start and end: only compared, never used.

use crate::model::TraceBuilder;
use memchr::memchr;

/// Counts rows whose printed duration is not `end - start`.
#[derive(Debug, Default)]
pub struct Durations {
    count: u64,
    first: u64,
}

impl Durations {
    /// Compares. The file rounded the duration on its own, so it may be off by its last digit.
    #[inline]
    pub fn compare(&mut self, duration: &[u8], start: i64, end: i64, builder: &TraceBuilder) {
        let Ok(printed) = builder.length(duration) else {
            return;
        };
        let real = end.saturating_sub(start);
        if printed == real {
            return;
        }
        let places = memchr(b'.', duration).map_or(0, |at| duration.len() - at - 1);
        let digit = builder.length(format!("1e-{places}").as_bytes());
        let digit = digit.map_or(0, i64::unsigned_abs);
        if printed.abs_diff(real) > digit + 1 {
            self.count += 1;
            if self.first == 0 {
                self.first = builder.line();
            }
        }
    }

    /// Says how many there were.
    pub fn report(&self, builder: &mut TraceBuilder) {
        if self.count > 0 {
            let file = builder.file_name();
            let note = format!(
                "{file}: in {} rows the printed duration is not end - start (first in line {}); durations are end - start",
                self.count, self.first
            );
            builder.note(note);
        }
    }
}
