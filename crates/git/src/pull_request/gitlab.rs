//! GitLab. A pull request is a merge request there.

use super::forge_api::ForgeApi;
use super::pull_request::{PullRequest, PullRequestState, PullRequestText};
use super::rest_client::{Method, RestClient};
use crate::git_error::GitError;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

pub(super) struct GitLab {
    pub(super) client: RestClient,
    pub(super) project: String,
    /// Base URL of its pull requests on the web.
    pub(super) requests: String,
}

impl GitLab {
    fn path(&self) -> String {
        format!("/projects/{}/merge_requests", encode(&self.project))
    }
}

impl ForgeApi for GitLab {
    fn find(&self, branch: &str, base: &str) -> Result<Option<PullRequest>, GitError> {
        let path = format!(
            "{}?source_branch={}&target_branch={}&state=all&order_by=created_at&sort=desc&per_page=1",
            self.path(),
            encode(branch),
            encode(base)
        );
        let found =
            self.client.call(Method::Get, &path, None)?.map_err(|refusal| refusal.into_error("list merge requests"))?;
        found.get(0).map(|value| read(value, &self.requests)).transpose()
    }

    fn create(&self, branch: &str, base: &str, text: &PullRequestText) -> Result<PullRequest, GitError> {
        let body = json!({
            "title": text.title, "description": text.body, "source_branch": branch, "target_branch": base,
        });
        match self.client.call(Method::Post, &self.path(), Some(&body))? {
            Ok(value) => read(&value, &self.requests),
            // Another process created it, or the answer to an earlier attempt was lost.
            Err(refusal) if matches!(refusal.status, 409 | 422) => match self.find(branch, base)? {
                Some(found) if found.state == PullRequestState::Open => Ok(found),
                _ => Err(refusal.into_error("open the merge request")),
            },
            Err(refusal) => Err(refusal.into_error("open the merge request")),
        }
    }

    fn update(&self, number: u64, text: &PullRequestText) -> Result<(), GitError> {
        let body = json!({ "title": text.title, "description": text.body });
        let done = self.client.call(Method::Put, &format!("{}/{number}", self.path()), Some(&body))?;
        done.map(drop).map_err(|refusal| refusal.into_error("update the merge request"))
    }
}

fn encode(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn read(value: &Value, requests: &str) -> Result<PullRequest, GitError> {
    let is_open = matches!(value.get("state").and_then(Value::as_str), Some("opened" | "locked"));
    let state = if is_open { PullRequestState::Open } else { PullRequestState::Done };
    let number = value.get("iid").and_then(Value::as_u64);
    PullRequest::read(number, value.get("web_url").and_then(Value::as_str), requests, state)
}
