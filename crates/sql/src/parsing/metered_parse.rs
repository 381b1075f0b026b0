//! Runs the `sqlparser` crate within a step budget. It parses some constructs twice per level of nesting, so a short text can
//! take hours, and its own depth limit does not cover all of its recursion.
//!
//! The parser calls a method of its dialect at every step. [`MeteredDialect`] forwards these calls and counts them; a call
//! beyond the budget ends the parse. `__test__/architecture.test.js` checks that every method of the trait is forwarded.

use sqlparser::ast::{ColumnOption, Expr, GranteesType, Ident, ObjectNamePart, Statement};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Tokenizer;
use std::any::TypeId;
use std::cell::Cell;
use std::iter::Peekable;
use std::panic::resume_unwind;
use std::str::Chars;
use tgp_base::threads::contain;

/// Minimum budget in steps, and steps per byte of text. Statements without nesting take three per byte.
const MIN_STEPS: usize = 5_000;
const STEPS_PER_BYTE: usize = 20;
/// Stack that must remain at every step. The parser grows the stack at its known recursions when less than 128 KiB remain;
/// without optimisation it needs most of that between two of them.
const MIN_STACK_BYTES: usize = if cfg!(debug_assertions) { 8 << 10 } else { 64 << 10 };

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Total steps of all parses on this thread, for a caller that has a budget for many statements.
#[must_use]
pub fn parse_steps() -> u64 {
    STEPS.get()
}

/// Parses a text; `None` if it is not valid or exceeds the budget.
pub fn parse_within_budget(grammar: &'static dyn Dialect, text: &str) -> Option<Vec<Statement>> {
    let metered = MeteredDialect { grammar, left: Cell::new(steps_for(text)) };
    let statements = metered.parse(text);
    STEPS.set(STEPS.get().saturating_add((steps_for(text) - metered.left.get()) as u64));
    statements
}

const fn steps_for(text: &str) -> usize {
    MIN_STEPS + STEPS_PER_BYTE * text.len()
}

/// A dialect that forwards to `grammar` and counts the calls.
#[derive(Debug)]
struct MeteredDialect {
    grammar: &'static dyn Dialect,
    left: Cell<usize>,
}

/// Panic payload: the budget is exhausted.
struct BudgetExceeded;

impl MeteredDialect {
    fn parse(&self, text: &str) -> Option<Vec<Statement>> {
        // The tokeniser is linear.
        let tokens = Tokenizer::new(self.grammar, text).tokenize_with_location().ok()?;
        contain(|| Parser::new(self).with_tokens_with_locations(tokens).parse_statements().ok()).ok().flatten()
    }

    /// Takes one step, and returns the dialect. Unwinds if the budget or the stack is exhausted.
    fn take_step(&self) -> &'static dyn Dialect {
        let is_shallow = stacker::remaining_stack().is_none_or(|left| left > MIN_STACK_BYTES);
        match self.left.get().checked_sub(1) {
            Some(left) if is_shallow => self.left.set(left),
            // Not every method can return an error, and the parser continues after some errors. This unwinds the whole parse
            // without printing a panic message.
            Some(_) | None => resume_unwind(Box::new(BudgetExceeded)),
        }
        self.grammar
    }
}

macro_rules! metered {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($argument: $kind),*) -> $answer {
            self.take_step().$name($($argument),*)
        })*
    };
}

macro_rules! metered_flags {
    ($($name:ident)*) => {
        metered! { $($name() -> bool;)* }
    };
}

