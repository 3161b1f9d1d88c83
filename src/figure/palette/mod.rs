//! Colours of values: the default palette, the ColorBrewer ones by name, lists and maps given by hand.
//!
//! A value's colour follows from its place in the domain (most time first) alone, so no filter or view repaints it. Where
//! a palette ends, colours are made apart from those used ([`crate::figure::palette::made`]); none is ever grey, and none
//! comes twice. Blending with white is here too, because a palette is only good if its pale tints stay apart.

pub mod made;
pub mod perception;

use std::collections::BTreeMap;
use std::fmt;

use crate::figure::error::{FigureError, Warning};

/// A colour, 8 bits for each of red, green and blue (sRGB).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Colour {
    /// White, the page.
    pub const WHITE: Colour = Colour::new(255, 255, 255);

    /// A colour by its parts.
    pub const fn new(red: u8, green: u8, blue: u8) -> Colour {
        Colour { red, green, blue }
    }

    /// A grey; never the colour of a value.
    pub const fn grey(level: u8) -> Colour {
        Colour::new(level, level, level)
    }

    /// Reads `#RRGGBB`; no other way to write a colour is taken.
    pub fn from_hex(text: &str) -> Result<Colour, FigureError> {
        let bad = || FigureError::BadColour {
            text: text.to_owned(),
        };
        let digits = text.strip_prefix('#').ok_or_else(bad)?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Colour::new(red, green, blue))
    }

    /// The colour seen through `opacity` (0 to 1) on white paper, as an opaque colour.
    pub fn on_white(self, opacity: f64) -> Colour {
        let opacity = opacity.clamp(0.0, 1.0);
        let blend = |part: u8| (255.0 - opacity * (255.0 - f64::from(part))).round() as u8;
        Colour::new(blend(self.red), blend(self.green), blend(self.blue))
    }

    /// The same hue, darker: for the outline of a rectangle of this colour.
    pub fn darker(self) -> Colour {
        let scale = |part: u8| (f64::from(part) * 0.5).round() as u8;
        Colour::new(scale(self.red), scale(self.green), scale(self.blue))
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:02X}{:02X}{:02X}", self.red, self.green, self.blue)
    }
}

/// The first colours of the default palette. The saturated hues of Okabe and Ito, and between them hues found by the
/// search in [`made`]. Left out: their black (no hue, and opacity is lightness here), and their sky blue (what a tint of
/// their blue looks like). Yellow comes late, for its tints are hard to see on paper.
pub const DEFAULT: [Colour; 12] = [
    Colour::new(0xE6, 0x9F, 0x00), // orange, Okabe-Ito
    Colour::new(0x00, 0x72, 0xB2), // blue, Okabe-Ito
    Colour::new(0x00, 0x9E, 0x73), // bluish green, Okabe-Ito
    Colour::new(0xCC, 0x79, 0xA7), // reddish purple, Okabe-Ito
    Colour::new(0xD5, 0x5E, 0x00), // vermillion, Okabe-Ito
    Colour::new(0x4D, 0xD1, 0xEF), // cyan
    Colour::new(0xA0, 0x71, 0xFC), // violet
    Colour::new(0x8B, 0x51, 0x46), // brown
    Colour::new(0xF0, 0xE4, 0x42), // yellow, Okabe-Ito
    Colour::new(0x43, 0xDD, 0x9A), // mint
    Colour::new(0x84, 0xA9, 0xF7), // light blue
    Colour::new(0xF3, 0x4E, 0x67), // rose
];

/// So many colours of the default palette, those made for it included, are told apart by a careful eye.
pub const DISTINCT: usize = 24;

/// A palette that has a name: ColorBrewer's qualitative ones, in full length.
pub struct Named {
    /// The name in scripts.
    pub name: &'static str,
    /// How many colours it has.
    pub colours: u32,
    brewer: colorbrewer::Palette,
}

