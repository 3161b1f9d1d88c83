//! A small registry for the checker: a verb for each shape of argument and a function of each kind. The
//! real ones need the engine.

use crate::diag::{Diag, code};
use crate::lang::check::{FunctionKind, Registry};
use crate::lang::flow::{Column, Columns, Flow, TraceFlow};
use crate::lang::plan::{Arguments, FromArgument, Named, RelationName, TimeOrLength, TimeRange};
use crate::model::Clock;
use crate::model::schema::{RELATIONS, STATES, relation_schema};
use crate::spec::{
    Accept, Choice, Kind, Length, Param, ParamSpec, Place, Section, Shape, TimeUnit, Type, Value,
    VerbSpec,
};

const fn param<T>(name: &'static str, place: Place, shape: Shape) -> Param<T> {
    Param::new(ParamSpec {
        name,
        place,
        shape,
        default: "",
        about: "",
    })
}

const fn option<T>(name: &'static str, accepts: &'static [Accept]) -> Param<T> {
    param(name, Place::Option, Shape::Scalar(accepts))
}

const fn choice(name: &'static str) -> Choice {
    Choice { name, about: "" }
}

const UNITS: &[Choice] = &[choice("s"), choice("ms"), choice("ns")];
const ORDERS: &[Choice] = &[choice("largest"), choice("by-name"), choice("e-divisive")];

static PATH: Param<Value> = param(
    "path",
    Place::Required,
    Shape::Scalar(&[Accept::Text, Accept::TextList]),
);
static UNIT: Param<Option<String>> = option("unit", &[Accept::Choice(UNITS)]);
static OFFSET: Param<Option<Value>> = option("offset", &[Accept::Time, Accept::TimeList]);
static STRICT: Param<Option<bool>> = option("strict", &[Accept::Bool]);
static CONDITION: Param<crate::lang::plan::Expr> =
    param("condition", Place::Required, Shape::Condition);
static ASSIGNED: Param<Vec<Named>> = param("columns", Place::Many, Shape::Assignments);
static COLUMNS: Param<Vec<Named>> = param("columns", Place::Many, Shape::Columns);
static DISTINCT: Param<Option<Vec<(String, String)>>> = param("columns", Place::Any, Shape::Names);
static AGGREGATES: Param<Vec<Named>> = param("aggregates", Place::Many, Shape::Aggregates);
static RENAMES: Param<Vec<(String, String)>> = param("columns", Place::Many, Shape::Renames);
static KEYS: Param<Vec<(crate::lang::plan::Expr, bool)>> =
    param("keys", Place::Many, Shape::SortKeys);
static COUNT: Param<i64> = param("count", Place::Required, Shape::Scalar(&[Accept::Int]));
static RELATION: Param<RelationName> = param("relation", Place::Required, Shape::Relation);
static RANGE: Param<TimeRange> = param(
    "range",
    Place::Required,
    Shape::Scalar(&[Accept::TimeRange]),
);
static THRESHOLD: Param<TimeOrLength> = param(
    "threshold",
    Place::Optional,
    Shape::Scalar(&[Accept::Time, Accept::Length]),
);
static MAX: Param<Option<i128>> = option("max", &[Accept::Time]);
static ORDER: Param<Option<Value>> = option("order", &[Accept::Choice(ORDERS), Accept::TextList]);
static WIDTH: Param<Option<Length>> = option("width", &[Accept::Length]);
static PALETTE: Param<Option<Value>> = option(
    "palette",
    &[Accept::Text, Accept::TextList, Accept::TextMap],
);
static DPI: Param<Option<f64>> = option("dpi", &[Accept::Number]);
static FILE: Param<String> = param("path", Place::Required, Shape::Scalar(&[Accept::Text]));

const ROWS: &[Kind] = &[Kind::Trace, Kind::Table];

