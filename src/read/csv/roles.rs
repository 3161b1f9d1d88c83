//! Which column of a table plays which part: as told, else by their usual names.
//!
//! A name counts without case, blanks, `_`, `-` and a unit in brackets: `Start Time (s)` is `starttime`.
//! Each part has tiers of names; the first tier with a column decides, and two columns in it are an error.

use crate::diag::{Diag, code};
use crate::read::Roles;
use crate::spec::TimeUnit;

/// A part that a column can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// What the row is about: its resource; of `resources` its path or name.
    Resource,
    /// Type.
    Kind,
    /// Value.
    Value,
    /// Start.
    Start,
    /// End.
    End,
    /// Length, where there is no end.
    Duration,
    /// Time of an event or sample.
    Time,
    /// Own id.
    Id,
    /// Name of the variable.
    Metric,
    /// Nesting depth.
    Depth,
    /// Id of the state a link leaves.
    Source,
    /// Id of the state a link reaches.
    Target,
    /// Resource a link leaves.
    SourceResource,
    /// Resource a link reaches.
    TargetResource,
    /// Which end of the source state.
    SourcePoint,
    /// Which end of the target state.
    TargetPoint,
    /// Key of a link.
    Key,
    /// The trace ended before the state did.
    Truncated,
    /// Bare name of a resource.
    Name,
    /// Parent of a resource.
    Parent,
    /// Capacity of a resource.
    Capacity,
}

impl Role {
    /// The name of its option of `load`, and of the column of the model.
    pub fn word(self) -> &'static str {
        match self {
            Role::Resource => "resource",
            Role::Kind => "type",
            Role::Value => "value",
            Role::Start => "start",
            Role::End => "end",
            Role::Duration => "duration",
            Role::Time => "time",
            Role::Id => "id",
            Role::Metric => "metric",
            Role::Depth => "depth",
            Role::Source => "source",
            Role::Target => "target",
            Role::SourceResource => "source_resource",
            Role::TargetResource => "target_resource",
            Role::SourcePoint => "source_point",
            Role::TargetPoint => "target_point",
            Role::Key => "key",
            Role::Truncated => "truncated",
            Role::Name => "name",
            Role::Parent => "parent",
            Role::Capacity => "capacity",
        }
    }

    fn given(self, roles: &Roles) -> Option<&String> {
        match self {
            Role::Resource => roles.resource.as_ref(),
            Role::Kind => roles.kind.as_ref(),
            Role::Value => roles.value.as_ref(),
            Role::Start => roles.start.as_ref(),
            Role::End => roles.end.as_ref(),
            Role::Duration => roles.duration.as_ref(),
            Role::Time => roles.time.as_ref(),
            Role::Id => roles.id.as_ref(),
            Role::Metric => roles.metric.as_ref(),
            Role::Depth => roles.depth.as_ref(),
            Role::Source => roles.source.as_ref(),
            Role::Target => roles.target.as_ref(),
            _ => None,
        }
    }

    /// Usual names, best first. The first tier is the name itself and what means nothing else.
    fn names(self) -> &'static [&'static [&'static str]] {
        match self {
            Role::Resource => &[
                &["resource"],
                &["resourceid", "container"],
                &[
                    "worker",
                    "workerid",
                    "cpu",
                    "cpuid",
                    "core",
                    "thread",
                    "threadid",
                    "process",
                    "processid",
                    "rank",
                    "node",
                    "host",
                    "machine",
                    "lane",
                    "track",
                    "entity",
                    "agent",
                    "location",
                ],
                &["tid", "pid", "mpirank", "proc", "device", "stream"],
            ],
            Role::Kind => &[&["type"], &["statetype", "kind", "category", "cat"]],
            Role::Value => &[
                &["value"],
                &["state", "phase", "activity", "status"],
                &["name", "taskname", "function", "operation", "label"],
                &["task", "tasktype", "event", "eventname", "op", "region"],
            ],
            Role::Start => &[
                &["start"],
                &[
                    "starttime",
                    "begin",
                    "begintime",
                    "tstart",
                    "timestart",
                    "startedat",
                ],
                &["t0", "ts"],
            ],
            Role::End => &[
                &["end"],
                &[
                    "endtime",
                    "finish",
                    "finishtime",
                    "stop",
                    "stoptime",
                    "tend",
                    "timeend",
                    "endedat",
                ],
                &["t1"],
            ],
            Role::Duration => &[&["duration"], &["dur", "elapsed", "length"]],
            Role::Time => &[&["time"], &["timestamp", "instant"], &["ts", "t"]],
            Role::Id => &[&["id"], &["jobid", "taskid", "stateid", "claimid"]],
            Role::Metric => &[&["metric"], &["variable", "counter", "measure"]],
            Role::Depth => &[&["depth"], &["imbrication", "nesting"]],
            Role::Source => &[&["source"], &["from", "src"], &["dependent"]],
            Role::Target => &[&["target"], &["to", "dst", "dest"]],
            Role::SourceResource => &[&["sourceresource"], &["origin", "startcontainer"]],
            Role::TargetResource => &[&["targetresource"], &["dest", "endcontainer"]],
            Role::SourcePoint => &[&["sourcepoint"]],
            Role::TargetPoint => &[&["targetpoint"]],
            Role::Key => &[&["key"]],
            Role::Truncated => &[&["truncated"]],
            Role::Name => &[&["name"]],
            Role::Parent => &[&["parent"]],
            Role::Capacity => &[&["capacity"]],
        }
    }
}

