//! What the keys of attributes mean: columns of the model, parts of the row, or attributes of their own.
//!
//! The format has no place for some columns of a trace. marey writes those as attributes that begin with
//! `marey.`, and takes them back here:
//!
//! | key | on | column |
//! | --- | --- | --- |
//! | `marey.type` | R C E D | type |
//! | `marey.depth`, `marey.truncated` | C | depth, truncated |
//! | `marey.parent`, `marey.start`, `marey.end` | R | parent (an id of R), start, end |
//! | `marey.metric` | S TSS | metric, as it is |
//! | `marey.start`, `marey.end`, `marey.key` | D | start, end, key |
//! | `marey.source_point`, `marey.target_point` | D | the same |
//! | `marey.source_resource`, `marey.target_resource` | D | the same, as ids of R |
//! | `marey.place` | E D | the event stands for an end of a link that is no state |
//! | `marey.null` | any | words: columns that are null though the line has something there |
//! | `marey.attr.X` | any | an attribute called X to the letter |
//! | `marey.escape` | T | `percent`: texts after this line hold `%2C` for a comma and so on |
//! | `marey.trace` | T | the name of the resource for what has none |

use crate::model::TraceBuilder;
use crate::model::builder::{Attribute, Table};
use crate::model::schema::column;
use rustc_hash::FxHashMap;

/// The prefix of keys that stand for columns of the model.
pub(super) const OWN: &str = "marey.";

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// An attribute.
    Attribute(Attribute),
    /// The value (of resources the name, of signals the metric).
    Name,
    /// The resource of an event or signal, by id or name.
    Resource,
    /// `marey.type`.
    Kind,
    /// `marey.depth`.
    Depth,
    /// `marey.truncated`.
    Truncated,
    /// `marey.parent`.
    Parent,
    /// `marey.start`.
    Start,
    /// `marey.end`.
    End,
    /// `marey.metric`.
    Metric,
    /// `marey.key`.
    Label,
    /// `marey.source_point`.
    SourcePoint,
    /// `marey.target_point`.
    TargetPoint,
    /// `marey.source_resource`.
    SourceResource,
    /// `marey.target_resource`.
    TargetResource,
    /// `marey.place`.
    Place,
    /// `marey.null`.
    Null,
    /// `marey.escape`.
    Escape,
    /// `marey.trace`.
    Trace,
}

/// Columns that this reader fills itself, so that an attribute of such a name is `attr.NAME`.
fn reserved(table: Table) -> &'static [&'static str] {
    match table {
        Table::States => &[column::AMOUNT, column::OFFSET],
        Table::Events => &[],
        Table::Links => &[column::SOURCE_EVENT, column::TARGET_EVENT],
        Table::Variables => &["c", "b", "a"],
        Table::Resources => &[column::RESOURCE_ID, column::USES_OFFSET, column::ORIGIN],
    }
}

/// The keys met so far. Looking one up costs no allocation.
#[derive(Debug)]
pub(super) struct Keys {
    known: [FxHashMap<Vec<u8>, Key>; Table::ALL.len()],
    /// The key that is the value of a claim.
    value: String,
    /// Attributes of claims, in order of appearance.
    pub(super) of_claims: Vec<String>,
}

impl Keys {
    /// `value` names the attribute that is the value of a claim.
    pub(super) fn new(value: Option<&str>) -> Keys {
        Keys {
            known: Default::default(),
            value: value.unwrap_or("name").to_owned(),
            of_claims: Vec::new(),
        }
    }

    /// The attribute that is the value of a claim.
    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// What a key stands for on lines that become rows of `table`.
    pub(super) fn get(&mut self, table: Table, key: &[u8], b: &mut TraceBuilder) -> Key {
        let known = self.known.get(table as usize);
        if let Some(found) = known.and_then(|keys| keys.get(key)) {
            return *found;
        }
        let found = self.new_key(table, &String::from_utf8_lossy(key), b);
        if let Some(keys) = self.known.get_mut(table as usize) {
            keys.insert(key.to_vec(), found);
        }
        found
    }

    fn new_key(&mut self, table: Table, key: &str, b: &mut TraceBuilder) -> Key {
        let is_value = match table {
            Table::States => key == self.value,
            _ => key == "name",
        };
        if is_value {
            return Key::Name;
        }
        if key == "resource" && matches!(table, Table::Events | Table::Variables) {
            return Key::Resource;
        }
        if let Some(own) = key.strip_prefix(OWN) {
            if let Some(name) = own.strip_prefix("attr.") {
                return Key::Attribute(b.attribute(table, name));
            }
            if let Some(found) = own_key(table, own) {
                return found;
            }
        }
        if table == Table::States {
            self.of_claims.push(key.to_owned());
        }
        Key::Attribute(self.attribute(table, key, b))
    }

    /// The column of an attribute, whatever else its key may mean.
    pub(super) fn attribute(&self, table: Table, key: &str, b: &mut TraceBuilder) -> Attribute {
        if reserved(table).contains(&key) {
            b.attribute(table, &format!("attr.{key}"))
        } else {
            b.attribute(table, key)
        }
    }
}

fn own_key(table: Table, key: &str) -> Option<Key> {
    let (states, events) = (table == Table::States, table == Table::Events);
    let (links, resources) = (table == Table::Links, table == Table::Resources);
    let found = match key {
        "null" => Key::Null,
        "type" if table != Table::Variables => Key::Kind,
        "depth" if states => Key::Depth,
        "truncated" if states => Key::Truncated,
        "parent" if resources => Key::Parent,
        "start" if links || resources => Key::Start,
        "end" if links || resources => Key::End,
        "metric" if table == Table::Variables => Key::Metric,
        "key" if links => Key::Label,
        "source_point" if links => Key::SourcePoint,
        "target_point" if links => Key::TargetPoint,
        "source_resource" if links => Key::SourceResource,
        "target_resource" if links => Key::TargetResource,
        "place" if links || events => Key::Place,
        "escape" if resources => Key::Escape,
        "trace" if resources => Key::Trace,
        _ => return None,
    };
    Some(found)
}
