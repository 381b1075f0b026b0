//! Parses the expiry times of tokens, such as `2026-11-16T12:00:00Z`.

const DAY_MS: u64 = 86_400_000;

/// Milliseconds since 1970 of a UTC time with seconds or milliseconds.
pub(super) fn parse_utc(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let is_date =
        (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=month_days(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let is_fraction = (1..=3).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let millis: u64 = is_fraction.then(|| format!("{fraction:0<3}").parse().ok())??;
    let leap_days = |year: u64| year / 4 - year / 100 + year / 400;
    let days_before_year = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let days_before_month: u64 = (1..month).map(|month| month_days(year, month)).sum();
    let days = days_before_year + days_before_month + day - 1;
    Some(days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + millis)
}

fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[u64; 3]> {
    let mut parts = text.split(separator);
    let mut found = [0; 3];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = is_number.then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
}

const fn month_days(year: u64, month: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_utc;

    #[test]
    fn utc_instants_are_parsed_and_other_texts_are_refused() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400_000)),
            ("2026-11-16T12:34:56.789Z", Some(1_794_832_496_789)),
            ("2100-03-01T00:00:00Z", Some(4_107_542_400_000)),
            ("2026-02-29T00:00:00Z", None),
            ("2026-11-16T24:00:00Z", None),
            ("2026-11-16T12:00:00", None),
            ("2026-11-16T12:00:00+01:00", None),
            ("2026-1-6T12:00:00Z", None),
            ("1969-12-31T23:59:59Z", None),
            ("2026-11-16T12:00:00.Z", None),
            ("", None),
        ] {
            assert_eq!(parse_utc(text), expected, "{text}");
        }
    }
}
