//! Verbs that data come from.

pub mod generate;
pub mod load;
pub mod opened;
pub mod parquet;
