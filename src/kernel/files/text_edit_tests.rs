use super::{EditedText, Fit, Hunk, Misfit, Tolerance};

const MAX: usize = 1 << 20;

fn hunk<'d>(search: &'d str, replace: &'d str) -> Hunk<'d> {
    Hunk { search: search.split('\n').collect(), replace: replace.split('\n').collect(), expected_line: None }
}

fn place(text: &str, search: &str, expected: Option<usize>) -> Result<Fit, Misfit> {
    EditedText::new(text, MAX).place(&hunk(search, "x"), expected)
}

fn edited(text: &str, search: &str, replace: &str) -> String {
    let mut edited = EditedText::new(text, MAX);
    let hunk = hunk(search, replace);
    let place = edited.place(&hunk, None).unwrap();
    edited.apply(&hunk, &place).unwrap();
    edited.joined("\n")
}

#[test]
fn the_least_tolerance_that_matches_is_used() {
    let text = "a\n  b\n\tc  d \nb";
    let tolerance = |search: &str| place(text, search, None).unwrap().tolerance;
    assert_eq!(tolerance("  b"), Tolerance::Exact);
    assert_eq!(tolerance("\tc  d"), Tolerance::TrailingSpace);
    assert_eq!(tolerance("c d"), Tolerance::Whitespace);
    assert_eq!(tolerance("a\nb"), Tolerance::Whitespace);
    assert_eq!(place(text, "z", None), Err(Misfit::Nowhere));
    assert_eq!(place(text, "b\nz", Some(3)), Err(Misfit::Nowhere));
}

#[test]
fn an_ambiguous_hunk_needs_a_line_number() {
    let text = "x\ny\nx\ny";
    let both = Err(Misfit::Ambiguous { first: vec![0, 2], count: 2 });
    assert_eq!(place(text, "x", None), both);
    assert_eq!(place(text, "x", Some(2)).unwrap().line, 2);
    assert_eq!(place(text, "x", Some(1)), both);
    let Err(Misfit::Ambiguous { first, count }) = place(&"x\n".repeat(5000), "x", None) else { panic!() };
    assert_eq!((first.len(), count), (100, 5000));
}

#[test]
fn new_lines_take_the_indentation_of_the_text() {
    let text = "function f() {\n    if (a) {\n        b();\n    }\n}";
    let expected = "function f() {\n    if (a) {\n        c();\n    }\n}";
    assert_eq!(edited(text, "if (a) {\n    b();\n}", "if (a) {\n    c();\n}"), expected);
    assert_eq!(edited("\n  \na", " \na", " \nb"), "\n \nb");
}

#[test]
fn repeated_lines_exhaust_the_work_budget() {
    let text = "a\n".repeat(500_000);
    let mut edited = EditedText::new(&text, MAX);
    let search = "a\n".repeat(1000) + "b";
    let hunk = hunk(&search, "c");
    let misfits: Vec<Misfit> = (0..300).map_while(|_| edited.place(&hunk, Some(7)).err()).collect();
    assert_eq!(misfits.first(), Some(&Misfit::Nowhere));
    assert_eq!(misfits.last(), Some(&Misfit::TooMuchWork));
}

#[test]
fn a_text_that_would_be_too_large_allocates_nothing() {
    let wide = format!("{}x", " ".repeat(1_000_000));
    let many = (0..10_000).map(|at| format!("l{at}")).collect::<Vec<_>>().join("\n");
    let spread = format!("a{}b", " ".repeat(900_000));
    let same = vec!["a b"; 100_000].join("\n");
    for (text, search, replace) in [(&wide, "x", many.as_str()), (&spread, "a b", same.as_str())] {
        let mut edited = EditedText::new(text, MAX);
        let hunk = hunk(search, replace);
        let place = edited.place(&hunk, None).unwrap();
        assert_eq!(place.tolerance, Tolerance::Whitespace);
        assert_eq!(edited.apply(&hunk, &place), Err(Misfit::TooLarge));
        assert_eq!(edited.joined("\n"), **text);
    }
}

#[test]
fn repeatedly_replacing_a_long_line_is_bounded() {
    let wide = format!("{}x", " ".repeat(1_000_000));
    let (mut edited, mut last) = (EditedText::new(&wide, MAX), Ok(()));
    let names: Vec<String> = (0..20).map(|at| format!("x{at}")).collect();
    let mut before = "x";
    for name in &names {
        let hunk = hunk(before, name);
        let place = edited.place(&hunk, None).unwrap();
        last = edited.apply(&hunk, &place);
        before = name;
        if last.is_err() {
            break;
        }
    }
    assert_eq!(last, Err(Misfit::TooLarge));
    // Reading the indentation of a line also counts as work.
    let mut edited = EditedText::new(&wide, MAX);
    let hunk = hunk("x", "x");
    let looks = (0..1_000).map(|_| edited.place(&hunk, None).and_then(|place| edited.apply(&hunk, &place)));
    assert_eq!(looks.last(), Some(Err(Misfit::TooMuchWork)));
}

#[test]
fn a_text_may_exceed_its_limit_between_hunks() {
    let text = "a\n".repeat(100) + "b";
    let mut edited = EditedText::new(&text, 201);
    let (all, one) = ("a\n".repeat(99) + "a", "a\n".repeat(90) + "b");
    for hunk in [hunk("b", &one), hunk(&all, "c")] {
        let place = edited.place(&hunk, Some(if hunk.search.len() == 1 { 100 } else { 0 })).unwrap();
        edited.apply(&hunk, &place).unwrap();
    }
    assert_eq!(edited.joined("\n"), format!("c\n{one}"));
}

#[test]
fn the_nearest_place_shares_most_words() {
    let nearest = |text: &str, search: &str| EditedText::new(text, MAX).nearest(&hunk(search, ""));
    assert_eq!(nearest("a\nb c\nb c d\ne", "b x d"), Some(2));
    assert_eq!(nearest("a\nb\nc\nd", "b y\nc z"), Some(1));
    assert_eq!(nearest("a b\na b", "a b"), Some(0));
    assert_eq!(nearest("a\nb", "x y z"), None);
    assert_eq!(nearest("", " "), None);
}
