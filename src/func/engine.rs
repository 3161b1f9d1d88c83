//! The functions of the engine: which of them a script can call, what the engine's own documentation says of them, and
//! what they give of null.

use super::{FUNCTIONS, Functions, SYNONYMS};
use crate::lang::check::FunctionKind;
use crate::spec::Type;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Documentation, lit};
use std::collections::BTreeMap;

/// Sections of the engine's documentation whose functions take or give what the language has no values for.
const SECTIONS_NOT_OURS: &[&str] = &[
    "Array Functions",
    "Struct Functions",
    "Map Functions",
    "Union Functions",
    "Time and Date Functions",
];

/// Further functions that a script cannot call, with the reason.
const NOT_OURS: &[(&[&str], &str)] = &[
    (
        &[
            "version",
            "input_file_name",
            "grouping",
            "arrow_cast",
            "arrow_try_cast",
            "arrow_typeof",
            "arrow_metadata",
            "arrow_field",
            "with_metadata",
            "cast_to_type",
            "try_cast_to_type",
        ],
        "they speak of the engine, of files or of its types",
    ),
    (
        &["get_field", "regexp_match", "encode", "decode"],
        "they take or give lists, records or bytes",
    ),
    (
        &[
            "approx_percentile_cont",
            "approx_percentile_cont_with_weight",
            "percentile_cont",
            "nth_value",
        ],
        "`quantile` is exact and takes its share as it takes every number; a place among rows needs an order",
    ),
];

/// Calls that the engine writes in SQL.
const CALLS: &[(&str, &str)] = &[
    ("count", "count([expression])"),
    ("log", "log([base, ]numeric_expression)"),
    ("overlay", "overlay(str, substr, pos[, count])"),
    ("position", "position(origstr, substr)"),
    ("bool_or", "bool_or(expression)"),
    ("covar_pop", "covar_pop(expression1, expression2)"),
    ("first_value", "first_value(expression)"),
    ("last_value", "last_value(expression)"),
    ("array_agg", "array_agg(expression)"),
    ("string_agg", "string_agg(expression, delimiter)"),
];

/// Sentences that the engine writes for SQL, or has not written.
const ABOUTS: &[(&str, &str)] = &[
    (
        "count",
        "The number of values that are not null; of rows without an argument.",
    ),
    (
        "approx_median",
        "The approximate median; `median` is exact.",
    ),
    (
        "array_agg",
        "A list of the values, which can be shown and saved, and no more.",
    ),
    (
        "bool_or",
        "Returns true if any non-null input value is true, otherwise false.",
    ),
    (
        "covar_pop",
        "Returns the population covariance of a set of number pairs.",
    ),
    ("first_value", "The value of the row that comes first."),
    ("last_value", "The value of the row that comes last."),
];

/// What null gives where one call with it says too little.
const NULLS: &[(&str, &str)] = &[
    ("count", "nulls are not counted"),
    ("first_value", "a null is a value"),
    ("last_value", "a null is a value"),
    ("array_agg", "a null is a value"),
    ("approx_distinct", "nulls are left out; no values give 0"),
    ("regr_count", "nulls are left out; no values give 0"),
    (
        "concat_ws",
        "null where the separator is; other nulls are left out",
    ),
];

/// Functions of any number of arguments whose null case needs two to be seen.
const OF_TWO: &[&str] = &["coalesce", "concat", "greatest", "least"];

/// Functions whose arguments are values of one type, from which on.
const ALIKE: &[(&str, usize)] = &[
    ("coalesce", 0),
    ("greatest", 0),
    ("least", 0),
    ("nullif", 0),
    ("nvl", 0),
    ("ifnull", 0),
    ("nvl2", 1),
];

/// A function of the engine as a page tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFunction {
    /// Its name.
    pub name: String,
    /// How it is called.
    pub kind: FunctionKind,
    /// The call as one line.
    pub call: String,
    /// One sentence.
    pub about: String,
    /// Its other names.
    pub others: Vec<String>,
    /// What a null first argument gives.
    pub null: String,
}

/// Whether a script can call the engine's function `name`, whose documentation this is.
pub(super) fn is_ours(name: &str, documentation: Option<&Documentation>) -> bool {
    let is_listed = NOT_OURS.iter().any(|(names, _)| names.contains(&name));
    let section = documentation.map(|documentation| documentation.doc_section.label);
    !is_listed && !section.is_some_and(|section| SECTIONS_NOT_OURS.contains(&section))
}

