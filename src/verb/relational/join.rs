//! `join`: rows of two tables that belong together, by equal columns or by overlapping intervals.

use super::{ROWS, columns_of, kept, other, table_of};
use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, DataArgument};
use crate::lang::suggest;
use crate::model::schema::column;
use crate::plan::node::{KernelNode, Overlap};
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{
    Accept, Choice, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec, option,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::common::JoinType;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};

/// The verb.
pub struct Join;

/// The other table.
pub static OTHER: Param<Vec<DataArgument>> = Param::new(ParamSpec {
    name: "other",
    place: Place::Required,
    shape: Shape::Data(ROWS),
    default: "",
    about: "the right table or trace: a name, or a pipeline in parentheses",
});

const HOWS: &[Choice] = &[
    Choice {
        name: "inner",
        about: "each pair of a left and a right row that are equal in `on=`",
    },
    Choice {
        name: "left",
        about: "the same, and left rows without a partner once, with nulls on the right",
    },
    Choice {
        name: "semi",
        about: "left rows that have a partner, each once, as they are",
    },
    Choice {
        name: "anti",
        about: "left rows that have no partner, as they are",
    },
    Choice {
        name: "overlap",
        about: "each pair whose intervals overlap and that is equal in `on=`",
    },
];

option!(ON: Option<Vec<(String, String)>>, "on", Shape::Names, "`resource` for `how=overlap`", "the columns that must be equal, one or a list");
option!(HOW: Option<&'static str>, "how", Shape::Scalar(&[Accept::Choice(HOWS)]), "inner", "which rows come out");

static SPEC: VerbSpec = VerbSpec {
    name: "join",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table; with `how=semi` and `how=anti` what flows in, with fewer rows",
    summary: "Puts rows of two tables together: by equal columns, or where their intervals overlap.",
    detail: "The columns of `on=` exist on both sides with one type and come out once; nulls equal nothing. A right \
             column whose name the left side has gets `right_`. The pairs have no order of their own: they are \
             shown by start or time and then by their columns from the left.\n\n\
             `how=overlap` needs the times `start` and `end` on both sides. `start` and `end` become those of the \
             intersection, those of the right row are `right_start` and `right_end`, and `overlap` is the length of \
             the intersection. Intervals are half-open, so neighbours do not overlap; an instant (length 0) overlaps what \
             it lies in, `start <= t < end`, and what starts with it, and its overlap is 0. `on=[]` lets all rows meet, \
             whatever their resource. It takes n log n and the pairs, not all pairs.",
    params: &[&OTHER.spec, &ON.spec, &HOW.spec],
    by: false,
    examples: &[
        Example {
            about: "what ran on CPU0 while P ran elsewhere",
            script: "let p = load \"hand.csv\" unit=ms | filter value == \"P\" | select start, end\nload \"hand.csv\" unit=ms | filter resource == \"CPU0\" | select value, start, end | join p on=[] how=overlap | select value, start, end, overlap",
            prints: "value,start,end,overlap\nA,0,30,30\nB,30,33,3\nA,34,38,4\nB,38,40,2\n",
        },
        Example {
            about: "the states of the values that take most time",
            script: "let run = load \"hand.csv\" unit=ms\nlet top = run | profile | take 1\nrun | join top on=value how=semi | select value, start, end",
            prints: "value,start,end\nA,0,30\nA,34,38\nA,72,74\n",
        },
    ],
};

/// What a join makes of its columns.
struct Layout {
    /// The columns that must be equal.
    keys: Vec<String>,
    /// The right columns that come out, with their new names.
    right: Vec<(Column, String)>,
    /// All that comes out.
    columns: Columns,
}

fn layout(left: &Columns, right: &Columns, arguments: &Arguments) -> Result<Layout, Diag> {
    let how = arguments.get(&HOW)?.unwrap_or("inner");
    let overlaps = how == "overlap";
    let side = arguments.span_of(&OTHER);
    let keys = keys(left, right, arguments, overlaps)?;
    let clock = other::clock(left, right, side)?;
    if overlaps {
        for (columns, span) in [(left, arguments.span), (right, side)] {
            require_interval(columns, span)?;
        }
    }
    let mut list: Vec<Column> = left.visible().cloned().collect();
    if overlaps && left.has(OVERLAP) {
        return Err(Diag::error(
            &code::DUPLICATE_NAME,
            format!("the left side has a column `{OVERLAP}` already"),
        )
        .at(arguments.span, "here")
        .help(format!(
            "name it anew before: `rename first_overlap = {OVERLAP}`"
        )));
    }
    let mut kept = Vec::new();
    for column in right.visible().filter(|c| !keys.contains(&c.name)) {
        let taken = |name: &str| {
            list.iter().any(|other| other.name == name) || (overlaps && name == OVERLAP)
        };
        let mut name = column.name.clone();
        if taken(&name) || left.has(&name) {
            name = format!("right_{name}");
        }
        if taken(&name) || kept.iter().any(|(_, other)| *other == name) {
            return Err(Diag::error(
                &code::DUPLICATE_NAME,
                format!("two columns would be called `{name}`"),
            )
            .at(side, "one of them comes from here")
            .help("`rename` or `select` columns of one side before"));
        }
        list.push(Column {
            name: name.clone(),
            ..column.clone()
        });
        kept.push((column.clone(), name));
    }
    if overlaps {
        list.push(Column {
            name: OVERLAP.to_owned(),
            ty: left.time_type(),
            hidden: false,
        });
    }
    let mut columns = left.clone();
    columns.list = list;
    columns.clock = clock;
    Ok(Layout {
        keys,
        right: kept,
        columns,
    })
}

/// The length of the intersection.
const OVERLAP: &str = "overlap";

/// The key columns, which both sides have with one type.
fn keys(
    left: &Columns,
    right: &Columns,
    arguments: &Arguments,
    overlaps: bool,
) -> Result<Vec<String>, Diag> {
    let names: Vec<String> = match arguments.get(&ON)? {
        Some(names) => names.into_iter().map(|(name, _)| name).collect(),
        None if overlaps && left.has(column::RESOURCE) && right.has(column::RESOURCE) => {
            vec![column::RESOURCE.to_owned()]
        }
        None => {
            let shared: Vec<&str> = left
                .visible()
                .map(|column| column.name.as_str())
                .filter(|name| right.visible().any(|other| other.name == *name))
                .collect();
            let diag = Diag::error(
                &code::MISSING_ARGUMENT,
                "`join` needs to know which columns must be equal: on=",
            )
            .at(arguments.span, "`on=` is missing");
            return Err(if overlaps {
                diag.help("`on=[]` lets all intervals meet, whatever their resource")
            } else if shared.is_empty() {
                diag.help("the two sides have no column in common; `rename` makes one")
            } else {
                diag.help(format!(
                    "both sides have {}",
                    suggest::listed(shared.iter().copied(), 8)
                ))
            });
        }
    };
    let span = arguments.span_of(&ON);
    if names.is_empty() && !overlaps {
        return Err(
            Diag::error(&code::MISSING_ARGUMENT, "the list of columns is empty").at(span, "here"),
        );
    }
    for (at, name) in names.iter().enumerate() {
        if names.iter().take(at).any(|other| other == name) {
            return Err(
                Diag::error(&code::DUPLICATE_NAME, format!("`{name}` is listed twice"))
                    .at(span, "here"),
            );
        }
        let unknown = |whose: &str, columns: &Columns| {
            let diag = Diag::error(
                &code::UNKNOWN_COLUMN,
                format!("the {whose} side has no column `{name}`"),
            )
            .at(span, "needed here");
            let names = columns.visible().map(|column| column.name.as_str());
            match suggest::nearest(name, names) {
                Some(near) => diag.help(format!(
                    "its nearest is `{near}`: `rename {name} = {near}` before the join"
                )),
                None => diag,
            }
        };
        let mine = left.find(name).ok_or_else(|| unknown("left", left))?;
        let theirs = right.find(name).ok_or_else(|| unknown("right", right))?;
        if mine.ty != theirs.ty || other::common(mine).is_none() {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "`{name}` is {} on the left and {} on the right",
                    mine.ty.with_article(),
                    theirs.ty.with_article()
                ),
            )
            .at(span, "these never equal"));
        }
    }
    Ok(names)
}

