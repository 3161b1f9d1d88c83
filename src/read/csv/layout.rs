//! What the rows of a table are, and where each row keeps its parts.

use super::roles::{Finder, Found, Role, unit_of};
use crate::diag::{Diag, code};
use crate::model::builder::{Attribute, Table, TraceBuilder};
use crate::read::Roles;
use crate::spec::TimeUnit;

/// Columns of attributes beyond this are left out.
const MAX_COLUMNS: usize = 1_000;

/// Where the rows of one kind keep their parts, and which columns are attributes.
#[derive(Debug)]
pub struct Layout {
    /// The relation that the rows go to.
    pub table: Table,
    /// Parts with their columns.
    parts: Vec<(Role, Found)>,
    /// Attribute of each column; None for parts and columns that are left out.
    attributes: Vec<Slot>,
    header: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    /// Not looked at yet.
    New,
    /// Plays a part, or is one column too many.
    Skip,
    /// Goes to this attribute.
    To(Attribute),
}

impl Layout {
    fn new(table: Table, header: &[String], parts: Vec<(Role, Found)>) -> Layout {
        let mut attributes = vec![Slot::New; header.len()];
        for (role, found) in &parts {
            // Ids stay visible under the name the file has for them.
            let name = header.get(found.column).map(String::as_str);
            if *role == Role::Id && name != Some("id") {
                continue;
            }
            if let Some(slot) = attributes.get_mut(found.column) {
                *slot = Slot::Skip;
            }
        }
        Layout {
            table,
            parts,
            attributes,
            header: header.to_vec(),
        }
    }

    /// The column of a part.
    pub fn column(&self, role: Role) -> Option<usize> {
        self.found(role).map(|found| found.column)
    }

    fn found(&self, role: Role) -> Option<Found> {
        let part = self.parts.iter().find(|(known, _)| *known == role);
        part.map(|(_, found)| *found)
    }

    /// What the file calls a part.
    pub fn name(&self, role: Role) -> &str {
        let name = self.column(role).and_then(|column| self.header.get(column));
        name.map_or(role.word(), String::as_str)
    }

    /// True where ids come from a column that the user did not name and that is not called `id`.
    pub fn guesses_ids(&self) -> bool {
        self.found(Role::Id)
            .is_some_and(|found| !found.given && !found.exact)
    }

    /// The attribute that a column goes to; None where it plays a part. Cells past the last name are
    /// `col9`, `col10`, ….
    pub fn attribute(&mut self, column: usize, builder: &mut TraceBuilder) -> Option<Attribute> {
        if column >= self.attributes.len() {
            if column >= self.header.len() + MAX_COLUMNS {
                return None;
            }
            self.attributes.resize(column + 1, Slot::New);
        }
        let slot = self.attributes.get_mut(column)?;
        match slot {
            Slot::Skip => None,
            Slot::To(attribute) => Some(*attribute),
            Slot::New if column >= MAX_COLUMNS => {
                *slot = Slot::Skip;
                None
            }
            Slot::New => {
                let name = match self.header.get(column) {
                    Some(name) => name.clone(),
                    None => format!("col{}", column + 1),
                };
                let attribute = builder.attribute(self.table, &name);
                *slot = Slot::To(attribute);
                Some(attribute)
            }
        }
    }

    /// What was taken for what, for the load report; None where every part has its own name.
    pub fn note(&self, what: &str) -> Option<String> {
        if self.parts.iter().all(|(_, found)| found.exact) {
            return None;
        }
        let shown: Vec<String> = self
            .parts
            .iter()
            .map(|(role, _)| format!("{} = `{}`", role.word(), self.name(*role)))
            .collect();
        let relation = self.table.relation();
        Some(format!(
            "{what} was read as {relation}: {}",
            shown.join(", ")
        ))
    }
}

/// Column names made distinct and non-empty: `x`, `x_2`, `col3`.
pub fn distinct_names(header: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    let mut taken = rustc_hash::FxHashSet::default();
    for (column, name) in header.iter().enumerate() {
        let base = match name.trim() {
            "" => format!("col{}", column + 1),
            name => name.to_owned(),
        };
        let mut name = base.clone();
        let mut copy = 2;
        while !taken.insert(name.clone()) {
            name = format!("{base}_{copy}");
            copy += 1;
        }
        names.push(name);
    }
    names
}

