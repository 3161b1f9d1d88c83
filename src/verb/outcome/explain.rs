//! `explain`: what a pipeline does, in our words and in the engine's.

use super::ANYTHING;
use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::schema::{LINKS, STATES};
use crate::plan::{Data, fault};
use crate::spec::{Example, Section, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::physical_plan::displayable;

/// The verb.
pub struct Explain;

static SPEC: VerbSpec = VerbSpec {
    name: "explain",
    section: Section::Outcome,
    takes: ANYTHING,
    heads: false,
    gives: "what flows in",
    summary: "Shows the plan of a pipeline: our stages, DataFusion's logical plan, its physical plan.",
    detail: "Nothing of the pipeline itself runs but what a stage needs to be planned (the smallest start for \
             `shift`, the axis for a threshold in pixels). Facts that have no column are listed: the threshold in \
             ticks, and how many links lost an end with the states that were filtered out.",
    params: &[],
    by: false,
    examples: &[Example {
        about: "the stages, the facts and the columns; the plans below them depend on the machine",
        script: "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms | select value, duration | explain",
        prints: "stages\n  load \"hand.csv\" unit=ms → trace\n  aggregate-by-threshold 10ms → table\n  select value, duration → table\nfacts\n  threshold: 10ms\ncolumns\n  value: string\n  duration: time\nlogical plan\n…",
    }],
};

impl Verb for Explain {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(&self, input: Option<&Flow>, _: &Arguments, _: &mut FlowContext) -> Result<Flow, Diag> {
        input
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        _: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let table = input.table()?;
        let mut text = String::from("stages\n");
        for stage in &cx.stages {
            text.push_str(&format!("  {stage}\n"));
        }
        let mut facts = table.facts.clone();
        if let Data::Trace(trace) = &input {
            let whole = trace.whole(LINKS).map(|links| links.plan.clone());
            let seen = trace
                .relation(LINKS)
                .map_err(fault::diag)?
                .map(|links| links.plan);
            if let (Some(whole), Some(seen), true) = (whole, seen, trace.states_filtered) {
                let (whole, seen) = (cx.count(&whole)?, cx.count(&seen)?);
                if whole != seen {
                    facts.push((
                        LINKS.to_owned(),
                        format!(
                            "{} of {whole} lost an end with the {STATES} left out",
                            whole - seen
                        ),
                    ));
                }
            }
        }
        if !facts.is_empty() {
            text.push_str("facts\n");
            for (key, value) in facts {
                text.push_str(&format!("  {key}: {value}\n"));
            }
        }
        text.push_str("columns\n");
        for column in table.columns.visible() {
            text.push_str(&format!("  {}: {}\n", column.name, column.ty));
        }
        let optimized = cx.engine.optimized(&table.plan)?;
        text.push_str(&format!(
            "logical plan\n{}\n",
            indented(&optimized.display_indent().to_string())
        ));
        let physical = cx.engine.physical(&table.plan)?;
        let shown = displayable(physical.as_ref()).indent(false).to_string();
        text.push_str(&format!("physical plan\n{}", indented(&shown)));
        cx.host.text(text.trim_end())?;
        Ok(input)
    }
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {line}\n"))
        .collect::<String>()
        .trim_end()
        .to_owned()
}
