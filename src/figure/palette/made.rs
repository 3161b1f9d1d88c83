//! Colours made apart from those in use, as many as are asked for.
//!
//! Farthest first: of a fixed lattice of hues, lightnesses and chromas, the colour whose nearest used one is farthest,
//! where "far" counts every pair of tints (so that a pale value is no other value) and both common colour blindnesses.
//! It is a search over numbers alone, without chance: the same colours in, the same colours out.

use std::collections::BTreeSet;

use crate::figure::palette::Colour;
use crate::figure::palette::perception::{Blindness, Lab, from_lch, lab, lab_blind};

/// Opacities at which two colours are compared, each with each.
const OPACITIES: [f64; 8] = [0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0];

/// Beyond this many colours nobody tells them apart, and the lattice is not searched any more.
const SEARCHED: usize = 150;

struct Seen {
    colour: Colour,
    tints: [Lab; OPACITIES.len()],
    blind: [Lab; 2],
}

impl Seen {
    fn new(colour: Colour) -> Seen {
        Seen {
            colour,
            tints: OPACITIES.map(|opacity| lab(colour.on_white(opacity))),
            blind: [Blindness::Deuteranopia, Blindness::Protanopia]
                .map(|blindness| lab_blind(colour, blindness)),
        }
    }
}

/// How far apart two colours are over all their tints: the least distance in OKLab, divided by the smaller opacity (all
/// tints draw near to white, and so to each other, in proportion to it). 0.08 and more is told apart.
pub fn separation(one: Colour, two: Colour) -> f64 {
    tint_distance(&Seen::new(one), &Seen::new(two))
}

fn tint_distance(one: &Seen, two: &Seen) -> f64 {
    let mut least = f64::INFINITY;
    for (a, first) in OPACITIES.iter().zip(&one.tints) {
        for (b, second) in OPACITIES.iter().zip(&two.tints) {
            least = least.min(first.distance(*second) / a.min(*b));
        }
    }
    least
}

/// What the search maximises. Colour blindness is asked of the full colours only: a plane has no room for twelve fans of
/// tints. Rounded, so that the last bit of a platform's `powf` does not choose a colour.
fn score(one: &Seen, two: &Seen) -> i64 {
    let blind = one
        .blind
        .iter()
        .zip(&two.blind)
        .map(|(first, second)| first.distance(*second))
        .fold(f64::INFINITY, f64::min);
    (tint_distance(one, two).min(0.9 * blind + 0.02) * 1e6).round() as i64
}

fn lattice() -> Vec<Seen> {
    let mut out = Vec::new();
    for hue in (0..360).step_by(8) {
        for lightness in [0.5, 0.58, 0.66, 0.74, 0.8] {
            for chroma in [0.08, 0.12, 0.16, 0.2] {
                if let Some(colour) = from_lch(lightness, chroma, f64::from(hue)) {
                    out.push(Seen::new(colour));
                }
            }
        }
    }
    out
}

/// `count` colours apart from `used` and from each other. The first of them do not depend on `count`.
pub fn apart_from(used: &[Colour], count: usize) -> Vec<Colour> {
    let mut taken: BTreeSet<Colour> = used.iter().copied().collect();
    let mut out = Vec::with_capacity(count);
    if count == 0 {
        return out;
    }
    let lattice = lattice();
    let mut nearest = vec![i64::MAX; lattice.len()];
    let closer = |nearest: &mut Vec<i64>, colour: Colour| {
        let seen = Seen::new(colour);
        for (least, candidate) in nearest.iter_mut().zip(&lattice) {
            *least = (*least).min(score(&seen, candidate));
        }
    };
    for colour in used.iter().take(SEARCHED) {
        closer(&mut nearest, *colour);
    }
    while out.len() < count && out.len() < SEARCHED {
        let best = (0..lattice.len())
            .filter(|&index| !taken.contains(&lattice[index].colour))
            .max_by_key(|&index| (nearest[index], std::cmp::Reverse(index)));
        let Some(best) = best else { break };
        let colour = lattice[best].colour;
        taken.insert(colour);
        out.push(colour);
        closer(&mut nearest, colour);
    }
    // The rest only has to be new and no grey: an odd step walks through all 2^24 colours without meeting one twice.
    let mut code: u32 = 0;
    for _ in 0..1u32 << 24 {
        if out.len() >= count {
            break;
        }
        code = code.wrapping_add(0x9E_37_79) & 0xFF_FF_FF;
        let [_, red, green, blue] = code.to_be_bytes();
        let colour = Colour::new(red, green, blue);
        let seen = lab(colour);
        if seen.chroma() > 0.08 && (0.5..0.82).contains(&seen.lightness) && taken.insert(colour) {
            out.push(colour);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::{DEFAULT, DISTINCT};

    /// The rule of the default palette: no value at any opacity comes out as another value.
    ///
    /// The bound, in OKLab (0.02 is a just noticeable difference): 0.07 × the smaller of the two opacities for all twelve
    /// colours, 0.09 for the first eight. At full colour that is three to four differences; at opacity 0.1, where everything is
    /// nearly white by definition, it is less than half a one: such tints are told apart by nobody, but they are never
    /// nearer to another value than that.
    #[test]
    fn no_value_at_any_opacity_comes_out_as_another() {
        let steps: Vec<f64> = (0..=45).map(|step| 0.1 + 0.02 * f64::from(step)).collect();
        for (index, one) in DEFAULT.iter().enumerate() {
            for (other_index, two) in DEFAULT.iter().enumerate().take(index) {
                let bound = if index.max(other_index) < 8 {
                    0.09
                } else {
                    0.07
                };
                for a in &steps {
                    let first = lab(one.on_white(*a));
                    for b in &steps {
                        let apart = first.distance(lab(two.on_white(*b)));
                        assert!(
                            apart >= bound * a.min(*b),
                            "{one} at {a:.2} and {two} at {b:.2}: {apart:.4}"
                        );
                        assert_ne!(one.on_white(*a), two.on_white(*b));
                    }
                }
            }
        }
    }

    #[test]
    fn the_default_palette_is_safe_for_colour_blind_readers() {
        for blindness in [Blindness::Deuteranopia, Blindness::Protanopia] {
            for (index, one) in DEFAULT.iter().enumerate() {
                for two in &DEFAULT[..index] {
                    let apart = lab_blind(*one, blindness).distance(lab_blind(*two, blindness));
                    assert!(apart > 0.07, "{one} and {two}: {apart:.3}, {blindness:?}");
                }
            }
        }
    }

    #[test]
    fn colours_that_are_made_stay_apart() {
        let mut all = DEFAULT.to_vec();
        all.extend(apart_from(&DEFAULT, DISTINCT - DEFAULT.len()));
        for (index, one) in all.iter().enumerate() {
            for two in &all[..index] {
                assert!(
                    separation(*one, *two) > 0.04,
                    "{one} and {two}: {:.3}",
                    separation(*one, *two)
                );
            }
        }
    }

    #[test]
    fn many_colours_are_all_different() {
        let colours = apart_from(&[], 3000);
        let distinct: BTreeSet<Colour> = colours.iter().copied().collect();
        assert_eq!((colours.len(), distinct.len()), (3000, 3000));
        assert_eq!(apart_from(&[], 20), colours[..20]);
    }
}
