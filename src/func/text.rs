//! Functions that make a text as long as an argument says: the engine's own, with a limit instead of an end of memory.

use super::FunctionSpec;
use crate::diag::{Diag, code};
use crate::lang::check::FunctionKind;
use crate::plan::fault::Carried;
use crate::spec::Type;
use datafusion::arrow::array::{AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::functions::expr_fn;
use datafusion::functions::unicode::expr_fn as padding;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast,
    lit,
};
use std::sync::Arc;

/// The family.
pub static FUNCTIONS: &[FunctionSpec] = &[
    FunctionSpec {
        name: "repeat",
        kind: FunctionKind::Scalar,
        signature: "repeat(text, n)",
        summary: "The text n times; nothing where n is 0 or less.",
        example: ("repeat(\"ab\", 3)", "ababab"),
        null: "null",
        result: |types| match types {
            [
                Type::String | Type::Int | Type::Null,
                Type::Int | Type::Null,
            ] => Ok(Type::String),
            _ => Err("it takes a text and a whole number".to_owned()),
        },
        lower: Some(|arguments, _| match <[Expr; 2]>::try_from(arguments) {
            Ok([text, times]) => {
                let text = cast(text, DataType::Utf8View);
                let bytes = cast(expr_fn::octet_length(text.clone()), DataType::Int64);
                Ok(expr_fn::repeat(text, bounded("repeat", times, bytes)))
            }
            Err(_) => Err(lacking("repeat")),
        }),
    },
    FunctionSpec {
        name: "lpad",
        kind: FunctionKind::Scalar,
        signature: "lpad(text, n[, filler])",
        summary: "The text with blanks, or the filler, before it up to n characters; cut to them where it is longer.",
        example: ("lpad(\"7\", 3, \"0\")", "007"),
        null: "null",
        result: padded,
        lower: Some(|arguments, _| pad("lpad", padding::lpad, arguments)),
    },
    FunctionSpec {
        name: "rpad",
        kind: FunctionKind::Scalar,
        signature: "rpad(text, n[, filler])",
        summary: "The text with blanks, or the filler, behind it up to n characters; cut to them where it is longer.",
        example: ("rpad(\"a\", 3, \".\")", "a.."),
        null: "null",
        result: padded,
        lower: Some(|arguments, _| pad("rpad", padding::rpad, arguments)),
    },
];

/// Most bytes that one call may make of the rows of one batch, and so of one row.
const LIMIT: i64 = 64 << 20;

/// Most bytes of a character.
const BYTES_OF_A_CHARACTER: i64 = 4;

fn padded(types: &[Type]) -> std::result::Result<Type, String> {
    match types {
        [
            Type::String | Type::Int | Type::Null,
            Type::Int | Type::Null,
        ]
        | [
            Type::String | Type::Int | Type::Null,
            Type::Int | Type::Null,
            Type::String | Type::Null,
        ] => Ok(Type::String),
        _ => {
            Err("it takes a text, a whole number of characters, and a text to fill with".to_owned())
        }
    }
}

fn pad(
    name: &'static str,
    function: fn(Vec<Expr>) -> Expr,
    arguments: Vec<Expr>,
) -> std::result::Result<Expr, Diag> {
    let mut arguments = arguments.into_iter();
    let (Some(text), Some(length)) = (arguments.next(), arguments.next()) else {
        return Err(lacking(name));
    };
    let text = cast(text, DataType::Utf8View);
    let length = bounded(name, length, lit(BYTES_OF_A_CHARACTER));
    let filler = arguments.map(|filler| cast(filler, DataType::Utf8View));
    Ok(function([text, length].into_iter().chain(filler).collect()))
}

fn lacking(name: &str) -> Diag {
    Diag::error(&code::INTERNAL, format!("`{name}` lacks an argument"))
}

/// `times`, once it is known that as many pieces of `bytes` each are no more than the limit.
fn bounded(name: &'static str, times: Expr, bytes: Expr) -> Expr {
    let function = Bounded {
        function: name,
        signature: Signature::any(2, Volatility::Immutable),
    };
    ScalarUDF::new_from_impl(function).call(vec![cast(times, DataType::Int64), bytes])
}

/// Gives its first argument, or the error that it would make too long a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Bounded {
    /// The function that makes the text.
    function: &'static str,
    signature: Signature,
}

impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        "bounded"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [times, bytes] = arrays.as_slice() else {
            return Err(DataFusionError::External(Box::new(Carried(lacking(
                self.function,
            )))));
        };
        let times = times.as_primitive::<Int64Type>();
        let bytes = bytes.as_primitive::<Int64Type>();
        // A constant call has one row for all.
        let is_constant = args
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let mut total = 0_i64;
        for (times, bytes) in times.iter().zip(bytes) {
            let made = times.unwrap_or(0).max(0).saturating_mul(bytes.unwrap_or(0));
            total = total.saturating_add(made);
        }
        if total > LIMIT {
            let diag = Diag::error(
                &code::INVALID_VALUE,
                format!(
                    "`{}` would make {} MiB of text at once, more than {}",
                    self.function,
                    total >> 20,
                    LIMIT >> 20
                ),
            )
            .help("a smaller number makes a text that can be shown");
            return Err(DataFusionError::External(Box::new(Carried(diag))));
        }
        if is_constant {
            let first = times.iter().next().flatten();
            return Ok(ColumnarValue::Scalar(
                datafusion::common::ScalarValue::Int64(first),
            ));
        }
        Ok(ColumnarValue::Array(Arc::new(
            times.iter().collect::<Int64Array>(),
        )))
    }
}
