//! Texts that say nothing: blanks, some of them perhaps in CDATA sections.

use crate::xml::is_xml_blank;

/// How far a text that grows was looked at, so that no part of it is looked at twice.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silence {
    /// Where in the whole the text begins.
    start: usize,
    /// Everything before this says nothing.
    next: usize,
    in_section: bool,
}

impl Silence {
    /// Look on, from `start` of the whole if that was not looked at before; return whether what is there says nothing.
    pub fn holds(&mut self, whole: &str, start: usize) -> bool {
        if self.start != start || !(start..=whole.len()).contains(&self.next) {
            *self = Silence { start, next: start, in_section: false };
        }
        let blanks = |character: char| character.is_ascii() && is_xml_blank(character as u8);
        let mut rest = whole[self.next..].trim_start_matches(blanks);
        // Mark by mark: `]<![CDATA[]>]]>` is a text, though what is left without its marks would look like one more mark.
        while let Some(after) = rest.strip_prefix(if self.in_section { "]]>" } else { "<![CDATA[" }) {
            (rest, self.in_section) = (after.trim_start_matches(blanks), !self.in_section);
        }
        self.next = whole.len() - rest.len();
        rest.is_empty()
    }
}

/// Whether a text says nothing.
pub fn is_silent(text: &str) -> bool {
    Silence::default().holds(text, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_grows_says_as_much_as_all_of_it_at_once() {
        let pieces = ["<![CDATA[", "]]>", " ", "\n", "a", "]", ""];
        for number in 0..pieces.len().pow(5) {
            let (mut whole, mut silence) = ("<x>".to_owned(), Silence::default());
            for place in 0..5 {
                whole.push_str(pieces[number / pieces.len().pow(place) % pieces.len()]);
                assert_eq!(silence.holds(&whole, 3), is_silent(&whole[3..]), "{whole}");
            }
        }
    }
}