fn require_interval(columns: &Columns, span: Span) -> Result<(), Diag> {
    for name in [column::START, column::END] {
        let diag = match columns.find(name) {
            Some(found) if found.ty.is_time() => continue,
            Some(found) => Diag::error(
                &code::TYPE_MISMATCH,
                format!("`{name}` is {}, not a time", found.ty.with_article()),
            ),
            None => Diag::error(
                &code::UNKNOWN_COLUMN,
                format!("`how=overlap` needs `start` and `end` on both sides, `{name}` is missing"),
            ),
        };
        return Err(diag.at(span, "needed here"));
    }
    Ok(())
}

impl Verb for Join {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let left = columns_of(input, &SPEC)?;
        let others = arguments.get(&OTHER)?;
        let right = others
            .first()
            .ok_or_else(|| crate::verb::unexpected(&SPEC))?;
        let right = other::columns(right)?;
        if let Some("semi" | "anti") = arguments.get(&HOW)? {
            keys(left, right, arguments, false)?;
            other::clock(left, right, arguments.span_of(&OTHER))?;
            return input.cloned().ok_or_else(|| crate::verb::unexpected(&SPEC));
        }
        Ok(Flow::Table(layout(left, right, arguments)?.columns))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let left = table_of(&input, &SPEC)?;
        let right = cx.others(&OTHER).first().ok_or_else(unexpected)?.table()?;
        match arguments.get(&HOW)?.unwrap_or("inner") {
            how @ ("semi" | "anti") => {
                let names = keys(&left.columns, &right.columns, arguments, false)?;
                let join = match how {
                    "semi" => JoinType::LeftSemi,
                    _ => JoinType::LeftAnti,
                };
                let table = equal(&left, &left.columns.list, &right, &names, &[], join)?;
                let table = left.then(table, left.columns.clone());
                Ok(input.ok_or_else(unexpected)?.with_table(table))
            }
            "overlap" => {
                let layout = layout(&left.columns, &right.columns, arguments)?;
                Ok(Data::Table(overlapping(&left, &right, &layout)?))
            }
            how => {
                let layout = layout(&left.columns, &right.columns, arguments)?;
                let join = match how {
                    "left" => JoinType::Left,
                    _ => JoinType::Inner,
                };
                let list: Vec<Column> = left.columns.visible().cloned().collect();
                let plan = equal(&left, &list, &right, &layout.keys, &layout.right, join)?;
                Ok(Data::Table(left.then(plan, layout.columns)))
            }
        }
    }
}