/// The unit that all columns of times say in brackets; None where none does or they differ.
pub fn unit(header: &[String], roles: &Roles) -> Option<TimeUnit> {
    let finder = Finder::new(header, roles);
    let times = [Role::Start, Role::End, Role::Duration, Role::Time];
    let mut units = times
        .into_iter()
        .filter_map(|role| finder.find(role).ok().flatten())
        .filter_map(|found| header.get(found.column))
        .filter_map(|name| unit_of(name));
    let first = units.next()?;
    units.all(|unit| unit == first).then_some(first)
}

/// The layout of a plain table: its columns decide what its rows are.
pub fn of_table(header: &[String], roles: &Roles, relation: Option<Table>) -> Result<Layout, Diag> {
    let finder = Finder::new(header, roles);
    let table = match relation {
        Some(table) => table,
        None => kind_of(&finder)?,
    };
    let mut parts = Vec::new();
    for role in roles_of(table) {
        let found = match (role, table) {
            // A sample has `time` where a step has `start`.
            (Role::Start, Table::States | Table::Variables) => match finder.find(Role::Start)? {
                Some(found) => Some(found),
                None => finder.find(Role::Time)?,
            },
            (Role::Target, _) => match finder.find(Role::Target)? {
                Some(found) => Some(found),
                // Rows `Dependent,JobId` of StarPU: the job depends on the first.
                None => finder.find_among(Role::Target, &[&["jobid"]])?,
            },
            (Role::Value, Table::Variables) => {
                finder.find_among(Role::Value, &[&["value"], &["reading", "amount", "count"]])?
            }
            _ => finder.find(*role)?,
        };
        let Some(found) = found else {
            continue;
        };
        // One column plays one part: the first that asks.
        if parts
            .iter()
            .all(|(_, known): &(Role, Found)| known.column != found.column)
        {
            parts.push((*role, found));
        }
    }
    let layout = Layout::new(table, header, parts);
    for role in needed(table) {
        let has = |role| layout.column(role).is_some();
        let instead = match role {
            Role::End => has(Role::Duration),
            Role::Resource => has(Role::Name) && table == Table::Resources,
            _ => false,
        };
        if !has(*role) && !instead {
            return Err(missing_role(&finder, table, *role));
        }
    }
    Ok(layout)
}

fn kind_of(finder: &Finder<'_>) -> Result<Table, Diag> {
    let has = |role| finder.find(role).map(|found| found.is_some());
    let from_to = has(Role::Source)? && (has(Role::Target)? || has(Role::Id)?);
    let start = has(Role::Start)?;
    let end = has(Role::End)? || has(Role::Duration)?;
    // `time` alone also looks like a start (`ts`).
    let time = has(Role::Time)?;
    if from_to && !has(Role::Resource)? {
        return Ok(Table::Links);
    }
    if has(Role::Metric)? && (start || time) {
        return Ok(Table::Variables);
    }
    if has(Role::Parent)? && has(Role::Name)? && !has(Role::Resource)? {
        return Ok(Table::Resources);
    }
    if end && (start || time) {
        return Ok(Table::States);
    }
    if time {
        return Ok(Table::Events);
    }
    if start || end {
        let role = if start { Role::End } else { Role::Start };
        return Err(missing_role(finder, Table::States, role));
    }
    let message = "no column of the table says when anything happened";
    Err(Diag::error(&code::MISSING_ROLE, message).help(format!(
        "columns: {}; `start=\"…\" end=\"…\"` (or `duration=`) names those of states, `time=\"…\"` that of events",
        finder.list()
    )))
}

fn missing_role(finder: &Finder<'_>, table: Table, role: Role) -> Diag {
    let message = format!(
        "no column of the table gives the {} of its {}",
        role.word(),
        table.relation()
    );
    let or = match role {
        Role::End => " or `duration=\"…\"`",
        _ => "",
    };
    let help = format!(
        "columns: {}; write `{}=\"…\"`{or}",
        finder.list(),
        role.word()
    );
    Diag::error(&code::MISSING_ROLE, message).help(help)
}

