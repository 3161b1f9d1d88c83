//! `compare`: what two sides of runs have of each key, matched by key.

use crate::algo::compare::Tolerance;
use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, ChoiceOrColumn, DataArgument, Expr, ExprNode, Named};
use crate::lang::suggest;
use crate::model::schema::column;
use crate::plan::checked::{self, Exact};
use crate::plan::node::{Comparison, GROUP, KernelNode, RunSet};
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{
    Accept, Decimal, Example, Param, ParamSpec, Place, Section, Shape, Type, VerbSpec,
    format_float, option,
};
use crate::verb::relational::order::PLACE;
use crate::verb::relational::{ROWS, other};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{self as df, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The verb.
pub struct Compare;

/// The runs of side b.
pub static OTHERS: Param<Vec<DataArgument>> = Param::new(ParamSpec {
    name: "b",
    place: Place::Required,
    shape: Shape::DataList(ROWS),
    default: "",
    about: "side b: one run, or a list of runs",
});

option!(ALSO: Option<Vec<DataArgument>>, "also", Shape::DataList(ROWS), "none", "further runs of side a, whose first run is what flows in");
option!(RUNS: Option<ChoiceOrColumn>, "runs", Shape::Column(&[]), "each input is one run", "the column that tells several runs of one input apart; an input without it is one run");
option!(VALUE: Option<ChoiceOrColumn>, "value", Shape::Column(&[]), "`duration`", "what is summed: a time or a whole number");
option!(TOLERANCE: Option<f64>, "tolerance", Shape::Scalar(&[Accept::Number]), "0%", "the share of side a up to which number and duration still match");

static SPEC: VerbSpec = VerbSpec {
    name: "compare",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table: the keys, status, number_a, number_b, duration_a, duration_b, change, ratio; with several runs also runs_a, runs_b, lowest_a, highest_a, lowest_b, highest_b",
    summary: "Matches two runs, or two sides of several, by keys: what came, what went, what takes another time.",
    detail: "What flows in is side a, the argument is side b. Each run is counted and summed by the keys of `by`, which \
             both sides have; null is a key like any other. `status` is `added` (only in b), `removed` (only in a), \
             `matched` (as many rows and as much time, within `tolerance=`) or `changed`, by the numbers shown. A side that lacks a key has 0 of \
             it, `change` is `duration_b - duration_a`, and `ratio` is `duration_b / duration_a`, null where that divides \
             by 0. The largest change comes first, whatever its sign; ties are in the order of the keys.\n\n\
             One run a side is a sample of one: it says that they differ, not that b is faster. Where a side may have \
             several runs (a list of two, `also=` or `runs=`), numbers and durations are medians over all its runs, a run \
             without the key counting as 0; the number is then a float, a time is rounded half to even to the tick. \
             `runs_a` and `runs_b` say how many runs have the key, and `lowest_…` and `highest_…` how far the runs lie apart: \
             where the ranges overlap, a change may be chance. With `runs=` each value of that column in an input is a \
             run, so one without any row left is not seen.\n\n\
             `value=` sums something else, and its name takes the place of `duration` in the result; whole numbers stay \
             whole, medians included. Times of both sides must count in the same resolution; the units of the files may \
             differ. Rows whose value is null are counted, and a warning says how many.",
    params: &[
        &OTHERS.spec,
        &ALSO.spec,
        &RUNS.spec,
        &VALUE.spec,
        &TOLERANCE.spec,
    ],
    by: true,
    examples: &[
        Example {
            about: "what the second half does otherwise than the first",
            script: "let run = load \"hand.csv\" unit=ms\nrun | window 0ms..50ms | compare (run | window 50ms..100ms) by value",
            prints: "value,status,number_a,number_b,duration_a,duration_b,change,ratio\nP,removed,1,0,40,0,-40,0\nA,changed,2,1,34,2,-32,0.058823529411764705\nC,added,0,2,0,28,28,\nB,changed,2,1,13,0,-13,0\nQ,removed,1,0,5,0,-5,0\n",
        },
        Example {
            about: "two runs on side b",
            script: "let run = load \"hand.csv\" unit=ms | filter resource == \"CPU0\"\nrun | compare [(run | filter value != \"C\"), (run | filter value != \"A\")] by value | select value, status, duration_a, duration_b, runs_b, lowest_b, highest_b",
            prints: "value,status,duration_a,duration_b,runs_b,lowest_b,highest_b\nA,changed,36,18,1,0,36\nC,changed,28,14,1,0,28\nB,matched,13,13,2,13,13\n",
        },
    ],
};

/// The columns between the keys and the place, `‹amount›` standing for what is summed.
const ONE: [&str; 7] = [
    "status",
    "number_a",
    "number_b",
    "‹amount›_a",
    "‹amount›_b",
    "change",
    "ratio",
];
/// Those that several runs add.
const SPREAD: [&str; 6] = [
    "runs_a",
    "runs_b",
    "lowest_a",
    "highest_a",
    "lowest_b",
    "highest_b",
];

/// What a call asks for.
struct Call {
    /// What tells the runs of an input apart.
    runs: Option<Named>,
    /// What is summed; None for the duration.
    value: Option<Named>,
    tolerance: Tolerance,
    /// Further runs of side a, then those of side b.
    others: Vec<(DataArgument, bool)>,
    /// Whether a side may be several runs.
    several: bool,
}

impl Call {
    fn of(arguments: &Arguments) -> Result<Call, Diag> {
        let also = arguments.get(&ALSO)?.unwrap_or_default();
        let second = arguments.get(&OTHERS)?;
        let runs = expression(arguments.get(&RUNS)?);
        let several = !also.is_empty() || second.len() > 1 || runs.is_some();
        let others = also.into_iter().map(|run| (run, false));
        let others = others.chain(second.into_iter().map(|run| (run, true)));
        Ok(Call {
            runs,
            value: expression(arguments.get(&VALUE)?),
            tolerance: Tolerance::NONE,
            others: others.collect(),
            several,
        })
    }

    /// The names of the columns behind the keys, the place last.
    fn names(&self) -> Vec<String> {
        let amount = self.amount();
        let spread: &[&str] = if self.several { &SPREAD } else { &[] };
        let names = ONE.iter().chain(spread).chain(&[PLACE]);
        names.map(|name| name.replace("‹amount›", amount)).collect()
    }

    fn amount(&self) -> &str {
        let value = self.value.as_ref();
        value.map_or(column::DURATION, |value| value.name.as_str())
    }
}

fn expression(argument: Option<ChoiceOrColumn>) -> Option<Named> {
    match argument {
        Some(ChoiceOrColumn::Column(named)) => Some(named),
        Some(ChoiceOrColumn::Choice(_)) | None => None,
    }
}

/// The tolerance as the exact decimal that its number prints as.
fn tolerance(share: Option<f64>, span: Span) -> Result<Tolerance, Diag> {
    let Some(share) = share else {
        return Ok(Tolerance::NONE);
    };
    let decimal = Decimal::parse(&format_float(share)).filter(|decimal| decimal.digits >= 0);
    let power = |exponent: i32| 10_i128.checked_pow(exponent.unsigned_abs());
    let exact = decimal.and_then(|decimal| {
        if decimal.exponent < 0 {
            // What has so many decimals is less than a part of any 64-bit number.
            Some(
                power(decimal.exponent).map_or(Tolerance::NONE, |denominator| Tolerance {
                    numerator: decimal.digits,
                    denominator,
                }),
            )
        } else {
            Some(Tolerance {
                numerator: decimal.digits.checked_mul(power(decimal.exponent)?)?,
                denominator: 1,
            })
        }
    });
    exact.ok_or_else(|| {
        Diag::error(
            &code::INVALID_VALUE,
            "the tolerance is a share of side a, at least 0",
        )
        .at(span, "here")
        .help("`tolerance=5%` lets numbers that differ by a twentieth match")
    })
}

/// The columns that an expression reads, each once.
fn read(expr: &Expr) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    expr.walk(&mut |expr| {
        if let ExprNode::Column(name) = &expr.node
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
    names
}

/// An expression over side a that another run must be able to compute as well.
fn require(named: &Named, first: &Columns, run: &Columns, span: Span) -> Result<(), Diag> {
    for name in read(&named.expr) {
        let Some(theirs) = run.find(&name) else {
            let diag = Diag::error(
                &code::UNKNOWN_COLUMN,
                format!("this run has no column `{name}`"),
            )
            .at(span, "this run")
            .at(named.expr.span, "needed here");
            if let Some(dropped) = run.dropped.iter().rev().find(|d| d.name == name) {
                let told = format!("`{}` dropped `{name}`", dropped.verb);
                return Err(diag.at(dropped.span, told));
            }
            let names = run.visible().map(|column| column.name.as_str());
            return Err(match suggest::nearest(&name, names) {
                Some(near) => diag.help(format!(
                    "its nearest is `{near}`: `rename {name} = {near}` before the comparison"
                )),
                None => diag,
            });
        };
        if let Some(mine) = first.find(&name)
            && mine.ty != theirs.ty
        {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "`{name}` is {} on side a and {} in this run",
                    mine.ty.with_article(),
                    theirs.ty.with_article()
                ),
            )
            .at(span, "this run")
            .at(named.expr.span, "needed here")
            .help(format!("`derive {name} = …` makes them one type")));
        }
    }
    Ok(())
}