/// A column found for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// 0-based column.
    pub column: usize,
    /// The user named it.
    pub given: bool,
    /// Its name is that of the part itself.
    pub exact: bool,
}

/// The columns of a table by name.
#[derive(Debug)]
pub struct Finder<'a> {
    header: &'a [String],
    plain: Vec<String>,
    roles: &'a Roles,
}

impl<'a> Finder<'a> {
    /// Looks among these columns; what the user said comes first.
    pub fn new(header: &'a [String], roles: &'a Roles) -> Finder<'a> {
        Finder {
            header,
            plain: header.iter().map(|name| plain_name(name)).collect(),
            roles,
        }
    }

    /// The column of a part, if there is one. An error where the user named one that is not there, or
    /// where two columns fit equally.
    pub fn find(&self, role: Role) -> Result<Option<Found>, Diag> {
        self.find_among(role, role.names())
    }

    /// Like [`Finder::find`], with other usual names.
    pub fn find_among(&self, role: Role, tiers: &[&[&str]]) -> Result<Option<Found>, Diag> {
        if let Some(name) = role.given(self.roles) {
            return match self.named(name) {
                Some(column) => Ok(Some(Found {
                    column,
                    given: true,
                    exact: false,
                })),
                None => Err(self.no_column(role, name)),
            };
        }
        for (tier, names) in tiers.iter().enumerate() {
            let fits = |name: &String| names.contains(&name.as_str());
            let columns: Vec<usize> = (0..self.plain.len())
                .filter(|column| self.plain.get(*column).is_some_and(fits))
                .filter(|column| !self.is_given_away(*column))
                .collect();
            match columns.as_slice() {
                [] => {}
                [column] => {
                    return Ok(Some(Found {
                        column: *column,
                        given: false,
                        exact: tier == 0,
                    }));
                }
                several => return Err(self.ambiguous(role, several)),
            }
        }
        Ok(None)
    }

    /// The column of that name: to the letter, else without case, blanks and unit.
    fn named(&self, name: &str) -> Option<usize> {
        let exact = self.header.iter().position(|known| known == name);
        exact.or_else(|| {
            let plain = plain_name(name);
            self.plain.iter().position(|known| *known == plain)
        })
    }

    /// True where the user gave the column another part.
    fn is_given_away(&self, column: usize) -> bool {
        let roles = [
            Role::Resource,
            Role::Kind,
            Role::Value,
            Role::Start,
            Role::End,
            Role::Duration,
            Role::Time,
            Role::Id,
            Role::Metric,
            Role::Depth,
            Role::Source,
            Role::Target,
        ];
        roles
            .into_iter()
            .filter_map(|role| role.given(self.roles))
            .any(|name| self.named(name) == Some(column))
    }

    fn no_column(&self, role: Role, name: &str) -> Diag {
        let nearest = self
            .header
            .iter()
            .map(|known| (strsim::jaro_winkler(known, name), known))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(score, _)| *score > 0.8);
        let help = match nearest {
            Some((_, known)) => format!("`{}=\"{known}\"`; columns: {}", role.word(), self.list()),
            None => format!("columns: {}", self.list()),
        };
        Diag::error(
            &code::MISSING_ROLE,
            format!("the table has no column `{name}`"),
        )
        .help(help)
    }

    fn ambiguous(&self, role: Role, columns: &[usize]) -> Diag {
        let name = |column: &usize| self.header.get(*column).map_or("", String::as_str);
        let shown: Vec<String> = columns.iter().map(|c| format!("`{}`", name(c))).collect();
        let write: Vec<String> = columns
            .iter()
            .map(|column| format!("`{}=\"{}\"`", role.word(), name(column)))
            .collect();
        let message = format!("{} could each be the {}", shown.join(" and "), role.word());
        Diag::error(&code::AMBIGUOUS_INPUT, message).help(write.join(" or "))
    }

    /// The names of the columns, for messages.
    pub fn list(&self) -> String {
        let shown: Vec<String> = self
            .header
            .iter()
            .take(40)
            .map(|n| format!("`{n}`"))
            .collect();
        let more = if self.header.len() > 40 { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }
}

