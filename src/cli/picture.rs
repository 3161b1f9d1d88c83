//! Figures in the terminal: which kind of picture it shows, by what the environment says, and how large it becomes.
//! The terminal is never asked: an answer would arrive among what the user types.

mod blocks;
mod inline;
mod palette;
mod sixel;

use super::terminal::{ColorChoice, Stream, is_dumb, named};
use crate::figure::error::FigureError;
use crate::figure::raster;
use crate::figure::size::Size;
use blocks::Depth;

/// Says which pictures to show, whatever the terminal looks like.
const VARIABLE: &str = "MAREY_PICTURES";
/// What it may say.
const CHOICES: [&str; 5] = ["kitty", "iterm2", "sixel", "blocks", "none"];

/// Pixels of a column, where the terminal draws them. Cells are 8 to 20 wide; it scales to its own.
const COLUMN: f64 = 16.0;
/// Pixels of the page that a column shows at least: a small figure is not blown up.
const NATURAL: f64 = 8.0;
/// How many times higher than wide a cell is.
const CELL: f64 = 2.0;
/// Lines that the picture leaves on the screen: what was typed, the line below it, the prompt.
const SPARE: usize = 4;

/// A way to show pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// The graphics protocol of kitty.
    Kitty,
    /// The inline images of iTerm2.
    Iterm,
    /// Sixel graphics, as terminals had them first.
    Sixel,
    /// Two pixels in a character.
    Blocks(Depth),
}

/// What the terminal has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// What the terminal can, apart from pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Screen {
    /// It moves its cursor.
    is_able: bool,
    colored: bool,
    unicode: bool,
}

/// How standard output shows pictures; None where it shows none. The error says what is wrong with the variable.
pub(super) fn means(color: ColorChoice) -> Result<Option<Means>, String> {
    let stream = Stream::Output;
    let screen = Screen {
        is_able: stream.is_terminal() && !is_dumb(),
        colored: stream.colored(color),
        unicode: stream.style(color).unicode,
    };
    decided(screen, named)
}