/// Makes sure that a run has durations.
fn require_duration(run: &Columns, span: Span) -> Result<(), Diag> {
    if run.has_computed_duration() {
        return Ok(());
    }
    let help = "`value=` sums something else: a time or a whole number";
    let diag = match run.find(column::DURATION) {
        Some(found) if found.ty.is_time() => return Ok(()),
        Some(found) => Diag::error(
            &code::TYPE_MISMATCH,
            format!("`duration` is {}, not a time", found.ty.with_article()),
        )
        .at(span, "in this run"),
        None => {
            let diag = Diag::error(
                &code::UNKNOWN_COLUMN,
                "`compare` sums durations: it needs the times `start` and `end`, or `duration`",
            )
            .at(span, "this run has none");
            let times = [column::DURATION, column::START, column::END];
            let dropped = run.dropped.iter().rev();
            match dropped.clone().find(|d| times.contains(&d.name.as_str())) {
                Some(dropped) => {
                    let told = format!("`{}` dropped `{}`", dropped.verb, dropped.name);
                    diag.at(dropped.span, told)
                }
                None => diag,
            }
        }
    };
    Err(diag.help(help))
}

impl Verb for Compare {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let first = input
            .and_then(Flow::columns)
            .ok_or_else(|| crate::verb::unexpected(&SPEC))?;
        let call = Call::of(arguments)?;
        // A share that only a run can tell is looked at then.
        if let Ok(share) = arguments.get(&TOLERANCE) {
            tolerance(share, arguments.span_of(&TOLERANCE))?;
        }
        if arguments.by.is_empty() {
            let shared = first.visible().map(|column| column.name.as_str());
            return Err(Diag::error(
                &code::MISSING_ARGUMENT,
                "`compare` needs to know what to match the two sides by",
            )
            .at(arguments.span, "`by` is missing")
            .help(if first.has(column::VALUE) {
                "`compare … by value`; several keys: `by value, …`".to_owned()
            } else {
                format!(
                    "its keys: `compare … by key`; columns are {}",
                    suggest::listed(shared, 8)
                )
            }));
        }
        keys_and_value(&call, arguments)?;
        let mut columns = first.clone();
        if call.value.is_none() {
            require_duration(first, arguments.span)?;
        }
        for (run, _) in &call.others {
            let theirs = other::columns(run)?;
            columns.clock = other::clock(&columns, theirs, run.span)?;
            for named in arguments.by.iter().chain(&call.value) {
                require(named, first, theirs, run.span)?;
            }
            if call.value.is_none() {
                require_duration(theirs, run.span)?;
            }
        }
        let amount = match &call.value {
            Some(value) => value.expr.ty.clone(),
            None => columns.time_type(),
        };
        let list = result(&call, arguments, &amount)?;
        Ok(Flow::Table(columns.replaced(
            list,
            SPEC.name,
            arguments.span,
        )))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let first = input.ok_or_else(unexpected)?.table()?;
        let call = Call {
            tolerance: tolerance(arguments.get(&TOLERANCE)?, arguments.span_of(&TOLERANCE))?,
            ..Call::of(arguments)?
        };
        let mut tables = vec![(first.clone(), false)];
        for data in cx.others(&ALSO) {
            tables.push((data.table()?, false));
        }
        for data in cx.others(&OTHERS) {
            tables.push((data.table()?, true));
        }
        let mut sets = Vec::with_capacity(tables.len());
        let mut whole: Option<LogicalPlanBuilder> = None;
        for (at, (table, is_second)) in tables.iter().enumerate() {
            let runs = call.runs.as_ref().filter(|runs| {
                let names = read(&runs.expr);
                names.iter().all(|name| table.columns.has(name))
            });
            sets.push(RunSet {
                is_second: *is_second,
                is_split: runs.is_some(),
            });
            let part = groups(table, at as i64, runs, &call, arguments, cx)?;
            whole = Some(match whole {
                None => LogicalPlanBuilder::from(part),
                Some(whole) => whole.union(part).map_err(fault::diag)?,
            });
        }
        let groups = whole.ok_or_else(unexpected)?.build().map_err(fault::diag)?;
        let kernel = Comparison {
            keys: arguments.by.len(),
            sets,
            several: call.several,
            tolerance: call.tolerance,
            names: call.names(),
        };
        let node = KernelNode::try_new(kernel, vec![groups]).map_err(fault::diag)?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        // The keys have had names that no other column has.
        let keys = arguments.by.iter().enumerate();
        let keys = keys.map(|(at, key)| lower::column(&hidden(at)).alias(key.name.as_str()));
        let names = call.names();
        let rest = names.iter().map(|name| lower::column(name));
        let plan = LogicalPlanBuilder::from(node.into_plan())
            .project(keys.chain(rest))
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        Ok(Data::Table(first.then(plan, columns)))
    }
}