/// Lower case, letters and digits only, without a part in brackets at the end.
fn plain_name(name: &str) -> String {
    let bare = match name.find(['(', '[']) {
        Some(at) if at > 0 => name.get(..at).unwrap_or(name),
        _ => name,
    };
    bare.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The unit that a column name says in brackets: `Timestamp (s)`, `start [ms]`.
pub fn unit_of(name: &str) -> Option<TimeUnit> {
    let start = name.find(['(', '['])?;
    let inner = name.get(start + 1..)?;
    let end = inner.find([')', ']'])?;
    TimeUnit::from_name(inner.get(..end)?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_their_usual_names() {
        let header = header(&["sched", "Tid", "worker", "taskType", "Start Time (s)", "t1"]);
        let roles = Roles::default();
        let finder = Finder::new(&header, &roles);
        let column = |role| finder.find(role).ok().flatten().map(|found| found.column);
        assert_eq!(column(Role::Resource), Some(2));
        assert_eq!(column(Role::Value), Some(3));
        assert_eq!(column(Role::Start), Some(4));
        assert_eq!(column(Role::End), Some(5));
        assert_eq!(column(Role::Metric), None);
        assert_eq!(unit_of("Start Time (s)"), Some(TimeUnit::Second));
    }

    #[test]
    fn what_the_user_names_comes_first_and_must_exist() {
        let header = header(&["node", "cpu", "value", "phase"]);
        let mut roles = Roles::default();
        let code = |roles: &Roles, role| match Finder::new(&header, roles).find(role) {
            Err(diag) => diag.code.name.to_owned(),
            Ok(found) => format!("{:?}", found.map(|found| found.column)),
        };
        assert_eq!(code(&roles, Role::Resource), "ambiguous_input");
        roles.resource = Some("CPU".to_owned());
        assert_eq!(code(&roles, Role::Resource), "Some(1)");
        roles.value = Some("phase".to_owned());
        assert_eq!(code(&roles, Role::Value), "Some(3)");
        roles.start = Some("begin".to_owned());
        assert_eq!(code(&roles, Role::Start), "missing_role");
    }
}
