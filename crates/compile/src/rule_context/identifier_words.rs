//! Splits identifiers into words, and classifies values by these words.

/// The words of an identifier: `taxRate`, `TAX_RATE` and `tax-rate` are `tax`, `rate`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous_is_lower = false;
    let mut open = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            open = false;
            previous_is_lower = false;
            continue;
        }
        if !open || (letter.is_uppercase() && previous_is_lower) {
            words.push(String::new());
            open = true;
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        previous_is_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words
}

/// Whether a name is in constant case, such as `MAX_RETRIES`.
pub(crate) fn is_constant_case(name: &str) -> bool {
    name.len() > 1 && name.chars().any(|letter| letter.is_ascii_uppercase()) && !name.chars().any(char::is_lowercase)
}

/// Whether a value with this name depends on a business decision (a rate, a price), so it should be an argument.
pub(crate) fn is_business_value(name: &str) -> bool {
    words_of(name).iter().any(|word| BUSINESS.contains(&singular(word)))
}

const BUSINESS: [&str; 31] = [
    "tax",
    "vat",
    "gst",
    "rate",
    "price",
    "fee",
    "discount",
    "salary",
    "wage",
    "commission",
    "markup",
    "margin",
    "cost",
    "bonus",
    "surcharge",
    "tariff",
    "interest",
    "threshold",
    "budget",
    "quota",
    "premium",
    "deposit",
    "penalty",
    "rebate",
    "tip",
    "fine",
    "allowance",
    "revenue",
    "balance",
    "payout",
    "cutoff",
];

/// The singular of an English noun; sufficient for the words above.
pub(crate) fn singular(word: &str) -> &str {
    match word {
        "taxes" => "tax",
        "salaries" => "salary",
        "penalties" => "penalty",
        "bonuses" => "bonus",
        _ => word
            .strip_suffix('s')
            .filter(|rest| rest.len() > 2 && !rest.ends_with('s') && *rest != "bonu")
            .unwrap_or(word),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_business_value, is_constant_case, words_of};

    #[test]
    fn names_are_split_at_case_and_punctuation() {
        assert_eq!(words_of("taxRate"), ["tax", "rate"]);
        assert_eq!(words_of("TAX_RATE_2"), ["tax", "rate", "2"]);
        assert_eq!(words_of("MAX"), ["max"]);
        assert_eq!(words_of("__"), Vec::<String>::new());
    }

    #[test]
    fn business_values_are_recognised_by_their_words() {
        for name in ["tax", "TAX_RATES", "shippingFee", "monthlySalaries", "bonus", "UNIT_PRICE"] {
            assert!(is_business_value(name), "{name}");
        }
        for name in ["MS_PER_DAY", "EARTH_RADIUS_KM", "operate", "costume", "MAX_RETRIES", "separator"] {
            assert!(!is_business_value(name), "{name}");
        }
    }

    #[test]
    fn constants_are_in_upper_case() {
        assert!(is_constant_case("MS_PER_DAY") && is_constant_case("E2"));
        assert!(!is_constant_case("x") && !is_constant_case("Pi") && !is_constant_case("_") && !is_constant_case("_1"));
    }
}
