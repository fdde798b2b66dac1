//! `<priority>`: a decimal from 0.0 to 1.0. Source: sitemaps.org protocol; lexical form of xsd:decimal.

use std::error::Error;
use std::fmt;

/// Why a text is not a priority; each holds that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorityError<'t> {
    /// Not a decimal: `NaN`, `0,5`, `50%`, `1e-1`, an empty text.
    NotDecimal(&'t str),
    /// A decimal below 0 or above 1.
    OutOfRange(&'t str),
}

impl fmt::Display for PriorityError<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PriorityError::NotDecimal(text) => write!(formatter, "{text:?} is not a decimal number"),
            PriorityError::OutOfRange(text) => write!(formatter, "{text} is not between 0.0 and 1.0"),
        }
    }
}

impl Error for PriorityError<'_> {}

const TENTHS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Return the value of `text`: sign, digits and one point, as in xsd:decimal (`1`, `.5`, `1.`, `+0.5`, `-0.0`).
#[inline(always)]
pub fn parse(text: &str) -> Result<f64, PriorityError<'_>> {
    usual(text).map_or_else(|| any(text), Ok)
}

/// Return the value of a text that is written as nearly every priority is: one digit, a point and one digit. `None` is
/// said of any other text, whatever it is.
#[inline(always)]
pub fn usual(text: impl AsRef<[u8]>) -> Option<f64> {
    let [whole @ b'0'..=b'1', b'.', tenth @ b'0'..=b'9'] = text.as_ref() else { return None };
    TENTHS.get(usize::from((whole - b'0') * 10 + (tenth - b'0'))).copied()
}

/// The value of a text that is written in any way.
#[inline(never)]
fn any(text: &str) -> Result<f64, PriorityError<'_>> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    let points = digits.bytes().filter(|byte| *byte == b'.').count();
    if !has_digit || points > 1 || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(PriorityError::NotDecimal(text));
    }
    let value: f64 = text.parse().map_err(|_| PriorityError::NotDecimal(text))?;
    check(value, text)
}

/// Return `value`, which is written as `text`, if it is in the range. NaN is not.
#[inline]
pub fn check(value: f64, text: &str) -> Result<f64, PriorityError<'_>> {
    if (0.0..=1.0).contains(&value) {
        // -0.0 is in the range; return the zero that everybody expects.
        Ok(value + 0.0)
    } else if value.is_nan() {
        Err(PriorityError::NotDecimal(text))
    } else {
        Err(PriorityError::OutOfRange(text))
    }
}

/// Return a value as it is written if it is a tenth, as nearly every priority is.
#[inline(always)]
pub fn tenths(value: f64) -> Option<[u8; 3]> {
    // Rounded by the cut, because a call of `round` takes longer than all the rest.
    let tenth = (value * 10.0 + 0.5) as usize;
    // Of the two zeros, only one has the bits of the one here.
    let is_tenth = TENTHS.get(tenth).is_some_and(|of_tenth| of_tenth.to_bits() == value.to_bits());
    is_tenth.then(|| [b'0' + (tenth / 10) as u8, b'.', b'0' + (tenth % 10) as u8])
}

/// Append the shortest decimal that reads back as `value`, never with an exponent and always with a point.
pub fn format(value: f64, out: &mut String) {
    use std::fmt::Write as _;
    if let Some(text) = tenths(value) {
        out.extend(text.map(char::from));
        return;
    }
    // Writing to a String cannot fail.
    let _ = if value.fract() == 0.0 { write!(out, "{value:.1}") } else { write!(out, "{value}") };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_in_range() {
        for (text, value) in [
            ("0.0", 0.0),
            ("1.0", 1.0),
            ("0.8", 0.8),
            ("1", 1.0),
            (".5", 0.5),
            ("1.", 1.0),
            ("+0.5", 0.5),
            ("-0.0", 0.0),
            ("0.123456", 0.123456),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
        assert!(parse("-0.0").unwrap().is_sign_positive());
    }

    #[test]
    fn what_is_no_decimal_and_what_is_out_of_range() {
        for text in ["", ".", "+", "NaN", "inf", "1e-1", "0,5", "50%", "0.5.1", "high", " 0.5", "--1"] {
            assert_eq!(parse(text), Err(PriorityError::NotDecimal(text)), "{text}");
        }
        for text in ["1.1", "-0.1", "2", "1.9", "10", "99999999999999999999999"] {
            assert_eq!(parse(text), Err(PriorityError::OutOfRange(text)), "{text}");
        }
    }

    #[test]
    fn written_values_read_back() {
        for value in [0.0, 1.0, 0.5, 0.1 + 0.2, 1e-7, f64::MIN_POSITIVE, 0.999_999_999_999_999_9] {
            let mut text = String::new();
            format(value, &mut text);
            assert_eq!(parse(&text), Ok(value), "{text}");
        }
    }
}