/// Why the engine would not take arguments of these types, though its own check lets them pass.
pub(super) fn refused(name: &str, arguments: &[Type]) -> Option<String> {
    if name == "approx_distinct" && arguments.contains(&Type::Float) {
        return Some(
            "it does not count floats; `count(distinct …)` is `distinct x | summarize count()`"
                .to_owned(),
        );
    }
    let is_whole = |ty: &Type| matches!(ty, Type::Int | Type::Null);
    if ["gcd", "lcm"].contains(&name) && !arguments.iter().all(is_whole) {
        return Some("it takes whole numbers".to_owned());
    }
    let (_, from) = ALIKE.iter().find(|(function, _)| *function == name)?;
    let values = arguments.iter().skip(*from);
    let values: Vec<&Type> = values.filter(|ty| **ty != Type::Null).collect();
    let first = values.first()?;
    let other = values
        .iter()
        .find(|ty| *ty != first && !(ty.is_number() && first.is_number()))?;
    Some(format!("its values have one type, not {first} and {other}"))
}

impl Functions {
    /// The engine's functions that a script can call, each once, without those that are our own.
    pub fn engine_functions(&self) -> Vec<EngineFunction> {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in self.names() {
            let Some(canonical) = self.engine_name(&name) else {
                continue;
            };
            let others = names.entry(canonical.clone()).or_default();
            if canonical != name {
                others.push(name);
            }
        }
        let list = names.into_iter();
        list.filter_map(|(name, others)| self.described(&name, others))
            .collect()
    }

    /// The page of one function of the engine, for the REPL.
    pub fn engine_page(&self, name: &str) -> Option<String> {
        let canonical = self.engine_name(name)?;
        let others = self.names().into_iter().filter(|other| {
            *other != canonical && self.engine_name(other).as_ref() == Some(&canonical)
        });
        let function = self.described(&canonical, others.collect())?;
        let mut out = format!("{}\n\n  {}\n", function.call, function.about);
        if !function.others.is_empty() {
            out.push_str(&format!("\n  also: {}\n", function.others.join(", ")));
        }
        out.push_str(&format!("\n  of null: {}\n", function.null));
        Some(out)
    }

    /// The engine's own name of a function that is not one of ours.
    fn engine_name(&self, name: &str) -> Option<String> {
        let (canonical, _) = self.find(name)?;
        let own = FUNCTIONS.iter().flat_map(|family| family.iter());
        if own.into_iter().any(|own| own.name == canonical) {
            return None;
        }
        let scalar = self.state.scalar_functions().get(&canonical);
        let aggregate = self.state.aggregate_functions().get(&canonical);
        let engine = aggregate
            .map(|function| function.name())
            .or(scalar.map(|function| function.name()))?;
        // The engine's name may be one that we give to something else, or not at all.
        let is_known = self.find(engine).is_some_and(|(found, _)| found == engine);
        let known = if is_known {
            engine.to_owned()
        } else {
            canonical
        };
        let synonym = SYNONYMS.iter().find(|(_, name)| *name == known);
        Some(synonym.map_or(known.clone(), |(_, name)| (*name).to_owned()))
    }