impl Named {
    /// The colours, in ColorBrewer's order.
    pub fn list(&self) -> Vec<Colour> {
        // `colorbrewer::Palette` has neither `Copy` nor `Clone`: its name is the way to a second one.
        let ramp = self
            .name
            .parse()
            .ok()
            .filter(|palette| *palette == self.brewer)
            .and_then(|palette| colorbrewer::get_color_ramp(palette, self.colours));
        ramp.unwrap_or_default()
            .into_iter()
            .map(|colour| Colour::new(colour.r, colour.g, colour.b))
            .collect()
    }
}

/// The registry of named palettes: what completion, help and checks list.
pub static NAMED: [Named; 8] = [
    named("Accent", 8, colorbrewer::Palette::Accent),
    named("Dark2", 8, colorbrewer::Palette::Dark2),
    named("Paired", 12, colorbrewer::Palette::Paired),
    named("Pastel1", 9, colorbrewer::Palette::Pastel1),
    named("Pastel2", 8, colorbrewer::Palette::Pastel2),
    named("Set1", 9, colorbrewer::Palette::Set1),
    named("Set2", 8, colorbrewer::Palette::Set2),
    named("Set3", 12, colorbrewer::Palette::Set3),
];

const fn named(name: &'static str, colours: u32, brewer: colorbrewer::Palette) -> Named {
    Named {
        name,
        colours,
        brewer,
    }
}

/// Which colours to use.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Palette {
    /// [`DEFAULT`].
    #[default]
    Default,
    /// One of [`NAMED`].
    Named(String),
    /// Colours in the order of the domain, as `#RRGGBB`.
    List(Vec<String>),
    /// Colours of some values by name, as `#RRGGBB`; the others are coloured as without it.
    Map(Vec<(String, String)>),
}

/// Colours of the values of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colours {
    by_value: BTreeMap<String, Colour>,
}

impl Colours {
    /// The colour of a value. One that the domain does not hold is grey, which no value of the domain is.
    pub fn of(&self, value: &str) -> Colour {
        self.by_value
            .get(value)
            .copied()
            .unwrap_or(Colour::grey(0x80))
    }
}

