//! Confusable file names: by case, by letters of other scripts that look the same, or by invisible characters.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The skeleton of each confusable character, by UTS 39 (`build.rs`).
static SKELETONS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let lines = include_str!(concat!(env!("OUT_DIR"), "/look_alikes.txt")).split('\n');
    let looks = lines.filter_map(|line| line.split_once('\t'));
    looks.flat_map(|(look, letters)| letters.chars().map(move |letter| (letter, look))).collect()
});

/// All skeletons of single characters.
static SINGLE_SKELETONS: LazyLock<HashSet<&str>> = LazyLock::new(|| SKELETONS.values().copied().collect());

/// Whether two paths are confusable. Two paths in lower-case ASCII never are.
#[must_use]
pub fn is_alike(one: &str, other: &str) -> bool {
    if is_plain(one) && is_plain(other) {
        return false;
    }
    let looks = looks_of(other);
    looks_of(one).iter().any(|look| looks.contains(look))
}

fn is_plain(path: &str) -> bool {
    path.bytes().all(|letter| letter.is_ascii() && !letter.is_ascii_uppercase())
}

/// The skeletons of a path: of its lower case form, and in lower case of its original form (a capital I looks like an
/// l).
fn looks_of(path: &str) -> Vec<String> {
    let small = skeleton(&path.to_lowercase());
    if is_plain(path) { vec![small] } else { vec![skeleton(path).to_lowercase(), small] }
}

/// The skeleton of a text.
fn skeleton(text: &str) -> String {
    let mut look = String::with_capacity(text.len());
    for letter in text.chars() {
        match SKELETONS.get(&letter) {
            Some(other) => look.push_str(other),
            None => look.push(letter),
        }
    }
    look
}

/// Whether a name in a path has invisible characters, or letters that only look like ASCII.
#[must_use]
pub fn is_disguised(path: &str) -> bool {
    !path.is_ascii() && path.split('/').any(is_disguised_name)
}

fn is_disguised_name(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut words = stem.split(|letter: char| !letter.is_alphanumeric());
    name.chars().any(|letter| is_invisible(letter) || matches!(letter, '\u{2044}' | '\u{2215}'))
        || has_loose_mark(name)
        || looks_plain(name)
        || words.any(|word| is_mixed(word) || looks_plain(word))
}

/// Whether a combining mark follows an ASCII letter without a composed form, where it is hardly visible, as a dot above
/// an i.
fn has_loose_mark(name: &str) -> bool {
    let is_mark = |letter| GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(letter));
    let pairs = name.chars().zip(name.chars().skip(1));
    let mut marked = pairs.filter(|(letter, mark)| letter.is_ascii_alphanumeric() && is_mark(*mark));
    marked.any(|(letter, mark)| !SINGLE_SKELETONS.contains(&*skeleton(&String::from_iter([letter, mark]))))
}

/// Whether a text looks like ASCII but has confusable letters.
fn looks_plain(text: &str) -> bool {
    !text.is_ascii() && skeleton(text).is_ascii() && text.chars().any(seems_plain)
}

/// Whether a non-ASCII character looks like one that is common in names. Symbols such as `²`, `×` and `’` are harmless.
fn seems_plain(letter: char) -> bool {
    let is_of_names =
        || letter.is_alphabetic() || matches!(letter, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}');
    let is_separator =
        || !letter.is_alphanumeric() && matches!(&*skeleton_of_letter(letter), "-" | "." | "_" | "/" | " ");
    !letter.is_ascii() && !stands_with_plain(letter) && (is_of_names() || is_separator())
}

fn skeleton_of_letter(letter: char) -> String {
    skeleton(letter.encode_utf8(&mut [0; 4]))
}

/// Whether a word mixes ASCII letters with a script that is not written together with them.
fn is_mixed(word: &str) -> bool {
    word.chars().any(|letter| letter.is_ascii_alphabetic())
        && word.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii() && !stands_with_plain(letter))
}

/// Letters of Latin alphabets, and of Chinese, Japanese and Korean.
fn stands_with_plain(letter: char) -> bool {
    match letter {
        // Letters of Latin alphabets that look like ASCII: refused only beside the ASCII name.
        'Æ' | 'æ' | 'Œ' | 'œ' | 'Þ' | 'þ' | 'ı' | 'Ĳ' | 'ĳ' | 'Ɓ' | 'Ɗ' | 'Ƙ' | 'Ƴ' | 'ƒ' => true,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => !skeleton_of_letter(letter).is_ascii(),
        _ => matches!(
            letter,
            '\u{aa}' | '\u{b5}' | '\u{ba}'
                | '\u{1100}'..='\u{11ff}'
                | '\u{3005}'..='\u{3007}'
                | '\u{3040}'..='\u{31ff}'
                | '\u{3400}'..='\u{9fff}'
                | '\u{ac00}'..='\u{d7ff}'
                | '\u{f900}'..='\u{faff}'
                | '\u{20000}'..='\u{3ffff}'
        ),
    }
}

