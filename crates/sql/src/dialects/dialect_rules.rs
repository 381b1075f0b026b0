//! The facts of a dialect. A new fact must be stated by every dialect.

use sqlparser::dialect::Dialect as Grammar;
use tgp_base::table_name::DefaultSchema;

/// What the lexer, the parser and the rules know of a dialect. Names and words are in upper case unless stated otherwise.
#[derive(Debug)]
pub struct DialectRules {
    /// The name of the database in messages.
    pub name: &'static str,

    /// The default settings of a server that change how a text is read.
    pub lexer: LexerSettings,
    pub other_lexers: &'static [LexerSettings],
    /// Whether `--` is a comment only before a space, so that `5--1` is six.
    pub dashes_need_space: bool,
    /// Characters that end a comment of one line.
    pub line_ends: &'static [u8],
    pub block_comments: BlockComments,
    pub hash_sign: HashSign,
    /// Symbols that are not valid in every dialect. If the backtick is none of them, it quotes names.
    pub symbols: &'static [u8],
    /// Characters that may have another meaning under some setting.
    pub refused_characters: &'static [u8],
    /// Letters directly before a string, which are not part of a name.
    pub text_prefixes: &'static [(&'static str, TextPrefix)],
    /// Whether `U&` starts a string or a name with Unicode escapes.
    pub unicode_escapes: bool,
    pub signs: Signs,
    pub digits: Digits,
    /// The length at which the database truncates names, so that two spellings would be the same table.
    pub max_name_bytes: Option<usize>,

    pub placeholders: Placeholders,
    /// Whether `:n` may be a part of the array slice `a[1:n]` instead of a parameter.
    pub slices_arrays: bool,

    /// The grammar of the second parser.
    pub grammar: &'static (dyn Grammar + Sync),
    /// The quotation mark for names in that grammar.
    pub name_quote: char,
    pub table_modifiers: TableModifiers,
    pub sequences: Sequences,
    /// Whether `(argument).function` is a call.
    pub attributes_call: bool,
    /// Whether a string may be the name of a table where only a name is valid.
    pub strings_name_tables: bool,
    /// Whether a table may have shadow tables and take commands as rows.
    pub virtual_tables: bool,

    /// The schema in which an unqualified name is looked up.
    pub default_schema: DefaultSchema,
    pub folding: Folding,
    /// Whether case sensitivity is a server setting, so that only names in the same case are certainly the same.
    pub case_is_setting: bool,

    pub verification: Verification,
    /// Whether a query plan has the tables of a statement.
    pub has_plans: bool,
    /// Whether some tables are not transactional.
    pub has_untransactional_tables: bool,
    /// Whether a schema change commits the transaction.
    pub commits_schema_changes: bool,
    /// Whether a temporary table can be dropped at the end of the transaction, with `ON COMMIT DROP`.
    pub drops_temporary_tables: bool,

    pub show: Show,
    /// `None` if the database has no PRAGMA.
    pub pragmas: Option<Pragmas>,
    /// Words after `INTO` that write a file of the server.
    pub file_targets: &'static [&'static str],
    /// Schemas of the server itself.
    pub server_schemas: &'static [&'static str],
    pub session_views: Option<SessionViews>,
    /// Catalogues whose change would change settings, code, names or privileges.
    pub catalogues: Option<Catalogues>,
    pub forbidden: Forbidden,
}

/// Groups of names, separated by spaces.
type Names = &'static [&'static str];

/// Names that are refused in every dialect: the names of one do not exist in the others, or do the same there.
#[derive(Debug)]
pub struct Forbidden {
    /// Functions that access files, other servers, other sessions or settings, have effects that a rollback does not undo, or
    /// execute text as SQL.
    pub functions: Names,
    /// Prefixes of such functions.
    pub families: Names,
    /// Functions and prefixes that may also be column names: refused only in calls.
    pub called_functions: Names,
    pub called_families: Names,
    /// Names that are refused anywhere: catalogues and columns with host paths, passwords, settings, code and similar data.
    pub names: Names,
    /// Prefixes of such names: statements of other sessions, and temporary tables, which hide permanent ones on a connection.
    pub name_families: Names,
    /// Prefixes of views of `information_schema` that show passwords, code, connections to other servers, rights, statements
    /// and variables of other users.
    pub views: Names,
    /// Prefixes of catalogues and functions that expose values, definitions or sizes of other tables, or statements of other
    /// sessions with such values. Refused if there are rules for tables.
    pub exposing: Names,
}