/// The join on equal keys: `list` of the left side and `carried` of the right.
fn equal(
    left: &Table,
    list: &[Column],
    right: &Table,
    keys: &[String],
    carried: &[(Column, String)],
    join: JoinType,
) -> Result<datafusion::logical_expr::LogicalPlan, Diag> {
    let key = |columns: &Columns, name: &String| columns.find(name).map(other::common_value);
    // The keys of the right side get names that no column of a user has.
    let hidden = |at: usize| format!("‹right key {at}›");
    let mut expressions: Vec<Expr> = Vec::new();
    for (at, name) in keys.iter().enumerate() {
        expressions.extend(key(&right.columns, name).map(|value| value.alias(hidden(at))));
    }
    expressions.extend(
        carried
            .iter()
            .map(|(column, name)| lower::column(&column.name).alias(name.as_str())),
    );
    let build = || -> datafusion::error::Result<_> {
        let theirs = LogicalPlanBuilder::from(right.plan.clone())
            .project(expressions)?
            .build()?;
        let mine: Vec<Expr> = keys
            .iter()
            .filter_map(|name| key(&left.columns, name))
            .collect();
        let names: Vec<Expr> = (0..keys.len())
            .map(|at| lower::column(&hidden(at)))
            .collect();
        let aliased: Vec<Expr> = list
            .iter()
            .map(|column| lower::column(&column.name).alias(column.name.as_str()))
            .collect();
        let mut out = kept(list);
        out.extend(carried.iter().map(|(_, name)| lower::column(name)));
        LogicalPlanBuilder::from(left.plan.clone())
            .project(aliased)?
            .join_with_expr_keys(theirs, join, (mine, names), None)?
            .project(out)?
            .build()
    };
    build().map_err(fault::diag)
}

/// The join on overlapping intervals.
fn overlapping(left: &Table, right: &Table, layout: &Layout) -> Result<Table, Diag> {
    let side = |table: &Table, carried: Vec<Expr>| -> Result<_, Diag> {
        let mut expressions: Vec<Expr> = Vec::new();
        for (at, name) in layout.keys.iter().enumerate() {
            let value = table.columns.find(name).map(other::common_value);
            expressions.extend(value.map(|value| value.alias(format!("‹key {at}›"))));
        }
        for (name, inner) in [(column::START, "‹start›"), (column::END, "‹end›")] {
            expressions.push(lower::column(name).alias(inner));
        }
        expressions.extend(carried);
        LogicalPlanBuilder::from(table.plan.clone())
            .project(expressions)
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)
    };
    let is_own = |name: &str| [column::START, column::END].contains(&name);
    let mine = left.columns.visible().filter(|c| !is_own(&c.name));
    let mine = mine.map(|c| lower::column(&c.name).alias(c.name.as_str()));
    let theirs = layout.right.iter();
    let theirs = theirs.map(|(c, name)| lower::column(&c.name).alias(name.as_str()));
    let inputs = vec![side(left, mine.collect())?, side(right, theirs.collect())?];
    let kernel = Overlap {
        keys: layout.keys.len(),
    };
    let node = KernelNode::try_new(kernel, inputs).map_err(fault::diag)?;
    let plan = LogicalPlanBuilder::from(node.into_plan())
        .project(kept(&layout.columns.list))
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    Ok(left.then(plan, layout.columns.clone()))
}