/// Of confusable files keeps only the one with the plainest name, and none that is disguised, so that readers and
/// approvers cannot mistake one for another. Keeps the order; also returns the removed paths.
pub fn without_look_alikes<F>(mut files: Vec<F>, path_of: impl Fn(&F) -> &str) -> (Vec<F>, Vec<String>) {
    let mut left_out: Vec<String> = Vec::new();
    files.retain(|file| {
        let is_kept = !is_disguised(path_of(file));
        if !is_kept {
            left_out.push(path_of(file).to_owned());
        }
        is_kept
    });
    if files.iter().all(|file| is_plain(path_of(file))) {
        return (files, left_out);
    }
    let mut taken: HashSet<String> =
        files.iter().map(&path_of).filter(|path| is_plain(path)).flat_map(looks_of).collect();
    files.retain(|file| {
        let path = path_of(file);
        if is_plain(path) {
            return true;
        }
        let looks = looks_of(path);
        let is_first = looks.iter().all(|look| !taken.contains(look));
        if is_first {
            taken.extend(looks);
        } else {
            left_out.push(path.to_owned());
        }
        is_first
    });
    (files, left_out)
}

/// Whether a character is invisible, or changes how the others are displayed.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::{is_alike, is_disguised, without_look_alikes};

    #[test]
    fn confusable_paths_are_alike() {
        for other in [
            "tools/PAY.ts",
            "tools/Pay.ts",
            "tools/р\u{430}у.ts",
            "tools/p\u{430}y.ts",
            "tools/ρay.ts",
            "tools/ｐａｙ.ts",
            "tools/𝓹𝓪𝔂.ts",
            "tools/ꓑꓮꓬ.ts",
            "tools/ᏢᎪᎩ.ts",
            "tools/ᴘᴀʏ.ts",
            "tools/þay.ts",
        ] {
            assert!(is_alike(other, "tools/pay.ts"), "{other}");
        }
        for other in ["tools/pays.ts", "tools/päy.ts", "tools/счёт.ts", "tools/日本.ts"] {
            assert!(!is_alike(other, "tools/pay.ts"), "{other}");
        }
        assert!(is_alike("tools/faIl.ts", "tools/fail.ts") && is_alike("tools/faIl.ts", "tools/fall.ts"));
        assert!(!is_alike("tools/fail.ts", "tools/fall.ts") && !is_alike("tools/modem.ts", "tools/modern.ts"));
        // Confusables outside ASCII, one name in two normal forms, and digits of another script.
        for (one, other) in
            [("Город", "Γород"), ("späth", "spa\u{308}th"), ("pay1", "pay\u{661}"), ("mix", "ⅿⅰⅹ"), ("list", "lıst")]
        {
            assert!(is_alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn one_of_several_confusable_files_is_kept() {
        let files = vec!["tools/PAY.ts", "tools/Sum.ts", "tools/pay.ts", "tools/p\u{430}y.ts", "tools/sUM.ts"];
        let (kept, left_out) = without_look_alikes(files, |file| *file);
        assert_eq!(kept, ["tools/Sum.ts", "tools/pay.ts"]);
        assert_eq!(left_out, ["tools/p\u{430}y.ts", "tools/PAY.ts", "tools/sUM.ts"]);
        let files = vec!["tools/faIl.ts", "tools/fail.ts", "tools/fall.ts"];
        assert_eq!(without_look_alikes(files, |file| *file).0, ["tools/fail.ts", "tools/fall.ts"]);
    }

    #[test]
    fn disguised_names_are_refused_and_names_in_other_scripts_are_not() {
        for disguised in [
            "tools/p\u{430}y.ts",
            "tools/ｐay.ts",
            "tools\u{2215}pay.ts",
            "tools/späth/p\u{430}y.ts",
            // Letters without a table entry: Armenian, Cherokee, Coptic.
            "tools/p\u{561}y.ts",
            "tools/\u{13e2}ay.ts",
            "tools/pay_\u{2ca3}ay.ts",
            "tools/pay_р\u{430}у.ts",
            "tools/pay\u{200b}.ts",
            "tools/\u{202e}pay.ts",
            "tools/p\u{ad}ay.ts",
            // Archaic Latin letters, marks, and words of one script that look like ASCII.
            "tools/aǀ.ts",
            "tools/liſt.ts",
            "tools/ƅook.ts",
            "tools/paƖ.ts",
            "tools/aǁ.ts",
            "tools/pi\u{307}ng.ts",
            "tools/pay\u{332}.ts",
            "tools/ⅿⅰⅹ.ts",
            "tools/ⲟⲕ.ts",
            "tools/օօ.ts",
            "tools/ᴄᴏᴡ.ts",
            "tools/ℎℴ.ts",
            "tools/ﬁle.ts",
            "tools/pay１.ts",
            "tools/a\u{2010}b.ts",
        ] {
            assert!(is_disguised(disguised), "{disguised}");
        }
        for plain in [
            "tools/pay.ts",
            "tools/PAY.ts",
            "tools/späth.ts",
            "tools/altın.ts",
            "tools/счёт.ts",
            "tools/счёт_pdf.ts",
            "tools/日本.ts",
            "tools/日本pay.ts",
            "tools/결제api.ts",
            "tools/spa\u{308}th.ts",
            "tools/tiếng_việt.ts",
            "tools/łódź.ts",
            "tools/ægir.ts",
            "tools/עברית.ts",
            "tools/عربي.ts",
            "tools/हिन्दी.ts",
            "tools/レポート１.ts",
            "notes/m².md",
            "notes/it’s 3×4.md",
        ] {
            assert!(!is_disguised(plain), "{plain}");
        }
    }
}
