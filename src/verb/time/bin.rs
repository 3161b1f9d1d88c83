//! `bin`: slices of time of one width, with what lies in each.

use crate::diag::{Diag, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, Named};
use crate::model::schema::column;
use crate::plan::checked::{self, Exact};
use crate::plan::node::{self, BIN, Nest, TICKS};
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{Accept, Example, Param, ParamSpec, Place, Section, Shape, Type, VerbSpec};
use crate::verb::analysis::{NEST, nest_of, states};
use crate::verb::relational::{ROWS, summarize};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::functions_aggregate::expr_fn::{avg, sum};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit, when};

/// The verb.
pub struct Bin;

/// The width.
pub static WIDTH: Param<i128> = Param::new(ParamSpec {
    name: "width",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Time]),
    default: "",
    about: "the length of a bin, above 0",
});

/// What to say of variables.
pub static AGGREGATES: Param<Option<Vec<Named>>> = Param::new(ParamSpec {
    name: "aggregates",
    place: Place::Any,
    shape: Shape::Aggregates,
    default: "the mean of `value`, weighted by time",
    about: "for variables, `value = max(value)` or other aggregates of the values in a bin",
});

static SPEC: VerbSpec = VerbSpec {
    name: "bin",
    section: Section::Time,
    takes: ROWS,
    heads: false,
    gives: "a table: bin, start, end, resource, type, value, duration, number, share; of variables bin, start, end, the columns of `by`, value",
    summary: "Cuts time into slices of one width and says what lies in each.",
    detail: "Bin `k` is `[k * width, (k + 1) * width)`: bins hang on time 0 of the trace, not on the view, so a `window` \
             or `filter` never moves them. Only bins in which something is are listed.\n\n\
             States: `duration` is the exact time of a value in the bin, exclusive after flattening, so the durations of all \
             bins add up to those of `profile`; `number` counts the states that lie in the bin, also those hidden by a \
             nested one and instants (a state counts in every bin it lies in); `share` is `duration / width`. `by` takes \
             other columns for resource, type and value.\n\n\
             Variables: without aggregates the mean weighted by time, and where all values of a bin are instants their plain \
             mean; aggregates see each value of the bin once. The groups are resource and metric, or `by`.",
    params: &[&WIDTH.spec, &AGGREGATES.spec, &NEST.spec],
    by: true,
    examples: &[
        Example {
            about: "slices of 40 ms",
            script: "load \"hand.csv\" unit=ms | filter resource == \"CPU0\" | bin 40ms | select start, value, duration, number, share",
            prints: "start,value,duration,number,share\n0,A,34,2,0.85\n0,B,5,2,0.125\n40,A,2,1,0.05\n40,B,8,2,0.2\n40,C,8,2,0.2\n80,C,20,1,0.5\n",
        },
        Example {
            about: "the largest value of a variable in each slice",
            script: "load \"hand.csv\" unit=ms | derive value = end / 1ms | bin 50ms value = max(value) by resource",
            prints: "bin,start,end,resource,value\n0,0,50,CPU0,48\n0,0,50,CPU1,40\n1,50,100,CPU0,100\n",
        },
    ],
};

/// Whether the values are numbers: variables.
fn is_variable(columns: &Columns) -> bool {
    columns
        .find(column::VALUE)
        .is_some_and(|column| column.ty.is_number())
}

/// Name and type of the columns that make the groups.
fn groups(columns: &Columns, arguments: &Arguments) -> Vec<(String, Type)> {
    if !arguments.by.is_empty() {
        let by = arguments.by.iter();
        return by
            .map(|named| (named.name.clone(), named.expr.ty.clone()))
            .collect();
    }
    if is_variable(columns) {
        let usual = [column::RESOURCE, column::METRIC].into_iter();
        return usual
            .filter(|name| columns.has(name))
            .map(|name| (name.to_owned(), Type::String))
            .collect();
    }
    [column::RESOURCE, column::TYPE, column::VALUE]
        .map(|name| (name.to_owned(), Type::String))
        .into()
}

