//! Signals made of polynomials (`S`, `F`) and time series (`TS`, `TSS`, `TSP`).

use super::key::Key;
use super::line::{Attributes, Words};
use super::rows::{Rows, few_or_many, has_word};
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{Attribute, Bound, Name, Resource, Table, VariableRow};
use crate::model::schema::column;
use crate::read::number;
use rustc_hash::{FxHashMap, FxHashSet};

/// A piece that is not constant is sampled at both ends of as many equal parts.
pub(super) const PARTS: i128 = 16;

/// A signal or a part of a time series, as its own line declares it.
#[derive(Clone, Debug)]
struct Signal {
    resource: Resource,
    metric: Name,
    /// Its values are null, whatever the lines say.
    no_values: bool,
    attributes: Vec<(Attribute, Vec<u8>)>,
}

/// A time series before its parts: their names begin with its own.
#[derive(Clone, Debug)]
struct Series {
    resource: Option<Resource>,
    name: Vec<u8>,
    attributes: Vec<(Attribute, Vec<u8>)>,
}

/// What the file has declared so far.
#[derive(Debug, Default)]
pub(super) struct Signals {
    signals: FxHashMap<Vec<u8>, Signal>,
    series: FxHashMap<Vec<u8>, Series>,
    parts: FxHashMap<(Vec<u8>, Vec<u8>), Signal>,
    /// Metrics that signals have by their names.
    taken: FxHashSet<(Resource, Name)>,
    coefficients: Option<[Attribute; 3]>,
}

/// What the attributes of a declaration say.
#[derive(Debug, Default)]
struct Declared {
    resource: Option<Resource>,
    name: Option<Vec<u8>>,
    metric: Option<Name>,
    no_values: bool,
    attributes: Vec<(Attribute, Vec<u8>)>,
    /// It names a resource that may still come.
    waits: bool,
}

/// Reads one line of either kind.
pub(super) fn line(
    rows: &mut Rows,
    keyword: &[u8],
    head: &[u8],
    attributes: &[u8],
    raw: &[u8],
    last: bool,
    b: &mut TraceBuilder,
) -> Result<(), Diag> {
    let words = Words::of(head);
    match keyword {
        b"S" | b"TS" | b"TSS" => declaration(rows, keyword, words, attributes, raw, last, b),
        b"F" => piece(rows, words, raw, last, b),
        _ => samples(rows, head, raw, last, b),
    }
}

fn declaration(
    rows: &mut Rows,
    keyword: &[u8],
    words: Words<'_>,
    attributes: &[u8],
    raw: &[u8],
    last: bool,
    b: &mut TraceBuilder,
) -> Result<(), Diag> {
    let (shown, fields) = match keyword {
        b"S" => ("S", 1),
        b"TS" => ("TS", 1),
        _ => ("TSS", 2),
    };
    if !few_or_many(shown, words, fields..=fields, raw, b)? {
        return Ok(());
    }
    let id = rows.plain(words.get(0)).into_owned();
    let part = rows.plain(words.get(1)).into_owned();
    let key = (id, part);
    let is_known = match keyword {
        b"S" => rows.signals.signals.contains_key(&key.0),
        b"TS" => rows.signals.series.contains_key(&key.0),
        _ => rows.signals.parts.contains_key(&key),
    };
    if is_known {
        return b.reject("duplicate_signal", "the signal is declared before", raw);
    }
    if keyword == b"TSS" && !last && !rows.signals.series.contains_key(&key.0) {
        rows.wait(raw, b);
        return Ok(());
    }
    let said = declared(rows, attributes, last, b);
    if said.waits {
        rows.wait(raw, b);
        return Ok(());
    }
    let (id, part) = key;
    b.keep_record();
    rows.strays(&stray(attributes), raw, b)?;
    match keyword {
        b"TS" => {
            let series = Series {
                resource: said.resource,
                name: said.name.unwrap_or_else(|| id.clone()),
                attributes: said.attributes,
            };
            rows.signals.series.insert(id, series);
        }
        b"TSS" => {
            let signal = part_of(rows, &id, &part, said, raw, b)?;
            rows.signals.parts.insert((id, part), signal);
        }
        _ => {
            let signal = signal_of(rows, &id, said, raw, b)?;
            rows.signals.signals.insert(id, signal);
        }
    }
    Ok(())
}

fn stray(attributes: &[u8]) -> Attributes<'_> {
    let mut pairs = Attributes::of(attributes);
    let _ = pairs.by_ref().count();
    pairs
}

