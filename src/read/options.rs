//! What a load can be told. Every guess of a reader has an option here that overrides it.

use crate::model::Policy;
use crate::spec::TimeUnit;

/// Options of a load, as `load "…" name=value` and `marey info` give them.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Files as the user wrote them: names, patterns (`run-*.csv`), `-` for standard input.
    pub paths: Vec<String>,
    /// Tables of dependencies between the states of these files, named likewise; mostly none.
    pub deps: Vec<String>,
    /// Unit of the numbers in the files; None leaves it to the format.
    pub unit: Option<TimeUnit>,
    /// Length of a tick; default 1 ns (1 ps where the unit is ps). Without a unit it means nothing.
    pub resolution: Option<TimeUnit>,
    /// What to do with bad rows.
    pub policy: Policy,
    /// Name of a reader; None looks at the content.
    pub format: Option<String>,
    /// Which columns of a table play which part.
    pub roles: Roles,
    /// Names of the user columns that a headerless file has behind the fixed ones. None: fields beyond
    /// them become `col9`, `col10`, …; an empty list: they belong to the last value, commas and all.
    pub columns: Option<Vec<String>>,
    /// What the rows of a table are (`states`, `events`, `links`, `variables`, `resources`); None goes by
    /// its columns.
    pub relation: Option<String>,
    /// Separator of a table; None guesses among `, ; tab |`.
    pub separator: Option<char>,
    /// Decimal mark of a table, `.` or `,`; None guesses.
    pub decimal: Option<char>,
    /// Make a column of this name from what tells the file names apart, and keep equal resource names
    /// of different files apart.
    pub file_as: Option<String>,
    /// Added to every time, file by file in the order they are read; one value is for all. In picoseconds,
    /// or 10^-9 units for a trace without a unit (like `Value::Time`, `Value::LogicalTime`). Empty: none.
    pub offsets: Vec<i128>,
}

impl ReadOptions {
    /// True where an option only makes sense for a table.
    pub fn is_about_a_table(&self) -> bool {
        self.separator.is_some() || self.decimal.is_some() || self.roles != Roles::default()
    }
}

/// Column names of a table by the part they play. None: found by their usual names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// Whose state, event or variable.
    pub resource: Option<String>,
    /// Type of the state, event or link.
    pub kind: Option<String>,
    /// Value; of a variable its number.
    pub value: Option<String>,
    /// Start of a state.
    pub start: Option<String>,
    /// End of a state.
    pub end: Option<String>,
    /// Length of a state, where there is no end.
    pub duration: Option<String>,
    /// Time of an event or sample.
    pub time: Option<String>,
    /// The row's own id.
    pub id: Option<String>,
    /// Name of the variable.
    pub metric: Option<String>,
    /// Nesting depth.
    pub depth: Option<String>,
    /// Id of the state that a link leaves.
    pub source: Option<String>,
    /// Id of the state that a link reaches.
    pub target: Option<String>,
}