/// Refuses keys and values of types that cannot be matched or summed exactly.
fn keys_and_value(call: &Call, arguments: &Arguments) -> Result<(), Diag> {
    for named in arguments.by.iter().chain(&call.runs) {
        if other::common_type(&named.expr.ty).is_none() {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "a key is a text, a number, a time or true or false, this is {}",
                    named.expr.ty.with_article()
                ),
            )
            .at(named.expr.span, "here"));
        }
    }
    if let Some(value) = &call.value {
        let ty = &value.expr.ty;
        if !(ty.is_time() || matches!(ty, Type::Int | Type::Size)) {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "`value` is summed exactly and must be a time or a whole number, this is {}",
                    ty.with_article()
                ),
            )
            .at(value.expr.span, "here")
            .help(if *ty == Type::Float {
                "a sum of floats depends on the order of the rows"
            } else {
                "rows are counted without it: `number_a`, `number_b`"
            }));
        }
    }
    Ok(())
}

/// The columns that come out; no key may have the name of one.
fn result(call: &Call, arguments: &Arguments, amount: &Type) -> Result<Vec<Column>, Diag> {
    let names = call.names();
    let mut list: Vec<Column> = Vec::with_capacity(arguments.by.len() + names.len());
    for key in &arguments.by {
        if names.contains(&key.name) {
            return Err(Diag::error(
                &code::DUPLICATE_NAME,
                format!("`compare` makes a column `{}` of its own", key.name),
            )
            .at(key.expr.span, "this key has its name")
            .help(format!("name the key: `by {0}_of_key = {0}`", key.name)));
        }
        list.push(Column {
            name: key.name.clone(),
            ty: key.expr.ty.clone(),
            hidden: false,
        });
    }
    let own = [ONE.as_slice(), &SPREAD].concat();
    if let Some(value) = &call.value
        && own.contains(&format!("{}_a", value.name).as_str())
    {
        return Err(Diag::error(
            &code::DUPLICATE_NAME,
            format!("`compare` makes a column `{}_a` of its own", value.name),
        )
        .at(value.expr.span, "the sums of this would have its name")
        .help(format!(
            "`rename total = {}` before the comparison",
            value.name
        )));
    }
    for name in names {
        let ty = match name.as_str() {
            "status" => Type::String,
            "number_a" | "number_b" if call.several => Type::Float,
            "ratio" => Type::Float,
            "number_a" | "number_b" | "runs_a" | "runs_b" | PLACE => Type::Int,
            _ => amount.clone(),
        };
        list.push(Column {
            hidden: name == PLACE,
            name,
            ty,
        });
    }
    Ok(list)
}

