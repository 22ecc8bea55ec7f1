//! Calendar dates, for exceptions that expire.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, de::Error as _};

/// A day of the Gregorian calendar; later days compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i64,
    month: u8,
    day: u8,
}

impl Date {
    /// Parses `YYYY-MM-DD`; returns `None` if it is not a valid date.
    pub fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let (year, month, day): (i64, u8, u8) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u8::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=days).contains(&day).then_some(Date { year, month, day })
    }

    /// Returns the current date in UTC.
    pub fn today() -> Date {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Date::from_days((seconds / 86_400) as i64)
    }

    /// Returns the date `days` days after 1970-01-01; years are counted from March, so that the leap day is the last.
    fn from_days(days: i64) -> Date {
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u8;
        let month = (if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 }) as u8;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date { year, month, day }
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Date::parse(&text).ok_or_else(|| D::Error::custom(format!("{text} is no day such as 2027-01-31")))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_the_epoch() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_513, "2026-03-01"),
            (20_512, "2026-02-28"),
        ] {
            assert_eq!(Date::from_days(days).to_string(), expected);
        }
    }

    #[test]
    fn only_days_that_exist() {
        assert_eq!(Date::parse("2024-02-29").unwrap().to_string(), "2024-02-29");
        for text in ["2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "24-04-01", "2024-4-1", "soon", ""] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn later_is_greater() {
        assert!(Date::parse("2026-12-31") < Date::parse("2027-01-01"));
    }
}