impl Dialect for MeteredDialect {
    metered! {
        dialect() -> TypeId;
        is_delimited_identifier_start(letter: char) -> bool;
        is_nested_delimited_identifier_start(letter: char) -> bool;
        peek_nested_delimited_identifier_quotes(letters: Peekable<Chars<'_>>) -> Option<(char, Option<char>)>;
        identifier_quote_style(name: &str) -> Option<char>;
        is_identifier_start(letter: char) -> bool;
        is_identifier_part(letter: char) -> bool;
        is_custom_operator_part(letter: char) -> bool;
        parse_prefix(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>>;
        parse_infix(parser: &mut Parser<'_>, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>>;
        get_next_precedence(parser: &Parser<'_>) -> Option<Result<u8, ParserError>>;
        get_next_precedence_default(parser: &Parser<'_>) -> Result<u8, ParserError>;
        parse_statement(parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>>;
        parse_column_option(
            parser: &mut Parser<'_>
        ) -> Result<Option<Result<Option<ColumnOption>, ParserError>>, ParserError>;
        prec_value(precedence: Precedence) -> u8;
        prec_unknown() -> u8;
        is_reserved_for_identifier(word: Keyword) -> bool;
        get_reserved_keywords_for_select_item_operator() -> &[Keyword];
        get_reserved_grantees_types() -> &[GranteesType];
        is_column_alias(word: &Keyword, parser: &mut Parser<'_>) -> bool;
        is_select_item_alias(explicit: bool, word: &Keyword, parser: &mut Parser<'_>) -> bool;
        is_table_factor(word: &Keyword, parser: &mut Parser<'_>) -> bool;
        is_table_alias(word: &Keyword, parser: &mut Parser<'_>) -> bool;
        is_table_factor_alias(explicit: bool, word: &Keyword, parser: &mut Parser<'_>) -> bool;
        is_identifier_generating_function_name(name: &Ident, parts: &[ObjectNamePart]) -> bool;
    }

    /// True, because otherwise each join adds a level of depth. It does not change the table names.
    fn supports_left_associative_joins_without_parens(&self) -> bool {
        self.take_step();
        true
    }

    /// False: none of the databases supports it, and its patterns are parsed recursively without a call of the dialect.
    fn supports_match_recognize(&self) -> bool {
        self.take_step();
        false
    }

    metered_flags! {
        supports_string_literal_backslash_escape ignores_wildcard_escapes supports_unicode_string_literal
        supports_filter_during_aggregation supports_window_clause_named_window_reference
        supports_within_after_array_aggregation supports_partition_by_after_order_by supports_array_join_syntax
        supports_alter_user_as_alter_role supports_group_by_expr supports_group_by_with_modifier
        supports_outer_join_operator supports_cross_join_constraint supports_connect_by supports_execute_immediate
        supports_in_empty_list
        supports_in_unparenthesized_expr supports_start_transaction_modifier supports_end_transaction_modifier
        supports_named_fn_args_with_eq_operator supports_named_fn_args_with_colon_operator
        supports_named_fn_args_with_assignment_operator supports_named_fn_args_with_rarrow_operator
        supports_named_fn_args_with_expr_name supports_numeric_prefix supports_numeric_literal_underscores
        supports_window_function_null_treatment_arg supports_dictionary_syntax support_map_literal_syntax
        supports_lambda_functions supports_parenthesized_set_variables supports_comma_separated_set_assignments
        supports_update_order_by supports_select_wildcard_except convert_type_before_value
        supports_triple_quoted_string supports_trailing_commas supports_limit_comma
        supports_string_literal_concatenation supports_string_literal_concatenation_with_newline
        supports_projection_trailing_commas supports_from_trailing_commas supports_column_definition_trailing_commas
        supports_object_name_double_dot_notation supports_struct_literal supports_empty_projections
        supports_select_expr_star supports_from_first_select supports_from_first_insert supports_pipe_operator
        supports_user_host_grantee supports_match_against supports_select_wildcard_exclude supports_select_exclude
        supports_create_table_multi_schema_info_sources supports_select_modifiers describe_requires_table_keyword
        allow_extract_custom allow_extract_single_quotes supports_extract_comma_syntax
        supports_subquery_as_function_arg supports_create_view_comment_syntax
        supports_array_typedef_without_element_type supports_parens_around_table_factor
        supports_values_as_table_factor supports_dollar_placeholder supports_dollar_as_money_prefix
        supports_create_index_with_clause require_interval_qualifier supports_explain_with_utility_options
        supports_asc_desc_in_column_definition supports_factorial_operator supports_bitwise_shift_operators
        supports_nested_comments supports_multiline_comment_hints supports_eq_alias_assignment supports_try_convert
        supports_bang_not_operator supports_listen_notify supports_exclude_constraint supports_load_data
        supports_load_extension supports_top_before_distinct supports_boolean_literals supports_show_like_before_in
        supports_comment_on supports_create_table_select supports_leading_comma_before_table_options
        supports_partiql supports_unpivot_expr supports_constraint_keyword_without_name supports_key_column_option
        supports_table_sample_before_alias supports_insert_set supports_insert_table_function
        supports_insert_table_query supports_insert_format supports_insert_table_alias
        supports_set_stmt_without_operator supports_table_versioning supports_string_escape_constant
        supports_table_hints requires_single_line_comment_whitespace supports_array_typedef_with_brackets
        supports_geometric_types supports_order_by_all supports_order_by_using_operator supports_set_names
        supports_space_separated_column_options supports_alter_column_type_using
        supports_comma_separated_drop_column_list supports_notnull_operator supports_data_type_signed_suffix
        supports_interval_options supports_create_table_like_parenthesized supports_semantic_view_table_factor
        supports_quote_delimited_string supports_comment_optimizer_hint supports_double_ampersand_operator
        supports_binary_kw_as_cast supports_select_wildcard_replace supports_select_wildcard_ilike
        supports_select_wildcard_rename supports_select_wildcard_with_alias supports_optimize_table supports_install
        supports_detach supports_prewhere supports_with_fill supports_limit_by supports_interpolate
        supports_settings supports_select_format supports_comma_separated_trim supports_cte_without_as
        supports_select_item_multi_column_alias supports_xml_expressions supports_aliased_function_args
        supports_create_table_using supports_long_type_as_bigint supports_map_literal_with_angle_brackets
    }
}

#[cfg(test)]
#[path = "metered_parse_tests.rs"]
mod tests;