impl Verb for Bin {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = states::require(input, &SPEC, arguments.span)?;
        if let Ok(width) = arguments.get(&WIDTH)
            && width <= 0
        {
            return Err(not_positive(arguments));
        }
        let aggregates = arguments.get(&AGGREGATES)?;
        let time = columns.time_type();
        let mut list = vec![
            ("bin".to_owned(), Type::Int),
            (column::START.to_owned(), time.clone()),
            (column::END.to_owned(), time.clone()),
        ];
        list.extend(groups(columns, arguments));
        match (is_variable(columns), aggregates) {
            (true, None) => list.push((column::VALUE.to_owned(), Type::Float)),
            (true, Some(aggregates)) => {
                let aggregates = aggregates.into_iter();
                list.extend(aggregates.map(|named| (named.name, named.expr.ty)));
            }
            (false, None) => list.extend([
                (column::DURATION.to_owned(), time),
                ("number".to_owned(), Type::Int),
                ("share".to_owned(), Type::Float),
            ]),
            (false, Some(_)) => {
                return Err(Diag::error(
                    &code::EXTRA_ARGUMENT,
                    "of states `bin` gives duration, number and share; aggregates are for variables",
                )
                .at(arguments.span_of(&AGGREGATES), "here")
                .help("`summarize … by bin` after it makes others of them"));
            }
        }
        for (at, (name, _)) in list.iter().enumerate() {
            if list.iter().take(at).any(|(other, _)| other == name) {
                return Err(Diag::error(
                    &code::DUPLICATE_NAME,
                    format!("two columns would be called `{name}`"),
                )
                .at(arguments.span, "here")
                .help("name one of them: `name = …`"));
            }
        }
        Ok(Flow::Table(Columns::new(list, columns.clock)))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let table = input.ok_or_else(unexpected)?.table()?;
        let exact = arguments.get(&WIDTH)?;
        if exact <= 0 {
            return Err(not_positive(arguments));
        }
        let width = lower::ticks(exact, table.clock(), arguments.span_of(&WIDTH))?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        let plan = if is_variable(&table.columns) {
            variables(&table, arguments, width, &columns, cx)?
        } else {
            of_states(&table, arguments, width, &columns, cx)?
        };
        Ok(Data::Table(table.then(plan, columns)))
    }
}

fn not_positive(arguments: &Arguments) -> Diag {
    Diag::error(&code::INVALID_VALUE, "the width of a bin is above 0")
        .at(arguments.span_of(&WIDTH), "here")
}

/// Where the columns of the groups stand while rows are cut.
fn inner(at: usize) -> String {
    format!("‹by {at}›")
}

/// The expressions of the groups over what flows in.
fn keys(table: &Table, arguments: &Arguments, cx: &PlanContext) -> Result<Vec<Expr>, Diag> {
    let mut out = Vec::new();
    if arguments.by.is_empty() {
        for (at, (name, _)) in groups(&table.columns, arguments).iter().enumerate() {
            let value = if table.columns.has(name) {
                cast(lower::column(name), DataType::Utf8View)
            } else {
                lit("")
            };
            out.push(cast(value, DataType::Utf8View).alias(inner(at)));
        }
    }
    for (at, named) in arguments.by.iter().enumerate() {
        out.push(cx.lower(&named.expr, &table.columns)?.alias(inner(at)));
    }
    Ok(out)
}

/// The first columns of the result: bin, its ends, and the groups.
fn head(width: i64, columns: &Columns, groups: usize) -> Vec<Expr> {
    let bin = || lower::column(BIN);
    let start = checked::call(Exact::Multiply, vec![bin(), lit(width)]);
    let end = checked::call(Exact::Add, vec![start.clone(), lit(width)]);
    let mut out = vec![
        bin().alias("bin"),
        start.alias(column::START),
        end.alias(column::END),
    ];
    let names = columns.list.iter().skip(3).take(groups);
    out.extend(names.enumerate().map(|(at, column): (usize, &Column)| {
        lower::column(&inner(at)).alias(column.name.as_str())
    }));
    out
}

fn grouping(groups: usize) -> Vec<Expr> {
    let keys = (0..groups).map(|at| lower::column(&inner(at)));
    std::iter::once(lower::column(BIN)).chain(keys).collect()
}