fn hidden(key: usize) -> String {
    format!("‹key {key}›")
}

/// The groups of one input: a row for each key of each run.
fn groups(
    table: &Table,
    set: i64,
    runs: Option<&Named>,
    call: &Call,
    arguments: &Arguments,
    cx: &PlanContext,
) -> Result<LogicalPlan, Diag> {
    let [set_name, run_name, number, known, total] = GROUP;
    let columns = &table.columns;
    let mut keys = Vec::with_capacity(arguments.by.len() + 1);
    let mut kept: Vec<df::Expr> = Vec::new();
    for (at, key) in arguments.by.iter().enumerate() {
        let data_type = other::common_type(&key.expr.ty).unwrap_or(DataType::Null);
        keys.push(cast(cx.lower(&key.expr, columns)?, data_type).alias(hidden(at)));
        kept.push(lower::column(&hidden(at)));
    }
    kept.push(lit(set).alias(set_name));
    match runs {
        Some(runs) => {
            let name = cast(cx.lower(&runs.expr, columns)?, DataType::Utf8View);
            keys.push(name.alias(run_name));
            kept.push(lower::column(run_name));
        }
        None => kept.push(lit(ScalarValue::Utf8View(None)).alias(run_name)),
    }
    kept.extend([number, known, total].map(lower::column));
    let amount = match &call.value {
        Some(value) => cast(cx.lower(&value.expr, columns)?, DataType::Int64),
        None if columns.has(column::DURATION) => lower::column(column::DURATION),
        None => checked::call(
            Exact::Subtract,
            vec![lower::column(column::END), lower::column(column::START)],
        ),
    };
    let sum = cx
        .functions
        .lower("sum", vec![amount.clone()], &[Type::Time])?;
    let aggregates = vec![
        count(lit(1_i64)).alias(number),
        count(amount).alias(known),
        sum.alias(total),
    ];
    LogicalPlanBuilder::from(table.plan.clone())
        .aggregate(keys, aggregates)
        .and_then(|plan| plan.project(kept)?.build())
        .map_err(fault::diag)
}
