//! Classification of SQL statements before they reach a database.

use super::background::{Promised, start_on};
use super::binding_outcome::BindingOutcome;
use crate::kernel::{Dialect, ParameterShape, SqlOptions, SqlPolicy, Statement, WorkPool, classify};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::sql_detail::SqlDetail;

/// The resolved options of the SQL tools, and the classifier that all adapters share.
#[napi]
pub struct BindingSqlRules {
    inner: Result<(SqlOptions, Arc<SqlPolicy>), Error>,
    /// Threads that parse statements.
    readers: WorkPool<()>,
}

#[napi]
impl BindingSqlRules {
    #[napi(constructor)]
    pub fn new(options_json: String) -> Self {
        let inner = SqlOptions::from_json(&options_json).map(|options| {
            let policy = Arc::new(options.policy());
            (options, policy)
        });
        Self { inner, readers: WorkPool::new("tgp-rules", 2) }
    }

    /// Value: the options with their defaults. `readOnly` is also true when the rules allow only reads.
    #[napi]
    pub fn options(&self) -> BindingOutcome {
        BindingOutcome::from_result(
            self.inner.clone().map(|(options, policy)| SqlOptions { read_only: policy.only_reads(), ..options }),
        )
    }

    /// Value: `{ access, verbs, returns, enforceReadOnly, detail, sql, bindings, reach? }`. `parameters_json` is `{"positional":n}` or
    /// `{"named":[…]}`; `judged` is how closely a policy or token inspects SQL: `nothing`, `verbs` or `tables`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn classify<'env>(
        &self,
        env: &'env Env,
        sql: String,
        dialect: String,
        parameters_json: String,
        judged: String,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let judged: Result<SqlDetail, Error> =
            serde_json::from_value(judged.into()).map_err(|error| invalid("The detail of the judgement", &error));
        match (&self.inner, judged) {
            (Err(error), _) => promised.settle::<()>(Err(error.clone())),
            (_, Err(error)) => promised.settle::<()>(Err(error)),
            (Ok((_, policy)), Ok(judged)) => {
                let policy = SqlPolicy { judged, ..SqlPolicy::clone(policy) };
                start_on(&self.readers, promised, move |promised| {
                    promised.settle(read(&sql, &dialect, &parameters_json, &policy));
                });
            }
        }
        Ok(promise)
    }

    /// Value: whether a table of the catalogue may be shown and used.
    #[napi]
    pub fn allows_table(&self, schema: Option<String>, name: String, dialect: String) -> BindingOutcome {
        let allowed = |dialect| Ok(self.policy()?.allows_relation(schema.as_deref(), &name, dialect));
        BindingOutcome::from_result(dialect_of(&dialect).and_then(allowed))
    }

    /// Value: whether a table is denied, by its name without a schema.
    #[napi]
    pub fn denies_table(&self, name: String) -> BindingOutcome {
        BindingOutcome::from_result(self.policy().map(|policy| policy.denies_table(&name)))
    }

    fn policy(&self) -> Result<&SqlPolicy, Error> {
        self.inner.as_ref().map(|(_, policy)| &**policy).map_err(Error::clone)
    }
}

pub(super) fn dialect_of(name: &str) -> Result<Dialect, Error> {
    serde_json::from_value(name.into()).map_err(|error| invalid("The SQL dialect", &error))
}

fn read(sql: &str, dialect: &str, parameters_json: &str, policy: &SqlPolicy) -> Result<Statement, Error> {
    let shape: ParameterShape = parse(parameters_json, "The shape of the parameters")?;
    Ok(classify(sql, dialect_of(dialect)?, policy, &shape)?)
}

fn parse<T: DeserializeOwned>(json: &str, what: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| invalid(what, &error))
}

fn invalid(what: &str, error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Validation, format!("{what} is not valid: {error}."))
}