/// Parts that rows of a relation can have, those first that are asked first.
fn roles_of(table: Table) -> &'static [Role] {
    use Role::*;
    match table {
        Table::States => &[
            Start, End, Duration, Resource, Kind, Value, Depth, Id, Truncated,
        ],
        Table::Events => &[Time, Resource, Kind, Value, Id],
        Table::Links => &[
            Source,
            Target,
            SourceResource,
            TargetResource,
            SourcePoint,
            TargetPoint,
            Start,
            End,
            Kind,
            Value,
            Key,
            Id,
        ],
        Table::Variables => &[Start, End, Duration, Resource, Metric, Value],
        Table::Resources => &[Name, Resource, Parent, Kind, Start, End, Capacity],
    }
}

/// Parts that rows of a relation must have.
fn needed(table: Table) -> &'static [Role] {
    match table {
        Table::States => &[Role::Start, Role::End, Role::Resource],
        Table::Events => &[Role::Time, Role::Resource],
        Table::Links => &[],
        Table::Variables => &[Role::Start, Role::Resource, Role::Metric, Role::Value],
        Table::Resources => &[Role::Resource],
    }
}

/// The layout of the rows of one `Nature` in a table whose first column says so.
pub fn of_nature(header: &[String], roles: &Roles, table: Table) -> Result<Layout, Diag> {
    use Role::*;
    let finder = Finder::new(header, roles);
    let resource: &[&[&str]] = &[&["resourceid", "container", "resource"]];
    let named: &[(Role, &[&[&str]])] = match table {
        Table::States => &[
            (Resource, resource),
            (Kind, &[&["type"]]),
            (Start, &[&["start"]]),
            (End, &[&["end"]]),
            (Duration, &[&["duration"]]),
            (Depth, &[&["depth", "imbrication"]]),
            (Value, &[&["value"]]),
            (Id, &[&["id"], &["jobid"]]),
        ],
        Table::Events => &[
            (Resource, resource),
            (Kind, &[&["type"]]),
            (Time, &[&["start", "time"]]),
            (Value, &[&["value"]]),
        ],
        Table::Links => &[
            (Resource, resource),
            (Kind, &[&["type"]]),
            (Start, &[&["start"]]),
            (End, &[&["end"]]),
            (Duration, &[&["duration"]]),
            (Value, &[&["value"], &["size"]]),
            (SourceResource, &[&["origin", "startcontainer"]]),
            (TargetResource, &[&["dest", "endcontainer"]]),
            (Key, &[&["key"]]),
        ],
        Table::Variables => &[
            (Resource, resource),
            (Metric, &[&["type"]]),
            (Start, &[&["start"]]),
            (End, &[&["end"]]),
            (Duration, &[&["duration"]]),
            (Value, &[&["value"]]),
        ],
        Table::Resources => &[
            (Parent, &[&["parent"]]),
            (Kind, &[&["type"]]),
            (Name, &[&["name"]]),
            (Start, &[&["start"]]),
            (End, &[&["end"]]),
        ],
    };
    let mut parts = Vec::new();
    for (role, tiers) in named {
        if let Some(found) = finder.find_among(*role, tiers)? {
            parts.push((
                *role,
                Found {
                    exact: found.exact && !found.given,
                    ..found
                },
            ));
        }
    }
    let mut layout = Layout::new(table, header, parts);
    let nature = header.iter().position(|name| is_nature(name));
    if let Some(slot) = nature.and_then(|column| layout.attributes.get_mut(column)) {
        *slot = Slot::Skip;
    }
    let needed: &[Role] = match table {
        Table::States => &[Resource, Start, End],
        Table::Events => &[Resource, Time],
        Table::Links => &[Start, End],
        Table::Variables => &[Resource, Metric, Start, Value],
        Table::Resources => &[Name],
    };
    for role in needed {
        if layout.column(*role).is_none() {
            return Err(missing_role(&finder, table, *role));
        }
    }
    Ok(layout)
}

/// True for the column that says what kind a row is.
pub fn is_nature(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("nature")
}
