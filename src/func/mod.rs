//! The functions of the language: our own entries, one file per family, and DataFusion's scalar and
//! aggregate functions under their own names.

mod engine;
mod on_data;
mod path;
mod text;
mod time;

use crate::diag::{Diag, code};
use crate::lang::check::FunctionKind;
use crate::plan::fault;
use crate::spec::Type;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::{Documentation, Expr, ExprSchemable, Volatility};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use engine::EngineFunction;
pub use on_data::span_plan;

/// Makes the engine's expression of a call from its arguments and their types.
pub type Lower = fn(Vec<Expr>, &[Type]) -> Result<Expr, Diag>;

/// A function of our own.
pub struct FunctionSpec {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub kind: FunctionKind,
    /// The call as one line: `under(resource, prefix)`.
    pub signature: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// An expression over the states of `hand.csv` (tests/data) and what it gives in the first row by start
    /// and resource, as CSV; the tests run it.
    pub example: (&'static str, &'static str),
    /// What a null argument gives.
    pub null: &'static str,
    /// The type of a call, or why it is wrong.
    pub result: fn(&[Type]) -> Result<Type, String>,
    /// The engine's expression; None for functions of data.
    pub lower: Option<Lower>,
}

/// Our own functions.
pub static FUNCTIONS: &[&[FunctionSpec]] = &[
    on_data::FUNCTIONS,
    path::FUNCTIONS,
    text::FUNCTIONS,
    time::FUNCTIONS,
];

/// Other names of DataFusion's functions.
static SYNONYMS: &[(&str, &str)] = &[("mean", "avg"), ("stddev_samp", "stddev"), ("power", "pow")];

/// Every function that a script can call.
#[derive(Clone)]
pub struct Functions {
    state: Arc<SessionState>,
}

/// Whether a script can call the engine's function, under its own name and under this one.
fn is_ours(own: &str, name: &str, documentation: Option<&Documentation>) -> bool {
    engine::is_ours(own, documentation) && engine::is_ours(name, documentation)
}

fn own(name: &str) -> Option<&'static FunctionSpec> {
    FUNCTIONS
        .iter()
        .flat_map(|f| f.iter())
        .find(|f| f.name == name)
}

impl Functions {
    /// The functions of an engine.
    pub fn new(state: SessionState) -> Self {
        Functions {
            state: Arc::new(state),
        }
    }

