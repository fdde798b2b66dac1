//! The zone of times that state none: one offset, or the offsets of a named zone, which change with its clock.

/// Offsets from UTC, as the W3C profile writes them. Each has the time from which it applies, in seconds since the epoch
/// by the clock of the zone; they are in order of these times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(Vec<(i64, String)>);

impl Zone {
    pub fn new(offsets: Vec<(i64, String)>) -> Zone {
        Zone(offsets)
    }

    /// Return the zone that always has the same offset: `Z`, or one such as `+01:00`.
    pub fn fixed(offset: &str) -> Zone {
        Zone(vec![(i64::MIN, offset.to_owned())])
    }

    /// Return the offset at a time by the clock of the zone, in microseconds since the epoch. It is `None` before
    /// the first one.
    pub fn offset_at(&self, micros: i64) -> Option<&str> {
        let seconds = micros.div_euclid(1_000_000);
        let after = self.0.partition_point(|(from, _)| *from <= seconds);
        Some(self.0[after.checked_sub(1)?].1.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_applies_from_its_time_on() {
        let zone = Zone::new(vec![(-5, "+01:00".into()), (100, "+02:00".into())]);
        let found = [-5_000_001, -5_000_000, 99_999_999, 100_000_000, i64::MAX].map(|micros| zone.offset_at(micros));
        assert_eq!(found, [None, Some("+01:00"), Some("+01:00"), Some("+02:00"), Some("+02:00")]);
        assert_eq!([i64::MIN, i64::MAX].map(|micros| Zone::fixed("Z").offset_at(micros).is_some()), [true, true]);
        assert_eq!(Zone::new(Vec::new()).offset_at(0), None);
    }
}
