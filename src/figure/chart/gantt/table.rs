//! What is plotted: rows, marks, links and reference lines, in columns.

use crate::figure::axis::TimeBase;
use crate::figure::chart::gantt::critical::Critical;
use crate::figure::text;

/// A row of the chart.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Row {
    /// Its name beside it.
    pub label: String,
    /// Index of the group it stands in.
    pub group: Option<u32>,
}

/// A use of a part of what a row has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// How much of it, not negative.
    pub amount: f64,
    /// How much there is, above 0: the height of the row.
    pub capacity: f64,
    /// From where on; where none is given, the lowest place that is free for the whole time.
    pub offset: Option<f64>,
}

/// The marks, column by column. All columns have one length; those that may be empty say what that means.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Index of the row.
    pub row: Vec<u32>,
    /// First tick.
    pub start: Vec<i64>,
    /// Tick after the last one; `start` for an instant.
    pub end: Vec<i64>,
    /// Index of the value. Empty: all have one colour, and there is nothing to explain.
    pub value: Vec<u32>,
    /// Place on the critical path. Empty: none is critical.
    pub critical: Vec<Critical>,
    /// Index of the text in the mark. Empty: no texts.
    pub label: Vec<Option<u32>>,
    /// How deeply it is nested, 0 for the outermost. Empty: all 0.
    pub depth: Vec<u32>,
    /// What part of the row it claims. Empty: all take the whole row.
    pub claim: Vec<Option<Claim>>,
}

impl Marks {
    /// Number of marks.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    pub(super) fn critical(&self, mark: usize) -> Critical {
        self.critical.get(mark).copied().unwrap_or_default()
    }

    /// Beyond the deepest level that can be drawn all are alike.
    pub(super) fn depth(&self, mark: usize) -> usize {
        self.depth.get(mark).map_or(0, |&depth| depth.min(DEEPEST)) as usize
    }

    pub(super) fn claim(&self, mark: usize) -> Option<Claim> {
        self.claim.get(mark).copied().flatten()
    }

    pub(super) fn label(&self, mark: usize) -> Option<usize> {
        self.label.get(mark).copied().flatten().map(|l| l as usize)
    }
}

/// The deepest level of nesting that is told from those above.
const DEEPEST: u32 = 31;

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Index of the row.
    pub row: u32,
    /// Tick.
    pub time: i64,
    /// Index of the mark it belongs to; without one the arrow begins or ends in the middle of the row.
    pub mark: Option<u32>,
}

/// What a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LinkClass {
    /// A link as any other.
    #[default]
    Normal,
    /// An edge of a critical path.
    Critical,
    /// An edge of a critical path that no dependency of the application accounts for.
    NotDependency,
}

/// An arrow from one time of a row to another time of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// What it is.
    pub class: LinkClass,
    /// Where it begins.
    pub from: End,
    /// Where it ends.
    pub to: End,
}

/// A vertical line through all rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Tick.
    pub time: i64,
    /// What it says above the plot, such as `makespan`.
    pub label: String,
}

/// What is plotted.
#[derive(Clone, Debug)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// Names of the groups of rows, in the order in which they stand.
    pub groups: Vec<String>,
    /// Names of the values.
    pub values: Vec<String>,
    /// Values in the order of the profile, most time first: it fixes colours and legend. A value that is missing here is
    /// taken to follow, by its bytes.
    pub domain: Vec<String>,
    /// Texts in the marks.
    pub labels: Vec<String>,
    /// The marks.
    pub marks: Marks,
    /// The arrows.
    pub links: Vec<Link>,
    /// The vertical lines.
    pub references: Vec<Reference>,
    /// What a tick is.
    pub time: TimeBase,
}

impl Table {
    /// First and last time of marks and reference lines.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let references = || self.references.iter().map(|line| line.time);
        let start = self.marks.start.iter().copied().chain(references()).min();
        let end = self.marks.end.iter().copied().chain(references()).max();
        start.zip(end)
    }

    /// Names of rows, and of the groups that have rows.
    pub(super) fn names(&self) -> (Vec<String>, Vec<String>) {
        let rows = self.rows.iter().map(|row| text::clean(&row.label));
        let mut is_used = vec![false; self.groups.len()];
        for group in self.rows.iter().filter_map(|row| row.group) {
            if let Some(used) = is_used.get_mut(group as usize) {
                *used = true;
            }
        }
        let groups = self.groups.iter().zip(is_used);
        let groups = groups.filter(|(_, is_used)| *is_used);
        let groups = groups.map(|(group, _)| text::clean(group));
        (rows.collect(), groups.collect())
    }
}
