//! What the figures read from rows: columns by name, names as numbers, the time base.

use crate::diag::{Diag, code};
use crate::figure::axis;
use crate::model::Clock;
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::record_batch::RecordBatch;
use std::collections::{HashMap, HashSet};

/// The time base of the figure layer for a clock.
pub fn time_base(clock: Clock) -> axis::TimeBase {
    if clock.is_logical() {
        axis::TimeBase::Logical {
            ticks_per_unit: 1_000_000_000,
        }
    } else {
        axis::TimeBase::Physical {
            tick_picoseconds: clock.resolution.picoseconds() as i64,
        }
    }
}

/// Numbers for names, in order of first appearance.
pub struct Names<K> {
    index: HashMap<K, u32>,
    /// The names by number.
    pub list: Vec<K>,
}

impl<K> Default for Names<K> {
    fn default() -> Self {
        Names {
            index: HashMap::new(),
            list: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + std::hash::Hash> Names<K> {
    /// The number of a name that is known.
    pub fn find(&self, key: &K) -> Option<u32> {
        self.index.get(key).copied()
    }

    /// The number of a name, a new one where it is new.
    pub fn number(&mut self, key: &K) -> u32 {
        if let Some(number) = self.index.get(key) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.index.insert(key.clone(), number);
        self.list.push(key.clone());
        number
    }
}

/// A column as one type.
pub fn part(batch: &RecordBatch, name: &str, data_type: &DataType) -> Result<ArrayRef, Diag> {
    batch
        .column_by_name(name)
        .ok_or_else(|| Diag::error(&code::INTERNAL, format!("the rows lack `{name}`")))
        .and_then(|array| {
            cast(array, data_type)
                .map_err(|error| Diag::error(&code::TYPE_MISMATCH, format!("`{name}`: {error}")))
        })
}

/// The colour domain with the values that a stage made up behind those of the trace, by name.
pub fn with_made(mut domain: Vec<String>, values: &[String]) -> Vec<String> {
    let known: HashSet<&String> = domain.iter().collect();
    let mut made: Vec<String> = values
        .iter()
        .filter(|value| !known.contains(value))
        .cloned()
        .collect();
    made.sort();
    domain.extend(made);
    domain
}