#[derive(Debug, Clone, Copy)]
pub struct LexerSettings {
    pub backslash: Backslash,
    pub brackets: Brackets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backslash {
    /// Not an escape.
    Plain,
    /// Escapes in `'…'` only: `"…"` is an identifier.
    InText,
    /// Escapes in `'…'` and in `"…"`.
    InBoth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// `[…]` is a name.
    Name,
    /// `[` is a token of its own.
    Symbol,
    /// Not valid.
    Illegal,
}

#[derive(Debug, PartialEq, Eq)]
pub enum BlockComments {
    /// End at the first `*/`.
    Flat,
    Nested,
    /// Flat; the server executes `/*! … */` and reads hints from `/*+ … */`.
    Executable,
}

#[derive(Debug)]
pub enum HashSign {
    Comment,
    Symbol,
    /// `#name` is a parameter, which is refused.
    Parameter,
}

/// How a string with a letter before it is read.
#[derive(Debug)]
pub enum TextPrefix {
    /// With backslash escapes.
    Escape,
    Plain,
    /// Pairs of hexadecimal digits.
    Hex,
}

/// The meaning of `$`, `:` and `@`.
#[derive(Debug, PartialEq, Eq)]
pub enum Signs {
    /// `$a`, `:a` and `@a` are parameters, also in Tcl syntax.
    Variables,
    /// `$1` and `:a` are parameters, `$$…$$` is a string.
    DollarQuotes,
    /// `$1` and `:a` are parameters, `@a` is a variable of the session.
    SessionVariables,
}

/// The meaning of a number directly before a letter.
#[derive(Debug, PartialEq, Eq)]
pub enum Digits {
    /// Not valid.
    Illegal,
    /// Depends on the version, so it is refused.
    Ambiguous,
    /// Together they are a name, such as `2024_sales`.
    Name,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholders {
    /// `?`
    Marks,
    /// `$1`; `?` is an operator, unless the number of `?` equals the number of values.
    Numbered,
    /// As in the statement, if the values have no names: the application's function handles `?` or `$1`.
    Unchanged,
}

/// Words next to a table name that the second parser would read as a name.
#[derive(Debug)]
pub enum TableModifiers {
    None,
    /// `ONLY` before a table.
    Only,
    /// These words after the verb.
    AfterVerb(&'static [&'static str]),
}

/// How a statement names a sequence.
#[derive(Debug, PartialEq, Eq)]
pub enum Sequences {
    /// There are none.
    None,
    /// `nextval('s')`
    ByText,
    /// `nextval(s)`, `NEXT VALUE FOR s`, `s.nextval`
    ByName,
}

#[derive(Debug, Clone, Copy)]
pub enum Folding {
    /// Names are in lower case.
    All,
    /// Names without quotes are in lower case.
    Unquoted,
    None,
}

impl Folding {
    /// A name after case folding.
    pub fn fold(self, name: &str, is_quoted: bool) -> String {
        match (self, is_quoted) {
            (Self::All, _) | (Self::Unquoted, false) => name.to_ascii_lowercase(),
            (Self::None, _) | (Self::Unquoted, true) => name.to_owned(),
        }
    }
}

/// How the application verifies what a statement accesses.
#[derive(Debug, Clone, Copy)]
pub enum Verification {
    /// The database asks for each access.
    Authorizer,
    /// It queries the catalogue for the names and functions of the statement: `js/sql/reach/checked_reach.ts` has the queries.
    Catalogue,
    /// It cannot: only functions of every database may be called.
    Impossible,
}

/// The meaning of `SHOW`.
#[derive(Debug)]
pub enum Show {
    Unsupported,
    /// Shows a setting, which may contain a secret.
    Settings,
    /// Shows objects. These are allowed, and for `SHOW CREATE` those without code or passwords.
    Objects {
        shown: &'static [&'static str],
        created: &'static [&'static str],
    },
}

/// The PRAGMA statements that tools may use, in upper case: those that only read.
#[derive(Debug)]
pub struct Pragmas {
    /// With or without an argument in parentheses.
    pub reading: &'static [&'static str],
    /// Of these, those whose argument is a table.
    pub of_a_table: &'static [&'static str],
    /// Of these, those that expose neither rows nor definitions of tables.
    pub harmless: &'static [&'static str],
    /// Only without an argument.
    pub bare: &'static [&'static str],
}

/// A schema with views of what other sessions do.
#[derive(Debug)]
pub struct SessionViews {
    pub schema: &'static str,
    /// Prefixes of these views.
    pub views: &'static [&'static str],
}

/// Tables and views of the database itself.
#[derive(Debug)]
pub struct Catalogues {
    pub schemas: &'static [&'static str],
    pub prefix: &'static str,
}