    fn canonical<'a>(&self, name: &'a str) -> &'a str {
        let other = SYNONYMS.iter().find(|(synonym, _)| *synonym == name);
        match other {
            Some((_, function)) if !self.state.scalar_functions().contains_key(name) => function,
            _ => name,
        }
    }

    /// The canonical name and the kind of a function.
    pub fn find(&self, name: &str) -> Option<(String, FunctionKind)> {
        let name = self.canonical(name);
        if let Some(own) = own(name) {
            return Some((own.name.to_owned(), own.kind));
        }
        if let Some(function) = self.state.aggregate_functions().get(name) {
            let is_ours = is_ours(function.name(), name, function.documentation());
            return is_ours.then(|| (name.to_owned(), FunctionKind::Aggregate));
        }
        // What gives another value on every run has no place in a reproducible script.
        self.state
            .scalar_functions()
            .get(name)
            .filter(|function| function.signature().volatility == Volatility::Immutable)
            .filter(|function| is_ours(function.name(), name, function.documentation()))
            .map(|_| (name.to_owned(), FunctionKind::Scalar))
    }

    /// Every name.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = FUNCTIONS
            .iter()
            .flat_map(|family| family.iter().map(|f| f.name.to_owned()))
            .chain(SYNONYMS.iter().map(|(name, _)| (*name).to_owned()))
            .chain(self.state.scalar_functions().keys().cloned())
            .chain(self.state.aggregate_functions().keys().cloned())
            .filter(|name| self.find(name).is_some())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The type of a call, or a sentence that says why it is wrong.
    pub fn result_type(&self, name: &str, arguments: &[Type]) -> Result<Type, String> {
        if let Some(own) = own(name) {
            return (own.result)(arguments);
        }
        if let Some(ty) = arguments.iter().find(|ty| ty.is_time()) {
            return time::result_of_engine_function(name, ty, arguments);
        }
        if let Some(why) = engine::refused(name, arguments) {
            return Err(why);
        }
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for (index, ty) in arguments.iter().enumerate() {
            let name = format!("argument_{index}");
            fields.push(Field::new(&name, arrow_type(ty)?, true));
            columns.push(crate::plan::lower::column(&name));
        }
        let schema = DFSchema::try_from(Schema::new(fields)).map_err(|error| error.to_string())?;
        let call = self
            .engine_call(name, columns)
            .map_err(|diag| diag.message)?;
        match call.get_type(&schema) {
            Ok(DataType::Timestamp(..) | DataType::Date32 | DataType::Date64) => {
                Err("gives a calendar date, which the language does not have".to_owned())
            }
            Ok(data_type) => Ok(crate::model::schema::type_of(&Field::new(
                "", data_type, true,
            ))),
            Err(_) => {
                let types: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                Err(if types.is_empty() {
                    "it needs arguments".to_owned()
                } else {
                    format!("it does not take ({})", types.join(", "))
                })
            }
        }
    }

    /// The engine's expression of a call.
    pub fn lower(&self, name: &str, arguments: Vec<Expr>, types: &[Type]) -> Result<Expr, Diag> {
        if let Some(lower) = own(name).and_then(|own| own.lower) {
            return lower(arguments, types);
        }
        let is_text = |expr: &Expr| matches!(expr, Expr::Literal(..));
        if name == "string_agg" && !arguments.get(1).is_some_and(is_text) {
            return Err(Diag::error(
                &code::INVALID_VALUE,
                "the delimiter of `string_agg` is a constant text",
            ));
        }
        self.engine_call(name, arguments)
    }

    fn engine_call(&self, name: &str, mut arguments: Vec<Expr>) -> Result<Expr, Diag> {
        if let Some(function) = self.state.aggregate_functions().get(name) {
            if name == "count" && arguments.is_empty() {
                arguments.push(datafusion::logical_expr::lit(1_i64));
            }
            return Ok(function.call(arguments));
        }
        match self.state.scalar_functions().get(name) {
            Some(function) => Ok(function.call(arguments)),
            None => Err(Diag::error(
                &code::INTERNAL,
                format!("the engine has no function `{name}`"),
            )),
        }
    }

    /// The value of a call of constants.
    pub fn simplify(&self, call: Expr) -> Result<ScalarValue, Diag> {
        use datafusion::logical_expr::simplify::SimplifyContext;
        use datafusion::optimizer::simplify_expressions::ExprSimplifier;
        let schema = Arc::new(DFSchema::empty());
        let context = SimplifyContext::builder()
            .with_schema(schema.clone())
            .build();
        let simplifier = ExprSimplifier::new(context);
        let coerced = simplifier.coerce(call, &schema).map_err(fault::diag)?;
        match simplifier.simplify(coerced).map_err(fault::diag)? {
            Expr::Literal(value, _) => Ok(value),
            // The simplifier keeps a call that fails as it is; evaluating it says why it fails.
            other => self.evaluate(other, &schema).map_err(fault::diag),
        }
    }

    /// The value of an expression without columns.
    fn evaluate(&self, expr: Expr, schema: &DFSchema) -> datafusion::error::Result<ScalarValue> {
        let physical = self.state.create_physical_expr(expr, schema)?;
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let columns = Arc::new(Schema::empty());
        let one = RecordBatch::try_new_with_options(columns, Vec::new(), &options)?;
        let value = physical.evaluate(&one)?.into_array(1)?;
        ScalarValue::try_from_array(&value, 0)
    }

    /// Our own functions by name, for the pages.
    pub fn specs() -> BTreeMap<&'static str, &'static FunctionSpec> {
        FUNCTIONS
            .iter()
            .flat_map(|family| family.iter())
            .map(|function| (function.name, function))
            .collect()
    }
}

/// The Arrow type that stands for a type of the language in engine calls.
fn arrow_type(ty: &Type) -> Result<DataType, String> {
    Ok(match ty {
        Type::Int | Type::Time | Type::LogicalTime | Type::Size => DataType::Int64,
        Type::Float => DataType::Float64,
        Type::String => DataType::Utf8View,
        Type::Bool => DataType::Boolean,
        Type::Null => DataType::Null,
        other => return Err(format!("it does not take a {other}")),
    })
}
