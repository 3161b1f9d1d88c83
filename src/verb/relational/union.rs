//! `union`: the rows of several tables, one after the other, columns matched by name.

use super::{ROWS, columns_of, other, table_of};
use crate::diag::{Diag, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, DataArgument};
use crate::plan::{Data, fault, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, Type, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, cast, lit};

/// The verb.
pub struct Union;

/// The other tables.
pub static OTHERS: Param<Vec<DataArgument>> = Param::new(ParamSpec {
    name: "others",
    place: Place::Required,
    shape: Shape::DataList(ROWS),
    default: "",
    about: "one table or trace, or a list of them: names, or pipelines in parentheses",
});

static SPEC: VerbSpec = VerbSpec {
    name: "union",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table",
    summary: "Puts the rows of several tables together, columns matched by name.",
    detail: "The columns of the first table come first, then those that only others have. A column that a table does \
             not have is null in its rows; a column of two types is an error, and so are times that count differently. \
             Equal rows stay as often as they are there: `distinct` keeps each once. The rows have no order of their own: \
             they are shown by start or time and then by their columns from the left. A `derive` before says which row \
             comes from where.",
    params: &[&OTHERS.spec],
    by: false,
    examples: &[Example {
        about: "two runs with a column that tells them apart",
        script: "let a = load \"hand.csv\" unit=ms | take 1 | select value, start | derive run = \"a\"\nlet b = load \"hand.csv\" unit=ms | take 2 | select end, value | derive run = \"b\"\na | union b | sort run, value",
        prints: "value,start,run,end\nA,0,a,\nA,,b,30\nP,,b,40\n",
    }],
};

/// The columns of the result.
fn columns_together(
    first: &Columns,
    others: &[(&Columns, &DataArgument)],
) -> Result<Columns, Diag> {
    let mut columns = first.clone();
    columns.list = first.visible().cloned().collect();
    for (more, argument) in others {
        columns.clock = other::clock(&columns, more, argument.span)?;
        for column in more.visible() {
            match columns
                .list
                .iter_mut()
                .find(|known| known.name == column.name)
            {
                Some(known) if known.ty == column.ty => {}
                Some(known) if known.ty == Type::Null => known.ty = column.ty.clone(),
                Some(_) if column.ty == Type::Null => {}
                Some(known) => {
                    return Err(Diag::error(
                        &code::TYPE_MISMATCH,
                        format!(
                            "`{}` is {} here and {} in a table before",
                            column.name,
                            column.ty.with_article(),
                            known.ty.with_article()
                        ),
                    )
                    .at(argument.span, "this table")
                    .help(format!(
                        "`derive` makes them one type, `rename other = {}` two columns",
                        column.name
                    )));
                }
                None => columns.list.push(column.clone()),
            }
        }
    }
    Ok(columns)
}

/// The type of a column in all tables.
fn data_type(column: &Column) -> DataType {
    other::common(column).unwrap_or(DataType::Null)
}

impl Verb for Union {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let first = columns_of(input, &SPEC)?;
        let others = arguments.get(&OTHERS)?;
        let mut list = Vec::with_capacity(others.len());
        for argument in &others {
            list.push((other::columns(argument)?, argument));
        }
        for (columns, span) in std::iter::once((first, arguments.span)).chain(
            list.iter()
                .map(|(columns, argument)| (*columns, argument.span)),
        ) {
            if let Some(nested) = columns.visible().find(|column| column.ty == Type::Other) {
                return Err(Diag::error(
                    &code::TYPE_MISMATCH,
                    format!(
                        "`{}` holds nested data, which `union` does not put together",
                        nested.name
                    ),
                )
                .at(span, "here")
                .help("`select` leaves it out"));
            }
        }
        Ok(Flow::Table(columns_together(first, &list)?))
    }

    fn plan(
        &self,
        input: Option<Data>,
        _: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let first = table_of(&input, &SPEC)?;
        let columns = columns_of(Some(flow), &SPEC)?.clone();
        let mut tables = vec![first.clone()];
        for other in cx.others(&OTHERS) {
            tables.push(other.table()?);
        }
        let mut whole: Option<LogicalPlanBuilder> = None;
        for table in &tables {
            let expressions: Vec<Expr> = columns
                .list
                .iter()
                .map(|column| {
                    let value = match table.columns.find(&column.name) {
                        Some(found) if !found.hidden => lower::column(&column.name),
                        _ => lit(ScalarValue::Null),
                    };
                    cast(value, data_type(column)).alias(column.name.as_str())
                })
                .collect();
            let part = LogicalPlanBuilder::from(table.plan.clone())
                .project(expressions)
                .map_err(fault::diag)?;
            whole = Some(match whole {
                None => part,
                Some(whole) => part
                    .build()
                    .and_then(|part| whole.union(part))
                    .map_err(fault::diag)?,
            });
        }
        let plan = whole
            .ok_or_else(|| crate::verb::unexpected(&SPEC))?
            .build()
            .map_err(fault::diag)?;
        Ok(Data::Table(first.then(plan, columns)))
    }
}
