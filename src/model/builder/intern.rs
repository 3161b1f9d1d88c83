//! Distinct texts, each kept once: text to u32 and back. All texts lie in one buffer, so that a million
//! names cost no million allocations, and the buffer becomes the Arrow array without a copy.

use arrow::array::{StringViewArray, StringViewBuilder, make_view};
use arrow::buffer::{Buffer, ScalarBuffer};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number of "no text".
pub(super) const NULL: u32 = u32::MAX;

/// Distinct texts, numbered from 0 in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    text: String,
    /// End of each text in `text`; it begins where the one before ends.
    ends: Vec<usize>,
    /// Open addressing, a power of two long: upper half of the hash, then the number plus 1; 0 is free.
    slots: Vec<u64>,
}

impl Interner {
    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a number; empty for [`NULL`] and numbers never given.
    pub(super) fn get(&self, number: u32) -> &str {
        let index = number as usize;
        let Some(end) = self.ends.get(index) else {
            return "";
        };
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        self.text.get(start..*end).unwrap_or("")
    }

    /// The number of a text that is there.
    #[inline]
    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        self.probe(text, hash(text)).ok()
    }

    /// The number of a text, new or not. With more than 2^32 - 2 texts further ones are [`NULL`].
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let code = hash(text.as_bytes());
        let free = match self.probe(text.as_bytes(), code) {
            Ok(number) => return number,
            Err(free) => free,
        };
        let Some(number) = u32::try_from(self.ends.len())
            .ok()
            .filter(|number| *number < NULL)
        else {
            return NULL;
        };
        self.text.push_str(text);
        self.ends.push(self.text.len());
        if let Some(slot) = self.slots.get_mut(free) {
            *slot = slot_of(code, number);
        }
        if self.ends.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        number
    }

    /// The number of the text, or the free slot where it belongs.
    #[inline]
    fn probe(&self, text: &[u8], code: u64) -> Result<u32, usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = code as usize & mask;
        loop {
            match self.slots.get(at) {
                None => return Err(usize::MAX),
                Some(0) => return Err(at),
                Some(slot) => {
                    let number = (*slot as u32).wrapping_sub(1);
                    if slot >> 32 == code >> 32 && self.get(number).as_bytes() == text {
                        return Ok(number);
                    }
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(64);
        let mask = length - 1;
        let mut slots = vec![0_u64; length];
        for number in 0..self.ends.len() as u32 {
            let code = hash(self.get(number).as_bytes());
            let mut at = code as usize & mask;
            while slots.get(at).is_some_and(|slot| *slot != 0) {
                at = (at + 1) & mask;
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = slot_of(code, number);
            }
        }
        self.slots = slots;
    }

    /// The texts as an Arrow array, in order of their numbers.
    pub(super) fn into_array(self) -> StringViewArray {
        if u32::try_from(self.text.len()).is_err() {
            // Views point with 32 bits into a buffer: the builder makes several.
            let mut builder = StringViewBuilder::with_capacity(self.len());
            for number in 0..self.len() as u32 {
                builder.append_value(self.get(number));
            }
            return builder.finish();
        }
        let mut views = Vec::with_capacity(self.len());
        let mut start = 0;
        for end in &self.ends {
            let text = self.text.as_bytes().get(start..*end).unwrap_or_default();
            views.push(make_view(text, 0, start as u32));
            start = *end;
        }
        let buffers = vec![Buffer::from_vec(self.text.into_bytes())];
        StringViewArray::try_new(ScalarBuffer::from(views), buffers, None)
            .unwrap_or_else(|_| StringViewArray::from(Vec::<&str>::new()))
    }
}

#[inline]
fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    // The table takes the low bits and compares the high ones.
    hasher.finish()
}

fn slot_of(code: u64, number: u32) -> u64 {
    code >> 32 << 32 | u64::from(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::Array;

    #[test]
    fn texts_keep_their_numbers() {
        let mut names = Interner::default();
        for round in 0..2 {
            for number in 0..10_000_u32 {
                let text = format!("name {number} that is longer than twelve bytes");
                if round == 0 {
                    assert_eq!(names.find(text.as_bytes()), None);
                }
                assert_eq!(names.intern(&text), number);
                assert_eq!(names.get(number), text);
            }
        }
        assert_eq!(names.intern(""), 10_000);
        assert_eq!(names.get(NULL), "");
        let array = names.into_array();
        assert_eq!(array.len(), 10_001);
        assert_eq!(array.value(7), "name 7 that is longer than twelve bytes");
        assert_eq!(array.value(10_000), "");
    }
}