/// Colours the values of `domain`, in its order. A value that is listed twice counts where it comes first.
pub fn assign(
    palette: &Palette,
    domain: &[String],
) -> Result<(Colours, Vec<Warning>), FigureError> {
    let (name, given) = match palette {
        Palette::Default | Palette::Map(_) => ("default", DEFAULT.to_vec()),
        Palette::Named(name) => match NAMED.iter().find(|entry| entry.name == name) {
            Some(entry) => (entry.name, entry.list()),
            None => return Err(FigureError::UnknownPalette { name: name.clone() }),
        },
        Palette::List(texts) => {
            let list: Result<Vec<Colour>, FigureError> =
                texts.iter().map(|text| Colour::from_hex(text)).collect();
            ("list", list?)
        }
    };
    let mut pinned = BTreeMap::new();
    if let Palette::Map(pairs) = palette {
        for (value, text) in pairs {
            pinned.insert(value.as_str(), Colour::from_hex(text)?);
        }
    }
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for value in domain {
        if !places.contains_key(value.as_str()) {
            places.insert(value, order.len());
            order.push(value);
        }
    }
    let by_hand: Vec<Colour> = pinned.values().copied().collect();
    let mut colours = given.clone();
    if order.len() > colours.len() {
        let known: Vec<Colour> = given.iter().chain(&by_hand).copied().collect();
        colours.extend(made::apart_from(&known, order.len() - given.len()));
    }
    // A palette colour that was given to another value by hand would come twice.
    let clashes = order
        .iter()
        .zip(&colours)
        .filter(|(value, colour)| !pinned.contains_key(**value) && by_hand.contains(colour));
    let mut spare = Vec::new();
    let clashes = clashes.count();
    if clashes > 0 {
        let known: Vec<Colour> = colours.iter().chain(&by_hand).copied().collect();
        spare = made::apart_from(&known, clashes);
    }
    let mut spare = spare.into_iter();
    let mut by_value: BTreeMap<String, Colour> = BTreeMap::new();
    for (value, colour) in order.iter().zip(&colours) {
        let colour = match pinned.get(value) {
            Some(pinned) => *pinned,
            None if by_hand.contains(colour) => spare.next().unwrap_or(*colour),
            None => *colour,
        };
        by_value.insert((*value).to_owned(), colour);
    }
    let mut warnings = Vec::new();
    if order.len() > given.len() && matches!(palette, Palette::Named(_) | Palette::List(_)) {
        warnings.push(Warning::PaletteShort {
            palette: name.to_owned(),
            colours: given.len(),
            values: order.len(),
        });
    }
    let mut seen: BTreeMap<Colour, &str> = BTreeMap::new();
    for value in &order {
        let Some(colour) = by_value.get(*value) else {
            continue;
        };
        match seen.get(colour) {
            Some(first) => warnings.push(Warning::SameColour {
                first: (*first).to_owned(),
                second: (*value).to_owned(),
            }),
            None => {
                seen.insert(*colour, value);
            }
        }
    }
    Ok((Colours { by_value }, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("value{index}")).collect()
    }

    #[test]
    fn hex_is_read_strictly() {
        assert_eq!(Colour::from_hex("#1F78b4"), Ok(Colour::new(31, 120, 180)));
        for bad in [
            "", "#", "1F78B4", "#1F78B", "#1F78B4F", "#1F78BG", "#+F78B4", "red", "#é8B4",
        ] {
            assert_eq!(
                Colour::from_hex(bad),
                Err(FigureError::BadColour {
                    text: bad.to_owned()
                })
            );
        }
        assert_eq!(Colour::new(1, 171, 255).to_string(), "#01ABFF");
    }

    #[test]
    fn each_named_palette_is_there_in_full() {
        for entry in &NAMED {
            assert_eq!(entry.list().len(), entry.colours as usize, "{}", entry.name);
        }
        let paired = NAMED.iter().find(|entry| entry.name == "Paired");
        assert_eq!(
            paired.map(|entry| entry.list()[1].to_string()).as_deref(),
            Some("#1F78B4")
        );
    }

    #[test]
    fn colours_do_not_depend_on_how_many_values_follow() {
        let (few, _) = assign(&Palette::Default, &domain(14)).unwrap();
        let (many, warnings) = assign(&Palette::Default, &domain(60)).unwrap();
        for value in domain(14) {
            assert_eq!(few.of(&value), many.of(&value));
        }
        assert_eq!(warnings, []);
    }

    #[test]
    fn no_colour_comes_twice_and_none_is_grey() {
        let names = domain(400);
        let (colours, _) = assign(&Palette::Default, &names).unwrap();
        let mut all: Vec<Colour> = names.iter().map(|name| colours.of(name)).collect();
        for colour in &all {
            assert!(perception::lab(*colour).chroma() > 0.04, "{colour} is grey");
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 400);
    }

    #[test]
    fn a_short_palette_warns_and_goes_on() {
        let names = domain(11);
        let (colours, warnings) = assign(&Palette::Named("Dark2".into()), &names).unwrap();
        assert_eq!(
            warnings,
            [Warning::PaletteShort {
                palette: "Dark2".into(),
                colours: 8,
                values: 11
            }]
        );
        assert_eq!(colours.of("value0").to_string(), "#1B9E77");
        let mut all: Vec<Colour> = names.iter().map(|name| colours.of(name)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 11);
        assert!(assign(&Palette::Named("dark".into()), &names).is_err());
    }

    #[test]
    fn a_map_pins_and_leaves_the_rest() {
        let names = domain(3);
        let pins = vec![("value1".to_owned(), DEFAULT[0].to_string())];
        let (colours, warnings) = assign(&Palette::Map(pins), &names).unwrap();
        assert_eq!(colours.of("value1"), DEFAULT[0]);
        assert_ne!(colours.of("value0"), DEFAULT[0]);
        assert_eq!(colours.of("value2"), DEFAULT[2]);
        assert_eq!(warnings, []);
        let bad = Palette::Map(vec![("value1".to_owned(), "blue".to_owned())]);
        assert!(assign(&bad, &names).is_err());
        let twice = Palette::List(vec!["#112233".into(), "#112233".into(), "#FF0000".into()]);
        let (_, warnings) = assign(&twice, &names).unwrap();
        assert_eq!(warnings.len(), 1);
    }
}
