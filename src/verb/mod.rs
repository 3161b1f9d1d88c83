//! The verbs: one file each and one line in [`VERBS`]. A verb says what flows out (for the checker) and
//! turns what flows in into a lazy plan (for the run).

pub mod analysis;
mod context;
mod origin;
pub mod outcome;
pub mod plot;
pub mod relational;
pub mod source;
pub mod time;

pub use context::{Ahead, Assertion, FlowContext, Host, PlanContext, Shown, texts, unexpected};
pub use origin::{Origin, Output, relative_to};

use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::plan::Data;
use crate::spec::VerbSpec;

/// A verb.
pub trait Verb: Sync {
    /// Its table entry.
    fn spec(&self) -> &'static VerbSpec;

    /// What flows out. The arguments fit the parameters of the entry already.
    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        cx: &mut FlowContext,
    ) -> Result<Flow, Diag>;

    /// The data that flow out; `flow` is what [`Verb::flow`] said of them.
    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag>;

    /// For a figure with a time axis: how long the axis is for these lanes, in pixels, and the range of
    /// exact times it shows, where one was asked for. A threshold in lengths needs it before the figure exists.
    fn time_axis(
        &self,
        _arguments: &Arguments,
        _lanes: &[String],
    ) -> Option<Result<plot::TimeAxis, Diag>> {
        None
    }
}

/// Every verb, in the order of the reference. To add one: a file in the folder of its section and a line here.
pub static VERBS: &[&dyn Verb] = &[
    &source::load::Load,
    &source::generate::Generate,
    &relational::filter::Filter,
    &relational::select::Select,
    &relational::derive::Derive,
    &relational::rename::Rename,
    &relational::sort::Sort,
    &relational::take::Take,
    &relational::distinct::Distinct,
    &relational::summarize::Summarize,
    &relational::join::Join,
    &relational::union::Union,
    &relational::focus::Focus,
    &time::window::Window,
    &time::shift::Shift,
    &time::bin::Bin,
    &time::flatten::Flatten,
    &analysis::aggregate_by_threshold::AggregateByThreshold,
    &analysis::profile::Profile,
    &analysis::gaps::Gaps,
    &analysis::utilization::Utilization,
    &analysis::parallelism::Parallelism,
    &analysis::critical_path::CriticalPath,
    &analysis::epsilon_sweep::EpsilonSweep,
    &analysis::compare::Compare,
    &plot::plot_stacked::PlotStacked,
    &plot::plot_gantt::PlotGantt,
    &plot::panel::Panel,
    &outcome::save::Save,
    &outcome::print::Print,
    &outcome::assert::Assert,
    &outcome::explain::Explain,
];

/// A verb by name.
pub fn find(name: &str) -> Option<&'static dyn Verb> {
    VERBS.iter().copied().find(|verb| verb.spec().name == name)
}
