//! Colours of a critical path, as TRACE gives them (critical-path analysis of Eclipse TRACE4CPS): dull red for what is
//! critical, bright red for what no dependency of the application accounts for.
//!
//! The three are told apart by lightness alone, so also in grey print and with either colour blindness; the bright one has
//! a dark outline besides.

use crate::figure::chart::gantt::table::LinkClass;
use crate::figure::chart::ink::Paint;
use crate::figure::palette::Colour;
use crate::figure::scene::Stroke;

/// Place of a state on the critical paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Critical {
    /// On none.
    #[default]
    NotCritical,
    /// On one; it starts the path or waits for a dependency of the application, or dependencies are not looked at.
    Critical,
    /// On one, and what it waits for is no dependency of the application, such as a resource that is in use.
    NotBlockedByDependency,
}

impl Critical {
    /// The classes in the order of the legend.
    pub(super) const ALL: [Critical; 3] = [
        Critical::NotCritical,
        Critical::Critical,
        Critical::NotBlockedByDependency,
    ];

    /// Its name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            Critical::NotCritical => "not critical",
            Critical::Critical => "critical",
            Critical::NotBlockedByDependency => "critical, not blocked by a dependency",
        }
    }

    /// Its colour.
    pub fn colour(self) -> Colour {
        match self {
            Critical::NotCritical => Colour::new(0xC5, 0xCF, 0xDB),
            Critical::Critical => Colour::new(0x8F, 0x3B, 0x36),
            Critical::NotBlockedByDependency => Colour::new(0xFF, 0x50, 0x30),
        }
    }

    /// The outline that it has whatever the size of the mark.
    pub(super) fn outline(self) -> Option<Stroke> {
        (self == Critical::NotBlockedByDependency).then_some(Stroke {
            colour: Colour::new(0x40, 0x00, 0x00),
            width: 1.0,
        })
    }
}

/// The classes as values.
pub(super) fn paint() -> Paint {
    Paint {
        colours: Critical::ALL.map(Critical::colour).to_vec(),
        ranks: (0..Critical::ALL.len()).collect(),
        names: Critical::ALL.map(|class| class.name().to_owned()).to_vec(),
        largest: 1,
    }
}

impl LinkClass {
    /// Its name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            LinkClass::Normal => "link",
            LinkClass::Critical => "critical link",
            LinkClass::NotDependency => "critical link, no dependency",
        }
    }

    /// The pen of its arrows.
    pub(super) fn stroke(self) -> Stroke {
        let (colour, width) = match self {
            LinkClass::Normal => (Colour::grey(0x4A), 0.7),
            LinkClass::Critical => (Colour::new(0x3A, 0x08, 0x08), 1.1),
            LinkClass::NotDependency => (Colour::new(0xE8, 0x2C, 0x0C), 1.3),
        };
        Stroke { colour, width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::perception::{Blindness, lab, lab_blind};

    #[test]
    fn lightness_alone_tells_the_classes_apart() {
        for (index, one) in Critical::ALL.iter().enumerate() {
            for two in &Critical::ALL[..index] {
                let (one, two) = (one.colour(), two.colour());
                let step = |a: f64, b: f64| (a - b).abs();
                assert!(step(lab(one).lightness, lab(two).lightness) > 0.15);
                for blindness in [Blindness::Deuteranopia, Blindness::Protanopia] {
                    let seen = lab_blind(one, blindness).distance(lab_blind(two, blindness));
                    assert!(seen > 0.15, "{one} {two} {blindness:?} {seen}");
                }
            }
        }
    }
}