    fn described(&self, name: &str, others: Vec<String>) -> Option<EngineFunction> {
        let (_, kind) = self.find(name)?;
        let documentation = match kind {
            FunctionKind::Aggregate => {
                let function = self.state.aggregate_functions().get(name)?;
                function.documentation()
            }
            _ => self.state.scalar_functions().get(name)?.documentation(),
        };
        let listed = |list: &'static [(&str, &'static str)]| {
            let found = list.iter().find(|(function, _)| *function == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        let call = listed(CALLS).or(documentation.map(|d| d.syntax_example.trim().to_owned()));
        let about = listed(ABOUTS).or(documentation.map(|d| sentence(&d.description)));
        Some(EngineFunction {
            name: name.to_owned(),
            kind,
            call: call.unwrap_or_else(|| format!("{name}(…)")),
            about: about.unwrap_or_default(),
            others,
            null: self.of_null(name, kind),
        })
    }

    /// What a function gives where its first argument is null and the others are not. Aggregates leave nulls out.
    fn of_null(&self, name: &str, kind: FunctionKind) -> String {
        if let Some((_, gives)) = NULLS.iter().find(|(function, _)| *function == name) {
            return (*gives).to_owned();
        }
        if kind == FunctionKind::Aggregate {
            return "nulls are left out; no values give null".to_owned();
        }
        let Some(mut types) = self.types_of(name) else {
            return String::new();
        };
        if OF_TWO.contains(&name) {
            types = vec![Type::String; 2];
        }
        if types.is_empty() {
            return "takes nothing".to_owned();
        }
        let mut arguments: Vec<_> = types.iter().map(|ty| lit(sample(ty))).collect();
        if let (Some(first), Some(ty)) = (arguments.first_mut(), types.first()) {
            *first = lit(null(ty));
        }
        let value = self
            .lower(name, arguments, &types)
            .and_then(|call| self.simplify(call));
        match value {
            Ok(value) if value.is_null() => "null".to_owned(),
            Ok(value) => format!("`{name}({})` is `{}`", written(&types), shown(&value)),
            Err(_) => "an error".to_owned(),
        }
    }

    /// The shortest list of types that a function takes to give a value of the language.
    fn types_of(&self, name: &str) -> Option<Vec<Type>> {
        // A list of values can be shown.
        let is_fine = |ty: &Type| name == "array_agg" || !matches!(ty, Type::Other | Type::Null);
        let types = [Type::String, Type::Int, Type::Float, Type::Bool];
        let mut lists: Vec<Vec<Type>> = vec![Vec::new()];
        for _ in 0..=3 {
            let fits = lists
                .iter()
                .find(|list| self.result_type(name, list).is_ok_and(|ty| is_fine(&ty)));
            if let Some(list) = fits {
                return Some(list.clone());
            }
            lists = lists
                .iter()
                .flat_map(|list| {
                    types.iter().map(|ty| {
                        let mut longer = list.clone();
                        longer.push(ty.clone());
                        longer
                    })
                })
                .collect();
        }
        None
    }

    /// Whether anything a script can write is an argument of the function and its result a value of the language.
    pub fn is_callable(&self, name: &str) -> bool {
        self.types_of(name).is_some()
    }
}

fn sample(ty: &Type) -> ScalarValue {
    match ty {
        Type::Int => ScalarValue::Int64(Some(2)),
        Type::Float => ScalarValue::Float64(Some(0.5)),
        Type::Bool => ScalarValue::Boolean(Some(true)),
        _ => ScalarValue::Utf8View(Some("a".to_owned())),
    }
}

fn null(ty: &Type) -> ScalarValue {
    match ty {
        Type::Int => ScalarValue::Int64(None),
        Type::Float => ScalarValue::Float64(None),
        Type::Bool => ScalarValue::Boolean(None),
        _ => ScalarValue::Utf8View(None),
    }
}

/// A value as a script writes it.
fn shown(value: &ScalarValue) -> String {
    match value.try_as_str() {
        Some(Some(text)) => format!("\"{text}\""),
        _ => value.to_string(),
    }
}

/// The arguments of the call that [`Functions::of_null`] makes, as a script writes them.
fn written(types: &[Type]) -> String {
    let rest = types.iter().skip(1).map(|ty| shown(&sample(ty)));
    let all: Vec<String> = std::iter::once("null".to_owned()).chain(rest).collect();
    all.join(", ")
}

/// The first sentence of a description, on one line.
fn sentence(description: &str) -> String {
    let paragraph = description.trim().split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = without_links(&words.join(" "));
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let first = line
        .get(..end)
        .unwrap_or(&line)
        .trim_end_matches([':', ' ']);
    if first.ends_with('.') {
        first.to_owned()
    } else {
        format!("{first}.")
    }
}

/// `[text](address)` as `text`.
fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after
            .split_once("](")
            .and_then(|(text, more)| Some((text, more.split_once(')')?.1)));
        out.push_str(before);
        match link {
            Some((text, behind)) => {
                out.push_str(text.trim_matches('`'));
                rest = behind;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_one_line() {
        assert_eq!(sentence("Adds.\n\nMore"), "Adds.");
        assert_eq!(
            sentence("Adds two\nnumbers. And more."),
            "Adds two numbers."
        );
        assert_eq!(sentence("Adds 0.5 to it"), "Adds 0.5 to it.");
        assert_eq!(
            sentence("Finds a [`word`](https://a.b/c) in [a, b]"),
            "Finds a word in [a, b]."
        );
    }

    #[test]
    fn values_of_two_types_have_no_greatest() {
        let says = |types: &[Type]| refused("least", types);
        assert!(says(&[Type::Int, Type::Float, Type::Null]).is_none());
        assert!(says(&[Type::Int, Type::String]).is_some_and(|why| why.contains("int and string")));
        assert!(refused("nvl2", &[Type::Bool, Type::Int, Type::Int]).is_none());
        assert!(refused("concat", &[Type::Int, Type::String]).is_none());
    }
}
