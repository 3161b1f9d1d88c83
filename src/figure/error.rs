//! What can go wrong while a figure is made, and what is worth saying although it went well.
//!
//! Both are data: the layers above turn them into diagnostics with a code and a place in the script.

use std::fmt;

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureError {
    /// The values of one cell sum to more than the lane is high.
    StackTooHigh {
        /// Resource of the first such cell.
        resource: String,
        /// State type of the first such cell.
        kind: String,
        /// Its chunk number.
        chunk: i64,
        /// Its subchunk number.
        subchunk: i64,
        /// How high the stack is; 1 is the lane.
        height: f64,
    },
    /// A colour that is not `#RRGGBB`.
    BadColour {
        /// The text as it was given.
        text: String,
    },
    /// No palette has this name.
    UnknownPalette {
        /// The name as it was given.
        name: String,
    },
    /// A width or height that is not a positive finite length, or is beyond [`crate::figure::size::MAX_PX`].
    BadSize {
        /// The length as text, such as `0mm`.
        text: String,
    },
    /// The end of the time range lies before its start.
    BadTimeRange {
        /// First tick asked for.
        start: i64,
        /// Last tick asked for.
        end: i64,
    },
    /// The columns of the table do not fit together; a fault of the caller, not of the data.
    BadTable {
        /// First row that is wrong.
        row: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The magnified part of the time axis is none: it has no length, or its factor is not above 0.
    BadLens {
        /// First tick asked for.
        start: i64,
        /// Last tick asked for.
        end: i64,
        /// Factor asked for.
        factor: f64,
    },
    /// A panel without charts, or whose weights are not one positive number for each chart.
    BadPanel {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Charts of a panel that cannot share a time axis: their ticks are different times, or one is magnified elsewhere.
    NoCommonTime {
        /// Number of the first chart that differs from the first of all, from 1 on.
        chart: usize,
        /// In what it differs.
        problem: &'static str,
    },
    /// The picture would have too many pixels.
    PictureTooLarge {
        /// Width in pixels.
        width: f64,
        /// Height in pixels.
        height: f64,
        /// Resolution asked for, in dots per inch.
        dpi: f64,
    },
    /// The renderer refused the figure.
    Render {
        /// What it said.
        message: String,
    },
}

impl fmt::Display for FigureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FigureError::StackTooHigh {
                resource,
                kind,
                chunk,
                subchunk,
                height,
            } => write!(
                out,
                "the stack of {resource} ({kind}), chunk {chunk}, subchunk {subchunk} is {height:.3} lanes high: \
                 values that overlap count twice"
            ),
            FigureError::BadColour { text } => {
                write!(out, "`{text}` is not a colour: `#RRGGBB` is expected")
            }
            FigureError::UnknownPalette { name } => write!(out, "no palette is called `{name}`"),
            FigureError::BadSize { text } => {
                write!(out, "a figure cannot be {text} wide or high")
            }
            FigureError::BadTimeRange { start, end } => write!(
                out,
                "the time range ends (tick {end}) before it starts (tick {start})"
            ),
            FigureError::BadTable { row, problem } => {
                write!(out, "row {row} of the table to plot: {problem}")
            }
            FigureError::BadLens { start, end, factor } => write!(
                out,
                "ticks {start} to {end} cannot be magnified by {factor}"
            ),
            FigureError::BadPanel { problem } => {
                write!(out, "the panel cannot be drawn: {problem}")
            }
            FigureError::NoCommonTime { chart, problem } => write!(
                out,
                "chart {chart} of the panel has no time in common with the first: {problem}"
            ),
            FigureError::PictureTooLarge { width, height, dpi } => write!(
                out,
                "a picture of {width:.0} x {height:.0} pixels ({dpi} dpi) is too large"
            ),
            FigureError::Render { message } => {
                write!(out, "the figure cannot be rendered: {message}")
            }
        }
    }
}

impl std::error::Error for FigureError {}

