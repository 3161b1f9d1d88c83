//! The entry of a verb: name, documentation, parameters. One `static` per verb, beside its code.

use super::Kind;
use std::marker::PhantomData;

/// A word that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word, `snake_case`.
    pub name: &'static str,
    /// One sentence: what choosing it means.
    pub about: &'static str,
}

/// One alternative of a scalar parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// A time with a unit (or, on a trace without one, a bare number).
    Time,
    /// An integer.
    Int,
    /// A number.
    Number,
    /// Text.
    Text,
    /// True or false.
    Bool,
    /// A length of a figure.
    Length,
    /// A half-open range of times.
    TimeRange,
    /// One of some words.
    Choice(&'static [Choice]),
    /// A list of times.
    TimeList,
    /// A list of text.
    TextList,
    /// A map from text to text.
    TextMap,
}

impl Accept {
    /// The words used in messages: "a time such as `100ms`".
    pub fn describe(&self) -> String {
        match self {
            Accept::Time => "a time such as `100ms`".to_owned(),
            Accept::Int => "a whole number".to_owned(),
            Accept::Number => "a number".to_owned(),
            Accept::Text => "a text such as \"name\"".to_owned(),
            Accept::Bool => "`true` or `false`".to_owned(),
            Accept::Length => "a length such as `170mm`".to_owned(),
            Accept::TimeRange => "a range of times such as `1s..2s`".to_owned(),
            Accept::Choice(choices) => {
                let names: Vec<String> = choices.iter().map(|c| format!("`{}`", c.name)).collect();
                names.join(", ")
            }
            Accept::TimeList => "a list of times such as [0s, 1.5ms]".to_owned(),
            Accept::TextList => "a list of texts such as [\"a\", \"b\"]".to_owned(),
            Accept::TextMap => "a map such as {\"a\": \"b\"}".to_owned(),
        }
    }
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value, of one of these forms. Columns do not stand here.
    Scalar(&'static [Accept]),
    /// A condition on the columns.
    Condition,
    /// Column expressions, each optionally `name = expression`.
    Columns,
    /// Expressions that must have a name: `name = expression`.
    Assignments,
    /// Aggregate expressions, each optionally `name = aggregate`.
    Aggregates,
    /// New names for columns: `new = old`.
    Renames,
    /// Column expressions to sort by; a leading minus sorts down.
    SortKeys,
    /// Plain column names: one after the other, or in a list.
    Names,
    /// The name of a relation of the trace.
    Relation,
    /// One expression of the columns, or one of some words: a word wins over a column of its name.
    Column(&'static [Choice]),
    /// Another trace or table (or what the kinds say): a name, or a pipeline in parentheses.
    Data(&'static [Kind]),
    /// Several of them, in a list.
    DataList(&'static [Kind]),
}

impl Shape {
    /// The words that may stand for it.
    pub fn choices(self) -> Vec<&'static Choice> {
        match self {
            Shape::Scalar(accepts) => accepts
                .iter()
                .flat_map(|accept| match accept {
                    Accept::Choice(choices) => *choices,
                    _ => &[],
                })
                .collect(),
            Shape::Column(choices) => choices.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What may stand there, in words; the words of its choices only where they are asked for.
    pub fn describe(self, with_choices: bool) -> String {
        let listed = |kinds: &[Kind]| {
            let words: Vec<String> = kinds
                .iter()
                .map(|kind| format!("a {}", kind.word()))
                .collect();
            words.join(" or ")
        };
        match self {
            Shape::Scalar(accepts) => {
                let words: Vec<String> = accepts
                    .iter()
                    .filter(|accept| with_choices || !matches!(accept, Accept::Choice(_)))
                    .map(Accept::describe)
                    .collect();
                words.join(", or ")
            }
            Shape::Condition => "a condition on the columns".to_owned(),
            Shape::Columns => "columns, or `name = expression`".to_owned(),
            Shape::Assignments => "`name = expression`".to_owned(),
            Shape::Aggregates => {
                "aggregates such as `sum(duration)`, or `name = aggregate`".to_owned()
            }
            Shape::Renames => "`new = old`".to_owned(),
            Shape::SortKeys => "columns or expressions; `-column` sorts down".to_owned(),
            Shape::Names => "a column, or a list of columns".to_owned(),
            Shape::Relation => "the name of a relation of the trace".to_owned(),
            Shape::Column(choices) if with_choices && !choices.is_empty() => {
                format!(
                    "a column or expression, or {}",
                    Accept::Choice(choices).describe()
                )
            }
            Shape::Column(_) => "a column or expression".to_owned(),
            Shape::Data(kinds) => {
                format!("{}: a name, or a pipeline in parentheses", listed(kinds))
            }
            Shape::DataList(kinds) => format!(
                "a list, each {}: a name, or a pipeline in parentheses",
                listed(kinds)
            ),
        }
    }
}

/// Where an argument stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Positional, must be there.
    Required,
    /// Positional, may be missing.
    Optional,
    /// All positionals from here on; at least one.
    Many,
    /// All positionals from here on; none is fine.
    Any,
    /// `name=value`.
    Option,
}

/// The untyped part of a parameter: what the checker, completion and the pages read.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Its name; options are written with it.
    pub name: &'static str,
    /// Where it stands.
    pub place: Place,
    /// What it accepts.
    pub shape: Shape,
    /// The default as the page prints it; empty where leaving it out means nothing special.
    pub default: &'static str,
    /// One sentence.
    pub about: &'static str,
}

/// A parameter with the Rust type its value is read as. Verbs declare one `static` per parameter and both
/// the table and the code use it, so a name cannot be misspelt or fetched with another type.
#[derive(Debug)]
pub struct Param<T> {
    /// What the table shows.
    pub spec: ParamSpec,
    value: PhantomData<fn() -> T>,
}

impl<T> Param<T> {
    /// Declares a parameter.
    pub const fn new(spec: ParamSpec) -> Self {
        Param {
            spec,
            value: PhantomData,
        }
    }
}

/// Declares the `static` of an option: constant, Rust type, name, shape, default, one sentence.
macro_rules! option {
    ($constant:ident: $type:ty, $name:literal, $shape:expr, $default:literal, $about:literal) => {
        #[doc = $about]
        pub static $constant: $crate::spec::Param<$type> =
            $crate::spec::Param::new($crate::spec::ParamSpec {
                name: $name,
                place: $crate::spec::Place::Option,
                shape: $shape,
                default: $default,
                about: $about,
            });
    };
}
pub(crate) use option;

/// The chapter of the reference a verb stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Where data come from.
    Source,
    /// Filters, columns, groups.
    Relational,
    /// Work on the time axis.
    Time,
    /// Analyses of traces.
    Analysis,
    /// Pictures.
    Figure,
    /// Writing, printing, asserting.
    Outcome,
}

impl Section {
    /// Every section, in the order of the reference.
    pub const ALL: [Section; 6] = [
        Section::Source,
        Section::Relational,
        Section::Time,
        Section::Analysis,
        Section::Figure,
        Section::Outcome,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Section::Source => "Sources",
            Section::Relational => "Relational",
            Section::Time => "Time",
            Section::Analysis => "Analysis",
            Section::Figure => "Figures",
            Section::Outcome => "Outcomes",
        }
    }
}

/// A script with the result it prints (CSV); the tests run it in the folder `tests/data`.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it shows, one sentence.
    pub about: &'static str,
    /// The script.
    pub script: &'static str,
    /// The CSV on standard output; empty where the script prints nothing, with `…` at its end where more
    /// follows that depends on the machine.
    pub prints: &'static str,
}

