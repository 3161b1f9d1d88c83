//! Bounds on the time between the ends of links: attributes that are times.

use super::{Table, TraceBuilder};
use crate::model::schema::column;

impl TraceBuilder {
    /// The attributes [`column::MIN_DELAY`] and [`column::MAX_DELAY`] of links, where every cell is a time
    /// in the unit of its file. What is no time stays an attribute of another type.
    pub(super) fn take_delays(&mut self, rows: &[i64]) -> Vec<(&'static str, Vec<i64>)> {
        let mut delays = Vec::new();
        for name in [column::MIN_DELAY, column::MAX_DELAY] {
            let columns = &mut self.attributes[Table::Links as usize];
            let Some(at) = columns.iter().position(|(known, _)| known == name) else {
                continue;
            };
            let mut rounded = Vec::new();
            let ticks = columns.get(at).and_then(|(_, cells)| {
                cells.ticks(rows.len(), |row, text| {
                    let file = rows.get(row)? >> 40;
                    let clock = self.files.get(file as usize)?.clock;
                    let parsed = clock.parse(text).ok()?;
                    if parsed.rounded {
                        rounded.push(row);
                    }
                    Some(parsed.ticks)
                })
            });
            let Some(ticks) = ticks else {
                self.report.note(format!(
                    "the column `{name}` of links holds texts that are no times, so it is no column of times"
                ));
                continue;
            };
            columns.remove(at);
            for row in rounded {
                let place = rows.get(row).copied().unwrap_or(0);
                let line = (place & ((1 << 40) - 1)) as u64;
                let file = self.files.get((place >> 40) as usize);
                let file = file.map_or("", |file| file.name.as_str());
                self.report.repair("time_rounded", file, line);
            }
            delays.push((name, ticks));
        }
        delays
    }
}
