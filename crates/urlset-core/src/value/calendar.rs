//! The calendar: days and instants as counts since 1970-01-01, and which of them a lastmod can have.

/// Seconds of a day.
pub const DAY_SECONDS: i64 = 86_400;
/// Microseconds of a day.
pub const DAY_MICROS: i64 = DAY_SECONDS * 1_000_000;
/// Microseconds of 1991-08-06, when the first page of the web was shown: none is older.
pub const FIRST_PAGE: i64 = 681_436_800 * 1_000_000;
/// Seconds from the epoch to 0001-01-01T00:00:00Z and to the first second after 9999-12-31.
const FIRST_SECOND: i64 = -62_135_596_800;
const END_SECOND: i64 = 253_402_300_800;

/// Whether an instant, in microseconds since the epoch, lies in the years 1 to 9999, which are all that Python's datetime
/// can hold.
#[inline]
pub fn is_instant(micros: i64) -> bool {
    is_second(micros.div_euclid(1_000_000))
}

/// Whether a second, counted from the epoch, lies in those years.
#[inline(always)]
pub fn is_second(second: i64) -> bool {
    (FIRST_SECOND..END_SECOND).contains(&second)
}

/// Return the number of days in a month.
pub const fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Return the days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that the leap day is last.
#[inline(always)]
pub const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years are never negative here, so that plain division of small unsigned numbers will do.
    let year = if month <= 2 { year as u32 - 1 } else { year as u32 };
    let month_from_march = if month <= 2 { month + 9 } else { month - 3 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    days as i64 - 719_468
}

/// Return the year, month and day of a count of days since the epoch.
pub const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}
