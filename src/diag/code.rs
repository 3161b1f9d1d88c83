//! The one table of diagnostic codes. To add a code, add a line here and a failing script
//! `tests/errors/<code>.marey`; the pages and the tests follow.

/// What kind of failure a code belongs to; it decides the exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An `assert` failed: exit code 1.
    Assertion,
    /// The script or the command line is wrong: exit code 2.
    Script,
    /// An input could not be read: exit code 3.
    Input,
    /// It failed while running: exit code 4.
    Run,
    /// It was interrupted: exit code 130.
    Interrupt,
}

impl Class {
    /// The exit code of language.md section 7.
    pub fn exit_code(self) -> u8 {
        match self {
            Class::Assertion => 1,
            Class::Script => 2,
            Class::Input => 3,
            Class::Run => 4,
            Class::Interrupt => 130,
        }
    }
}

/// A stable diagnostic code with the paragraph the reference page shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `snake_case` name; users see `marey::<name>`.
    pub name: &'static str,
    /// Decides the exit code.
    pub class: Class,
    /// One paragraph: when it appears and what to do.
    pub about: &'static str,
}

macro_rules! codes {
    ($($(#[$meta:meta])* $constant:ident $name:literal $class:ident $about:literal;)*) => {
        $(
            #[doc = $about]
            pub static $constant: Code = Code { name: $name, class: Class::$class, about: $about };
        )*
        /// Every code, in the order of the table.
        pub static ALL: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    SYNTAX "syntax" Script "The text is not marey: the label points at the first place that does not fit, the help says what would.";
    TOO_DEEP "too_deep" Script "Brackets or nested expressions go deeper than the parser allows (some hundred levels). Split the expression with `let`.";
    SINGLE_QUOTES "single_quotes" Script "Text is written in double quotes, a column with odd letters in backquotes; single quotes have no meaning.";
    UNIT_BLANK "unit_blank" Script "A number and its unit are written without a blank between them: `10ms`.";
    UNKNOWN_UNIT "unknown_unit" Script "The letters after a number are not a unit of time (`ps ns us ms s min h`), length (`px pt mm cm in`), size (`B kB MB GB KiB MiB GiB`) or share (`%`).";
    CHAINED_COMPARISON "chained_comparison" Script "Comparisons do not chain: write `a < x and x < b`, or `x in a..b` for a half-open range.";
    UNKNOWN_VERB "unknown_verb" Script "No verb and no binding has this name. The help names the nearest.";
    UNKNOWN_OPTION "unknown_option" Script "The verb has no option of this name. `=` names an option; comparing is written `==`.";
    UNKNOWN_COLUMN "unknown_column" Script "What flows in has no such column. The help names the nearest, or the stage that dropped it.";
    AMBIGUOUS_COLUMN "ambiguous_column" Script "The name means both a column of the trace model and an attribute of the file (`attr.name`); write which one.";
    UNKNOWN_NAME "unknown_name" Script "No `let`, `param` or loop defines this name before its use.";
    UNKNOWN_FUNCTION "unknown_function" Script "No function has this name.";
    UNKNOWN_CHOICE "unknown_choice" Script "The option takes one of a fixed set of words.";
    UNKNOWN_RELATION "unknown_relation" Script "The trace has no relation of this name.";
    DUPLICATE_NAME "duplicate_name" Script "A name is defined twice, or the result would have two columns of one name.";
    DUPLICATE_OPTION "duplicate_option" Script "An option is given twice.";
    MISSING_ARGUMENT "missing_argument" Script "The verb or function needs an argument that is not there.";
    EXTRA_ARGUMENT "extra_argument" Script "The verb or function takes fewer arguments.";
    TYPE_MISMATCH "type_mismatch" Script "A value of one type stands where another is wanted.";
    UNIT_MISMATCH "unit_mismatch" Script "A time meets a number without a unit, or times of a trace without a unit meet a time with one.";
    INVALID_VALUE "invalid_value" Script "A value of the right type is outside its range.";
    KIND_MISMATCH "kind_mismatch" Script "The verb does not take what flows in: a trace, a table, a figure or a scalar.";
    NOT_A_SCALAR "not_a_scalar" Script "A scalar is wanted here: a literal, a `$name`, or a pipeline in parentheses that gives one row and one column.";
    AGGREGATE_MISPLACED "aggregate_misplaced" Script "An aggregate function stands where rows are looked at one by one; use `summarize`, or `by` in `filter`.";
    UNKNOWN_PARAM "unknown_param" Script "The script has no `param` of this name, or its value does not fit.";
    RECURSION "recursion" Script "A `def` uses itself, directly or through others. Definitions are put in where they are used, so that would never end.";
    USE_CYCLE "use_cycle" Script "Files bring each other in by `use` in a circle.";
    USE_RUNS_NOTHING "use_runs_nothing" Script "A file that is brought in by `use` has statements that would run something; `use` takes its `let`, `param` and `def` only.";
    SAVED_TWICE "saved_twice" Script "Two `save` stages of one script write the same path.";
    UNKNOWN_FORMAT "unknown_format" Script "The extension of the path is no format that can be written from what flows in.";
    BAD_COMMAND_LINE "bad_command_line" Script "The command line is wrong.";
    BINDING_SHADOWS_VERB "binding_shadows_verb" Script "A binding has the name of a verb: without arguments the binding is meant, with arguments the verb.";
    INPUT_MISSING "input_missing" Input "The file does not exist, or a pattern matches nothing.";
    INPUT_UNREADABLE "input_unreadable" Input "The file exists but cannot be read: a directory, missing rights, broken compression.";
    UNKNOWN_INPUT_FORMAT "unknown_input_format" Input "The content fits no reader. `format=` names one.";
    AMBIGUOUS_INPUT "ambiguous_input" Input "The content fits two readings; an option of `load` has to say which.";
    NO_PROVENANCE "no_provenance" Input "The file does not say how it was made: it was saved with `provenance=none`, by another program, or changed since.";
    BAD_ROW "bad_row" Input "A row of the input cannot be used and the policy says that this is an error.";
    NOTHING_KEPT "nothing_kept" Input "Records were read and every one of them was rejected.";
    MISSING_ROLE "missing_role" Input "No column of the table plays a part that a trace needs; name it in `load`.";
    TIME_RANGE "time_range" Input "A time does not fit into 64-bit ticks of the trace's resolution.";
    LOAD_REPORT "load_report" Input "Rows were repaired or rejected while loading; the counts are by reason, the rejected rows are in the relation `rejects`.";
    NO_UNIT "no_unit" Input "The file does not say its unit of time: the numbers are kept exactly and compare with bare numbers. `unit=` gives it one.";
    EMPTY_TRACE "empty_trace" Input "The file has no records.";
    ASSERTION "assertion" Assertion "The condition of an `assert` does not hold.";
    OVERFLOW "overflow" Run "A time or sum of times does not fit into 64-bit ticks.";
    BAD_STATE "bad_state" Run "A verb met a state it cannot use (no start or end, or an end before its start), kept by `policy=keep`.";
    DUPLICATE_ID "duplicate_id" Run "Two states have one id, so that a dependency on it could mean either.";
    BAD_DEPENDENCY "bad_dependency" Run "A dependency names a state that the trace does not have, or a point that is neither `start` nor `end`.";
    CYCLE "cycle" Run "Dependencies contradict each other: going round the cycle that is printed, a state would have to come after itself.";
    NO_DEPENDENCIES "no_dependencies" Script "`critical-path deps=full` and `deps=application` need the dependencies of the trace, and it was loaded without any. `deps=none` works without.";
    LIMITED "limited" Run "A table stops at a limit; the message says how many rows it leaves out and which option raises the limit.";
    SHORT_PATH "short_path" Run "The critical path covers less than half of the makespan with the tolerance 0 that nobody chose: the trace has overhead between its states. The help names the smallest tolerance that spans the trace.";
    MEMORY_LIMIT "memory_limit" Run "A stage needs more memory than `--memory` allows.";
    STACK_TOO_HIGH "stack_too_high" Run "Values of a lane overlap, so the stack passes the lane; `nest=flatten` makes them exclusive.";
    FIGURE "figure" Run "The figure cannot be drawn as asked.";
    MANY_STATES "many_states" Run "A plain Gantt chart of so many states says little that is true: most are narrower than a pixel. `aggregate-by-threshold` merges them and keeps their time.";
    SAVE_REPORT "save_report" Run "A file was written whose format cannot hold the trace as it is; what was written another way or left out is counted.";
    OUTPUT "output" Run "The output file cannot be written.";
    NOT_ONE_VALUE "not_one_value" Run "A pipeline used as a scalar gave more or less than one row and one column.";
    EMPTY_RESULT "empty_result" Run "A result has no rows. The label shows the stage that took the last ones away; where it compares a column with a text that never occurs, the help names the nearest that does.";
    NULLS_LEFT_OUT "nulls_left_out" Run "Null values were left out of an aggregate or a figure.";
    PALETTE_SHORT "palette_short" Run "The palette has fewer colours than there are values; the rest got generated colours.";
    PIXEL_THRESHOLD "pixel_threshold" Script "A threshold in lengths of the figure needs a plot at the end of the pipeline or `width=` on the verb.";
    INTERRUPTED "interrupted" Interrupt "The run was interrupted.";
    ENGINE "engine" Run "The engine failed in a way that has no explanation of its own yet; this is worth a bug report.";
    INTERNAL "internal" Run "A mistake inside marey. Please report it with the script.";
}