macro_rules! verbs {
    ($($name:literal $section:ident $takes:expr, $heads:literal, $by:literal, [$($param:ident),*];)*) => {
        static VERBS: &[&VerbSpec] = &[$(&VerbSpec {
            name: $name,
            section: Section::$section,
            takes: $takes,
            heads: $heads,
            gives: "",
            summary: "",
            detail: "",
            params: &[$(&$param.spec),*],
            by: $by,
            examples: &[],
        }),*];

        /// Every argument that the checker let through can be read as its type.
        fn read_all(verb: &str, arguments: &Arguments) -> Result<(), Diag> {
            match verb {
                $($name => {
                    $(given(arguments, &$param)?;)*
                })*
                _ => {}
            }
            Ok(())
        }
    };
}

verbs! {
    "load" Source &[], true, false, [PATH, UNIT, OFFSET, STRICT];
    "filter" Relational ROWS, false, true, [CONDITION];
    "derive" Relational ROWS, false, false, [ASSIGNED];
    "select" Relational ROWS, false, false, [COLUMNS];
    "distinct" Relational ROWS, false, false, [DISTINCT];
    "summarize" Relational ROWS, false, true, [AGGREGATES];
    "rename" Relational ROWS, false, false, [RENAMES];
    "sort" Relational ROWS, false, false, [KEYS];
    "take" Relational ROWS, false, false, [COUNT];
    "focus" Relational &[Kind::Trace], false, false, [RELATION];
    "window" Time &[Kind::Trace], false, false, [RANGE];
    "aggregate-by-threshold" Analysis &[Kind::Trace], false, false, [THRESHOLD, MAX, ORDER, WIDTH];
    "plot-stacked" Figure ROWS, false, false, [WIDTH, PALETTE, ORDER];
    "assert" Outcome &[Kind::Trace, Kind::Table], true, true, [CONDITION];
    "save" Outcome &[Kind::Trace, Kind::Table, Kind::Figure], false, false, [FILE, DPI];
}

fn given<T: FromArgument>(arguments: &Arguments, param: &Param<T>) -> Result<(), Diag> {
    use crate::lang::plan::ArgumentKind::{Deferred, Value as Known};
    match arguments
        .find(param.spec.name)
        .map(|argument| &argument.kind)
    {
        // Left out, known at run time only, or `null`: the verbs say what that means.
        None | Some(Deferred(_) | Known(Value::Null)) => Ok(()),
        Some(_) => arguments.get(param).map(|_| ()),
    }
}

const FUNCTIONS: &[(&str, FunctionKind)] = &[
    ("abs", FunctionKind::Scalar),
    ("floor", FunctionKind::Scalar),
    ("length", FunctionKind::Scalar),
    ("now", FunctionKind::Scalar),
    ("max", FunctionKind::Aggregate),
    ("count", FunctionKind::Aggregate),
    ("span", FunctionKind::OnData),
];

/// The registry.
pub struct Names;

impl Names {
    fn trace(unit: Option<TimeUnit>) -> Flow {
        let clock = match unit {
            Some(unit) => Clock::physical(unit, TimeUnit::Nanosecond),
            None => Clock::logical(),
        };
        let columns = |name: &str| {
            let mut columns = Columns::of_schema(&relation_schema(name, clock, false), clock);
            for (name, ty) in [
                ("attr.value", Type::Float),
                ("size", Type::Int),
                ("odd name", Type::Other),
            ] {
                columns.list.push(Column {
                    name: name.to_owned(),
                    ty,
                    hidden: false,
                });
            }
            columns
        };
        Flow::Trace(TraceFlow {
            relations: RELATIONS
                .iter()
                .map(|name| ((*name).to_owned(), columns(name)))
                .collect(),
            focus: STATES.to_owned(),
        })
    }
}

fn columns_of(named: &[Named]) -> Vec<Column> {
    let column = |named: &Named| Column {
        name: named.name.clone(),
        ty: named.expr.ty.clone(),
        hidden: false,
    };
    named.iter().map(column).collect()
}