fn declared(rows: &mut Rows, attributes: &[u8], last: bool, b: &mut TraceBuilder) -> Declared {
    let mut said = Declared::default();
    for (key, text) in Attributes::of(attributes) {
        match rows.key(Table::Variables, key, b) {
            Key::Name => {
                said.name = Some(rows.plain(text).into_owned()).filter(|name| !name.is_empty());
            }
            Key::Metric => said.metric = Some(rows.name(text, b)),
            Key::Null => {
                said.no_values = has_word(text, column::VALUE);
                if has_word(text, column::METRIC) {
                    said.metric = Some(Name::NULL);
                }
            }
            Key::Resource => match rows.resource_called(text) {
                Some(found) => said.resource = Some(found),
                None if !last => said.waits = true,
                None => {
                    let attribute = rows.keys.attribute(Table::Variables, column::RESOURCE, b);
                    said.attributes
                        .push((attribute, rows.plain(text).into_owned()));
                }
            },
            Key::Attribute(attribute) => {
                said.attributes
                    .push((attribute, rows.plain(text).into_owned()));
            }
            _ => {}
        }
    }
    said
}

fn signal_of(
    rows: &mut Rows,
    id: &[u8],
    said: Declared,
    raw: &[u8],
    b: &mut TraceBuilder,
) -> Result<Signal, Diag> {
    let resource = match said.resource {
        Some(resource) => resource,
        None => rows.trace(raw, b)?,
    };
    let metric = match said.metric {
        Some(metric) => metric,
        None => {
            let name = said.name.unwrap_or_else(|| id.to_vec());
            own_metric(rows, resource, &name, id, b)
        }
    };
    Ok(Signal {
        resource,
        metric,
        no_values: said.no_values,
        attributes: said.attributes,
    })
}

fn part_of(
    rows: &mut Rows,
    id: &[u8],
    part: &[u8],
    said: Declared,
    raw: &[u8],
    b: &mut TraceBuilder,
) -> Result<Signal, Diag> {
    let series = rows.signals.series.get(id).cloned();
    let mut series = series.unwrap_or_else(|| Series {
        resource: None,
        name: id.to_vec(),
        attributes: Vec::new(),
    });
    let resource = match said.resource.or(series.resource) {
        Some(resource) => resource,
        None => rows.trace(raw, b)?,
    };
    let metric = match said.metric {
        Some(metric) => metric,
        None => {
            let own = said.name.as_deref().unwrap_or(part);
            let name = [&series.name, &b"/"[..], own].concat();
            let number = [id, b"/", part].concat();
            own_metric(rows, resource, &name, &number, b)
        }
    };
    series.attributes.extend(said.attributes);
    Ok(Signal {
        resource,
        metric,
        no_values: said.no_values,
        attributes: series.attributes,
    })
}

/// The metric of a name, or `name#id` where another signal of the resource has it.
fn own_metric(
    rows: &mut Rows,
    resource: Resource,
    name: &[u8],
    id: &[u8],
    b: &mut TraceBuilder,
) -> Name {
    let metric = b.name(name);
    if rows.signals.taken.insert((resource, metric)) {
        return metric;
    }
    let metric = b.name(&[name, b"#", id].concat());
    rows.signals.taken.insert((resource, metric));
    metric
}

