//! Timestamps of events: ISO 8601, UTC, milliseconds.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400_000;

/// The last millisecond of the year 9999, the latest valid time.
pub const LATEST: u64 = 253_402_300_799_999;

/// The system time in milliseconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(since).unwrap_or(LATEST).min(LATEST)
}

/// `1970-01-01T00:00:00.000Z` for 0.
#[must_use]
pub fn to_text(at: u64) -> String {
    let at = at.min(LATEST);
    let (year, month, day) = date(at / DAY);
    let rest = at % DAY;
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Parses exactly the format of [`to_text`].
#[must_use]
pub fn parse(text: &str) -> Option<u64> {
    let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
    let shape = b"0000-00-00T00:00:00.000Z";
    let fits = |(byte, place): (&u8, &u8)| if *place == b'0' { byte.is_ascii_digit() } else { byte == place };
    if !bytes.iter().zip(shape).all(fits) {
        return None;
    }
    let number = |from: usize, len: usize| {
        let digits = bytes.iter().skip(from).take(len);
        digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2));
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2));
    if year < 1970 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = day_number(year, month, day)?;
    // Rejects dates such as 30 February, which would convert to a day of March.
    (date(days) == (year, month, day))
        .then(|| days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + number(20, 3))
}

/// Year, month and day of a day number since 1970. Internally years begin in March, so that the leap day is the last day.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

fn day_number(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year.checked_sub(1)? } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    (era * 146_097 + of_era).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::{DAY, LATEST, now, parse, to_text};

    #[test]
    fn known_times_are_converted() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
            (LATEST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(to_text(at), text);
            assert_eq!(parse(text), Some(at));
        }
        assert!(now() > 1_735_689_599_999);
    }

    #[test]
    fn every_day_round_trips() {
        for day in 0..40_000 {
            let at = day * DAY + day % DAY;
            assert_eq!(parse(&to_text(at)), Some(at));
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "2026-02-30T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01 00:00:00.000Z",
            "+026-01-01T00:00:00.000Z",
            "1969-12-31T23:59:59.999Z",
            "2026-01-01T00:00:60.000Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
