//! Queries about rules and tokens for SQL.

use super::call_facts::set_caller;
use super::gate::Gate;
use super::rules::InForce;
use super::strictest_verdict::{Previews, strictest_verdict};
use tgp_base::call::Caller;
use tgp_base::error::Error;
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::{SqlVerb, SqlVerbs};
use tgp_base::table_name::{DefaultSchema, TableName};
use tgp_policy::{Capability, Decision, Fact};

impl Gate {
    /// How closely the rules in force and the caller's token inspect a SQL statement.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn sql_detail(&self, caller: &Caller) -> Result<SqlDetail, Error> {
        let of_rules = match self.rules.in_force() {
            InForce::AllowAll => SqlDetail::Nothing,
            InForce::Policy(policy) => policy.sql_detail(),
            InForce::Hook => SqlDetail::Tables,
        };
        let Some(token) = caller.token.as_deref() else { return Ok(of_rules) };
        // Runs on Node's thread for every statement, so revocation is left to the door.
        Ok(of_rules.max(self.tokens.read(token)?.sql_detail()))
    }

    /// For each table (name and schema) whether the rules in force and the caller's token leave it open. With verbs: to
    /// a statement with these verbs that reaches it without naming it, unless a rule denies it or asks. Without verbs:
    /// to a statement that reads it.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn open_tables(
        &self,
        caller: &Caller,
        tables: &[(String, Option<String>)],
        home: DefaultSchema,
        verbs: Option<SqlVerbs>,
    ) -> Result<Vec<bool>, Error> {
        let capability = caller.token.as_deref().map(|token| self.tokens.verify(token)).transpose()?;
        let token_id = capability.as_ref().and_then(Capability::id).map(|id| id.to_string());
        let in_force = self.rules.in_force();
        let mut call = self.rules.tools().some_call("exec_sql");
        set_caller(&mut call, caller, token_id, self.mode);
        if verbs.is_none() {
            // Rules on the text of a statement do not concern its tables.
            call.args = Fact::Nothing;
        }
        call.verbs = Fact::Known(verbs.unwrap_or_else(|| [SqlVerb::Select].into_iter().collect()));
        let is_open = |(name, schema): &(String, Option<String>)| {
            let written = schema.as_ref().map_or_else(|| name.clone(), |schema| format!("{schema}.{name}"));
            let table = TableName::in_database(&written, home);
            // The table `"a.b"` is not the one of the schema `a`.
            call.tables = if name.contains('.') { Fact::Unknown } else { Fact::Known(vec![table.clone()]) };
            call.mentioned = vec![table];
            // A token limits what may be named; it must not hide that a rule asks.
            let capability = capability.as_ref().filter(|_| verbs.is_none());
            let verdict = strictest_verdict(&in_force, capability, &call, &[], Previews::Nothing);
            verdict.is_none_or(|verdict| match verbs {
                Some(_) => &*verdict.rule == "default",
                None => verdict.decision != Decision::Deny,
            })
        };
        Ok(tables.iter().map(is_open).collect())
    }
}
