//! What must hold of every file that is loaded, whatever is in it.

use crate::diag::Sources;
use crate::diag::render::{Style, render};
use crate::model::schema::column;
use crate::model::{Policy, TraceData};
use crate::read::{ReadOptions, Roles, read};
use crate::spec::TimeUnit;
use arrow::array::{Array, AsArray};
use arrow::datatypes::Int64Type;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// Longer files only make the same thing slower.
pub const LIMIT: usize = 32 * 1024;

/// Bytes as a file. The last byte picks the options, so that seeds stay readable; all policies are tried.
pub fn loaded(format: &str, bytes: &[u8]) {
    let Some((pick, bytes)) = bytes.split_last() else {
        return;
    };
    if bytes.len() > LIMIT {
        return;
    }
    let path = path();
    if std::fs::write(path, bytes).is_err() {
        return;
    }
    let options = options(format, *pick, path.display().to_string());
    let load = |policy: Policy| {
        let options = ReadOptions {
            policy,
            ..options.clone()
        };
        let result = read(&options, &AtomicBool::new(false), &|_| {});
        match result {
            Ok(trace) => {
                holds(&trace, policy);
                Some(trace)
            }
            Err(diag) => {
                assert_ne!(diag.code.name, "internal", "{diag:?}");
                assert!(!render(&diag, &Sources::default(), Style::default()).is_empty());
                None
            }
        }
    };
    let repaired = load(Policy::Repair);
    load(Policy::Keep);
    // What is taken without a complaint is what a repair would have made of it.
    if let Some(strict) = load(Policy::Fail) {
        let report = &strict.report;
        // Rounding to the resolution is counted but no mistake.
        let rounded = report
            .repaired
            .iter()
            .all(|reason| reason.code == "time_rounded");
        assert!(report.rejected.is_empty() && rounded, "{report:?}");
        let repaired = repaired.expect("a file that needs no repair");
        assert_eq!(strict.report, repaired.report);
        for (strict, repaired) in strict.relations.iter().zip(&repaired.relations) {
            assert_eq!(strict.batches, repaired.batches, "{}", strict.name);
        }
    }
}

/// One name for the whole run: what a file is called shows in its data.
fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        let folder = folder.join(format!("marey-fuzz-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&folder);
        folder.join("rank7.csv")
    })
}

fn options(format: &str, pick: u8, path: String) -> ReadOptions {
    let mut options = ReadOptions {
        paths: vec![path],
        ..ReadOptions::default()
    };
    options.unit = match pick & 3 {
        0 => Some(TimeUnit::Millisecond),
        1 => Some(TimeUnit::Picosecond),
        2 => Some(TimeUnit::Minute),
        _ => None,
    };
    // Half the time the content decides about the reader.
    options.format = (pick & 4 == 0).then(|| format.to_owned());
    match (pick >> 3) & 15 {
        1 => options.resolution = Some(TimeUnit::Second),
        2 => options.offsets = vec![1_000_000_000_000],
        3 => options.offsets = vec![i128::MAX],
        4 => options.offsets = vec![i128::from(i64::MIN) * 1000],
        5 => options.columns = Some(vec!["value".to_owned(), "a b".to_owned(), "a b".to_owned()]),
        6 => options.columns = Some(Vec::new()),
        7 => options.file_as = Some("rank".to_owned()),
        8 => options.file_as = Some("value".to_owned()),
        9 => options.separator = Some(';'),
        10 => (options.separator, options.decimal) = (Some('\t'), Some(',')),
        11 => options.relation = Some("links".to_owned()),
        12 => options.relation = Some("variables".to_owned()),
        13 => options.relation = Some("resources".to_owned()),
        14 => {
            options.roles = Roles {
                resource: Some("a".to_owned()),
                start: Some("b".to_owned()),
                duration: Some("c".to_owned()),
                ..Roles::default()
            }
        }
        15 => options.roles.value = Some("a".to_owned()),
        _ => {}
    }
    options
}

fn holds(trace: &TraceData, policy: Policy) {
    let report = &trace.report;
    assert!(
        report.kept + report.rejected_rows() <= report.records,
        "{report:?}"
    );
    let _ = report.line();
    for relation in &trace.relations {
        for batch in &relation.batches {
            assert!(batch.num_rows() <= 65_536);
            assert_eq!(
                batch.num_columns(),
                relation.schema.fields().len(),
                "{}",
                relation.name
            );
            for (array, field) in batch.columns().iter().zip(relation.schema.fields()) {
                let full = array.to_data().validate_full();
                assert!(
                    full.is_ok(),
                    "{} of {}: {full:?}",
                    field.name(),
                    relation.name
                );
                assert!(
                    field.is_nullable() || array.null_count() == 0,
                    "{} of {}",
                    field.name(),
                    relation.name
                );
            }
        }
        let names: Vec<&String> = relation
            .schema
            .fields()
            .iter()
            .map(|field| field.name())
            .collect();
        let unique: std::collections::HashSet<&&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
        let _ = relation.bytes();
        ordered(relation, policy);
    }
}

/// Rows come in the order that the relation promises, and no repaired interval ends before it starts.
fn ordered(relation: &crate::model::Relation, policy: Policy) {
    let mut before: Option<Vec<(bool, i64)>> = None;
    for batch in &relation.batches {
        let number = |name: &str| {
            let array = batch.column_by_name(name)?;
            array.as_primitive_opt::<Int64Type>().cloned()
        };
        let keys: Option<Vec<_>> = relation.sorted_by.iter().map(|name| number(name)).collect();
        if let Some(keys) = keys.filter(|keys| !keys.is_empty()) {
            for row in 0..batch.num_rows() {
                let key: Vec<(bool, i64)> = keys
                    .iter()
                    .map(|key| match key.is_null(row) {
                        true => (true, 0),
                        false => (false, key.value(row)),
                    })
                    .collect();
                assert!(
                    before.as_ref().is_none_or(|before| *before <= key),
                    "{}",
                    relation.name
                );
                before = Some(key);
            }
        }
        if policy != Policy::Keep
            && relation.name == crate::model::schema::STATES
            && let (Some(start), Some(end)) = (number(column::START), number(column::END))
        {
            for row in 0..batch.num_rows() {
                assert!(
                    start.is_valid(row) && end.is_valid(row),
                    "a state without times"
                );
                assert!(
                    start.value(row) <= end.value(row),
                    "a state ends before it starts"
                );
            }
        }
    }
}
