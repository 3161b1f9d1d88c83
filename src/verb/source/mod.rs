//! Verbs that data come from.

pub mod digest;
pub mod generate;
pub mod load;
pub mod moved;
pub mod opened;
pub mod parquet;
