//! Functions of resource paths, whose parts are separated by `/`.

use super::FunctionSpec;
use crate::diag::Diag;
use crate::lang::check::FunctionKind;
use crate::spec::Type;
use datafusion::functions::expr_fn;
use datafusion::logical_expr::{Expr, cast, lit, when};

/// The family.
pub static FUNCTIONS: &[FunctionSpec] = &[
    FunctionSpec {
        name: "under",
        kind: FunctionKind::Scalar,
        signature: "under(resource, path)",
        summary: "True where the resource is that path or below it.",
        example: ("under(\"a/b/c\", \"a/b\")", "true"),
        null: "null",
        result: two_texts,
        lower: Some(under),
    },
    FunctionSpec {
        name: "parent",
        kind: FunctionKind::Scalar,
        signature: "parent(resource)",
        summary: "The path without its last part; null for a path of one part.",
        example: ("parent(\"a/b/c\")", "a/b"),
        null: "null",
        result: |types| match types {
            [Type::String | Type::Null] => Ok(Type::String),
            _ => Err("it takes one text, a resource path".to_owned()),
        },
        lower: Some(parent),
    },
    FunctionSpec {
        name: "level",
        kind: FunctionKind::Scalar,
        signature: "level(resource, n)",
        summary: "The first n parts of the path; the whole path where it has fewer.",
        example: ("level(\"a/b/c\", 2)", "a/b"),
        null: "null",
        result: |types| match types {
            [Type::String | Type::Null, Type::Int] => Ok(Type::String),
            _ => Err("it takes a resource path and a whole number".to_owned()),
        },
        lower: Some(level),
    },
];

fn two_texts(types: &[Type]) -> Result<Type, String> {
    match types {
        [Type::String | Type::Null, Type::String | Type::Null] => Ok(Type::Bool),
        _ => Err("it takes two texts, a resource and a path".to_owned()),
    }
}

fn pair(arguments: Vec<Expr>) -> Result<(Expr, Expr), Diag> {
    let mut arguments = arguments.into_iter();
    match (arguments.next(), arguments.next()) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(Diag::error(
            &crate::diag::code::INTERNAL,
            "a path function lacks an argument",
        )),
    }
}

fn text(expr: Expr) -> Expr {
    cast(expr, datafusion::arrow::datatypes::DataType::Utf8View)
}

fn under(arguments: Vec<Expr>, _: &[Type]) -> Result<Expr, Diag> {
    let (resource, path) = pair(arguments)?;
    let below = expr_fn::starts_with(
        text(resource.clone()),
        expr_fn::concat(vec![path.clone(), lit("/")]),
    );
    Ok(text(resource).eq(text(path)).or(below))
}

fn parent(arguments: Vec<Expr>, types: &[Type]) -> Result<Expr, Diag> {
    let path = arguments
        .into_iter()
        .next()
        .ok_or_else(|| Diag::error(&crate::diag::code::INTERNAL, "`parent` lacks its argument"))?;
    let _ = types;
    let cut = expr_fn::regexp_replace(text(path.clone()), lit("/[^/]*$"), lit(""), None);
    when(expr_fn::strpos(text(path), lit("/")).gt(lit(0)), text(cut))
        .end()
        .map_err(crate::plan::fault::diag)
}

fn level(arguments: Vec<Expr>, _: &[Type]) -> Result<Expr, Diag> {
    let (path, parts) = pair(arguments)?;
    // substr_index keeps the first n parts and the whole text where there are fewer.
    Ok(text(expr_fn::substr_index(text(path), lit("/"), parts)))
}
