//! Bitbucket Cloud.

use super::forge_api::ForgeApi;
use super::pull_request::{PullRequest, PullRequestState, PullRequestText};
use super::rest_client::{Method, RestClient};
use crate::git_error::GitError;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

pub(super) struct Bitbucket {
    pub(super) client: RestClient,
    pub(super) project: String,
    /// Base URL of its pull requests on the web.
    pub(super) requests: String,
}

impl Bitbucket {
    fn path(&self) -> String {
        format!("/repositories/{}/pullrequests", self.project)
    }
}

impl ForgeApi for Bitbucket {
    fn find(&self, branch: &str, base: &str) -> Result<Option<PullRequest>, GitError> {
        let query = format!(r#"source.branch.name="{branch}" AND destination.branch.name="{base}""#);
        let states = "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED";
        let query: String = byte_serialize(query.as_bytes()).collect();
        let path = format!("{}?q={query}&{states}&sort=-created_on&pagelen=1", self.path());
        let response =
            self.client.call(Method::Get, &path, None)?.map_err(|refusal| refusal.into_error("list pull requests"))?;
        response.pointer("/values/0").map(|value| read(value, &self.requests)).transpose()
    }

    fn create(&self, branch: &str, base: &str, text: &PullRequestText) -> Result<PullRequest, GitError> {
        // An open pull request of the same branches is updated by this call: Bitbucket keeps one.
        let body = json!({
            "title": text.title,
            "description": text.body,
            "source": { "branch": { "name": branch } },
            "destination": { "branch": { "name": base } },
        });
        match self.client.call(Method::Post, &self.path(), Some(&body))? {
            Ok(value) => read(&value, &self.requests),
            Err(refusal) => Err(refusal.into_error("open the pull request")),
        }
    }

    fn update(&self, number: u64, text: &PullRequestText) -> Result<(), GitError> {
        let body = json!({ "title": text.title, "description": text.body });
        let response = self.client.call(Method::Put, &format!("{}/{number}", self.path()), Some(&body))?;
        response.map(drop).map_err(|refusal| refusal.into_error("update the pull request"))
    }
}

fn read(value: &Value, requests: &str) -> Result<PullRequest, GitError> {
    let is_open = value.get("state").and_then(Value::as_str) == Some("OPEN");
    let state = if is_open { PullRequestState::Open } else { PullRequestState::Done };
    let number = value.get("id").and_then(Value::as_u64);
    PullRequest::read(number, value.pointer("/links/html/href").and_then(Value::as_str), requests, state)
}