/// The table entry of a verb. Every field is required: a verb without documentation does not compile.
#[derive(Debug)]
pub struct VerbSpec {
    /// Kebab-case name.
    pub name: &'static str,
    /// Its chapter.
    pub section: Section,
    /// The kinds that may flow in; empty for a source.
    pub takes: &'static [Kind],
    /// Whether a pipeline may begin with it.
    pub heads: bool,
    /// What comes out, for the page.
    pub gives: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Some paragraphs for the reference page.
    pub detail: &'static str,
    /// Positionals in order, then options.
    pub params: &'static [&'static ParamSpec],
    /// Whether a `by` clause is allowed.
    pub by: bool,
    /// At least one.
    pub examples: &'static [Example],
}

impl VerbSpec {
    /// The named options.
    pub fn options(&self) -> impl Iterator<Item = &'static ParamSpec> + '_ {
        self.params
            .iter()
            .copied()
            .filter(|p| p.place == Place::Option)
    }

    /// The positional parameters in order.
    pub fn positionals(&self) -> impl Iterator<Item = &'static ParamSpec> + '_ {
        self.params
            .iter()
            .copied()
            .filter(|p| p.place != Place::Option)
    }

    /// True where `name = expression` arguments create columns rather than set options.
    pub fn has_free_names(&self) -> bool {
        self.params.iter().any(|p| {
            matches!(
                p.shape,
                Shape::Columns | Shape::Assignments | Shape::Aggregates | Shape::Renames
            )
        })
    }

    /// The call as one line: `aggregate-by-threshold threshold max= nest= order= width=`.
    pub fn signature(&self) -> String {
        let mut out = self.name.to_owned();
        for (index, param) in self.positionals().enumerate() {
            out.push_str(if index == 0 { " " } else { ", " });
            match param.place {
                Place::Required => out.push_str(param.name),
                Place::Optional => out.push_str(&format!("[{}]", param.name)),
                Place::Many => out.push_str(&format!("{}, …", param.name)),
                Place::Any => out.push_str(&format!("[{}, …]", param.name)),
                Place::Option => {}
            }
        }
        for param in self.options() {
            out.push_str(&format!(" {}=", param.name));
        }
        if self.by {
            out.push_str(" by …");
        }
        out
    }
}