fn decided(
    screen: Screen,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Means>, String> {
    if !screen.is_able {
        return Ok(None);
    }
    let blocks = |depth: Option<Depth>| {
        depth
            .filter(|_| screen.colored && screen.unicode)
            .map(Means::Blocks)
    };
    let depth = depth(&variable);
    let Some(choice) = variable(VARIABLE) else {
        return Ok(if is_inside_another(&variable) {
            blocks(depth)
        } else {
            known(&variable).or(blocks(depth))
        });
    };
    match choice.to_ascii_lowercase().as_str() {
        "kitty" => Ok(Some(Means::Kitty)),
        "iterm2" => Ok(Some(Means::Iterm)),
        "sixel" => Ok(Some(Means::Sixel)),
        // Who asks for them has a terminal with the usual palette.
        "blocks" => Ok(blocks(Some(depth.unwrap_or(Depth::Palette)))),
        "none" => Ok(None),
        _ => Err(format!(
            "{VARIABLE} is `{choice}`; it may be {}",
            CHOICES.join(", ")
        )),
    }
}

/// Multiplexers take the escapes of pictures away.
fn is_inside_another(variable: &impl Fn(&str) -> Option<String>) -> bool {
    let inside = ["TMUX", "STY", "ZELLIJ"];
    let term = variable("TERM").unwrap_or_default();
    inside.into_iter().any(|name| variable(name).is_some())
        || term.starts_with("screen")
        || term.starts_with("tmux")
}

/// Terminals that draw, by the names they go by.
fn known(variable: &impl Fn(&str) -> Option<String>) -> Option<Means> {
    let term = variable("TERM").unwrap_or_default();
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let is_kitty = variable("KITTY_WINDOW_ID").is_some()
        || ["xterm-kitty", "xterm-ghostty"].contains(&term.as_str())
        || program == "ghostty";
    let is_iterm = ["iTerm.app", "WezTerm"].contains(&program.as_str())
        || variable("LC_TERMINAL").is_some_and(|name| name == "iTerm2");
    let is_sixel = ["foot", "mlterm"].iter().any(|name| term.starts_with(name));
    if is_kitty {
        Some(Means::Kitty)
    } else if is_iterm {
        Some(Means::Iterm)
    } else {
        is_sixel.then_some(Means::Sixel)
    }
}

/// How many colours characters can have; None where it is not known to be enough.
fn depth(variable: &impl Fn(&str) -> Option<String>) -> Option<Depth> {
    let term = variable("TERM").unwrap_or_default();
    let exact = variable("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit")
        || term.ends_with("-direct");
    if exact {
        Some(Depth::Exact)
    } else {
        term.contains("256color").then_some(Depth::Palette)
    }
}

/// The picture as what is written to the terminal, with a line end.
pub(super) fn drawn(
    svg: &str,
    size: Size,
    means: Means,
    room: Room,
) -> Result<String, FigureError> {
    let columns = columns(size, room);
    let dpi = |pixels: f64| Some(pixels / size.width_px() * 96.0);
    let fine = dpi(columns as f64 * COLUMN);
    Ok(match means {
        Means::Kitty => inline::kitty(&raster::png(svg, size, fine)?, columns),
        Means::Iterm => inline::iterm(&raster::png(svg, size, fine)?, columns),
        // Sixels are as many dots as they are: what is too wide is cut off, so the cell is taken to be narrow.
        Means::Sixel => sixel::text(&raster::pixels(svg, size, dpi(columns as f64 * NATURAL))?),
        Means::Blocks(depth) => {
            blocks::text(&raster::pixels(svg, size, dpi(columns as f64))?, depth)
        }
    })
}

/// Columns of a picture: all of it on the screen where that leaves it half as wide as the screen, never wider than that.
fn columns(size: Size, room: Room) -> usize {
    let full = room.columns.max(1) as f64;
    let rows = room.rows.saturating_sub(SPARE).max(1) as f64;
    let by_height = rows * CELL * size.width_px() / size.height_px();
    let natural = size.width_px() / NATURAL;
    by_height
        .max(full / 2.0)
        .min(natural.max(1.0))
        .min(full)
        .floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen {
        is_able: true,
        colored: true,
        unicode: true,
    };

    /// Variables that are set, and what follows.
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<Means>);

    fn with(screen: Screen, set: &[(&str, &str)]) -> Result<Option<Means>, String> {
        decided(screen, |name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_tells_the_terminal() {
        let exact = Some(Means::Blocks(Depth::Exact));
        let palette = Some(Means::Blocks(Depth::Palette));
        let cases: &[Case] = &[
            (&[("KITTY_WINDOW_ID", "1")], Some(Means::Kitty)),
            (&[("TERM", "xterm-kitty")], Some(Means::Kitty)),
            (&[("TERM_PROGRAM", "ghostty")], Some(Means::Kitty)),
            (&[("TERM_PROGRAM", "iTerm.app")], Some(Means::Iterm)),
            (&[("TERM_PROGRAM", "WezTerm")], Some(Means::Iterm)),
            (&[("LC_TERMINAL", "iTerm2")], Some(Means::Iterm)),
            (&[("TERM", "foot")], Some(Means::Sixel)),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor")], exact),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "yes")], palette),
            (&[("TERM", "xterm")], None),
            (&[], None),
            // What a multiplexer was started in does not count.
            (
                &[
                    ("TERM", "tmux-256color"),
                    ("TMUX", "/tmp/tmux-0/default,1,0"),
                    ("KITTY_WINDOW_ID", "1"),
                ],
                palette,
            ),
            (&[("TERM", "screen"), ("LC_TERMINAL", "iTerm2")], None),
            // The variable has the last word.
            (
                &[("TMUX", "/tmp/t"), (VARIABLE, "kitty")],
                Some(Means::Kitty),
            ),
            (&[("TERM", "xterm"), (VARIABLE, "blocks")], palette),
            (&[("TERM", "xterm-kitty"), (VARIABLE, "none")], None),
            (
                &[("TERM", "xterm-kitty"), (VARIABLE, "iTerm2")],
                Some(Means::Iterm),
            ),
            (&[(VARIABLE, "sixel")], Some(Means::Sixel)),
        ];
        for (set, expected) in cases {
            assert_eq!(with(SCREEN, set).as_ref(), Ok(expected), "{set:?}");
        }
        let wrong = with(SCREEN, &[(VARIABLE, "zebra")]).expect_err("no such choice");
        assert!(wrong.contains("kitty, iterm2, sixel, blocks, none"));
    }

    #[test]
    fn pictures_ask_for_a_screen() {
        let dumb = Screen {
            is_able: false,
            ..SCREEN
        };
        let plain = Screen {
            colored: false,
            ..SCREEN
        };
        let ascii = Screen {
            unicode: false,
            ..SCREEN
        };
        assert_eq!(with(dumb, &[(VARIABLE, "kitty")]), Ok(None));
        assert_eq!(with(plain, &[(VARIABLE, "blocks")]), Ok(None));
        assert_eq!(with(ascii, &[("COLORTERM", "truecolor")]), Ok(None));
        // A picture is no colour of a text.
        let kitty = with(plain, &[("TERM", "xterm-kitty")]);
        assert_eq!(kitty, Ok(Some(Means::Kitty)));
    }

    #[test]
    fn a_picture_fits() {
        let room = |columns, rows| Room { columns, rows };
        // 640 by 320: 80 columns by 20 rows.
        let wide = Size::px(640.0, 320.0);
        assert_eq!(columns(wide, room(80, 24)), 80);
        assert_eq!(columns(wide, room(200, 60)), 80);
        assert_eq!(columns(wide, room(60, 24)), 60);
        // 10 rows of 14 are 40 columns, which is half of the screen, 8 of 12 are less.
        assert_eq!(columns(wide, room(80, 14)), 40);
        assert_eq!(columns(wide, room(80, 12)), 40);
        assert_eq!(columns(wide, room(70, 14)), 40);
        assert_eq!(columns(Size::px(1.0, 1.0), room(80, 24)), 1);
        assert_eq!(columns(wide, room(0, 0)), 1);
    }
}
