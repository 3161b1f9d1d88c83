//! `assert`: stops with exit code 1 where a condition does not hold.

use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{ArgumentKind, Arguments};
use crate::plan::{Data, fault};
use crate::spec::{
    Accept, Example, Kind, Param, ParamSpec, Place, Section, Shape, Value, VerbSpec,
};
use crate::verb::context::Shown;
use crate::verb::relational::order::settled;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::logical_expr::LogicalPlanBuilder;

/// The verb.
pub struct Assert;

/// The condition.
pub static CONDITION: Param<crate::lang::plan::Expr> = Param::new(ParamSpec {
    name: "condition",
    place: Place::Required,
    shape: Shape::Condition,
    default: "",
    about: "what must hold; in a pipeline, for every row",
});

/// The message.
pub static MESSAGE: Param<Option<String>> = Param::new(ParamSpec {
    name: "message",
    place: Place::Optional,
    shape: Shape::Scalar(&[Accept::Text]),
    default: "the assertion does not hold",
    about: "what to say where it does not hold",
});

static SPEC: VerbSpec = VerbSpec {
    name: "assert",
    section: Section::Outcome,
    takes: &[Kind::Trace, Kind::Table],
    heads: true,
    gives: "what flows in",
    summary: "Fails the script, with exit code 1, where a condition does not hold.",
    detail: "As a statement the condition is about scalars: `assert span(run) < 20s, \"slower\"`. As a stage it \
             holds for every row, else the failing rows are shown; null counts as false. No rows: it holds.",
    params: &[&CONDITION.spec, &MESSAGE.spec],
    by: false,
    examples: &[
        Example {
            about: "a scalar",
            script: "let run = load \"hand.csv\" unit=ms\nassert span(run) <= 100ms, \"the run got slower\"",
            prints: "",
        },
        Example {
            about: "every row",
            script: "load \"hand.csv\" unit=ms | summarize busy = sum(duration) by resource | assert busy > 0ms, \"idle resource\"",
            prints: "",
        },
    ],
};

impl Verb for Assert {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(&self, input: Option<&Flow>, _: &Arguments, _: &mut FlowContext) -> Result<Flow, Diag> {
        Ok(input
            .cloned()
            .unwrap_or(Flow::Scalar(crate::spec::Type::Bool)))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let span = arguments.span_of(&CONDITION);
        let message = arguments
            .get(&MESSAGE)?
            .unwrap_or_else(|| "the assertion does not hold".to_owned());
        let failed = |seen: String| Diag::error(&code::ASSERTION, message.clone()).at(span, seen);
        let Some(input) = input else {
            let condition = arguments
                .find(CONDITION.spec.name)
                .map(|argument| &argument.kind);
            return match condition {
                Some(ArgumentKind::Value(Value::Bool(true))) => Ok(Data::Nothing),
                Some(ArgumentKind::Value(Value::Null)) => Err(failed("this is null".to_owned())),
                _ => Err(failed("this is false".to_owned())),
            };
        };
        let table = input.table()?;
        let condition = cx.lower(&arguments.get(&CONDITION)?, &table.columns)?;
        let fails = condition.is_not_true();
        let failing = LogicalPlanBuilder::from(table.plan.clone())
            .filter(fails)
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        let rows = cx.count(&failing)?;
        if rows == 0 {
            return Ok(input);
        }
        let shown = settled(&table.then(failing, table.columns.clone()))?;
        cx.host.table(&Shown {
            table: &shown,
            engine: cx.engine,
            rows: Some(40),
        })?;
        Err(failed(if rows == 1 {
            "one row fails".to_owned()
        } else {
            format!("{rows} rows fail")
        }))
    }
}
