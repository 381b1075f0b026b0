//! Invalid policies: each is refused with its line and the error.

use super::world::{load, tools};
use crate::Policy;
use tgp_base::error::{ErrorCode, PartError};

/// Each row: the file, the line, and words of the message.
fn refused(rows: &[(&str, usize, &str)]) {
    for (yaml, line, words) in rows {
        let error = load(yaml).expect_err(yaml);
        let message = error.to_string();
        let at = format!("tgp.policy.yaml:{line}: ");
        assert!(message.contains(&at) && message.contains(words), "{yaml}\n{message}");
        assert_eq!(error.code(), ErrorCode::Config);
        assert_eq!(error.details()["at"], format!("tgp.policy.yaml:{line}"));
        let debris = ["{\"", "Some(", "None", "\n"];
        assert!(!debris.iter().any(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn invalid_files_are_refused_with_their_line() {
    refused(&[
        ("", 1, "The file is empty"),
        ("# nothing\n", 1, "The file is empty"),
        ("just words", 1, "A policy must be a map of keys and values, not a text"),
        ("- a\n- b", 1, "not a list"),
        ("~", 1, "not nothing"),
        ("default: ask\n---\ndefault: allow", 2, "one document"),
        ("default: ask\ndefault: allow", 2, "'default' is a duplicate (first in line 1)"),
        ("default: ask\nrulez: []", 2, "A policy has no key 'rulez'. Did you mean 'rules'?"),
        (
            "default: ask\nfrobnicate: 1",
            2,
            "It can have 'version', 'default', 'rules', 'tests', 'invariants', 'reviews'",
        ),
        ("version: 2", 1, "The version must be 1"),
        ("version: '1'", 1, "The version must be 1"),
        ("default: ask\nversion:\n  - 1", 3, "The version must be 1"),
        ("default: maybe", 1, "must be one of allow, ask, deny, not 'maybe'"),
        ("default: alow", 1, "Did you mean 'allow'?"),
        ("default: [ask]", 1, "The default must be a text, not a list"),
        ("default: true", 1, "The default must be a text, not true or false. Put it in quotes."),
        ("default:", 1, "The default must be a text, not nothing"),
        ("default: ask\nrules: none", 2, "'rules' must be a list, not a text"),
        ("default: ask\nrules:\n  id: a", 3, "'rules' must be a list, not a map"),
        ("default: ask\ntests: 7", 2, "'tests' must be a list, not a number"),
        ("a: &x 1\nb: *x", 1, "Anchors ('&') and aliases ('*') are not accepted"),
        ("default: *x", 1, "not valid YAML"),
        ("default: !!str ask", 1, "Tags ('!') are not accepted"),
        ("%YAML 1.2\n---\ndefault: ask", 1, "not valid YAML"),
        ("default: ask\n  rules: []", 2, "not valid YAML"),
        ("default: ask\nrules: [", 2, "not valid YAML"),
        ("default: \"ask", 1, "not valid YAML"),
        ("default: ask\nrules:\n\t- a", 3, "not valid YAML"),
        ("? [a, b]\n: c", 1, "A key must be a word"),
        ("default: ask\nrules: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", 2, ""),
        ("version: 99999999999999999999999", 1, "is too large for a number; put it in quotes"),
        ("version: .nan", 1, "is not a JSON number"),
    ]);
    let error = Policy::from_yaml(b"default: ask\n# \xff\n", "p.yaml", &tools()).unwrap_err();
    assert_eq!(error.to_string(), "The policy is not valid: p.yaml:2: The file is not UTF-8 text. Save it as UTF-8.");
}

/// A file with one rule in line 3.
fn rule(rule: &str) -> String {
    format!("default: ask\nrules:\n  - {{ {rule} }}\n")
}

#[test]
fn invalid_rules_are_refused_with_their_line() {
    for (text, words) in [
        ("allow: [read]", "A rule needs an 'id'"),
        ("id: a", "must have exactly one of 'allow', 'ask' and 'deny'"),
        ("id: a, allow: [read], deny: [write]", "must have exactly one of"),
        ("id: 7, allow: [read]", "The id must be a text, not a number. Put it in quotes."),
        ("id: '', allow: [read]", "must be 1 to 64 letters"),
        ("id: 'a b', allow: [read]", "The id 'a b' must be"),
        ("id: default, allow: [read]", "is reserved"),
        ("id: token, allow: [read]", "is reserved"),
        ("id: a, alow: [read]", "A rule has no key 'alow'. Did you mean 'allow'?"),
        ("id: a, allow: [read], path: [x]", "Did you mean 'paths'?"),
        ("id: a, allow: [read], <<: x", "A rule has no key '<<'"),
        ("id: a, allow: []", "is an empty list"),
        ("id: a, allow:", "must be a list, not nothing"),
        ("id: a, allow: { read: true }", "must be a list, not a map"),
        ("id: a, allow: [1]", "The name of a tool or an effect must be a text, not a number"),
        ("id: a, allow: [reed]", "There is no tool or effect 'reed'. Did you mean 'read'?"),
        ("id: a, allow: [writefile]", "There is no tool or effect 'writefile'. Did you mean 'write_file'?"),
        ("id: a, allow: [Read]", "There is no tool or effect 'Read'. Did you mean 'read'?"),
        ("id: a, deny: [drop_everything]", "Effects are read, write, run, sql, net, app, shell."),
        ("id: a, deny: ['*', read]", "'*' includes every tool"),
        ("id: a, allow: [read], reason: ''", "The reason must have 1 to 500 bytes"),
        ("id: a, allow: [read], reason: [x]", "The reason must be a text, not a list"),
        ("id: a, allow: [read], id: b", "'id' is a duplicate (first in line 3)"),
    ] {
        refused(&[(&rule(text), 3, words)]);
    }
    refused(&[
        ("rules:\n  - { id: a, allow: read }\n  - { id: a, deny: run }", 3, "already used (tgp.policy.yaml:2)"),
        (
            "rules:\n  - id: a\n    allow: [read]\n    paths: [ok/**,\n      /etc/passwd]",
            5,
            "A path is not valid: '/etc/passwd'",
        ),
        ("rules:\n  - just-a-word", 2, "A rule must be a map of keys and values, not a text"),
        ("rules:\n  - { id: a, allow: read }\n  -", 3, "A rule must be a map of keys and values, not nothing"),
    ]);
}

#[test]
fn invalid_conditions_are_refused_with_their_line() {
    for (text, words) in [
        ("allow: [write], paths: []", "'paths' is an empty list"),
        ("allow: [write], paths: [1]", "A path must be a text, not a number"),
        ("allow: [write], paths: ['../x']", "without '.' and '..'"),
        ("allow: [write], paths: ['./x']", "without '.' and '..'"),
        ("allow: [write], paths: ['tools/']", "end it with '/**'"),
        ("allow: [write], paths: ['a//b']", "has '//'"),
        ("allow: [write], paths: ['!a/b']", "does not negate"),
        ("allow: [write], paths: [' a/b']", "ends with a space"),
        ("allow: [write], paths: ['a/b ']", "ends with a space"),
        ("allow: [write], paths: ['a\\b']", "separated by '/'"),
        ("allow: [write], paths: ['']", "'' is empty"),
        ("allow: [write], paths: ['a[']", "is not a valid glob"),
        ("allow: [write], paths: ['{a,b']", "is not a valid glob"),
        ("allow: [net], paths: ['a']", "'paths' never holds for 'net'"),
        (
            "allow: [write_file], hosts: [a.example]",
            "'hosts' never holds for 'write_file': only calls with the effect 'net'",
        ),
        ("allow: [read], tables: [a]", "'tables' never holds for 'read': only calls with the effect 'sql'"),
        ("allow: [read], verbs: [select]", "'verbs' never holds for 'read'"),
        ("allow: [run], methods: [GET]", "'methods' never holds for 'run'"),
        ("allow: [net], hosts: ['https://a.example']", "without 'https://'"),
        ("allow: [net], hosts: ['a.example/v1']", "without a path"),
        ("allow: [net], hosts: ['*']", "remove 'hosts' instead"),
        ("allow: [net], hosts: ['a.*.example']", "only as the first label"),
        ("allow: [net], hosts: ['a.example:http']", "has an invalid port"),
        ("allow: [net], hosts: ['a b']", "is not a host"),
        ("allow: [net], methods: [GTE]", "must be one of GET, HEAD"),
        ("allow: [net], methods: [POTS]", "Did you mean 'POST'?"),
        ("allow: [sql], verbs: [udpate]", "Did you mean 'update'?"),
        ("allow: [sql], tables: ['a*']", "table names must be written out"),
        ("allow: [sql], tables: ['\"a\"']", "SQL quotes"),
        ("allow: [sql], tables: ['']", "is not a table name"),
        ("allow: [run], mode: [stric]", "Did you mean 'strict'?"),
        ("allow: [run], principal: [bob]", "must be 'session:', 'agent:' or 'token:'"),
        ("allow: [run], principal: ['user:bob']", "must be 'session:', 'agent:' or 'token:'"),
        ("allow: [run], principal: ['agent:*x*']", "has a '*' that is not at its end"),
        ("allow: [run], args: [x]", "'args' must be a map from pointers"),
        ("allow: [run], args: {}", "must name 1 to 32 arguments"),
        ("allow: [run], args: { /args: { absent: false } }", "'absent' must be true"),
        ("allow: [run], args: { /args: { sha256: abc } }", "is not a SHA-256"),
        ("allow: [run], text: [abc]", "is not a SHA-256"),
        ("allow: [read], text: [abc]", "'text' never holds for 'read'"),
        ("allow: [search_files], args: { limit: 1 }", "'limit' is not a pointer to an argument"),
        ("allow: [search_files], args: { /limt: 1 }", "'search_files' has no argument 'limt'. Did you mean 'limit'?"),
        ("allow: [write_file, search_files], args: { /limit: 1 }", "'write_file' has no argument 'limit'"),
        ("allow: [read], args: { /nothing: 1 }", "No tool of this rule has an argument 'nothing'"),
        ("allow: [write_file], args: { /path: x }", "could be bypassed. Use 'paths'."),
        ("deny: [exec_sql], args: { /sql: x }", "Use 'verbs' and 'tables'."),
        ("deny: [net], args: { /url: x }", "Use 'hosts' and 'methods'."),
        ("allow: [send_mail], args: { /a~b: 1 }", "a '~' that is not '~0' or '~1'"),
        ("allow: [send_mail], args: { /a: { globb: x } }", "Did you mean 'glob'?"),
        (
            "allow: [send_mail], args: { /a: { glob: x, equals: y } }",
            "must have exactly one of 'equals', 'oneOf', 'glob'",
        ),
        ("allow: [send_mail], args: { /a: { glob: 7 } }", "A glob must be a text"),
        ("allow: [send_mail], args: { /a: { glob: '[' } }", "is not a valid glob"),
        ("allow: [send_mail], args: { /a: [] }", "The list of values is an empty list"),
    ] {
        refused(&[(&rule(&format!("id: a, {text}")), 3, words)]);
    }
}

#[test]
fn invalid_tests_are_refused_with_their_line() {
    let test = |text: &str| format!("default: ask\ntests:\n\n  - {{ {text} }}\n");
    for (text, words) in [
        (
            "call: { tool: ping }, expect: allow",
            "the test expects allow, but the rules decide ask (rule 'default', tgp.policy.yaml:1)",
        ),
        ("call: { tool: ping }", "A test needs a 'call' and an 'expect'"),
        ("expect: ask", "A test needs a 'call' and an 'expect'"),
        ("call: { tool: ping }, expect: dunno", "The 'expect' of a test must be one of allow, ask, deny, not 'dunno'"),
        ("call: { tool: ping }, expects: ask", "Did you mean 'expect'?"),
        ("call: { tool: pong }, expect: ask", "There is no tool 'pong'. Did you mean 'ping'?"),
        ("call: {}, expect: ask", "A call needs a 'tool'"),
        ("call: ping, expect: ask", "A call must be a map"),
        ("call: { tool: ping, args: [] }, expect: ask", "The 'args' of a call must be a map, not a list"),
        ("call: { tool: ping, paths: ['../x'] }, expect: ask", "is not a path below the root"),
        ("call: { tool: ping, host: 'https://x' }, expect: ask", "is not a host"),
        ("call: { tool: ping, verbs: [x] }, expect: ask", "A verb must be one of select, insert"),
        ("call: { tool: ping, effects: [fly] }, expect: ask", "An effect must be one of read, write"),
        ("call: { tool: ping, mode: fast }, expect: ask", "A mode must be one of explore, strict, debug, not 'fast'"),
        ("call: { tool: ping, principal: bob }, expect: ask", "A principal must be a map"),
        ("call: { tool: ping, methood: GET }, expect: ask", "Did you mean 'method'?"),
    ] {
        refused(&[(&test(text), 4, words)]);
    }
}

#[test]
fn invalid_assertions_are_refused_with_their_line() {
    let query = "cypher: 'MATCH (f:File) RETURN f'";
    let entry = |rest: &str| format!("default: allow\ninvariants:\n  - {{ id: a, {rest} }}\n");
    for (yaml, line, words) in [
        (entry(query), 3, "'a' needs a 'cypher' query and an 'expect': rows or no rows"),
        (entry(&format!("{query}, expect: some")), 3, "must be one of rows, no rows, not 'some'"),
        (entry("cypher: '', expect: rows"), 3, "The query must have 1 to"),
        (entry(&format!("{query}, expect: rows, params: [1]")), 3, "'params' must be a map, not a list"),
        (entry(&format!("{query}, expect: rows, steps: [A]")), 3, "An invariant has no key 'steps'"),
        (
            format!("{}  - {{ id: a, {query}, expect: rows }}", entry(&format!("{query}, expect: rows"))),
            4,
            "already used",
        ),
        (format!("default: allow\nreviews:\n  - {{ {query}, expect: rows }}"), 3, "A review needs an 'id'"),
        (format!("default: allow\nreviews:\n  - {{ id: b, steps: [], {query}, expect: rows }}"), 3, "is an empty list"),
    ] {
        refused(&[(&yaml, line, words)]);
    }
}

#[test]
fn assertions_are_read_and_change_the_version() {
    let with = |rest: &str| load(&format!("default: allow\n{rest}")).unwrap();
    let plain = with("rules: []");
    let entry =
        "{ id: a, cypher: 'MATCH (f:File {path: $p}) RETURN f', params: { p: x }, expect: no rows, reason: Because }";
    let invariant = with(&format!("invariants: [{entry}]"));
    let [read] = invariant.invariants() else { panic!("one invariant") };
    assert_eq!((&*read.id, read.expect.as_str(), &*read.reason), ("a", "no rows", "Because"));
    assert_eq!(read.params["p"], "x");
    assert!(read.expect.is_met(false) && !read.expect.is_met(true));
    let review = with("reviews: [{ id: a, steps: DELETE_FILE, cypher: 'MATCH (f:File) RETURN f', expect: rows }]");
    assert_eq!(review.reviews()[0].steps, ["DELETE_FILE"]);
    assert_eq!(&*review.reviews()[0].assertion.reason, "'a' does not hold.");
    assert!(plain.version() != invariant.version() && plain.version() != review.version());
}