impl Registry for Names {
    fn verb(&self, name: &str) -> Option<&'static VerbSpec> {
        VERBS.iter().copied().find(|verb| verb.name == name)
    }

    fn verb_names(&self) -> Vec<&'static str> {
        VERBS.iter().map(|verb| verb.name).collect()
    }

    fn flow(
        &mut self,
        verb: &'static VerbSpec,
        input: Option<&Flow>,
        arguments: &Arguments,
    ) -> Result<Flow, Diag> {
        read_all(verb.name, arguments)?;
        let Some(input) = input else {
            let unit = arguments.get(&UNIT).ok().flatten();
            return Ok(match verb.name {
                "load" => Names::trace(unit.as_deref().and_then(TimeUnit::from_name)),
                _ => Flow::Scalar(Type::Bool),
            });
        };
        let none = Columns::new([], Clock::logical());
        let columns = input.columns().unwrap_or(&none);
        Ok(match verb.name {
            "derive" => {
                let mut list = columns.list.clone();
                for new in columns_of(&arguments.get(&ASSIGNED)?) {
                    list.retain(|old| old.name != new.name);
                    list.push(new);
                }
                input.with_columns(columns.replaced(list, verb.name, arguments.span))
            }
            "select" => {
                let list = columns_of(&arguments.get(&COLUMNS)?);
                input.with_columns(columns.replaced(list, verb.name, arguments.span))
            }
            "summarize" => {
                let mut list = columns_of(&arguments.by);
                list.extend(columns_of(&arguments.get(&AGGREGATES)?));
                Flow::Table(columns.replaced(list, verb.name, arguments.span))
            }
            "rename" => {
                let names = arguments.get(&RENAMES)?;
                let mut list = columns.list.clone();
                for column in &mut list {
                    if let Some((new, _)) = names.iter().find(|(_, old)| *old == column.name) {
                        column.name.clone_from(new);
                    }
                }
                input.with_columns(columns.replaced(list, verb.name, arguments.span))
            }
            "focus" => match (input, arguments.get(&RELATION)?) {
                (Flow::Trace(trace), RelationName(focus)) => Flow::Trace(TraceFlow {
                    focus,
                    ..trace.clone()
                }),
                _ => input.clone(),
            },
            "take" if arguments.get(&COUNT).is_ok_and(|count| count < 0) => {
                return Err(Diag::error(&code::INVALID_VALUE, "fewer than none"));
            }
            "plot-stacked" => Flow::Figure,
            _ => input.clone(),
        })
    }

    fn function(&self, name: &str) -> Option<(String, FunctionKind)> {
        let found = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        Some((found.0.to_owned(), found.1))
    }

    fn function_names(&self) -> Vec<String> {
        FUNCTIONS
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect()
    }

    fn result_type(&self, function: &str, arguments: &[Type]) -> Result<Type, String> {
        match (function, arguments) {
            ("abs", [ty]) if ty.is_number() || ty.is_time() => Ok(ty.clone()),
            ("floor", [ty]) if ty.is_number() => Ok(Type::Int),
            ("max", [ty]) => Ok(ty.clone()),
            ("length", [Type::String]) | ("count", [] | [_]) => Ok(Type::Int),
            ("now", []) => Ok(Type::Time),
            _ => Err("this is not how it is called".to_owned()),
        }
    }

    fn import(&mut self, _: &UsePath, _: u32) -> Result<Import, Diag> {
        Err(Diag::error(&code::INPUT_MISSING, "there is no file"))
    }

    fn source_name(&self, _: u32) -> String {
        "the script".to_owned()
    }

    fn call(&mut self, _: &str, arguments: &[Value], ty: &Type) -> Result<Value, Diag> {
        let first = arguments.first().filter(|value| value.value_type() == *ty);
        Ok(first.cloned().unwrap_or_else(|| sample(ty)))
    }
}

/// Some value of a type: what a run might have given.
pub fn sample(ty: &Type) -> Value {
    match ty {
        Type::Time => Value::Time(1_500_000),
        Type::LogicalTime => Value::LogicalTime(2_500_000_000),
        Type::Int => Value::Int(3),
        Type::Float => Value::Float(0.25),
        Type::String => Value::String("Idle".to_owned()),
        Type::Bool => Value::Bool(true),
        _ => Value::Null,
    }
}
