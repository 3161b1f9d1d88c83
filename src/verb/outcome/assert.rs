//! `assert`: stops with exit code 1 where a condition does not hold.

use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{ArgumentKind, Arguments};
use crate::plan::{Data, fault};
use crate::spec::{
    Accept, Example, Kind, Param, ParamSpec, Place, Section, Shape, Value, VerbSpec,
};
use crate::verb::relational::order::settled;
use crate::verb::{Assertion, FlowContext, PlanContext, Shown, Verb};
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

/// The verb's name.
pub const NAME: &str = "assert";

static SPEC: VerbSpec = VerbSpec {
    name: NAME,
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
        let seen = seen(input.as_ref(), arguments, cx)?;
        let outcome = match seen.clone() {
            None => Ok(()),
            Some(seen) => Err(seen),
        };
        cx.host.assertion(Assertion {
            message: message.clone(),
            condition: String::new(),
            span,
            outcome: Some(outcome),
        });
        match seen {
            None => Ok(input.unwrap_or(Data::Nothing)),
            Some(seen) => Err(Diag::error(&code::ASSERTION, message).at(span, seen)),
        }
    }
}

/// A verdict with the values it is about.
fn told(verdict: &str, cx: &PlanContext) -> String {
    match &cx.operands {
        Some(operands) => format!("{verdict}: {operands}"),
        None => verdict.to_owned(),
    }
}

/// What is seen where the condition does not hold; None where it does.
fn seen(
    input: Option<&Data>,
    arguments: &Arguments,
    cx: &mut PlanContext,
) -> Result<Option<String>, Diag> {
    let Some(input) = input else {
        let condition = arguments
            .find(CONDITION.spec.name)
            .map(|argument| &argument.kind);
        return Ok(match condition {
            Some(ArgumentKind::Value(Value::Bool(true))) => None,
            Some(ArgumentKind::Value(Value::Null)) => Some(told("this is null", cx)),
            _ => Some(told("this is false", cx)),
        });
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
        return Ok(None);
    }
    let shown = settled(&table.then(failing, table.columns.clone()))?;
    cx.host.table(&Shown {
        table: &shown,
        engine: cx.engine,
        rows: Some(40),
    })?;
    Ok(Some(match rows {
        1 => "one row fails".to_owned(),
        _ => format!("{rows} rows fail"),
    }))
}