/// `F id t0 t1 c b a`: c + b x + a x², x counted from t0 in the unit of the file.
fn piece(
    rows: &mut Rows,
    words: Words<'_>,
    raw: &[u8],
    last: bool,
    b: &mut TraceBuilder,
) -> Result<(), Diag> {
    if !few_or_many("F", words, 6..=6, raw, b)? {
        return Ok(());
    }
    let id = rows.plain(words.get(0)).into_owned();
    if !rows.signals.signals.contains_key(&id) {
        if !last {
            rows.wait(raw, b);
            return Ok(());
        }
        let shown = String::from_utf8_lossy(&id);
        let message = format!("the signal `{shown}` is not declared");
        b.repair("unknown_signal", &message, raw)?;
        let signal = signal_of(rows, &id, Declared::default(), raw, b)?;
        rows.signals.signals.insert(id.clone(), signal);
    }
    let start = match b.bound(words.get(1), "t0", raw)? {
        Bound::Rejected => return Ok(()),
        bound => bound.ticks(),
    };
    let end = match b.bound(words.get(2), "t1", raw)? {
        Bound::Rejected => return Ok(()),
        bound => bound.ticks(),
    };
    let mut polynomial = [0.0; 3];
    for (at, slot) in polynomial.iter_mut().enumerate() {
        *slot = match number(words.get(3 + at)) {
            Ok(Some(value)) => value,
            Ok(None) => {
                return b.reject("value_not_a_number", "the value is not a number", raw);
            }
            Err((reason, message)) => return b.reject(reason, message, raw),
        };
    }
    let Some(signal) = rows.signals.signals.get(&id) else {
        return Ok(());
    };
    let (value, slope) = (polynomial[0], &polynomial[1..]);
    let row = VariableRow {
        resource: signal.resource,
        metric: signal.metric,
        start,
        end,
        value: (!signal.no_values).then_some(value),
    };
    let (Some(t0), Some(t1), false) = (start, end, slope == [0.0, 0.0]) else {
        if let Some(row) = b.add_variable(row, raw)? {
            for (attribute, text) in &signal.attributes {
                b.set(*attribute, row, text);
            }
        }
        return Ok(());
    };
    if t1 < t0 {
        // The policy about reversed times is the builder's.
        b.add_variable(row, raw)?;
        return Ok(());
    }
    let known = rows.signals.coefficients;
    let columns =
        known.unwrap_or_else(|| ["c", "b", "a"].map(|name| b.attribute(Table::Variables, name)));
    rows.signals.coefficients = Some(columns);
    let Some(signal) = rows.signals.signals.get(&id) else {
        return Ok(());
    };
    let clock = b.clock();
    let mut before = None;
    for at in 0..=PARTS {
        let length = i128::from(t1) - i128::from(t0);
        let passed = length * at / PARTS;
        let (Ok(passed), Ok(time)) = (
            i64::try_from(passed),
            i64::try_from(i128::from(t0) + passed),
        ) else {
            continue;
        };
        if before == Some(time) {
            continue;
        }
        // Of one record: only the first row counts it as kept.
        let is_first = before.is_none();
        before = Some(time);
        let x: f64 = clock.format(passed).parse().unwrap_or(0.0);
        let value = polynomial[0] + x * (polynomial[1] + x * polynomial[2]);
        let row = VariableRow {
            start: Some(time),
            end: None,
            value: Some(value).filter(|value| value.is_finite() && !signal.no_values),
            ..row
        };
        let Some(row) = b.add_variable(row, raw)? else {
            continue;
        };
        if !is_first {
            b.unkeep_record();
        }
        for (attribute, value) in columns.iter().zip(polynomial) {
            b.set(*attribute, row, format!("{value:?}").as_bytes());
        }
        for (attribute, text) in &signal.attributes {
            b.set(*attribute, row, text);
        }
    }
    Ok(())
}

/// `TSP id series t v t v …`; brackets and commas around pairs are free.
fn samples(
    rows: &mut Rows,
    head: &[u8],
    raw: &[u8],
    last: bool,
    b: &mut TraceBuilder,
) -> Result<(), Diag> {
    let separators = |byte: &u8| byte.is_ascii_whitespace() || b"(),".contains(byte);
    let mut words = head.split(separators).filter(|word| !word.is_empty());
    let (Some(id), Some(part)) = (words.next(), words.next()) else {
        return b.reject(
            "too_few_fields",
            "`TSP` names a time series and a series",
            raw,
        );
    };
    let key = (rows.plain(id).into_owned(), rows.plain(part).into_owned());
    if !rows.signals.parts.contains_key(&key) {
        if !last {
            rows.wait(raw, b);
            return Ok(());
        }
        b.repair("unknown_signal", "the series is not declared", raw)?;
        let signal = part_of(rows, &key.0, &key.1, Declared::default(), raw, b)?;
        rows.signals.parts.insert(key.clone(), signal);
    }
    if words.clone().count() % 2 != 0 {
        return b.reject("too_few_fields", "a time without a value", raw);
    }
    let Some(signal) = rows.signals.parts.get(&key) else {
        return Ok(());
    };
    // The whole line or none of it.
    let mut looked = words.clone();
    while let (Some(time), Some(text)) = (looked.next(), looked.next()) {
        if let Err(error) = b.length(time)
            && b.no_time(error, "time", raw)? == Bound::Rejected
        {
            return Ok(());
        }
        if let Err((reason, message)) = number(text) {
            return b.reject(reason, message, raw);
        }
    }
    let mut is_first = true;
    while let (Some(time), Some(text)) = (words.next(), words.next()) {
        let start = match b.bound(time, "time", raw)? {
            // An offset may still push it out of range.
            Bound::Rejected if !is_first => {
                b.unkeep_record();
                return Ok(());
            }
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let value = number(text).ok().flatten();
        let row = VariableRow {
            resource: signal.resource,
            metric: signal.metric,
            start,
            end: None,
            value: value.filter(|_| !signal.no_values),
        };
        let Some(row) = b.add_variable(row, raw)? else {
            return Ok(());
        };
        if !std::mem::replace(&mut is_first, false) {
            b.unkeep_record();
        }
        for (attribute, text) in &signal.attributes {
            b.set(*attribute, row, text);
        }
    }
    if is_first {
        b.keep_record();
    }
    Ok(())
}