fn of_states(
    table: &Table,
    arguments: &Arguments,
    width: i64,
    columns: &Columns,
    cx: &PlanContext,
) -> Result<LogicalPlan, Diag> {
    let keys = keys(table, arguments, cx)?;
    let groups = keys.len();
    let plain = states::expressions(table.plan.schema());
    let build = || -> datafusion::error::Result<(LogicalPlan, Option<LogicalPlan>)> {
        let states = LogicalPlanBuilder::from(table.plan.clone())
            .project(plain.into_iter().chain(keys))?
            .build()?;
        Ok(match nest_of(arguments.get(&NEST).unwrap_or_default()) {
            Nest::Keep => (states, None),
            Nest::Flatten => (node::flatten(states.clone())?, Some(states)),
            Nest::Depth(depth) => (
                LogicalPlanBuilder::from(states)
                    .filter(lower::column(column::DEPTH).eq(lit(depth)))?
                    .build()?,
                None,
            ),
        })
    };
    let (pieces, whole) = build().map_err(fault::diag)?;
    // Pieces have the time, whole states the number.
    let cut = |plan: LogicalPlan, has_time: bool, has_number: bool| {
        let mut list = grouping(groups);
        list.push(if has_time {
            lower::column(TICKS).alias(TICKS)
        } else {
            lit(0_i64).alias(TICKS)
        });
        list.push(lit(i64::from(has_number)).alias("‹number›"));
        LogicalPlanBuilder::from(node::slices(plan, width)?).project(list)
    };
    let total = |name: &str| {
        let value = lower::column(name);
        let sum = cx.functions.lower("sum", vec![value], &[Type::Time])?;
        Ok::<Expr, Diag>(sum.alias(format!("{name} in all")))
    };
    let sums = vec![total(TICKS)?, total("‹number›")?];
    let build = || -> datafusion::error::Result<LogicalPlan> {
        let rows = match whole {
            None => cut(pieces, true, true)?,
            Some(whole) => cut(pieces, true, false)?.union(cut(whole, false, true)?.build()?)?,
        };
        let duration = || lower::column(&format!("{TICKS} in all"));
        let mut list = head(width, columns, groups);
        list.push(duration().alias(column::DURATION));
        list.push(lower::column("‹number› in all").alias("number"));
        list.push(checked::call(Exact::Ratio, vec![duration(), lit(width)]).alias("share"));
        rows.aggregate(grouping(groups), sums)?
            .project(list)?
            .build()
    };
    build().map_err(fault::diag)
}

fn variables(
    table: &Table,
    arguments: &Arguments,
    width: i64,
    columns: &Columns,
    cx: &PlanContext,
) -> Result<LogicalPlan, Diag> {
    let keys = keys(table, arguments, cx)?;
    let groups = keys.len();
    let mut aggregates = Vec::new();
    let mut list = head(width, columns, groups);
    match arguments.get(&AGGREGATES)? {
        Some(named) => {
            for (index, named) in named.iter().enumerate() {
                let mut expr = named.expr.clone();
                let mut calls = Vec::new();
                summarize::split(&mut expr, index, &mut calls);
                for (name, call) in &calls {
                    aggregates.push(cx.lower(call, &table.columns)?.alias(name.as_str()));
                }
                list.push(cx.lower(&expr, &table.columns)?.alias(named.name.as_str()));
            }
        }
        None => {
            let value = || cast(lower::column(column::VALUE), DataType::Float64);
            let known = when(value().is_not_null(), lower::column(TICKS))
                .otherwise(lit(0_i64))
                .map_err(fault::diag)?;
            let ticks = cast(known, DataType::Float64);
            aggregates.push(sum(value() * ticks.clone()).alias("‹weighted›"));
            aggregates.push(sum(ticks).alias("‹weight›"));
            aggregates.push(avg(value()).alias("‹plain›"));
            let weight = || lower::column("‹weight›");
            let mean = when(
                weight().gt(lit(0.0_f64)),
                lower::column("‹weighted›") / weight(),
            )
            .otherwise(lower::column("‹plain›"))
            .map_err(fault::diag)?;
            list.push(mean.alias(column::VALUE));
        }
    }
    let build = || -> datafusion::error::Result<LogicalPlan> {
        let all = table.columns.list.iter();
        let all = all.map(|column| lower::column(&column.name).alias(column.name.as_str()));
        let rows = LogicalPlanBuilder::from(table.plan.clone())
            .project(all.chain(keys))?
            .build()?;
        LogicalPlanBuilder::from(node::slices(rows, width)?)
            .aggregate(grouping(groups), aggregates)?
            .project(list)?
            .build()
    };
    build().map_err(fault::diag)
}