/// Something the reader of the figure should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The palette has fewer colours than there are values; the others got colours made for them.
    PaletteShort {
        /// Name of the palette, or `list`.
        palette: String,
        /// Colours in it.
        colours: usize,
        /// Values to colour.
        values: usize,
    },
    /// Two values were given the same colour by hand.
    SameColour {
        /// The value that has the colour first.
        first: String,
        /// The value that has it too.
        second: String,
    },
    /// More values than colours that can be told apart.
    ManyValues {
        /// Values that occur.
        values: usize,
        /// So many colours are told apart.
        distinct: usize,
    },
    /// So many marks that most of them are too narrow to be seen one by one.
    ManyMarks {
        /// Marks drawn.
        marks: usize,
    },
    /// So many links that they are drawn with a thinner pen.
    ManyLinks {
        /// Links drawn.
        links: usize,
    },
    /// Claims that together are more than the capacity of their row, or reach above it; they are drawn at its upper end.
    PastCapacity {
        /// How many claims.
        claims: usize,
        /// Row of the first of them.
        row: String,
    },
    /// Claims for which enough is free, but not in one piece; they are drawn over others.
    NoFreePlace {
        /// How many claims.
        claims: usize,
        /// Row of the first of them.
        row: String,
    },
    /// Two charts of a panel with one legend give a value different colours.
    ColoursDiffer {
        /// The value.
        value: String,
    },
    /// The bundled font has no glyph for some characters.
    MissingGlyphs {
        /// How many characters are concerned, each counted as often as it is drawn.
        count: usize,
        /// The first few of them.
        examples: String,
    },
    /// The legend does not fit the page.
    LegendShortened {
        /// Values that are not listed.
        values: usize,
        /// Other explanations (such as the one of the outline) that are not there.
        keys: usize,
    },
    /// Parts of the figure were left out because the page is too small.
    PageTooSmall {
        /// The parts, in plain words.
        left_out: Vec<&'static str>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::PaletteShort {
                palette,
                colours,
                values,
            } => write!(
                out,
                "{colours} colours of the palette (`{palette}`) for {values} values: the others have colours made apart from those"
            ),
            Warning::SameColour { first, second } => {
                write!(out, "`{first}` and `{second}` have the same colour")
            }
            Warning::ManyValues { values, distinct } => write!(
                out,
                "{values} values have colours of their own; beyond {distinct} they are hard to tell apart"
            ),
            Warning::ManyMarks { marks } => write!(
                out,
                "{marks} marks: most are too narrow to be seen, and neighbours blend"
            ),
            Warning::ManyLinks { links } => {
                write!(
                    out,
                    "{links} links hide each other; they are drawn with a thinner pen"
                )
            }
            Warning::PastCapacity { claims, row } => write!(
                out,
                "{claims} claims pass the capacity, the first on `{row}`; they are drawn within it, over others"
            ),
            Warning::NoFreePlace { claims, row } => write!(
                out,
                "{claims} claims without an offset have no free place in one piece, the first on `{row}`; they are drawn over others"
            ),
            Warning::ColoursDiffer { value } => write!(
                out,
                "`{value}` has different colours in the charts of the panel"
            ),
            Warning::MissingGlyphs { count, examples } => write!(
                out,
                "the font of the figure lacks {count} characters, such as {examples}"
            ),
            Warning::LegendShortened { values, keys } => {
                out.write_str("the legend does not fit the page:")?;
                if *values > 0 {
                    write!(out, " {values} values are not listed")?;
                }
                if *keys > 0 {
                    let joint = if *values > 0 { "," } else { "" };
                    let what = if *keys == 1 {
                        "explanation is"
                    } else {
                        "explanations are"
                    };
                    write!(out, "{joint} {keys} {what} left out")?;
                }
                Ok(())
            }
            Warning::PageTooSmall { left_out } => {
                write!(out, "the page is too small for: {}", left_out.join(", "))
            }
        }
    }
}
